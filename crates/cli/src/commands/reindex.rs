//! `reindex` and `calibrate`: whose vectors recall goes by, which texts have none, and how near is
//! near.

use immune_api::Reply;
use immune_api::recall::{Calibrated, Reindexed, WithoutVectors};
use immune_engine::{CalibrateError, ReindexError};
use immune_model::limits;

use super::{Context, bound, embedder, reply, set_verb, show};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::layout::{self, Cell};
use crate::printer::DIM;

pub(crate) fn run(context: &mut Context, args: &args::Reindex) -> Result<Exit, Failure> {
    if args.embedder.is_some() {
        context.settings.embedder.clone_from(&args.embedder);
    }
    context.embeds = true;
    if args.list {
        return list(context);
    }
    let session = context.changer(args.dry_run)?;
    let mut bar = None;
    let reindexed = session.reindex(&mut |done, all| {
        let bar = bar.get_or_insert_with(|| context.printer.progress(u64::from(all)));
        bar.at(u64::from(done), u64::from(done), "texts");
    });
    if let Some(bar) = bar {
        bar.done();
    }
    let reindexed = reindexed.map_err(|it| match it {
        ReindexError::Embed(error) => embedder::failed(&error),
        error => error.into(),
    })?;
    let view = Reindexed::of(&reindexed);
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = set_verb(&session, view.changed);
    let (documents, vectors) = (view.documents, view.vectors);
    context.printer.line(match &view.model {
        Some(model) => {
            let model = escape::line(model);
            format!(
                "{verb}: recall by words and meaning, {model}; {documents} texts, {vectors} vectors"
            )
        }
        None => format!("{verb}: recall by words alone"),
    })?;
    if view.failed > 0 {
        let failed = show::count(view.failed, "text");
        context
            .printer
            .note(format!("{failed} got no vector, and are found by words"));
        context.next("reindex --list");
    } else if view.model.is_some() && !session.is_preview() {
        context.next("calibrate");
    }
    Ok(Exit::Yes)
}

/// The texts without vectors.
fn list(context: &mut Context) -> Result<Exit, Failure> {
    let session = context.reader()?;
    let found = session.without_vectors(limits::PAGE_ROWS_MAX)?;
    let view = WithoutVectors::of(&found);
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    let mut table = Vec::new();
    for it in bound::shown(&view.items) {
        let reason = it.reason.as_deref().map(escape::line).unwrap_or_default();
        table.push(vec![
            Cell::from(it.item.clone()),
            Cell::from(it.status),
            Cell::styled(DIM, reason),
        ]);
    }
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    bound::say_more(context, 0, bound::left(&view.items))?;
    if let Some(problem) = &view.problem {
        context.printer.note(escape::line(problem));
    } else if view.items.is_empty() {
        context.printer.note("every text has its vector".to_owned());
    } else {
        let (failed, waiting) = (view.failed, view.waiting);
        let said = format!("{failed} failed, {waiting} waiting; words find all of them");
        context.printer.note(said);
        context.next("reindex");
    }
    Ok(Exit::Yes)
}

pub(crate) fn calibrate(context: &mut Context, args: &args::Calibrate) -> Result<Exit, Failure> {
    context.embeds = true;
    let session = context.changer(args.dry_run)?;
    let calibrated = session.calibrate().map_err(|it| match it {
        CalibrateError::Reindex(ReindexError::Embed(error)) => embedder::failed(&error),
        error => error.into(),
    })?;
    let view = Calibrated::of(&calibrated);
    if context.printer.reply(&reply(&session, view.clone()))? {
        return Ok(Exit::Yes);
    }
    let verb = set_verb(&session, view.changed);
    let (before, threshold, pairs) = (calibrated.before, calibrated.threshold, view.pairs);
    context.printer.line(format!(
        "{verb}: near is a cosine of {threshold} or more, {before} before; of {pairs} unrelated pairs one in a hundred is as near"
    ))?;
    Ok(Exit::Yes)
}
