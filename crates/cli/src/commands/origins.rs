//! `origins`: who is behind an item, and which of them have to be lost.

use immune_api::Reply;
use immune_api::origins::{Grounded, Origin, Origins};
use immune_model::Item;

use super::{Context, bound, show};
use crate::args::{self, named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{Cell, rows, wrapped};

pub(crate) fn run(context: &mut Context, args: &args::Origins) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let item = args.item.find(state)?;
    let found = state.origins(item).ok_or_else(|| {
        named::wrong_kind(item, "a belief, a justification, a decision or an action")
    })?;
    let view = Origins::of(state, item, &found);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    print(context, &view)?;
    let whole = match item {
        Item::Action(_) | Item::Decision(_) => view.parts.iter().min_by_key(|it| {
            let grounded = &it.grounded;
            (grounded.corroboration, grounded.exact)
        }),
        _ => None,
    };
    context.next(format!(
        "explain {}",
        whole.map_or(&view.item, |it| &it.item)
    ));
    Ok(Exit::Yes)
}

fn print(context: &mut Context, view: &Origins) -> Result<(), Failure> {
    let width = context.printer.width();
    let printer = &mut context.printer;
    let whole = &view.whole;
    printer.line(format!("{}  corroboration {}", view.item, count(whole)))?;
    if !whole.lose.is_empty() {
        let lose = in_words(&whole.lose);
        printer.line(wrapped(&format!("falls without {lose}"), 2, width))?;
    }
    if !whole.sources.is_empty() {
        let sources = show::count(whole.sources.len(), "source");
        let origins = match whole.corroboration {
            1 => "independent origin",
            _ => "independent origins",
        };
        let n = count(whole);
        printer.line(format!("  {sources}, {n} {origins}"))?;
    }
    for source in bound::shown(&whole.sources) {
        let copies = source
            .origins
            .iter()
            .filter(|it| **it != source.name.source);
        let copies: Vec<&str> = copies.map(String::as_str).collect();
        let name = show::source(&source.name);
        let what = if copies.is_empty() {
            name
        } else {
            format!("{name}, counts as {}", bound::words(&source.origins))
        };
        printer.line(wrapped(
            &format!("{}  {what}", source.name.source),
            2,
            width,
        ))?;
    }
    bound::say_more(context, 2, bound::left(&whole.sources))?;
    let printer = &mut context.printer;
    if !view.parts.is_empty() {
        printer.line("each by itself")?;
    }
    let table: Vec<Vec<Cell>> = bound::shown(&view.parts)
        .iter()
        .map(|it| {
            let lose = &it.grounded.lose;
            let falls = match lose.as_slice() {
                [] => String::new(),
                lose => format!("falls without {}", in_words(lose)),
            };
            vec![
                Cell::from(format!("  {}", it.item)),
                Cell::from(count(&it.grounded)),
                Cell::from(falls),
            ]
        })
        .collect();
    for line in rows(&table, width) {
        printer.line(line)?;
    }
    bound::say_more(context, 2, bound::left(&view.parts))
}

fn count(grounded: &Grounded) -> String {
    if grounded.exact {
        grounded.corroboration.to_string()
    } else {
        format!("at least {}", grounded.corroboration)
    }
}

/// Origins in words.
fn in_words(origins: &[Origin]) -> String {
    bound::words_by(origins, name)
}

/// An origin in words.
pub(super) fn name(origin: &Origin) -> String {
    let channel = escape::line(&origin.channel);
    match &origin.handle {
        Some(handle) => format!("{} ({channel})", escape::line(handle)),
        None => format!("the newcomers of {channel}"),
    }
}
