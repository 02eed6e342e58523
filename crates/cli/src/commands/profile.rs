//! `record` and `diff`: a profile as it is, and a memory as it was.

use immune_api::{Reply, diff, record};
use immune_model::{Namespace, Subject};

use super::{Context, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::{BOLD, styled};

pub(crate) fn record(context: &mut Context, args: &args::Record) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let prefix = Subject::new(&args.prefix)?;
    let namespace = Namespace::new(&args.namespace)?;
    let found = session.record(&prefix, &namespace)?;
    let snapshot = session.snapshot()?;
    let view = record::Record::of(snapshot.state(), &found);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    for field in &view.fields {
        let (name, standing) = (styled(BOLD, escape::line(&field.name)), field.standing);
        context.printer.line(format!("{name}  {standing}"))?;
        for value in &field.values {
            let (claim, label) = (escape::line(&value.claim), show::label(&value.label));
            let (belief, strength) = (&value.belief, value.strength);
            context
                .printer
                .line(format!("  {claim}  {label}  {strength}  {belief}"))?;
        }
        for lost in &field.lost {
            let incident = lost.incident.as_ref();
            let incident = incident.map(|it| format!(" in {it}")).unwrap_or_default();
            let sources: Vec<String> = lost.sources.iter().map(show::source).collect();
            let (belief, status) = (&lost.belief, lost.status);
            context.printer.line(format!(
                "  lost: {belief} {status}{incident}, from {}",
                sources.join(", ")
            ))?;
        }
    }
    if view.more > 0 {
        context.printer.line(format!("and {} more", view.more))?;
    }
    if view.fields.is_empty() {
        let prefix = escape::line(&args.prefix);
        context
            .printer
            .note(&format!("no subject begins with `{prefix}`"));
    }
    Ok(Exit::Yes)
}

pub(crate) fn diff(context: &mut Context, args: &args::Diff) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let view = diff::Diff::from(&session.diff(args.at, args.vs)?);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let (at, vs) = (view.at.seq, view.vs.seq);
    context
        .printer
        .line(format!("from event {at} to event {vs}"))?;
    let groups = [
        ("+", &view.gained),
        ("-", &view.dropped),
        ("~", &view.strength),
        (" ", &view.status),
        ("t", &view.validity),
    ];
    for (mark, beliefs) in groups {
        for belief in beliefs {
            let then = |it: Option<diff::Then>| {
                it.map_or_else(
                    || "not there".to_owned(),
                    |it| format!("{} {}", it.status, it.strength),
                )
            };
            let (id, claim) = (&belief.belief, escape::line(&belief.claim));
            let (before, after) = (then(belief.at), then(belief.vs));
            context
                .printer
                .line(format!("{mark} {id}  {claim}  {before} -> {after}"))?;
        }
    }
    for source in &view.sources {
        let value = |it: Option<immune_api::Trust>| {
            it.map_or_else(|| "new".to_owned(), |it| it.to_string())
        };
        let (name, before, after) = (
            show::source(&source.name),
            value(source.at),
            value(source.vs),
        );
        context
            .printer
            .line(format!("reputation  {name}  {before} -> {after}"))?;
    }
    for action in &view.actions {
        let (before, after) = (action.at.unwrap_or("new"), action.vs.unwrap_or("not there"));
        let (id, kind) = (&action.action, escape::line(&action.kind));
        context
            .printer
            .line(format!("action  {id}  {kind}  {before} -> {after}"))?;
    }
    if !view.items.is_empty() {
        let items = view.items.join(", ");
        context
            .printer
            .line(format!("only at one of them: {items}"))?;
    }
    Ok(Exit::Yes)
}
