//! The memory as a tree: what was stated, what was built on it, what was done because of it.

use std::collections::BTreeSet;

use immune_engine::reason::State;
use immune_engine::reason::state::Grounds;
use immune_model::{ActionStatus, BeliefId, Premise, Status};

/// How statuses look; every glyph stands beside a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glyphs {
    pub(super) unicode: bool,
}

impl Glyphs {
    fn status(self, status: Status) -> &'static str {
        match (status, self.unicode) {
            (Status::Active, true) => "●",
            (Status::Quarantined, true) => "◍",
            (Status::Revoked, true) => "✖",
            (Status::Active, false) => "*",
            (Status::Quarantined, false) => "!",
            (Status::Revoked, false) => "x",
            (_, true) => "○",
            (_, false) => "o",
        }
    }

    fn action(self, status: ActionStatus) -> &'static str {
        match (status, self.unicode) {
            (ActionStatus::Reversed, true) => "↩",
            (ActionStatus::Reversed, false) => "<-",
            (_, true) => "▶",
            (_, false) => "->",
        }
    }

    fn branch(self, last: bool) -> (&'static str, &'static str) {
        match (self.unicode, last) {
            (true, true) => ("└─ ", "   "),
            (true, false) => ("├─ ", "│  "),
            (false, true) => ("`- ", "   "),
            (false, false) => ("|- ", "|  "),
        }
    }
}

/// The beliefs that somebody stated, with what rests on them below.
pub(super) fn draw(state: &State, glyphs: Glyphs) -> Vec<String> {
    let stated = |id: &BeliefId| {
        let mut justifications = state.justifications_of(*id);
        justifications.any(|it| {
            state
                .justification(it)
                .is_some_and(|it| matches!(it.grounds, Grounds::Statement { .. }))
        })
    };
    let mut drawing = Drawing {
        state,
        glyphs,
        lines: Vec::new(),
        drawn: BTreeSet::new(),
    };
    for root in state.belief_ids().filter(stated) {
        drawing.belief(root, "", "");
    }
    drawing.lines
}

struct Drawing<'a> {
    state: &'a State,
    glyphs: Glyphs,
    lines: Vec<String>,
    drawn: BTreeSet<BeliefId>,
}

impl Drawing<'_> {
    fn belief(&mut self, id: BeliefId, first: &str, rest: &str) {
        let (Some(belief), Some(now)) = (self.state.belief(id), self.state.belief_now(id)) else {
            return;
        };
        let inert = now.status == Status::Active && now.strength < immune_model::Trust::FLOOR;
        let word = if inert {
            "inert, below the floor"
        } else {
            now.status.name()
        };
        let glyph = self.glyphs.status(now.status);
        let line = format!("{first}{glyph} {} ", belief.text);
        self.lines.push(format!("{line:<64} {id}  {word}"));
        if !self.drawn.insert(id) {
            return;
        }
        let built = self.built_on(id);
        let acted = self.acted_on(id);
        let n = built.len() + acted.len();
        let n_built = built.len();
        for (place, child) in built.into_iter().enumerate() {
            let (first, indent) = self.glyphs.branch(place + 1 == n);
            self.belief(child, &format!("{rest}{first}"), &format!("{rest}{indent}"));
        }
        for (place, (action, word)) in acted.into_iter().enumerate() {
            let (first, _) = self.glyphs.branch(n_built + place + 1 == n);
            let line = format!("{rest}{first}{action} ");
            self.lines.push(format!("{line:<64} {word}"));
        }
    }

    fn built_on(&self, id: BeliefId) -> Vec<BeliefId> {
        let dependents = self.state.dependents_of(Premise::Belief(id));
        let beliefs = dependents.filter_map(|it| self.state.justification(it).map(|it| it.belief));
        beliefs.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The actions drawn below a belief: those of which it is the first they rely on.
    fn acted_on(&self, id: BeliefId) -> Vec<(String, String)> {
        let mut decisions: Vec<_> = self.state.decisions_on(id).collect();
        decisions.sort_unstable();
        let drawn = decisions
            .into_iter()
            .filter_map(|it| self.state.decision(it))
            .filter(|it| it.relied_on.first() == Some(&id));
        let actions = drawn.flat_map(|it| it.actions.iter().copied());
        let actions = actions.filter_map(|action_id| {
            let action = self.state.action(action_id)?;
            let glyph = self.glyphs.action(action.status);
            let what = format!("{glyph} {} {}", action.kind, action.payload);
            Some((what, format!("{action_id}  {}", action.status.name())))
        });
        actions.collect()
    }
}
