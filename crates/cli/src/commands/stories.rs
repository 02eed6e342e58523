//! `demo` and `rehearse`: the story is told by `demo`; here it is run, printed and judged.

use immune_model::shell::Command;
use std::path::{Path, PathBuf};

use immune_api::demo::{Assertion, Demo, Rehearsal};
use immune_api::{Code, Reply};

use super::{Context, demo};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn demo(context: &mut Context, args: &args::Demo) -> Result<Exit, Failure> {
    let stage = Folder::of(args.keep.as_deref())?;
    let told = tell(&stage.path)?;
    let assertions = views(&told.assertions);
    let kept = stage.kept.then(|| stage.path.display().to_string());
    let view = Demo { assertions, kept };
    if !context.printer.reply(&Reply::new(view.clone()))? {
        for line in &told.lines {
            context.printer.line(line)?;
        }
        if stage.kept {
            let store = stage.path.join("demo.immune");
            let command = Command::new("immune")
                .option("--store", &store.display().to_string())
                .plain("--memory demo list beliefs");
            context.printer.next("next", &command.to_string());
        } else {
            context.printer.next("next", "immune demo --keep ./story");
        }
    }
    judge(&view.assertions)
}

pub(crate) fn rehearse(context: &mut Context) -> Result<Exit, Failure> {
    let first = tell(&Folder::of(None)?.path)?;
    let second = tell(&Folder::of(None)?.path)?;
    let difference = demo::first_difference(&first, &second);
    let both = first.assertions.iter().zip(&second.assertions);
    let assertions = both.map(|(one, two)| Assertion {
        name: one.name.clone(),
        holds: one.holds && two.holds,
    });
    let view = Rehearsal {
        identical: difference.is_none(),
        lines: first.lines.len(),
        first_difference: difference.map(|(line, _, _)| line),
        assertions: assertions.collect(),
    };
    if !context.printer.reply(&Reply::new(view.clone()))? {
        match difference {
            None => context
                .printer
                .line(format!("two runs are identical: {} lines", view.lines))?,
            Some((line, one, two)) => {
                context.printer.line(format!("line {line} differs"))?;
                context.printer.line(format!("  {one}"))?;
                context.printer.line(format!("  {two}"))?;
            }
        }
    }
    if view.identical {
        return judge(&view.assertions);
    }
    Err(Failure::new(
        Code::CheckFailed,
        "two runs of the demo differ",
    ))
}

fn tell(folder: &Path) -> Result<demo::Told, Failure> {
    demo::tell(folder, shows_glyphs())
        .map_err(|error| Failure::new(Code::StoreFailed, format!("the demo stopped: {error:#}")))
}

/// Whether the locale shows more than ASCII.
fn shows_glyphs() -> bool {
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = variables
        .iter()
        .find_map(|it| std::env::var(it).ok().filter(|it| !it.is_empty()));
    locale.is_none_or(|it| {
        let it = it.to_lowercase();
        it.contains("utf-8") || it.contains("utf8")
    })
}

fn views(assertions: &[demo::Assertion]) -> Vec<Assertion> {
    let view = |it: &demo::Assertion| Assertion {
        name: it.name.clone(),
        holds: it.holds,
    };
    assertions.iter().map(view).collect()
}

fn judge(assertions: &[Assertion]) -> Result<Exit, Failure> {
    let failed: Vec<&str> = assertions
        .iter()
        .filter(|it| !it.holds)
        .map(|it| it.name.as_str())
        .collect();
    if failed.is_empty() {
        return Ok(Exit::Yes);
    }
    let message = format!(
        "{} of {} assertions fail: {}",
        failed.len(),
        assertions.len(),
        failed.join("; ")
    );
    Err(Failure::new(Code::CheckFailed, message))
}

/// Where the story takes place: a folder that is kept, or one that goes with it.
struct Folder {
    path: PathBuf,
    kept: bool,
    _gone_after: Option<tempfile::TempDir>,
}

impl Folder {
    fn of(keep: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = keep else {
            let folder = tempfile::tempdir().map_err(|error| {
                Failure::new(Code::StoreFailed, format!("no temporary folder: {error}"))
            })?;
            let path = folder.path().to_owned();
            return Ok(Self {
                path,
                kept: false,
                _gone_after: Some(folder),
            });
        };
        let occupied = fs_err::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if occupied || path.is_file() {
            let shown = escape::line(&path.display().to_string());
            return Err(Failure::usage(format!("`{shown}` is not an empty folder")));
        }
        Ok(Self {
            path: path.to_owned(),
            kept: true,
            _gone_after: None,
        })
    }
}
