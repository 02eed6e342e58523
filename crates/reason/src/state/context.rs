//! Folding what runs were shown, and what their writes take from it.

use std::sync::Arc;

use immune_model::{
    BeliefId, Carrier, ContextUse, Event, Instant, JustificationId, Literal, Premise, RunId, Write,
};

use super::State;
use crate::context::{Carrying, Context, ContextId, Run, Touched};

/// The context that a write gets, and what it takes from it.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) context: Option<ContextId>,
    carriers: Vec<Carrier>,
}

impl Taken {
    /// The beliefs of the context on which a statement rests.
    pub(super) fn carriers_of(&self, id: JustificationId) -> Arc<[BeliefId]> {
        if self.carriers.is_empty() {
            // Nearly all have none, and share that.
            return Arc::default();
        }
        let of = self.carriers.iter().filter(|it| it.justification == id);
        of.map(|it| it.belief).collect()
    }
}

impl State {
    pub(super) fn fold_context(&mut self, event: &Event, at: Instant) {
        match event {
            Event::Shown { run, from, items } => self.fold_shown(run, from.as_ref(), items, at),
            Event::ContextUsed { write, used } => {
                self.contexts.announced = Some((*write, used.clone()));
            }
            _ => unreachable!("`fold` hands over what is about contexts, and nothing else"),
        }
    }

    fn fold_shown(&mut self, run: &RunId, from: Option<&RunId>, items: &[Premise], at: Instant) {
        let handed = from.and_then(|it| self.contexts.latest(it));
        let seq = self.seq;
        let contexts = &mut self.contexts;
        let id = contexts.contexts.next_id();
        let known = contexts.run_by_name.get(run).copied();
        let previous = known.map(|it| contexts.runs.get(it).latest);
        let number = if let Some(number) = known {
            contexts.runs.get_mut(number).latest = id;
            number
        } else {
            let (name, latest) = (run.clone(), id);
            let number = contexts.runs.push(Run {
                name,
                agent: None,
                latest,
            });
            contexts.run_by_name.insert_mut(run.clone(), number);
            number
        };
        let before = previous.and_then(|it| contexts.contexts.get(it).last_handed);
        contexts.contexts.push(Context {
            run: number,
            previous,
            handed,
            last_handed: if handed.is_some() { Some(id) } else { before },
            items: items.to_vec(),
            seq,
            at,
            first_write: None,
        });
        for item in items {
            contexts.shown.insert_mut((number, *item));
            if let Premise::Belief(belief) = *item {
                let literals = &self.beliefs.get(belief).literals;
                for literal in literals.iter().cloned() {
                    let key: (_, Literal) = (number, literal);
                    let next = contexts.carriers.get(&key).copied();
                    let carrying = Carrying {
                        belief,
                        since: id,
                        next,
                    };
                    let edge = contexts.carrying.push(carrying);
                    contexts.carriers.insert_mut(key, edge);
                }
            }
        }
        let mut taint = std::mem::take(&mut self.contexts.taint);
        taint.push_context(self, id);
        self.contexts.taint = taint;
        let moved = self.settle_taint(&Touched::default());
        assert!(
            moved.is_empty(),
            "what is new moves nothing that was there before"
        );
    }

    /// What a write takes from the context of its run.
    pub(super) fn take_context(&mut self, run: Option<&RunId>, write: Write) -> Taken {
        if self.contexts.is_empty() {
            return Taken::default();
        }
        let context = run.and_then(|it| self.contexts.latest(it));
        let announced = self.contexts.announced.take();
        match announced.filter(|(it, _)| *it == write) {
            Some((_, ContextUse::Dropped)) => Taken::default(),
            Some((_, ContextUse::Carried(carriers))) => Taken { context, carriers },
            None => Taken {
                context,
                carriers: Vec::new(),
            },
        }
    }

    /// Links what was written to the context that it got.
    pub(super) fn note_in_context(&mut self, context: Option<ContextId>, write: Write) {
        if let Some(context) = context {
            self.contexts.note_write(context, write);
        }
    }
}
