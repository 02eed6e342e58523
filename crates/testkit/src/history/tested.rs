//! Steps that attribute an answer, and that test refuted beliefs again.

use immune_model::{
    Attributed, AttributionCertificate, AttributionId, BeliefId, Candidate, Namespace, OracleCall,
    Outcome, Premise, Text, Trust,
};
use immune_reason::plan::Parole;

use super::History;

impl History {
    /// An answer is attributed to the first of these beliefs; then those that are refuted are
    /// tested, the first one first, until one is released.
    pub(super) fn attribute_and_parole(&mut self, beliefs: &[u8]) {
        let n = self.state.n_beliefs();
        let pick = |it: &u8| {
            let at = usize::from(*it).checked_rem(n)?;
            Some(BeliefId::from_index(at))
        };
        let picked: Vec<BeliefId> = beliefs.iter().filter_map(pick).collect();
        let Some(first) = picked.first().copied() else {
            return;
        };
        let attributed = attributed(&picked);
        self.plan(|draft| draft.attribute(&attributed).map(drop).unwrap());
        let from = first.index();
        let refuted = (0..n).map(|it| BeliefId::from_index((from + it) % n));
        let refuted: Vec<BeliefId> = refuted
            .filter(|it| !self.state.refutations_of(*it).is_empty())
            .collect();
        for belief in refuted {
            if self.parole(belief) {
                return;
            }
        }
    }

    /// Tests a belief again; whether it was released. One that may not be tested is not.
    pub fn parole(&mut self, belief: BeliefId) -> bool {
        let command = Parole {
            belief,
            retested: self
                .state
                .attribution_ids()
                .next_back()
                .into_iter()
                .collect(),
            calls: 1,
            oracle: Text::new("nobody").ok(),
        };
        let mut is_released = false;
        self.plan(|draft| {
            let paroled = draft.parole(&command);
            is_released = paroled.is_ok_and(|it| it.held.is_none());
        });
        is_released
    }
}

/// An attribution that blames the first of these.
fn attributed(picked: &[BeliefId]) -> Attributed {
    let text = |it: &str| Text::new(it).unwrap();
    let candidates = picked.iter().map(|it| Candidate {
        item: Premise::Belief(*it),
        turn: 1,
    });
    Attributed {
        attribution: AttributionId::new(1),
        namespace: Namespace::ROOT,
        run: None,
        decision: None,
        candidates: candidates.collect(),
        calls: vec![OracleCall {
            shown: OracleCall::words(picked.len(), 0..picked.len()),
            fails: true,
            answer: Some(0),
        }],
        outcome: Outcome::Found,
        causes: vec![vec![0]],
        hidden: Vec::new(),
        correction: vec![0],
        fallen: Vec::new(),
        certificate: AttributionCertificate {
            guard_calls: 2,
            replays: 1,
            replays_right: 1,
            bound_thousandths: 1_000,
            confidence: Trust::ONE,
            flips: Trust::ZERO,
            non_monotone: 0,
        },
        question: text("where to pay?"),
        wrong: None,
        expected: None,
        judge: None,
        oracle: text("nobody"),
        answers: vec![text("there")],
    }
}
