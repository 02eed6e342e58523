//! `channels`, `sources` and `rules`: what an operator sets, and what is set.

use immune_api::list::{List, Row};
use immune_api::reputation::Moved;
use immune_api::write::Set;
use immune_api::{Code, Reply};
use immune_engine::reason::State;
use immune_engine::reason::plan;
use immune_engine::{Session, Snapshot};
use immune_model::shell::Command;
use immune_model::{
    ActionClass, Area, Carriage, ChannelId, ChannelName, Handle, Item, Kind, Rule, RuleId,
    SourceId, Subject, Text, Trust, UnknownPolicy, Waiver, WaiverBar,
};

use super::{Context, reply, reputation, rows, set_verb, show};
use crate::args::{self, ChannelsCommand, RulesCommand, SourcesCommand, named};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn channels(context: &mut Context, args: args::Channels) -> Result<Exit, Failure> {
    match args.command {
        None | Some(ChannelsCommand::List) => all(context, "channels", |state| {
            state.channel_ids().map(Item::from).collect()
        }),
        Some(ChannelsCommand::Show(args)) => show_channel(context, &args),
        Some(ChannelsCommand::Set(args)) => set_channel(context, &args),
    }
}

pub(crate) fn sources(context: &mut Context, args: args::Sources) -> Result<Exit, Failure> {
    match args.command {
        None | Some(SourcesCommand::List) => all(context, "sources", |state| {
            state.source_ids().map(Item::from).collect()
        }),
        Some(SourcesCommand::Show(args)) => show_source(context, &args),
        Some(SourcesCommand::Declare(args)) => declare(context, &args),
        Some(SourcesCommand::Record(args)) => record(context, &args),
        Some(SourcesCommand::Mirror(args)) => mirror(context, &args),
    }
}

pub(crate) fn rules(context: &mut Context, args: args::Rules) -> Result<Exit, Failure> {
    match args.command {
        None | Some(RulesCommand::List) => all(context, "rules", |state| {
            state.rule_ids().map(Item::from).collect()
        }),
        Some(RulesCommand::Set(args)) => set_rule(context, &args),
    }
}

/// Every item of a kind that there are few of.
fn all(
    context: &mut Context,
    of: &'static str,
    items: fn(&State) -> Vec<Item>,
) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let items = items(state);
    let view = List {
        of,
        items: items.iter().filter_map(|it| Row::of(state, *it)).collect(),
        next: None,
    };
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    rows::print(context, state, &view.items)?;
    if view.items.is_empty() {
        context.printer.note(format!("no {of}"));
    }
    Ok(Exit::Yes)
}

fn set_channel(context: &mut Context, args: &args::SetChannel) -> Result<Exit, Failure> {
    let name = ChannelName::new(&args.name)?;
    let session = context.writer(args.dry_run)?;
    let before = session.snapshot()?;
    let found = before.state().find_channel(&name);
    let found = found.and_then(|it| before.state().channel(it)).cloned();
    let tier = args.tier.or(found.as_ref().map(|it| it.tier));
    let tier = tier.ok_or_else(|| {
        Failure::usage(format!("channel `{name}` is new, and needs a tier"))
            .hint("`--tier 0.7` is what an open inbox gets; records get 0.9 and more")
    })?;
    let carriage = match (args.authored, args.relays) {
        (true, _) => Some(Carriage::Authored),
        (_, true) => Some(Carriage::Relays),
        _ => None,
    };
    let (channel, changed) = session.set_channel(plan::SetChannel {
        name,
        tier,
        carriage,
        create_only: false,
    })?;
    finish(context, (&before, &session), channel.into(), changed)?;
    if let Some(before) = found.filter(|_| changed && !session.is_preview()) {
        let carriage = match before.carriage {
            Carriage::Authored => "--authored",
            Carriage::Relays => "--relays",
        };
        let command = Command::new("channels set").word(before.name.as_str());
        let command = command.option("--tier", &before.tier.to_string());
        context.undo(command.plain(carriage));
    }
    Ok(Exit::Yes)
}

fn declare(context: &mut Context, args: &args::DeclareSource) -> Result<Exit, Failure> {
    let command = plan::DeclareSource {
        channel: ChannelName::new(&args.channel)?,
        handle: Handle::new(&args.handle)?,
        kind: args.kind,
    };
    let session = context.writer(args.dry_run)?;
    let before = session.snapshot()?;
    let (source, changed) = session.declare_source(command)?;
    finish(context, (&before, &session), source.into(), changed)
}

fn record(context: &mut Context, args: &args::NameRecord) -> Result<Exit, Failure> {
    let area = Area::new(&args.area)?;
    let session = context.writer(args.dry_run)?;
    let now = session.snapshot()?;
    let source = named::speaker(
        now.state(),
        session.principal(),
        &args.handle,
        args.channel.as_deref(),
    )?;
    let (source, changed) = session.name_record(plan::NameRecord { source, area })?;
    finish(context, (&now, &session), source.into(), changed)
}

