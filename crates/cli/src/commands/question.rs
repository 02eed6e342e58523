//! `blast`, `origins`, `chokepoint` and `scan`: questions about the graph.

use immune_api::origins::{Grounded, Origin};
use immune_api::{Code, Reply, blast, chokepoint, origins, scan};
use immune_engine::reason::State;
use immune_engine::reason::plan::FlagWhat;
use immune_engine::reason::question::NoPaths;
use immune_model::Item;

use super::{Context, flag, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::{BOLD, styled};

pub(crate) fn blast(context: &mut Context, args: &args::Blast) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let item = item_of(&args.item, state)?;
    let found = state.blast(item).ok_or_else(|| missing(item))?;
    let view = blast::Blast::of(state, item, &found, args.limit);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let printer = &mut context.printer;
    let it = view.totals;
    printer.line(styled(
        BOLD,
        format!(
            "{item} reaches {} beliefs, {} decisions, {} actions in {} hops",
            it.beliefs, it.decisions, it.actions, it.hops
        ),
    ))?;
    printer.line(format!(
        "without it {} beliefs, {} decisions and {} actions fall; {} beliefs stand on other grounds",
        it.beliefs_fall, it.decisions_fall, it.actions_fall, it.beliefs_stand
    ))?;
    for reached in &view.reached {
        let about = reached
            .about
            .as_deref()
            .map(escape::line)
            .unwrap_or_default();
        let by = reached.by.as_ref().map(show::source);
        let by = by.map(|it| format!("  by {it}")).unwrap_or_default();
        let (hop, id, fate) = (reached.hop, &reached.item, reached.fate);
        let stands_by = reached.stands_by.as_ref();
        let stands_by = stands_by.map(|it| format!(" by {it}")).unwrap_or_default();
        printer.line(format!("{hop:>3}  {id:<10} {fate}{stands_by}  {about}{by}"))?;
    }
    if view.more > 0 {
        printer.line(format!("and {} more", view.more))?;
    }
    if !view.copied_by.is_empty() {
        let copies: Vec<String> = view.copied_by.iter().map(show::source).collect();
        let copies = copies.join(", ");
        printer.line(format!("declared to copy it, not part of this: {copies}"))?;
    }
    context.next(&format!("flag {item} --dry-run"));
    Ok(Exit::Yes)
}

pub(crate) fn origins(context: &mut Context, args: &args::Origins) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let item = args.item.find(state)?;
    let found = state.origins(item).ok_or_else(|| missing(item))?;
    let view = origins::Origins::of(state, item, &found);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    print_grounded(context, &view.item, &view.whole)?;
    for part in &view.parts {
        print_grounded(context, &format!("  {}", part.item), &part.grounded)?;
    }
    for spoken in &view.whole.sources {
        let (name, origins) = (show::source(&spoken.name), spoken.origins.join(", "));
        context.printer.line(format!("  {name}: {origins}"))?;
    }
    Ok(Exit::Yes)
}

fn print_grounded(context: &mut Context, item: &str, it: &Grounded) -> Result<(), Failure> {
    let count = match (it.corroboration, it.exact) {
        (1, true) => "1 independent origin".to_owned(),
        (count, true) => format!("{count} independent origins"),
        (count, false) => format!("at least {count} independent origins"),
    };
    let lose: Vec<String> = it.lose.iter().map(origin).collect();
    let lose = if lose.is_empty() {
        String::new()
    } else {
        format!("; falls without {}", lose.join(" and "))
    };
    let (sources, item) = (it.sources.len(), styled(BOLD, item));
    let sources = match sources {
        1 => "1 source".to_owned(),
        more => format!("{more} sources"),
    };
    context
        .printer
        .line(format!("{item}  {sources}, {count}{lose}"))?;
    Ok(())
}

fn origin(it: &Origin) -> String {
    let handle = it.handle.as_deref().map(escape::line);
    handle.map_or_else(
        || format!("newcomers ({})", escape::line(&it.channel)),
        |handle| format!("{handle} ({})", escape::line(&it.channel)),
    )
}

pub(crate) fn chokepoint(context: &mut Context, args: &args::Chokepoint) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let (from, to) = (args.from.find(state)?, args.to.find(state)?);
    let found = match state.chokepoint(from, to) {
        Ok(found) => found,
        Err(NoPaths::NotAnEnd(item)) => return Err(not_an_end(state, item)),
        Err(NoPaths::TargetOut(status)) => {
            let message = format!("`{to}` does not stand: it is {}", status.name());
            return Err(Failure::new(Code::CheckFailed, message)
                .hint(format!("`immune explain {to}` says why")));
        }
        Err(NoPaths::Apart) => {
            let message = format!("nothing that stands leads from `{from}` to `{to}`");
            return Err(Failure::new(Code::NotInMemory, message)
                .hint(format!("`immune blast {from}` lists what it reaches")));
        }
    };
    let view = chokepoint::Chokepoint::of(from, to, &found);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    print_chokepoint(context, &view)?;
    Ok(Exit::Yes)
}

