//! `record`: a profile, a field for each subject below a prefix.

use immune_api::Reply;
use immune_api::record::{Field, Record};
use immune_model::{Item, Namespace, Subject};

use super::{Context, bound, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows};
use crate::printer::{DIM, GREEN, RED, YELLOW};

pub(crate) fn run(context: &mut Context, args: &args::Record) -> Result<Exit, Failure> {
    let word = args.prefix.trim_end_matches('*');
    let prefix = Subject::new(word.trim_end_matches(['.', '/']))?;
    let namespace = Namespace::new(&args.namespace)?;
    let session = context.reader()?;
    let record = session.record(&prefix, &namespace)?;
    let snapshot = session.snapshot()?;
    let view = Record::of(snapshot.state(), &record);
    let values = record.fields.iter();
    let values = values.flat_map(|it| context.told(&it.values));
    session.show_in(None, values.map(|it| Item::Belief(it.belief)).collect())?;
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    if view.fields.is_empty() {
        let shown = escape::line(&view.prefix);
        context
            .printer
            .line(format!("no subject begins with `{shown}`"))?;
        context.next("list beliefs");
        return Ok(Exit::Yes);
    }
    let table: Vec<Vec<Cell>> = view.fields.iter().flat_map(lines).collect();
    for line in rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    if view.more > 0 {
        context
            .printer
            .line(format!("and {} more fields", view.more))?;
    }
    let lost = view.fields.iter().find_map(|it| it.lost.first());
    let value = view.fields.iter().find_map(|it| it.values.first());
    match (lost, value) {
        (Some(lost), _) => context.next(format!("explain {}", lost.belief)),
        (None, Some(value)) => context.next(format!("origins {}", value.belief)),
        (None, None) => {}
    }
    Ok(Exit::Yes)
}

/// A field as rows: a value each, then what was lost.
fn lines(field: &Field) -> Vec<Vec<Cell>> {
    let name = escape::line(&field.name);
    let standing = match field.standing {
        "held" => Cell::styled(GREEN, field.standing),
        "contested" => Cell::styled(YELLOW, field.standing),
        "lost" => Cell::styled(RED, field.standing),
        _ => Cell::styled(DIM, field.standing),
    };
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    for fact in bound::shown(&field.values) {
        lines.push(vec![
            Cell::from(fact.belief.clone()),
            Cell::styled(show::label_style(&fact.label), show::label_words(fact)),
            Cell::from(escape::line(&fact.claim)),
            Cell::styled(DIM, bound::words_by(&fact.sources, show::source)),
        ]);
    }
    for lost in bound::shown(&field.lost) {
        let incident = lost.incident.iter().map(|it| format!(" in {it}"));
        let incident: String = incident.collect();
        let ended = lost.ended_at.as_deref().map(show::moment);
        let since = show::moment(&lost.believed_at);
        let stood = match ended {
            Some(ended) => format!("stood from {since} to {ended}"),
            None => format!("was said at {since}"),
        };
        lines.push(vec![
            Cell::from(lost.belief.clone()),
            Cell::styled(
                show::status_style(lost.status),
                format!("{}{incident}", lost.status),
            ),
            Cell::from(stood),
            Cell::styled(DIM, bound::words_by(&lost.sources, show::source)),
        ]);
    }
    for excluded in bound::shown(&field.excluded) {
        lines.push(vec![
            Cell::from(excluded.item.clone()),
            Cell::styled(DIM, excluded.reason.clone()),
            Cell::from(""),
            Cell::from(""),
        ]);
    }
    let more = bound::left(&field.values) + bound::left(&field.lost) + bound::left(&field.excluded);
    if more > 0 {
        lines.push(vec![Cell::from(format!("and {more} more"))]);
    }
    for (at, line) in lines.iter_mut().enumerate() {
        let (first, second) = match at {
            0 => (Cell::from(name.clone()), standing.clone()),
            _ => (Cell::from(""), Cell::from("")),
        };
        line.splice(0..0, [first, second]);
    }
    lines
}