fn mirror(context: &mut Context, args: &args::SetMirror) -> Result<Exit, Failure> {
    let copying = match (args.withdraw, args.independent, args.open) {
        (true, _, _) => plan::Copying::Withdrawn,
        (_, true, _) => plan::Copying::Independent,
        (_, _, true) => plan::Copying::Open,
        _ => plan::Copying::Declared,
    };
    let session = context.writer(args.dry_run)?;
    let now = session.snapshot()?;
    let state = now.state();
    let source: SourceId = named::item(state, &args.handle, args.channel.as_deref())?;
    let of: SourceId = named::item(state, &args.of, args.of_channel.as_deref())?;
    let named = named::reference(state, source).zip(named::reference(state, of));
    let (copy, original) = named.ok_or_else(|| named::absent(source.into()))?;
    let (_, changed) = session.set_mirror(plan::SetMirror {
        source: copy,
        of: original,
        copying,
    })?;
    finish(context, (&now, &session), source.into(), changed)?;
    let undo = match copying {
        plan::Copying::Declared => Some("--withdraw"),
        plan::Copying::Independent => Some("--open"),
        plan::Copying::Withdrawn | plan::Copying::Open => None,
    };
    if let Some(undo) = undo.filter(|_| changed && !session.is_preview()) {
        context.undo(format!("sources mirror {source} --of {of} {undo}"));
    }
    Ok(Exit::Yes)
}

fn set_rule(context: &mut Context, args: &args::SetRule) -> Result<Exit, Failure> {
    let unknown = args.unknown.unwrap_or(match args.class {
        ActionClass::Irreversible => UnknownPolicy::Block,
        ActionClass::Compensable | ActionClass::Reversible => UnknownPolicy::Warn,
    });
    let bar = match args.bar.as_str() {
        "record" => WaiverBar::Record,
        word => WaiverBar::Strength(word.parse::<Trust>()?),
    };
    let waiver = args.waiver.as_deref().map(Subject::new).transpose()?;
    let compensation = args.compensation.as_deref().map(Text::new).transpose()?;
    let rule = Rule {
        // The plan assigns the id: a kind keeps the one it has.
        rule: RuleId::new(1),
        kind: Kind::new(&args.kind)?,
        class: args.class,
        unknown,
        waiver: waiver.map(|subject| Waiver { subject, bar }),
        compensation,
    };
    let session = context.writer(args.dry_run)?;
    let before = session.snapshot()?;
    let corroboration = args.min_origins;
    let set = plan::SetRule {
        rule,
        corroboration,
    };
    let (rule, changed) = session.set_rule(set)?;
    finish(context, (&before, &session), rule.into(), changed)
}

/// Says what is set now, and what of the strengths below it moved.
fn finish(
    context: &mut Context,
    (before, session): (&Snapshot, &Session),
    item: Item,
    changed: bool,
) -> Result<Exit, Failure> {
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let now = Row::of(state, item).ok_or_else(|| {
        Failure::new(Code::Internal, format!("`{item}` was set and is not there"))
    })?;
    let view = Set {
        item: item.to_string(),
        changed,
        now,
        moved: Moved::between(before.state(), state),
    };
    if context.printer.reply(&reply(session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = set_verb(session, changed);
    context.printer.line(format!("{verb}:"))?;
    rows::print(context, state, std::slice::from_ref(&view.now))?;
    let moved = view.moved;
    if moved.strengths > 0 {
        let verb = super::verb(session, "moved", "would move");
        let strengths = usize::try_from(moved.strengths).unwrap_or(usize::MAX);
        let (below, to) = (moved.below_floor, moved.to_floor);
        context.printer.line(format!(
            "{verb} {}: {below} fell below the floor, {to} came up to it",
            show::count(strengths, "strength")
        ))?;
    }
    Ok(Exit::Yes)
}

fn show_channel(context: &mut Context, args: &args::ShowChannel) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let by_name = ChannelName::new(&args.name).ok();
    let by_name = by_name.and_then(|it| state.find_channel(&it));
    let by_id = || {
        args.name
            .parse()
            .ok()
            .filter(|it| state.channel(*it).is_some())
    };
    let channel: ChannelId = by_name.or_else(by_id).ok_or_else(|| {
        let name = escape::line(&args.name);
        Failure::new(
            Code::UnknownChannel,
            format!("there is no channel `{name}`"),
        )
        .hint("`immune channels` lists them")
    })?;
    show_row(context, state, channel.into())?;
    let name = state.channel(channel).map(|it| it.name.to_string());
    let command = Command::new("channels set").word(&name.unwrap_or_default());
    context.next(command.option("--tier", "0.5").plain("--dry-run"));
    Ok(Exit::Yes)
}

fn show_row(context: &mut Context, state: &State, item: Item) -> Result<(), Failure> {
    let row = Row::explained(state, item)
        .ok_or_else(|| Failure::new(Code::Internal, format!("`{item}` is not in this memory")))?;
    let view = immune_api::explain::Explained::row(item, row.clone());
    if !context.printer.reply(&Reply::new(view))? {
        reputation::print_item(context, state, &row)?;
    }
    Ok(())
}

fn show_source(context: &mut Context, args: &args::ShowSource) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let source: SourceId = named::item(state, &args.handle, args.channel.as_deref())?;
    show_row(context, state, source.into())?;
    context.next(format!("list beliefs --source {source}"));
    Ok(Exit::Yes)
}
