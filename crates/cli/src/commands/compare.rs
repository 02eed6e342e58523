//! `compare`: two claims side by side, without a store.

use immune_api::Reply;
use immune_api::compare::{Compared, ReadClaim};
use immune_model::{Subject, Text};

use super::Context;
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};
use crate::printer::{BOLD, DIM, GREEN, RED, styled};

pub(crate) fn run(context: &mut Context, args: &args::Compare) -> Result<Exit, Failure> {
    let subject = args.about.as_deref().map(Subject::new).transpose()?;
    // The same limits as for a claim that is stored.
    let claim = |name: &str, text: &str| {
        Text::new(text).map_err(|it| Failure::usage(format!("claim {name}: {it}")))
    };
    let (a, b) = (claim("A", &args.a)?, claim("B", &args.b)?);
    let view = Compared::of(subject.as_ref(), a.as_str(), b.as_str());
    let exit = match view.relation {
        "conflict" => Exit::No,
        _ => Exit::Yes,
    };
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(exit);
    }
    let style = match view.relation {
        "conflict" => RED,
        "same" => GREEN,
        _ => BOLD,
    };
    let by = view.decided_by.map(|it| format!(": {it}"));
    let relation = styled(style, view.relation);
    let line = format!("{relation}{}", by.unwrap_or_default());
    context.printer.line(line)?;
    if let Some(found) = view.subject.as_deref().filter(|_| subject.is_none()) {
        let about = escape::line(found);
        context
            .printer
            .line(styled(DIM, format!("both are about {about}")))?;
    }
    if view.look_alike {
        let warning = "a value of one looks like a value of the other and is another one";
        context.printer.line(styled(RED, warning))?;
    }
    let mut table = Vec::new();
    for (name, read, text) in [("A", &view.a, &a), ("B", &view.b, &b)] {
        table.push(vec![
            Cell::styled(BOLD, format!("  {name}")),
            Cell::from(says(read.polarity)),
            Cell::from(escape::line(text.as_str())),
        ]);
        table.extend(lines(read));
    }
    for line in rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    Ok(exit)
}

/// What a sign stands for.
fn says(polarity: char) -> &'static str {
    match polarity {
        '+' => "affirms",
        '-' => "denies",
        _ => "says neither",
    }
}

/// A line for each literal.
fn lines(read: &ReadClaim) -> impl Iterator<Item = Vec<Cell>> + '_ {
    read.literals.iter().map(|it| {
        vec![
            Cell::from(""),
            Cell::styled(DIM, it.kind),
            Cell::from(escape::line(&it.value)),
        ]
    })
}
