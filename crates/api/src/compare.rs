//! Two claims side by side: what was read in each, and what decided.

use immune_engine::reason::literal::{Found, find, literals};
use immune_engine::reason::polarity::polarity;
use immune_engine::reason::{Deciding, Relation, Side, relate};
use immune_model::Subject;
use serde::Serialize;

/// How two claims stand to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// `same`, `conflict` or `unrelated`.
    pub relation: &'static str,
    /// What decided a conflict: `polarity`, or the kind of the literals that differ.
    pub decided_by: Option<&'static str>,
    /// The first claim, as it was read.
    pub a: ReadClaim,
    /// The second.
    pub b: ReadClaim,
}

/// What was read in a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadClaim {
    /// `+` affirms, `-` denies, `?` says neither.
    pub polarity: char,
    /// Its literals, in the order in which they stand there.
    pub literals: Vec<ReadLiteral>,
}

/// A literal, and the words in which it stands there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadLiteral {
    /// What it is: `iban`, `amount`.
    pub kind: &'static str,
    /// Its value in canonical form: what is compared.
    pub value: String,
    /// As it is written.
    pub text: String,
}

impl Compared {
    /// Compares two claims about one subject.
    pub fn of(subject: &Subject, a: &str, b: &str) -> Self {
        let (ours, theirs) = (literals(a), literals(b));
        let side = |literals, text| Side {
            polarity: polarity(text),
            literals,
            text,
        };
        let (relation, decided_by) = match relate(subject, side(&ours, a), side(&theirs, b)) {
            Relation::Same => ("same", None),
            Relation::Unrelated => ("unrelated", None),
            Relation::Conflict(Deciding::Polarity) => ("conflict", Some("polarity")),
            Relation::Conflict(Deciding::Literal(kind)) => ("conflict", Some(kind.name())),
        };
        Self {
            relation,
            decided_by,
            a: ReadClaim::of(a),
            b: ReadClaim::of(b),
        }
    }
}

impl ReadClaim {
    fn of(text: &str) -> Self {
        let read = |found: Found| ReadLiteral {
            kind: found.literal.kind.name(),
            value: found.literal.value.to_string(),
            text: text.get(found.span).unwrap_or_default().to_owned(),
        };
        Self {
            polarity: polarity(text).sign(),
            literals: find(text).into_iter().map(read).collect(),
        }
    }
}