fn print_chokepoint(context: &mut Context, it: &chokepoint::Chokepoint) -> Result<(), Failure> {
    let printer = &mut context.printer;
    let (from, to) = (&it.from, &it.to);
    if let Some(cut) = &it.cut {
        let members = cut.members.join(", ");
        printer.line(format!(
            "no single memory lies on every path from {from} to {to}; the fewest that meet each: {members}"
        ))?;
    } else if it.shared.is_empty() {
        printer.line(format!("nothing lies between {from} and {to}"))?;
    } else {
        let shared = it.shared.join(", ");
        printer.line(format!("every path from {from} to {to} passes {shared}"))?;
    }
    let stands_on = it.stands_on.join(", ");
    printer.line(match (&it.falls_without, it.falls) {
        (Some(first), _) => format!("{to} falls without {first}"),
        (None, true) => format!("{to} falls without them"),
        (None, false) => format!("{to} stands without them, on {stands_on}"),
    })?;
    let members = it.takedown.members.join(", ");
    let size = it.takedown.size.replace('_', " ");
    printer.line(format!("to take {to} down ({size}): {members}"))?;
    if let Some(first) = &it.falls_without {
        context.next(&format!("flag {first} --dry-run"));
    }
    Ok(())
}

pub(crate) fn scan(context: &mut Context, args: &args::Scan) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let view = scan::Scan::of(snapshot.state(), &snapshot.state().scan(args.limit));
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    for weak in &view.weak {
        let subject = escape::line(&weak.subject);
        let by = weak.origin.as_ref().map(origin).unwrap_or_default();
        let (actions, decisions) = (weak.actions.len(), weak.decisions.len());
        let (belief, more) = (&weak.belief, if weak.at_least { "at least " } else { "" });
        let dependants = weak.dependants;
        let belief = styled(BOLD, belief);
        context
            .printer
            .line(format!("{belief}  {subject}  only by {by}"))?;
        context.printer.line(format!(
            "  {more}{actions} actions, {decisions} decisions, {dependants} beliefs hang on it"
        ))?;
        let (confirm, about) = (&weak.harden.confirm, escape::line(&weak.harden.subject));
        let ask = weak.harden.ask.as_ref().map(show::source);
        let ask = ask.unwrap_or_else(|| "another independent source".to_owned());
        context.printer.line(format!(
            "  to harden it: ask {ask} about {about} ({confirm})"
        ))?;
    }
    let (shown, found) = (view.weak.len(), view.found);
    if found == 0 {
        context
            .printer
            .note("nothing that bears anything rests on one origin");
    } else if found > shown {
        context
            .printer
            .line(format!("and {} more", found - shown))?;
    }
    Ok(Exit::Yes)
}

/// An item by id or alias, or a source by its handle.
fn item_of(word: &str, state: &State) -> Result<Item, Failure> {
    let source = match flag::what(word, None, state)? {
        FlagWhat::Item(item) => return Ok(item),
        FlagWhat::Source(source) => source,
    };
    match state.find_sources(&source.handle).as_slice() {
        [one] => Ok((*one).into()),
        [] => Err(Failure::new(
            Code::NotInMemory,
            format!(
                "`{}` is no id, no alias and no source here",
                escape::line(word)
            ),
        )
        .hint("`immune sources` and `immune list beliefs` show what is there")),
        several => {
            let ids: Vec<String> = several.iter().map(ToString::to_string).collect();
            let message = format!("`{}` speaks in several channels", escape::line(word));
            Err(Failure::new(Code::InvalidId, message)
                .hint(format!("name one by id: {}", ids.join(", "))))
        }
    }
}

fn missing(item: Item) -> Failure {
    not_here(
        item,
        "is not in this memory, or of a kind that has no answer here",
    )
}

fn not_an_end(state: &State, item: Item) -> Failure {
    if state.contains(item) {
        not_here(item, "is of a kind that no path begins or ends with there")
    } else {
        not_here(item, "is not in this memory")
    }
}

fn not_here(item: Item, why: &str) -> Failure {
    Failure::new(Code::NotInMemory, format!("`{item}` {why}"))
        .hint("`immune list beliefs` shows what is there")
}
