//! The errors of attributions, of what follows from them, and of paroles.

use immune_engine::reason::plan::{AttributeError, ParoleError};
use immune_engine::{AttributeRefusal, QuarantineError};

use super::{Coded, SHOWS};
use crate::code::Code;

coded!(AttributeError: it => match it {
    AttributeError::Forbidden(error) => error.code(),
    AttributeError::NotItsRun { .. } => Code::Forbidden,
    AttributeError::NotInMemory { .. }
    | AttributeError::OtherRun { .. }
    | AttributeError::NothingShown { .. } => Code::NotInMemory,
    AttributeError::TooMany { .. } => Code::TooMany,
    _ => Code::Internal,
}, hint match it {
    AttributeError::NotItsRun { .. } => {
        Some("name the run that was shown the memories: `--run ID`".to_owned())
    }
    AttributeError::OtherRun { .. } | AttributeError::NothingShown { .. } => {
        Some("`immune runs` lists those that were shown something".to_owned())
    }
    AttributeError::NotInMemory { .. } => Some(SHOWS.to_owned()),
    AttributeError::TooMany { .. } => Some("ask for fewer: `--limit N`".to_owned()),
    _ => None,
});

coded!(AttributeRefusal: it => match it {
    AttributeRefusal::Recall(error) => error.code(),
    AttributeRefusal::Refused(error) => error.code(),
    AttributeRefusal::NoJudge | AttributeRefusal::SameValue { .. } => Code::NoJudge,
    AttributeRefusal::NoClaim => Code::NoClaim,
    AttributeRefusal::NoCandidates => Code::NothingRecalled,
    AttributeRefusal::Unanswered { .. } => Code::OracleFailed,
    _ => Code::Internal,
}, hint match it {
    AttributeRefusal::Recall(error) => error.hint(),
    AttributeRefusal::Refused(error) => error.hint(),
    AttributeRefusal::NoJudge | AttributeRefusal::SameValue { .. } => Some(
        "name the wrong value with `--wrong VALUE`, or the right one with `--expected VALUE`"
            .to_owned(),
    ),
    AttributeRefusal::NoClaim => Some("say it: `--expected VALUE`".to_owned()),
    AttributeRefusal::NoCandidates => {
        Some("`immune recall` shows what was left out and why".to_owned())
    }
    AttributeRefusal::Unanswered { advice, .. } => Some(advice.clone()),
    _ => None,
});

coded!(QuarantineError: it => match it {
    QuarantineError::Open(error) => error.code(),
    QuarantineError::Forbidden(error) => error.code(),
    QuarantineError::NotInMemory { .. } => Code::NotInMemory,
    QuarantineError::NoClaim => Code::NoClaim,
    QuarantineError::BlamesNobody { .. } => Code::BlamesNobody,
    QuarantineError::Incomplete { .. } => Code::Incomplete,
    QuarantineError::Challenge(error) => error.code(),
    _ => Code::Internal,
}, hint match it {
    QuarantineError::Open(error) => error.hint(),
    QuarantineError::NotInMemory { .. } => {
        Some("`immune list attributions` shows what is there".to_owned())
    }
    QuarantineError::NoClaim => Some("say it: `--expected VALUE`".to_owned()),
    QuarantineError::BlamesNobody { attribution } => {
        Some(format!("`immune attribute show {attribution}` says why"))
    }
    QuarantineError::Incomplete { attribution, .. } => Some(format!(
        "`immune attribute show {attribution}` has what was asked; ask again"
    )),
    QuarantineError::Challenge(error) => error.hint(),
    _ => None,
});

coded!(ParoleError: it => match it {
    ParoleError::Forbidden(error) => error.code(),
    ParoleError::NotInMemory { .. } => Code::NotInMemory,
    ParoleError::NotRefuted { .. } | ParoleError::Flagged { .. } => Code::NotRefuted,
    _ => Code::Internal,
}, hint match it {
    ParoleError::NotInMemory { .. } => Some(SHOWS.to_owned()),
    ParoleError::NotRefuted { belief, .. } => Some(format!("`immune explain {belief}` says why")),
    ParoleError::Flagged { belief, .. } => Some(format!("`immune unflag {belief}`")),
    _ => None,
});
