//! Two claims side by side: what was read in each, and what decided.

use immune_engine::compare;
use immune_engine::reason::literal::{Found, find};
use immune_engine::reason::polarity::polarity;
use immune_engine::reason::{Deciding, Relation};
use immune_model::{Literal, LiteralKind, Subject};
use serde::Serialize;

/// How two claims stand to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// `same`, `conflict` or `unrelated`.
    pub relation: &'static str,
    /// What decided a conflict: `polarity`, or the kind of the literals that differ.
    pub decided_by: Option<&'static str>,
    /// The subject that brings them together: the one that was named, or the one that the rules
    /// find in both; nothing where only their literals or their words do.
    pub subject: Option<String>,
    /// A value of one is shown like a value of the other and is another one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub look_alike: bool,
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
    /// Compares two claims, about one subject if it is named.
    pub fn of(subject: Option<&Subject>, a: &str, b: &str) -> Self {
        let compared = compare(subject, a, b);
        let (relation, decided_by) = match compared.relation {
            Relation::Same => ("same", None),
            Relation::Unrelated => ("unrelated", None),
            Relation::Conflict(by) => ("conflict", Some(decided(by))),
        };
        let kind = match compared.relation {
            Relation::Conflict(Deciding::Literal(kind)) => Some(kind),
            _ => None,
        };
        Self {
            relation,
            decided_by,
            subject: compared.subject.map(|it| it.to_string()),
            look_alike: compared.look_alike,
            a: ReadClaim::of(a).with(a, kind, &compared.values.0),
            b: ReadClaim::of(b).with(b, kind, &compared.values.1),
        }
    }
}

/// The word for what decided.
pub(crate) fn decided(by: Deciding) -> &'static str {
    match by {
        Deciding::Polarity => "polarity",
        Deciding::Literal(kind) => kind.name(),
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

    /// With the values of the kind that decided, where only the rules read them: a name is an
    /// identifier in the place of one.
    fn with(mut self, text: &str, kind: Option<LiteralKind>, values: &[Literal]) -> Self {
        for value in values.iter().filter(|it| Some(it.kind) == kind) {
            let known = |it: &ReadLiteral| it.kind == value.kind.name() && it.value == *value.value;
            if self.literals.iter().any(known) {
                continue;
            }
            let at = text
                .to_ascii_lowercase()
                .find(&value.value.to_ascii_lowercase());
            let written = at.and_then(|it| text.get(it..it + value.value.len()));
            self.literals.push(ReadLiteral {
                kind: value.kind.name(),
                value: value.value.to_string(),
                text: written.unwrap_or(&value.value).to_owned(),
            });
        }
        self
    }
}
