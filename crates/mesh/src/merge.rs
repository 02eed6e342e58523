//! What another process kept is taken up, and what was learned here since goes on top of it.
//!
//! Invariant: what is kept is what all processes learned that keep in the same place. Scores, texts
//! and calls are added to theirs in their order; who carried what, and what was told, are both's.
//! Of a common word the more counts, since both may have counted the same texts.

use std::collections::VecDeque;

use immune_model::limits::{
    MESH_BASELINE_SCORES_MAX, MESH_KEPT_EXCHANGES, MESH_LATELY_MAX, MESH_USUAL_TEXTS_MAX,
};

use crate::mesh::{Lately, Mesh};
use crate::observe::of;

/// What a mesh learned since it was last kept.
#[derive(Debug, Clone, Default)]
pub struct Since {
    /// Whose score was taken up, in order: the last ones.
    scores: VecDeque<(String, u16)>,
    pub(crate) calls: usize,
    pub(crate) cited: usize,
    /// The last ones of the usual texts.
    pub(crate) usual: usize,
    /// The exchanges, and those in which an agent carried something on.
    exchanges: usize,
    carried: usize,
}

impl Since {
    pub(crate) fn learn(&mut self, identity: &str, score: u16) {
        if self.scores.len() >= MESH_KEPT_EXCHANGES as usize {
            self.scores.pop_front();
        }
        self.scores.push_back((identity.to_owned(), score));
    }

    pub(crate) fn note(&mut self, has_carried: bool) {
        self.exchanges += 1;
        self.carried += usize::from(has_carried);
    }

    /// How many exchanges there were.
    pub fn exchanges(&self) -> usize {
        self.exchanges
    }

    /// Whether an agent carried anything on.
    pub fn has_carried(&self) -> bool {
        self.carried > 0
    }
}

impl Mesh {
    /// What was learned since it was last kept.
    pub fn since(&self) -> &Since {
        &self.since
    }

    /// What was learned is about to be kept.
    pub fn take_since(&mut self) -> Since {
        std::mem::take(&mut self.since)
    }

    /// That was not kept after all.
    pub fn give_back(&mut self, mut since: Since) {
        for (identity, score) in self.since.scores.drain(..) {
            since.learn(&identity, score);
        }
        since.calls += self.since.calls;
        since.cited += self.since.cited;
        since.usual += self.since.usual;
        since.exchanges += self.since.exchanges;
        since.carried += self.since.carried;
        self.since = since;
    }

    /// Takes up what was kept by others, what was learned here since on top of it; whether these
    /// bytes are that.
    pub fn learn_with(&mut self, bytes: &[u8]) -> bool {
        let mut theirs = Self::default();
        if !theirs.learn_again(bytes) {
            return false;
        }
        if self.since.exchanges > 0 {
            theirs.add(self);
        }
        theirs.settings = self.settings;
        theirs.memory = std::mem::take(&mut self.memory);
        theirs.since = std::mem::take(&mut self.since);
        *self = theirs;
        true
    }

    /// Adds what was learned here since to what others kept.
    fn add(&mut self, here: &mut Self) {
        let since = &here.since;
        for (identity, score) in &since.scores {
            of(&mut self.baselines, identity).learn(*score);
            self.of_all.learn(*score);
        }
        self.calls = (self.calls + since.calls).min(MESH_BASELINE_SCORES_MAX);
        self.cited = (self.cited + since.cited).min(self.calls);
        let n_before = here.usual.len().saturating_sub(since.usual);
        for text in here.usual.iter().skip(n_before) {
            if self.usual.len() >= MESH_USUAL_TEXTS_MAX {
                self.usual.pop_front();
            }
            self.usual.push_back(text.clone());
        }
        self.common.merge(&here.common);
        self.spread.merge(std::mem::take(&mut here.spread));
        for (identity, lately) in std::mem::take(&mut here.lately) {
            add_lately(of(&mut self.lately, &identity), lately);
        }
        for (antibody, agents) in std::mem::take(&mut here.seen) {
            self.seen.entry(antibody).or_default().extend(agents);
        }
        self.told.append(&mut here.told);
    }
}

