//! `reindex` and `calibrate`: whose vectors recall goes by, and how near is near.

use immune_api::recall::{Calibrated, Reindexed};
use immune_engine::{CalibrateError, ReindexError};

use super::{Context, embedder, reply, set_verb};
use crate::args;
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &args::Reindex) -> Result<Exit, Failure> {
    if args.embedder.is_some() {
        context.settings.embedder.clone_from(&args.embedder);
    }
    context.embeds = true;
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
    if view.model.is_some() && !session.is_preview() {
        context.next("calibrate");
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
