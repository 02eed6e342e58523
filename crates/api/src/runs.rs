//! Runs: what each was shown, and what it wrote with that before its eyes.

use immune_engine::reason::plan::Handed;
use immune_engine::reason::{ContextId, State};
use immune_model::{Item, RunId, limits};
use serde::Serialize;

use crate::value::{Trust, ids};

/// What a run had been shown before something was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    /// Which run.
    pub run: String,
    /// How many items it had been shown.
    pub items: usize,
    /// How far that is trusted: the weakest of them.
    pub strength: Trust,
    /// The weakest, and in which run it was shown: this one, or one that handed it over.
    pub weakest: Option<Weakest>,
    /// Whether what was written would be trusted further without it.
    pub caps: bool,
}

/// The weakest item of a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Weakest {
    /// A belief or an observation.
    pub item: String,
    /// The run that was shown it.
    pub run: String,
}

impl Context {
    /// The view of a context that something has.
    pub fn of(state: &State, context: ContextId) -> Self {
        Self::from(&immune_engine::ExplainedContext::of(state, context, false))
    }
}

impl From<&immune_engine::ExplainedContext> for Context {
    fn from(context: &immune_engine::ExplainedContext) -> Self {
        let weakest = context.weakest.as_ref();
        Self {
            run: context.run.to_string(),
            items: context.n_items,
            strength: context.strength.into(),
            weakest: weakest.map(|(item, run)| Weakest {
                item: item.to_string(),
                run: run.to_string(),
            }),
            caps: context.caps,
        }
    }
}

/// The runs that were shown something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Runs {
    /// In the order in which they first were; at most a page, the latest ones.
    pub runs: Vec<RunBrief>,
    /// How many came before these.
    pub more: usize,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunBrief {
    /// Which run.
    pub run: String,
    /// How many items it was shown.
    pub items: usize,
    /// How far that is trusted.
    pub strength: Trust,
    /// How many observations, derivations and decisions it wrote with that.
    pub written: usize,
}

impl Runs {
    /// The runs of a memory.
    pub fn of(state: &State) -> Self {
        let all: Vec<&RunId> = state.runs().collect();
        let more = all.len().saturating_sub(limits::PAGE_ROWS_MAX);
        let shown = all.into_iter().skip(more);
        Self {
            runs: shown.map(|it| RunBrief::of(state, it)).collect(),
            more,
        }
    }
}

impl RunBrief {
    fn of(state: &State, run: &RunId) -> Self {
        let context = state.context_of_run(run);
        let items = context.map_or(0, |it| state.shown_in(it).count());
        let strength = context.map_or(immune_model::Trust::ONE, |it| state.context_strength(it));
        Self {
            run: run.to_string(),
            items,
            strength: strength.into(),
            written: state.written_in_run(run).len(),
        }
    }
}

/// A run with what it was shown and what it wrote.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// Which run, and how much there is.
    #[serde(flatten)]
    pub brief: RunBrief,
    /// What it was shown, latest first.
    pub shown: Vec<Shown>,
    /// What is not listed of it.
    pub more_shown: usize,
    /// What it wrote since it was first shown something, newest first.
    pub wrote: Vec<String>,
    /// What is not listed of it.
    pub more_wrote: usize,
}

/// Something that a run was shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// A belief or an observation.
    pub item: String,
    /// How far it counts: nothing if it was refuted, and without closing facts.
    pub strength: Trust,
    /// The run that was shown it: this one, or one that handed it over.
    pub run: String,
    /// When.
    pub at: String,
}

impl Run {
    /// The view of a run; nothing if it was shown nothing. `limit` of each list are there.
    pub fn of(state: &State, run: &RunId, limit: usize) -> Option<Self> {
        let context = state.context_of_run(run)?;
        let brief = RunBrief::of(state, run);
        let shown = state.shown_in(context).take(limit);
        let wrote = state.written_in_run(run);
        Some(Self {
            shown: shown
                .map(|(item, run, at)| Shown {
                    item: item.to_string(),
                    strength: state.strength_shown(item).into(),
                    run: run.to_string(),
                    at: at.to_string(),
                })
                .collect(),
            more_shown: brief.items.saturating_sub(limit),
            more_wrote: wrote.len().saturating_sub(limit),
            wrote: ids(wrote.into_iter().take(limit).map(Item::from)),
            brief,
        })
    }
}

/// A run that was started by another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Started {
    /// The run that was started.
    pub run: String,
    /// The run that started it.
    pub parent: String,
    /// Whether it was handed the whole context, or only the items.
    pub whole: bool,
    /// The items that it was handed by name.
    pub items: Vec<String>,
    /// Nothing was handed over: the parent was shown nothing.
    pub nothing: bool,
}

impl Started {
    /// The view of a reply.
    pub fn of(run: &RunId, parent: &RunId, whole: bool, handed: &Handed) -> Self {
        Self {
            run: run.to_string(),
            parent: parent.to_string(),
            whole,
            items: ids(&handed.items),
            nothing: !handed.written,
        }
    }
}
