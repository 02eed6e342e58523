//! What events carry: statements, incidents, decisions, proposals and rules.
//!
//! Each is written as a whole with its event, and never changed after.

use crate::aside::Screening;
use crate::claim::{Literal, Polarity, SubjectFrom};
use crate::id::{
    ActionId, BeliefId, DecisionId, IncidentId, JustificationId, ObservationId, Premise, RuleId,
    SourceId,
};
use crate::name::{Kind, Namespace, RunId, Subject};
use crate::status::ActionClass;
use crate::text::Text;
use crate::time::Instant;
use crate::trust::Trust;

/// One claim of one observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The belief whose value it states; new, or known before.
    pub belief: BeliefId,
    /// The justification that this statement gives it.
    pub justification: JustificationId,
    /// What it is about.
    pub subject: Subject,
    /// Who chose the subject.
    pub subject_from: SubjectFrom,
    /// The claim in words.
    pub text: Text,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// The typed literals in it, sorted, without repeats.
    pub literals: Vec<Literal>,
    /// When what it says starts to hold, if it says so.
    pub valid_from: Option<Instant>,
    /// When what it says ceases to hold, if it says so.
    pub valid_until: Option<Instant>,
    /// When the statement expires (TTL), if ever.
    pub expires_at: Option<Instant>,
}

/// Content arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// Its id, the next of its kind.
    pub observation: ObservationId,
    /// Whose words they are.
    pub source: SourceId,
    /// The part of the memory it was written for.
    pub namespace: Namespace,
    /// The content.
    pub text: Text,
    /// When its source sent it, if that is known.
    pub sent_at: Option<Instant>,
    /// What its channel calls it: a Message-ID, a row.
    pub external_id: Option<Text>,
    /// The run that read it, if one is named.
    pub run: Option<RunId>,
    /// How the claims were found.
    pub screening: Screening,
    /// The claims.
    pub statements: Vec<Statement>,
}

/// An agent concluded something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The belief; new, or known before.
    pub belief: BeliefId,
    /// The justification that this derivation gives it.
    pub justification: JustificationId,
    /// The source that is the deriving agent.
    pub agent: SourceId,
    /// The part of the memory it belongs to.
    pub namespace: Namespace,
    /// What it is about.
    pub subject: Subject,
    /// The claim in words.
    pub text: Text,
    /// Whether it affirms.
    pub polarity: Polarity,
    /// The typed literals in it, sorted, without repeats.
    pub literals: Vec<Literal>,
    /// What it rests on: all of them together.
    pub premises: Vec<Premise>,
    /// The run in which it was concluded, if one is named.
    pub run: Option<RunId>,
    /// When it expires (TTL), if ever.
    pub expires_at: Option<Instant>,
}

/// A fact that closes without refuting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Closing {
    /// The same source made a newer claim of another value.
    Superseded {
        /// The justification that the newer claim gives.
        by: JustificationId,
    },
    /// Its time passed.
    Expired,
    /// Closed on request.
    Forgotten,
}

/// What a system of record answered about a belief.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It states the same value.
    Confirmed,
    /// It states another value.
    Refuted,
    /// It says nothing about it; not a confirmation.
    Unknown,
}

impl Verdict {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
        }
    }
}

/// One refutation; all it changed follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// Its id, the next of its kind.
    pub incident: IncidentId,
    /// The first event of the command that opened it: what that command wrote from there on is
    /// part of the incident, and is undone with it.
    pub since: u64,
    /// The observation in which the challenger spoke.
    pub trigger: ObservationId,
    /// Who challenged.
    pub challenger: SourceId,
    /// What it was about.
    pub subject: Subject,
    /// The beliefs that were refuted.
    pub refuted: Vec<BeliefId>,
}

/// How the beliefs that an action relies on came to be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsedBy {
    /// The caller named them.
    Named,
    /// They carry the literals of the payload.
    Inferred,
}

/// An agent concluded to act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Its id, the next of its kind.
    pub decision: DecisionId,
    /// The source that is the deciding agent.
    pub agent: SourceId,
    /// The beliefs it relied on, waivers included.
    pub relied_on: Vec<BeliefId>,
    /// How they came to be named.
    pub used_by: UsedBy,
    /// Those of them that waived a check.
    pub waivers: Vec<BeliefId>,
    /// The run in which it was decided, if one is named.
    pub run: Option<RunId>,
}

/// An action was written, before its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Its id, the next of its kind.
    pub action: ActionId,
    /// The decision that it carries out.
    pub decision: DecisionId,
    /// What kind of action.
    pub kind: Kind,
    /// What can be done about it later.
    pub class: ActionClass,
    /// What the effect is given.
    pub payload: Text,
    /// Why the guard refused it; nothing if the effect may run.
    pub refusal: Option<Text>,
    /// What the guard let pass but wants seen.
    pub warnings: Vec<Text>,
}

/// What an action class does when no record confirms a belief (semantics.md 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnknownPolicy {
    /// The action is refused.
    Block,
    /// The action runs, with a warning.
    Warn,
    /// The action runs.
    Allow,
}

impl UnknownPolicy {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Block, Self::Warn, Self::Allow];

    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Allow => "allow",
        }
    }

    /// The policy with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

/// Which belief may waive the check of an action kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// The policy itself, as a subject: `refund.skip_destination_check`.
    pub subject: Subject,
    /// What the belief has to reach.
    pub bar: WaiverBar,
}

/// The bar of a waiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaiverBar {
    /// The default: a system of record states it, and it shares no origin with the action's other
    /// beliefs.
    Record,
    /// An operator lowered it: any belief of at least this strength.
    Strength(Trust),
}

/// A policy for one kind of action; a later one for the same kind replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its id: kept when the rule of a kind is replaced.
    pub rule: RuleId,
    /// The kind of action it is for.
    pub kind: Kind,
    /// What can be done about such an action later.
    pub class: ActionClass,
    /// What to do when no record confirms a used belief.
    pub unknown: UnknownPolicy,
    /// Which belief may waive the check, if any may.
    pub waiver: Option<Waiver>,
    /// The command that compensates, if one is registered.
    pub compensation: Option<Text>,
}