/// Adds those that are not there yet; the last ones stay.
fn add_lately(known: &mut VecDeque<Lately>, lately: VecDeque<Lately>) {
    for it in lately {
        if !known.contains(&it) {
            known.push_back(it);
        }
    }
    known.make_contiguous().sort_by_key(|it| it.at);
    while known.len() > MESH_LATELY_MAX {
        known.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::kept::tests::{NAMES, observe};
    use crate::spread::Carried;

    type One = (i64, usize, usize, usize);

    /// Exchanges of less than a window, and the process that looks at each.
    fn exchanges() -> impl Strategy<Value = Vec<(One, usize)>> {
        let one = (0_i64..600_000, 0..3_usize, 0..3_usize, 0..4_usize);
        prop::collection::vec((one, 0..3_usize), 0..24)
    }

    /// What is kept, in one place for several processes.
    #[derive(Default)]
    struct Kept(Vec<u8>);

    impl Kept {
        fn taken_up(&self, mesh: &mut Mesh) {
            assert!(self.0.is_empty() || mesh.learn_with(&self.0));
        }

        fn keep(&mut self, mesh: &mut Mesh) {
            self.taken_up(mesh);
            self.0 = mesh.learned();
            mesh.take_since();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn processes_that_take_turns_learn_what_one_would(exchanges in exchanges()) {
            let (mut kept, mut of_three) = (Kept::default(), vec![Mesh::default(); 3]);
            let mut alone = Mesh::default();
            let mut exchanges = exchanges;
            exchanges.sort_unstable();
            for (exchange, process) in exchanges {
                let mesh = &mut of_three[process];
                kept.taken_up(mesh);
                observe(mesh, exchange);
                kept.keep(mesh);
                observe(&mut alone, exchange);
                prop_assert_eq!(mesh.learned(), alone.learned());
            }
        }

        #[test]
        fn of_processes_that_keep_at_once_nothing_is_lost(
            exchanges in exchanges(),
            keep_every in 1..9_usize,
        ) {
            let (mut kept, mut of_three) = (Kept::default(), vec![Mesh::default(); 3]);
            let (mut calls, mut usual, mut prints) = (0, 0, BTreeMap::<u64, BTreeSet<_>>::new());
            for (number, (exchange, process)) in exchanges.into_iter().enumerate() {
                let mesh = &mut of_three[process];
                let before = (mesh.since.calls, mesh.since.usual);
                observe(mesh, exchange);
                calls += mesh.since.calls - before.0;
                usual += mesh.since.usual - before.1;
                for (print, carried) in &mesh.spread.prints {
                    let name = |it: &Carried| mesh.spread.names[it.agent as usize].clone();
                    prints.entry(*print).or_default().extend(carried.iter().map(name));
                }
                if number % keep_every == 0 {
                    kept.keep(&mut of_three[process]);
                }
            }
            for mesh in &mut of_three {
                kept.keep(mesh);
                let bytes = kept.0.clone();
                kept.keep(mesh);
                prop_assert_eq!(&kept.0, &bytes, "what was taken up is taken up once");
            }
            let mut all = Mesh::default();
            prop_assert!(all.learn_again(&kept.0));
            for mesh in &mut of_three {
                kept.taken_up(mesh);
                prop_assert_eq!(mesh.learned(), all.learned());
            }
            prop_assert_eq!((all.calls, all.usual.len()), (calls, usual));
            for (print, agents) in prints {
                prop_assert_eq!(all.spread.prints[&print].len(), agents.len());
            }
        }

        #[test]
        fn what_could_not_be_kept_is_added_the_next_time(exchanges in exchanges()) {
            let (mut kept, mut mesh, mut other) = <(Kept, Mesh, Mesh)>::default();
            observe(&mut other, (0, 1, 1, 3));
            kept.keep(&mut other);
            let n = exchanges.len();
            for (exchange, _) in exchanges {
                observe(&mut mesh, exchange);
                let since = mesh.take_since();
                mesh.give_back(since);
            }
            let usual = mesh.usual.len();
            kept.keep(&mut mesh);
            prop_assert_eq!((mesh.calls, mesh.usual.len()), (n + 1, usual + 1));
        }
    }

    #[test]
    fn scores_that_were_learned_at_once_are_all_learned() {
        let (mut kept, mut of_two) = (Kept::default(), vec![Mesh::default(); 2]);
        for mesh in &mut of_two {
            for second in 0..6 {
                observe(mesh, (second, 0, 2, 3));
            }
        }
        for mesh in &mut of_two {
            kept.keep(mesh);
        }
        kept.taken_up(&mut of_two[0]);
        for mesh in &of_two {
            assert_eq!(mesh.baseline("ann").unwrap().scores.len(), 12);
            assert_eq!(mesh.of_all.scores.len(), 12);
            assert_eq!((mesh.calls, mesh.common.texts), (12, 6));
        }
    }

    #[test]
    fn a_hop_is_known_once_it_is_known_who_carried_the_text_before() {
        let (mut kept, mut of_three) = (Kept::default(), vec![Mesh::default(); 3]);
        // Each looks before any of them has kept anything.
        observe(&mut of_three[2], (30, 2, 0, 1));
        observe(&mut of_three[0], (10, 0, 0, 3));
        observe(&mut of_three[1], (20, 1, 0, 0));
        for mesh in &mut of_three {
            kept.keep(mesh);
        }
        kept.taken_up(&mut of_three[0]);
        let spread = &of_three[0].spread;
        let hashes: Vec<u64> = spread.prints.keys().copied().collect();
        let way = spread.way("cat", &hashes, 4);
        assert_eq!(way.path, NAMES);
    }
}
