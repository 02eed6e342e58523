//! What an item is now. Statuses are derived from the log, never written.

/// The status of an observation, belief or decision; the first row of semantics.md 3 that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Undone; counts as never written.
    Retracted,
    /// Refuted, flagged or blocked itself. Evidence.
    Quarantined,
    /// Never had support.
    Unsupported,
    /// Every justification lost a premise to a refutation, flag or block.
    Revoked,
    /// Stands.
    Active,
    /// Its source replaced it.
    Superseded,
    /// Its time passed.
    Expired,
    /// Closed on request.
    Forgotten,
    /// Lost only to closing facts: the world moved on, nobody lied.
    Stale,
}

impl Status {
    /// Every status, in the order of precedence.
    pub const ALL: [Self; 9] = [
        Self::Retracted,
        Self::Quarantined,
        Self::Unsupported,
        Self::Revoked,
        Self::Active,
        Self::Superseded,
        Self::Expired,
        Self::Forgotten,
        Self::Stale,
    ];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retracted => "retracted",
            Self::Quarantined => "quarantined",
            Self::Unsupported => "unsupported",
            Self::Revoked => "revoked",
            Self::Active => "active",
            Self::Superseded => "superseded",
            Self::Expired => "expired",
            Self::Forgotten => "forgotten",
            Self::Stale => "stale",
        }
    }

    /// The status with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether what relied on it has to be reversed: it fell to a refutation.
    pub fn fell(self) -> bool {
        matches!(self, Self::Quarantined | Self::Revoked)
    }
}

/// What can be done about an action once it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionClass {
    /// It can be taken back without a trace.
    Reversible,
    /// Another effect makes up for it.
    Compensable,
    /// Nothing undoes it.
    Irreversible,
}

impl ActionClass {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::Reversible, Self::Compensable, Self::Irreversible];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reversible => "reversible",
            Self::Compensable => "compensable",
            Self::Irreversible => "irreversible",
        }
    }

    /// The class with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// Where an action is in its life (semantics.md 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionStatus {
    /// Written elsewhere and imported; the effect had not begun.
    Proposed,
    /// Refused before the effect.
    Blocked,
    /// Written; the effect may be running.
    Executing,
    /// The effect ran.
    Executed,
    /// The effect did not run to its end.
    Failed,
    /// Its reversal is queued or being tried.
    Reversing,
    /// Its compensation ran.
    Reversed,
    /// It relied on what fell, and nothing undoes it.
    Irreversible,
    /// Its compensation did not run, after every attempt.
    ReversalFailed,
}

impl ActionStatus {
    /// Every status.
    pub const ALL: [Self; 9] = [
        Self::Proposed,
        Self::Blocked,
        Self::Executing,
        Self::Executed,
        Self::Failed,
        Self::Reversing,
        Self::Reversed,
        Self::Irreversible,
        Self::ReversalFailed,
    ];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Blocked => "blocked",
            Self::Executing => "executing",
            Self::Executed => "executed",
            Self::Failed => "failed",
            Self::Reversing => "reversing",
            Self::Reversed => "reversed",
            Self::Irreversible => "irreversible",
            Self::ReversalFailed => "reversal_failed",
        }
    }

    /// The status with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert!(
            Status::ALL
                .iter()
                .all(|it| Status::from_name(it.name()) == Some(*it))
        );
        assert!(
            ActionClass::ALL
                .iter()
                .all(|it| ActionClass::from_name(it.name()) == Some(*it))
        );
        assert!(
            ActionStatus::ALL
                .iter()
                .all(|it| ActionStatus::from_name(it.name()) == Some(*it))
        );
    }
}
