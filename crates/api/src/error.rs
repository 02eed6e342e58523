//! Errors on the wire, and the row of the table that each error of the product maps to.

use std::fmt::Display;

use immune_engine::reason::plan::{
    AdminError, ChallengeError, ClaimError, DeriveError, FinishError, FlagError, Forbidden,
    ForgetError, GuardError, RederiveError, ReinstateError, RememberError, RunError, SourceError,
};
use immune_engine::{
    CalibrateError, CursorError, DecodeError, OpenError, PageError, PastError, RecallError,
    ReindexError, StoreError, VerifyError, WriteError,
};
use immune_model::id::IdError;
use immune_model::shell::Command;
use immune_model::time::InstantError;
use immune_model::trust::TrustError;
use immune_model::{NameError, TextError};
use serde::Serialize;

use crate::code::Code;
use crate::metadata::JsonError;

/// An error as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its code: a name of the table.
    #[serde(serialize_with = "name")]
    pub code: Code,
    /// What is true, in words.
    pub message: String,
    /// The next step, where there is one.
    pub hint: Option<String>,
    /// Where it is explained.
    pub docs: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn name<S: serde::Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.name())
}

impl Problem {
    /// The problem with this code.
    pub fn new(code: Code, message: impl Display) -> Self {
        Self {
            code,
            message: message.to_string(),
            hint: None,
            docs: code.anchor(),
        }
    }

    /// The same problem with a next step.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl<E: Coded> From<E> for Problem {
    fn from(error: E) -> Self {
        Self {
            hint: error.hint(),
            ..Self::new(error.code(), &error)
        }
    }
}

/// An error with its row in the table.
pub trait Coded: Display {
    /// Its row.
    fn code(&self) -> Code;

