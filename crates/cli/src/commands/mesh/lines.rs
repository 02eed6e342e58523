//! `mesh screen` and `mesh observe`: a line of JSON in, a line of JSON out, in order, each written
//! through before the next one is read, so that a process can be talked to over pipes.
//!
//! A line that cannot be judged is answered too, by an error with its number: whoever counts lines
//! stays in step. Invariant: of the texts of a line, nothing is in its answer.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use immune_api::mesh::{Observe, Observed, Refused, Screen, Screened};
use immune_api::{Code, Problem, Reply, Schema};
use immune_engine::{Judgement, MeshMeaning, MeshMeaningError, Session, WriteError};
use immune_model::Trust;
use immune_model::limits::MESH_LINE_BYTES_MAX;

use super::super::{Context, reply};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

/// On which side of a call of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// What came of a line.
enum Answer {
    Judged {
        judgement: Judgement,
        incident: Option<String>,
    },
    Refused(Box<Problem>),
}

pub(super) fn run(
    context: &mut Context,
    args: &args::MeshLines,
    side: Side,
    by: args::ByMeaning,
) -> Result<Exit, Failure> {
    context.embeds = by.meaning;
    let session = context.writer(args.dry_run)?;
    let meaning = by.meaning.then(|| by_meaning(&session, by.near));
    let meaning = meaning.transpose()?;
    let mut reader = open(&args.file)?;
    let (mut number, mut n_refused, mut failed, mut last) = (0, 0_u64, false, None);
    loop {
        let line = next_line(&mut *reader).map_err(|it| Failure::new(Code::Unreadable, it))?;
        let Some(line) = line else {
            break;
        };
        number += 1;
        let answer = match text_of(&line) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => answer(context, &session, (side, meaning.as_ref()), number, text)?,
            Err(problem) => Answer::Refused(Box::new(problem)),
        };
        match answer {
            Answer::Judged {
                judgement,
                incident,
            } => {
                failed |= args.fail_on.contains(&judgement);
                last = incident.or(last);
            }
            Answer::Refused(mut error) => {
                n_refused += 1;
                error.message = format!("line {number}: {}", error.message);
                if args.fail_fast {
                    return Err(Failure::problem(*error));
                }
                let error = *error;
                let line = number;
                say(context, &reply(&session, Refused { line, error }))?;
            }
        }
    }
    if let Some(incident) = last {
        context.next(super::shows(&incident));
    }
    if n_refused > 0 {
        let lines =
            super::super::show::count(usize::try_from(n_refused).unwrap_or(usize::MAX), "line");
        context.printer.warn(format!("{lines} could not be judged"));
        return Ok(Exit::CouldNotRun);
    }
    Ok(if failed { Exit::No } else { Exit::Yes })
}

/// Comparing by meaning, where that can be done.
fn by_meaning(session: &Session, from: Option<Trust>) -> Result<MeshMeaning, Failure> {
    session.mesh_meaning(from).map_err(|error| {
        let hint = match &error {
            MeshMeaningError::NoEmbedder => {
                "set `IMMUNE_EMBEDDER` to `folder:PATH` of all-MiniLM-L6-v2, or leave `--meaning` out"
            }
            _ => "name a margin: `--meaning --near 0.1`; `bench mesh` shows how one is measured",
        };
        Failure::usage(escape::line(&error.to_string())).hint(hint)
    })
}

fn open(file: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = fs_err::File::open(file).map_err(|it| Failure::new(Code::Unreadable, it))?;
    Ok(Box::new(BufReader::new(file)))
}

/// Looks at a line and answers it. A store that fails ends the command: what it would have said is
/// not known to be durable.
fn answer(
    context: &mut Context,
    session: &Session,
    (side, meaning): (Side, Option<&MeshMeaning>),
    number: u64,
    text: &str,
) -> Result<Answer, Failure> {
    let principal = session.principal().clone();
    let (judged, incident) = match side {
        Side::Before => {
            let request = match Screen::read(text, &principal) {
                Ok(request) => request,
                Err(error) => return Ok(Answer::Refused(Box::new(error.into()))),
            };
            match session.mesh_screen(&request.0) {
                Ok(answer) => {
                    let view = Screened::of(number, &request, &answer);
                    say(context, &reply(session, view))?;
                    (answer.verdict.judgement, answer.incident)
                }
                Err(WriteError::Refused(error)) => {
                    return Ok(Answer::Refused(Box::new(error.into())));
                }
                Err(WriteError::Failed(error)) => return Err(error.into()),
            }
        }
        Side::After => {
            let request = match Observe::read(text, &principal) {
                Ok(request) => request,
                Err(error) => return Ok(Answer::Refused(Box::new(error.into()))),
            };
            match session.mesh_observe_by(&request.exchange, meaning) {
                Ok(answer) => {
                    let view = Observed::of(number, &request, &answer);
                    say(context, &reply(session, view))?;
                    (answer.verdict.judgement, answer.incident)
                }
                Err(WriteError::Refused(error)) => {
                    return Ok(Answer::Refused(Box::new(error.into())));
                }
                Err(WriteError::Failed(error)) => return Err(error.into()),
            }
        }
    };
    Ok(Answer::Judged {
        judgement: judged,
        incident: incident.map(|it| it.to_string()),
    })
}

fn say<T: Schema>(context: &mut Context, reply: &Reply<T>) -> Result<(), Failure> {
    context.printer.record(reply)?;
    context.printer.flush()?;
    Ok(())
}

/// A line as it was read.
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The next line without its end; what is too long is read past.
fn next_line(reader: &mut dyn BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let most = MESH_LINE_BYTES_MAX as u64 + 1;
    let n = reader.take(most).read_until(b'\n', &mut line)?;
    if n == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Some(Line::Whole(line)));
    }
    if line.len() <= MESH_LINE_BYTES_MAX {
        return Ok(Some(Line::Whole(line)));
    }
    drop(line);
    loop {
        let buffer = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let end = buffer.iter().position(|it| *it == b'\n');
        let taken = end.map_or(buffer.len(), |it| it + 1);
        let is_over = end.is_some() || buffer.is_empty();
        reader.consume(taken);
        if is_over {
            return Ok(Some(Line::TooLong));
        }
    }
}

fn text_of(line: &Line) -> Result<&str, Problem> {
    match line {
        Line::TooLong => Err(Problem::new(
            Code::InvalidCall,
            format!("it has more than {MESH_LINE_BYTES_MAX} bytes"),
        )
        .hint("split the call; `LIMITS.md` has the limits")),
        Line::Whole(bytes) => std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            Problem::new(
                Code::InvalidCall,
                format!("it is no UTF-8 from byte {at} on"),
            )
            .hint("write it as UTF-8; other bytes have escapes in JSON")
        }),
    }
}
