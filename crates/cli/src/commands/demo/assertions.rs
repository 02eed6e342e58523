//! What the demo claims, each read back from the engine or from the ledger file.

use immune_engine::reason::State;
use immune_model::{ActionId, ActionStatus, BeliefId, Status, Trust};

/// A claim and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assertion {
    /// The claim, in words.
    pub(crate) name: String,
    /// Whether it holds.
    pub(crate) holds: bool,
}

impl Assertion {
    pub(super) fn new(name: impl Into<String>, holds: bool) -> Self {
        Self {
            name: name.into(),
            holds,
        }
    }
}

/// What the story noted on its way.
pub(super) struct Noted {
    pub(super) lie: BeliefId,
    pub(super) truth: BeliefId,
    pub(super) clean: Vec<BeliefId>,
    pub(super) payout: ActionId,
    pub(super) dispatch: ActionId,
    /// What recall gave about the destination, before and after.
    pub(super) recalled_before: Vec<BeliefId>,
    pub(super) recalled_after: Vec<BeliefId>,
    /// The liar's reputation after the refutation.
    pub(super) reputation: Trust,
    /// Entries of the ledger: payouts, reversals.
    pub(super) posted: (usize, usize),
    /// Whether recall left out what the second attempt wrote, and the guard refused to act on it.
    pub(super) second_is_inert: bool,
    pub(super) verified: bool,
}

/// The seven assertions of the seed, and what heals beyond it.
pub(super) fn check(state: &State, noted: &Noted) -> Vec<Assertion> {
    let count = |wanted: Status| {
        let is = |id: &BeliefId| state.belief_now(*id).is_some_and(|it| it.status == wanted);
        state.belief_ids().filter(is).count()
    };
    let action = |id: ActionId| state.action(id).map(|it| it.status);
    let poisoned = |recalled: &[BeliefId]| recalled.iter().filter(|it| **it == noted.lie).count();
    let reversed = state
        .action_ids()
        .filter(|it| action(*it) == Some(ActionStatus::Reversed))
        .count();
    let clean = noted.clean.iter().filter(|id| {
        state
            .belief_now(**id)
            .is_some_and(|it| it.status == Status::Active)
    });
    let (before, after) = (
        poisoned(&noted.recalled_before),
        poisoned(&noted.recalled_after),
    );
    vec![
        Assertion::new(
            "the lie is recalled 1 time before and 0 times after",
            (before, after) == (1, 0),
        ),
        Assertion::new("3 conclusions are revoked", count(Status::Revoked) == 3),
        Assertion::new("1 belief is quarantined", count(Status::Quarantined) == 1),
        Assertion::new(
            "1 action is reversed: the payout",
            reversed == 1 && action(noted.payout) == Some(ActionStatus::Reversed),
        ),
        Assertion::new("3 unrelated beliefs are active", clean.count() == 3),
        Assertion::new(
            "1 unrelated action stays executed",
            action(noted.dispatch) == Some(ActionStatus::Executed),
        ),
        Assertion::new(
            "the sender's trust is exactly 0.28",
            noted.reputation.thousandths() == 280,
        ),
        Assertion::new(
            "the truth is recalled after healing",
            noted.recalled_after == [noted.truth],
        ),
        Assertion::new(
            "the ledger holds 1 payout and 1 reversal of it",
            noted.posted == (1, 1),
        ),
        Assertion::new(
            "the second attempt is inert and pays nothing",
            noted.second_is_inert,
        ),
        Assertion::new("the log replays to what is stored", noted.verified),
    ]
}