    /// The next step, where there is one.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// An error of the product with a row for each of its variants. Variants that a later version
/// adds are `internal` until they have a row.
macro_rules! coded {
    ($error:ty: $it:ident => $code:expr) => {
        coded!($error: $it => $code, hint None);
    };
    ($error:ty: $it:ident => $code:expr, hint $hint:expr) => {
        impl Coded for $error {
            fn code(&self) -> Code {
                let $it = self;
                $code
            }

            fn hint(&self) -> Option<String> {
                let $it = self;
                let _ = $it;
                $hint
            }
        }
    };
}

// After the macro, which they use.
mod blame;
mod exchange;
mod mesh;

/// Where the ids of beliefs are shown.
const SHOWS: &str = "`immune list beliefs` shows what is there";

coded!(IdError: _it => Code::InvalidId, hint Some(SHOWS.to_owned()));
coded!(NameError: _it => Code::InvalidName);
coded!(InstantError: _it => Code::InvalidTime);
coded!(TrustError: _it => Code::InvalidTrust);
coded!(TextError: _it => Code::InvalidText);
coded!(CursorError: _it => Code::InvalidCursor);
coded!(Forbidden: _it => Code::Forbidden);

coded!(StoreError: it => match it {
    StoreError::Format { .. } | StoreError::Decode(DecodeError::Format { .. }) => Code::StoreFormat,
    StoreError::NotAStore { .. } => Code::NotAStore,
    StoreError::NoMemory { .. } => Code::NoMemory,
    StoreError::Busy { .. } => Code::StoreBusy,
    StoreError::Chain(_) => Code::LogBroken,
    StoreError::Decode(_) => Code::LogUnreadable,
    StoreError::Engine { .. } => Code::StoreFailed,
    _ => Code::Internal,
}, hint it.hint());

coded!(OpenError: it => match it {
    OpenError::Store(error) => error.code(),
    OpenError::Stopped { .. } => Code::WriterStopped,
    _ => Code::Internal,
}, hint it.hint());

coded!(VerifyError: it => it.store().code(), hint it.store().hint());

coded!(PastError: it => match it {
    PastError::Open(error) => error.code(),
    PastError::NotYet { .. } | PastError::ToCome { .. } => Code::NotInMemory,
    _ => Code::Internal,
}, hint match it {
    PastError::Open(error) => error.hint(),
    PastError::ToCome { .. } => Some("leave it out to ask about now".to_owned()),
    PastError::NotYet { last, .. } => Some(format!("name an event up to {last}, or a time until now")),
    _ => None,
});

coded!(RunError: it => match it {
    RunError::Forbidden(error) => error.code(),
    RunError::NotShown { .. } => Code::WrongKind,
    RunError::NotInMemory { .. } => Code::NotInMemory,
    RunError::Itself { .. } => Code::Usage,
    RunError::Started { .. } => Code::RunStarted,
    RunError::AnotherAgents { .. } => Code::Forbidden,
    _ => Code::Internal,
}, hint match it {
    RunError::NotInMemory { .. } => Some(SHOWS.to_owned()),
    RunError::NotShown { item } => Some(format!(
        "name a belief or an observation; `immune explain {item}` shows what it is"
    )),
    RunError::AnotherAgents { .. } => {
        Some("read in a run of your own, or leave `--run` out".to_owned())
    }
    RunError::Itself { .. } => Some("give the run that is started a name of its own".to_owned()),
    RunError::Started { run } => {
        let command = Command::new("immune runs show").word(run.as_str());
        Some(format!("start another one; `{command}` says what this one has"))
    }
    RunError::Forbidden(error) => Some(match error.operation {
        "read in a run" => "leave `--run` out: the answer is the same, and nothing is written",
        "start a run" => "an agent or an operator starts it",
        _ => "leave `--items` out: then it is handed all that its parent was shown",
    }.to_owned()),
    _ => None,
});

coded!(PageError: _it => Code::InvalidCursor, hint Some("go on with the `next` of the answer before, as it was printed".to_owned()));

coded!(JsonError: it => match it {
    JsonError::Filter(_) | JsonError::FilterSyntax(_) => Code::InvalidFilter,
    JsonError::Syntax(_) | JsonError::NoObject | JsonError::Metadata(_) => Code::InvalidMetadata,
}, hint it.hint().map(str::to_owned));

coded!(ReindexError: it => match it {
    ReindexError::Open(error) => error.code(),
    ReindexError::Set(error) => error.code(),
    ReindexError::Embed(_) => Code::ModelFailed,
    _ => Code::Internal,
}, hint match it {
    ReindexError::Open(error) => error.hint(),
    ReindexError::Set(error) => error.hint(),
    _ => None,
});

coded!(CalibrateError: it => match it {
    CalibrateError::Reindex(error) => error.code(),
    CalibrateError::Off(_) => Code::NoVectors,
    CalibrateError::TooFew { .. } => Code::TooFew,
    _ => Code::Internal,
}, hint match it {
    CalibrateError::Reindex(error) => error.hint(),
    CalibrateError::Off(_) => Some("`immune reindex --embedder bundled`".to_owned()),
    _ => None,
});

coded!(RecallError: it => match it {
    RecallError::Open(error) => error.code(),
    RecallError::Run(error) => error.code(),
    RecallError::NoFloor => Code::NoFloor,
    RecallError::Past(error) => error.code(),
    RecallError::Limit { .. } | RecallError::Offset { .. } => Code::TooMany,
    _ => Code::Internal,
}, hint match it {
    RecallError::Open(error) => error.hint(),
    RecallError::Run(error) => error.hint(),
    RecallError::Past(error) => error.hint(),
    RecallError::Offset { .. } => Some("ask more narrowly: `--about`, `--filter`".to_owned()),
    _ => None,
});

coded!(SourceError: it => match it {
    SourceError::NoChannel { .. } => Code::UnknownChannel,
    SourceError::Unknown { .. } => Code::UnknownSource,
    SourceError::Ambiguous { .. } => Code::AmbiguousSource,
    SourceError::LikeAnId { .. } | SourceError::Unseen { .. } => Code::InvalidName,
    SourceError::NotItself { .. } => Code::Forbidden,
    _ => Code::Internal,
}, hint Some(it.hint()));

coded!(ClaimError: it => match it {
    ClaimError::TooManyLiterals { .. } => Code::TooMany,
    ClaimError::NeverValid { .. } | ClaimError::AlreadyExpired { .. } => Code::InvalidClaim,
    _ => Code::Internal,
});

coded!(RememberError: it => match it {
    RememberError::Source(error) => error.code(),
    RememberError::Claim(error) => error.code(),
    RememberError::Forbidden(error) => error.code(),
    RememberError::TooManyClaims { .. } => Code::TooMany,
    _ => Code::Internal,
}, hint match it {
    RememberError::Source(error) => Some(error.hint()),
    _ => None,
});

coded!(DeriveError: it => match it {
    DeriveError::Forbidden(error) => error.code(),
    DeriveError::Source(error) => error.code(),
    DeriveError::Claim(error) => error.code(),
    DeriveError::NoPremises => Code::NoPremises,
    DeriveError::TooManyPremises { .. } => Code::TooMany,
    DeriveError::NoPremise { .. } => Code::WrongKind,
    DeriveError::NotInMemory { .. } => Code::NotInMemory,
    DeriveError::OtherNamespace { .. } => Code::OtherNamespace,
    DeriveError::NotStanding { .. } => Code::PremiseNotStanding,
    _ => Code::Internal,
}, hint it.hint());

coded!(ChallengeError: it => match it {
    ChallengeError::Statement(error) => error.code(),
    ChallengeError::Forbidden(error) => error.code(),
    ChallengeError::NotOneClaim { .. } => Code::NotOneClaim,
    ChallengeError::NotInMemory { .. } => Code::NotInMemory,
    ChallengeError::OtherSubject { .. } => Code::OtherSubject,
    ChallengeError::Agrees { .. } => Code::Agrees,
    _ => Code::Internal,
}, hint match it {
    ChallengeError::Statement(error) => error.hint(),
    ChallengeError::NotInMemory { .. } => Some(SHOWS.to_owned()),
    _ => None,
});

coded!(ForgetError: it => match it {
    ForgetError::Forbidden(error) => error.code(),
    ForgetError::NotInMemory { .. } => Code::NotInMemory,
    ForgetError::NotForgettable { .. } => Code::WrongKind,
    _ => Code::Internal,
}, hint match it {
    ForgetError::NotInMemory { .. } => Some(SHOWS.to_owned()),
    ForgetError::NotForgettable { item } => Some(format!(
        "name a belief or an observation; `immune explain {item}` shows what it is"
    )),
    _ => None,
});

coded!(ReinstateError: it => match it {
    ReinstateError::Forbidden(error) => error.code(),
    ReinstateError::NotInMemory { .. } => Code::NotInMemory,
    _ => Code::Internal,
}, hint match it {
    ReinstateError::NotInMemory { .. } => Some("`immune incidents` lists them".to_owned()),
    _ => None,
});

coded!(FlagError: it => match it {
    FlagError::Forbidden(error) => error.code(),
    FlagError::Source(error) => error.code(),
    FlagError::NeverSpoke { .. } => Code::UnknownSource,
    FlagError::NotInMemory { .. } => Code::NotInMemory,
    FlagError::NotFlaggable { .. } | FlagError::NoSource { .. } => Code::WrongKind,
    FlagError::InTheFuture { .. } => Code::InvalidTime,
    FlagError::NeverFlagged { .. } => Code::NotFlagged,
    FlagError::NothingWritten { .. } => Code::TooFew,
    _ => Code::Internal,
}, hint it.hint());

coded!(RederiveError: it => match it {
    RederiveError::Derive(error) => error.code(),
    RederiveError::NotInMemory { .. } => Code::NotInMemory,
    RederiveError::NoTask { .. } => Code::NoTask,
    _ => Code::Internal,
}, hint it.hint());

coded!(GuardError: it => match it {
    GuardError::Forbidden(error) => error.code(),
    GuardError::Source(error) => error.code(),
    GuardError::NotInMemory { .. } => Code::NotInMemory,
    GuardError::OtherNamespace { .. } => Code::OtherNamespace,
    GuardError::TooManyBeliefs { .. } => Code::TooMany,
    _ => Code::Internal,
}, hint match it {
    GuardError::Source(error) => Some(error.hint()),
    GuardError::NotInMemory { .. } => Some(SHOWS.to_owned()),
    _ => None,
});

coded!(FinishError: it => match it {
    FinishError::Forbidden(error) => error.code(),
    FinishError::NotInMemory { .. } => Code::NotInMemory,
    FinishError::NotRunning { .. } => Code::NotRunning,
    _ => Code::Internal,
}, hint match it {
    FinishError::NotInMemory { .. } => Some("`immune list actions` shows what is there".to_owned()),
    _ => None,
});

coded!(AdminError: it => match it {
    AdminError::Forbidden(error) => error.code(),
    AdminError::Source(error) => error.code(),
    AdminError::OtherTier { .. } => Code::OtherTier,
    AdminError::NotAuthored { .. } => Code::NotAuthored,
    AdminError::TooWeak { .. } => Code::TooWeak,
    AdminError::OwnMirror { .. } | AdminError::AgentsAuthored { .. } => Code::Usage,
    _ => Code::Internal,
}, hint it.hint());

impl<E: Coded> Coded for WriteError<E> {
    fn code(&self) -> Code {
        match self {
            Self::Refused(error) => error.code(),
            Self::Failed(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Refused(error) => error.hint(),
            Self::Failed(error) => error.hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use immune_model::{
        ActionId, ActionStatus, BeliefId, ChannelName, Handle, IncidentId, MemoryName, Premise,
        Principal, Role, Status, Subject,
    };

    use super::*;

    #[test]
    fn an_error_carries_its_code_its_words_and_the_next_step() {
        let problem = Problem::from(SourceError::NoChannel {
            channel: immune_model::ChannelName::new("inbox").unwrap(),
        });
        let json = crate::Reply::new(problem).to_json();
        assert_eq!(
            json,
            r#"{"schema":"immune.error/1","code":"unknown_channel","message":"there is no channel `inbox`","hint":"an operator opens it: `immune channels set inbox --tier 0.7`","docs":"errors.md#unknown_channel"}"#
        );
    }

    fn forbidden() -> Forbidden {
        let name = Handle::new("bot").unwrap();
        let principal = Principal {
            role: Role::Agent,
            name,
        };
        Forbidden {
            principal,
            operation: "act",
        }
    }

    #[test]
    fn every_refusal_of_a_plan_has_a_row() {
        let belief = BeliefId::new(1);
        let (item, action, incident) = (belief.into(), ActionId::new(1), IncidentId::new(1));
        let channel = || ChannelName::new("inbox").unwrap();
        let handle = || Handle::new("kim").unwrap();
        let subject = || Subject::new("a.b").unwrap();
        let (found, limit) = (2, 1);
        let trust = immune_model::Trust::ONE;
        let at = "2026-08-13T13:30:00Z".parse().unwrap();
        let (status, running) = (Status::Revoked, ActionStatus::Executed);
        let claim = || ClaimError::AlreadyExpired {
            subject: subject(),
            expires_at: at,
        };
        let refusals: Vec<(Code, Box<dyn Coded>)> = vec![
            (
                Code::UnknownChannel,
                Box::new(SourceError::NoChannel { channel: channel() }),
            ),
            (
                Code::UnknownSource,
                Box::new(SourceError::Unknown { handle: handle() }),
            ),
            (
                Code::AmbiguousSource,
                Box::new(SourceError::Ambiguous {
                    handle: handle(),
                    channels: 2,
                }),
            ),
            (Code::InvalidClaim, Box::new(claim())),
            (
                Code::InvalidClaim,
                Box::new(ClaimError::NeverValid {
                    subject: subject(),
                    from: at,
                    until: at,
                }),
            ),
            (
                Code::TooMany,
                Box::new(ClaimError::TooManyLiterals {
                    subject: subject(),
                    found,
                    limit,
                }),
            ),
            (
                Code::Forbidden,
                Box::new(RememberError::Forbidden(forbidden())),
            ),
            (Code::InvalidClaim, Box::new(RememberError::Claim(claim()))),
            (
                Code::TooMany,
                Box::new(RememberError::TooManyClaims { found, limit }),
            ),
            (
                Code::Forbidden,
                Box::new(DeriveError::Forbidden(forbidden())),
            ),
            (Code::InvalidClaim, Box::new(DeriveError::Claim(claim()))),
            (Code::NoPremises, Box::new(DeriveError::NoPremises)),
            (
                Code::TooMany,
                Box::new(DeriveError::TooManyPremises { found, limit }),
            ),
            (Code::WrongKind, Box::new(DeriveError::NoPremise { item })),
            (
                Code::NotInMemory,
                Box::new(DeriveError::NotInMemory { item }),
            ),
            (
                Code::OtherNamespace,
                Box::new(DeriveError::OtherNamespace { item }),
            ),
            (
                Code::PremiseNotStanding,
                Box::new(DeriveError::NotStanding {
                    premise: Premise::Belief(belief),
                    status,
                }),
            ),
            (
                Code::Forbidden,
                Box::new(ChallengeError::Forbidden(forbidden())),
            ),
            (
                Code::NotOneClaim,
                Box::new(ChallengeError::NotOneClaim { found }),
            ),
            (
                Code::NotInMemory,
                Box::new(ChallengeError::NotInMemory { belief }),
            ),
            (
                Code::OtherSubject,
                Box::new(ChallengeError::OtherSubject {
                    belief,
                    found: subject(),
                    about: subject(),
                }),
            ),
            (Code::Agrees, Box::new(ChallengeError::Agrees { belief })),
            (
                Code::Forbidden,
                Box::new(ForgetError::Forbidden(forbidden())),
            ),
            (
                Code::NotInMemory,
                Box::new(ForgetError::NotInMemory { item }),
            ),
            (
                Code::WrongKind,
                Box::new(ForgetError::NotForgettable { item }),
            ),
            (
                Code::Forbidden,
                Box::new(ReinstateError::Forbidden(forbidden())),
            ),
            (
                Code::NotInMemory,
                Box::new(ReinstateError::NotInMemory { incident }),
            ),
            (Code::Forbidden, Box::new(FlagError::Forbidden(forbidden()))),
            (
                Code::UnknownSource,
                Box::new(FlagError::NeverSpoke { handle: handle() }),
            ),
            (Code::NotInMemory, Box::new(FlagError::NotInMemory { item })),
            (Code::WrongKind, Box::new(FlagError::NotFlaggable { item })),
            (Code::WrongKind, Box::new(FlagError::NoSource { item })),
            (
                Code::InvalidTime,
                Box::new(FlagError::InTheFuture { from: at }),
            ),
            (Code::NotFlagged, Box::new(FlagError::NeverFlagged { item })),
            (
                Code::NoPremises,
                Box::new(RederiveError::Derive(DeriveError::NoPremises)),
            ),
            (
                Code::NotInMemory,
                Box::new(RederiveError::NotInMemory { belief }),
            ),
            (Code::NoTask, Box::new(RederiveError::NoTask { belief })),
            (
                Code::Forbidden,
                Box::new(GuardError::Forbidden(forbidden())),
            ),
            (
                Code::NotInMemory,
                Box::new(GuardError::NotInMemory { belief }),
            ),
            (
                Code::OtherNamespace,
                Box::new(GuardError::OtherNamespace { belief }),
            ),
            (
                Code::TooMany,
                Box::new(GuardError::TooManyBeliefs { found, limit }),
            ),
            (
                Code::Forbidden,
                Box::new(FinishError::Forbidden(forbidden())),
            ),
            (
                Code::NotInMemory,
                Box::new(FinishError::NotInMemory { action }),
            ),
            (
                Code::NotRunning,
                Box::new(FinishError::NotRunning {
                    action,
                    status: running,
                }),
            ),
            (
                Code::Forbidden,
                Box::new(AdminError::Forbidden(forbidden())),
            ),
            (
                Code::OtherTier,
                Box::new(AdminError::OtherTier {
                    channel: channel(),
                    found: trust,
                    asked: trust,
                }),
            ),
            (
                Code::NotAuthored,
                Box::new(AdminError::NotAuthored { channel: channel() }),
            ),
            (
                Code::TooWeak,
                Box::new(AdminError::TooWeak {
                    handle: handle(),
                    found: trust,
                    needed: trust,
                }),
            ),
        ];
        for (code, refusal) in refusals {
            assert_eq!(refusal.code(), code, "{refusal}");
        }
    }

    #[test]
    fn every_failure_of_a_store_has_a_row() {
        let name = MemoryName::new("default").unwrap();
        let engine = StoreError::Engine {
            operation: "append",
            reason: "the disk is full".to_owned(),
        };
        let not_a_store = StoreError::NotAStore {
            path: "a.db".to_owned(),
            reason: "it is a folder".to_owned(),
        };
        for (code, error) in [
            (Code::StoreFormat, StoreError::Format { found: 2, known: 1 }),
            (Code::NotAStore, not_a_store),
            (Code::NoMemory, StoreError::NoMemory { name: name.clone() }),
            (Code::StoreBusy, StoreError::Busy { seconds: 1 }),
            (Code::StoreFailed, engine),
        ] {
            assert_eq!(error.code(), code);
            let failed = WriteError::<AdminError>::Failed(OpenError::Store(error));
            assert_eq!(failed.code(), code);
        }
        assert_eq!(
            OpenError::Stopped { memory: name }.code(),
            Code::WriterStopped
        );
        assert_eq!(RecallError::NoFloor.code(), Code::NoFloor);
        let limit = RecallError::Limit { found: 2, limit: 1 };
        assert_eq!(limit.code(), Code::TooMany);
    }
}
