//! How items are shown in lines: words with their colour, claims made harmless.

use anstyle::Style;
use immune_api::explain::Justification;
use immune_api::recall::Fact;
use immune_api::value::SourceName;
use immune_api::write::Incident;
use immune_engine::reason::State;
use immune_model::{ActionStatus, BeliefId, Status, Trust};

use crate::escape;
use crate::printer::{DIM, GREEN, RED, YELLOW, styled};

/// A status in its colour. The word tells without the colour.
pub(crate) fn status(name: &str) -> String {
    styled(status_style(name), name)
}

/// The colour of a status.
pub(crate) fn status_style(name: &str) -> Style {
    if let Some(status) = Status::from_name(name) {
        return match status {
            Status::Active => GREEN,
            Status::Quarantined | Status::Revoked => RED,
            Status::Stale | Status::Unsupported => YELLOW,
            Status::Superseded | Status::Expired | Status::Forgotten | Status::Retracted => DIM,
        };
    }
    match ActionStatus::from_name(name) {
        Some(ActionStatus::Executed) => GREEN,
        Some(ActionStatus::Blocked | ActionStatus::Irreversible | ActionStatus::ReversalFailed) => {
            RED
        }
        Some(
            ActionStatus::Proposed
            | ActionStatus::Executing
            | ActionStatus::Failed
            | ActionStatus::Reversing,
        ) => YELLOW,
        Some(ActionStatus::Reversed) => DIM,
        None => Style::new(),
    }
}

/// What an incident is about: a subject, or what was flagged.
pub(crate) fn about(incident: &Incident) -> String {
    let flagged = incident.flagged.as_ref().map(|it| match &it.source {
        Some(known) => source(known),
        None => it.item.clone(),
    });
    flagged
        .or_else(|| incident.subject.clone())
        .unwrap_or_default()
}

/// Who opened an incident, and how.
pub(crate) fn cause(incident: &Incident) -> String {
    match &incident.challenger {
        Some(challenger) => format!("by {}", source(challenger)),
        None => "by a flag".to_owned(),
    }
}

/// What became of a claim, in its colour.
pub(crate) fn outcome(name: &str) -> String {
    let style = match name {
        "stored" | "reinforced" | "restated" | "confirmed" | "unopposed" => GREEN,
        "quarantined" | "refuted" | "flagged" | "blocked" => RED,
        "contested" | "inert" | "review" | "unscreened" => YELLOW,
        _ => Style::new(),
    };
    styled(style, name)
}

/// What a justification is now: what closed it, or what its premises did to it.
pub(crate) fn outcome_of_justification(justification: &Justification) -> String {
    let was = |wanted: &dyn Fn(Status) -> bool| {
        let statuses = justification.premises.iter().map(|it| it.status);
        statuses.filter_map(Status::from_name).any(wanted)
    };
    if justification.holds {
        status(Status::Active.name())
    } else if let Some(closed) = justification.closed {
        status(closed)
    } else if justification.flagged_in.is_some() {
        outcome("flagged")
    } else if was(&Status::fell) {
        status(Status::Revoked.name())
    } else if was(&|it| it != Status::Active) {
        status(Status::Stale.name())
    } else {
        outcome("refuted")
    }
}

/// A label in its colour.
pub(crate) fn label(fact: &Fact) -> String {
    styled(label_style(&fact.label), label_words(fact))
}

/// A label in words: where origins were not counted to their end, that too.
pub(crate) fn label_words(fact: &Fact) -> String {
    match fact.label.strip_prefix("confirmed(") {
        Some(count) if fact.at_least => format!("confirmed(at least {count}"),
        _ => fact.label.clone(),
    }
}

/// The colour of a label.
pub(crate) fn label_style(name: &str) -> Style {
    match name {
        "contested" | "unverified" => YELLOW,
        _ => GREEN,
    }
}

/// A source as `handle (channel)`; a handle that could be read as more than one is quoted.
pub(crate) fn source(name: &SourceName) -> String {
    let (handle, channel) = (escape::line(&name.handle), escape::line(&name.channel));
    if handle.contains(['(', ')', ',', '"']) {
        return format!("{handle:?} ({channel})");
    }
    format!("{handle} ({channel})")
}

/// The words of a belief, harmless; nothing if there is none.
pub(crate) fn claim(state: &State, id: BeliefId) -> String {
    state
        .words_of(id)
        .map_or_else(String::new, |it| escape::line(it.as_str()))
}

/// A trust value as people read it.
pub(crate) fn trust(value: Trust) -> String {
    value.to_string()
}

/// `1 belief`, `2 beliefs`.
pub(crate) fn count(n: usize, one: &str) -> String {
    if n == 1 {
        format!("1 {one}")
    } else {
        format!("{n} {one}s")
    }
}

/// A time to the second: what came within one is told apart by its place. `--json` has all of it.
pub(crate) fn moment(time: &str) -> String {
    match time.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time.to_owned(),
    }
}
