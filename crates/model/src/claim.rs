//! What an observation says about a subject: polarity and typed literals.

use std::fmt;
use std::sync::Arc;

/// Whether a claim affirms, denies or leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Polarity {
    /// It holds (`+`).
    Affirmed,
    /// It does not hold (`-`): "must never be skipped".
    Denied,
    /// A question, a hypothesis, a report of what others say (`?`).
    Open,
}

impl Polarity {
    /// `+`, `-` or `?`.
    pub fn sign(self) -> char {
        match self {
            Self::Affirmed => '+',
            Self::Denied => '-',
            Self::Open => '?',
        }
    }

    /// The polarity with this sign.
    pub fn from_sign(sign: char) -> Option<Self> {
        [Self::Affirmed, Self::Denied, Self::Open]
            .into_iter()
            .find(|it| it.sign() == sign)
    }
}

/// Who chose the subject of a claim; a caller may not pick the area in which it is trusted best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubjectFrom {
    /// The caller named it.
    Caller,
    /// A deterministic rule found it in the text.
    Rules,
    /// A model chose it, which the text may have talked into it.
    Model,
}

/// The kinds of typed literals (semantics.md 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LiteralKind {
    /// International bank account number with a valid checksum, or one that is shaped like it.
    Iban,
    /// A domestic account number.
    Account,
    /// A payment card number.
    Card,
    /// An address on a public ledger.
    CryptoAddress,
    /// A mail address.
    Email,
    /// A URL or host name.
    Host,
    /// A telephone number.
    Phone,
    /// A package with its version.
    Package,
    /// An amount of money in a currency.
    Amount,
    /// A quantity with its unit.
    Quantity,
    /// A date or a moment.
    Date,
    /// A percentage.
    Percentage,
    /// A reference number: an order, an invoice, a ticket.
    Identifier,
    /// A digest.
    Hash,
}

impl LiteralKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [Self; 14] = [
        Self::Iban,
        Self::Account,
        Self::Card,
        Self::CryptoAddress,
        Self::Email,
        Self::Host,
        Self::Phone,
        Self::Package,
        Self::Amount,
        Self::Quantity,
        Self::Date,
        Self::Percentage,
        Self::Identifier,
        Self::Hash,
    ];

    /// The name of the kind: `iban`, `crypto_address`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iban => "iban",
            Self::Account => "account",
            Self::Card => "card",
            Self::CryptoAddress => "crypto_address",
            Self::Email => "email",
            Self::Host => "host",
            Self::Phone => "phone",
            Self::Package => "package",
            Self::Amount => "amount",
            Self::Quantity => "quantity",
            Self::Date => "date",
            Self::Percentage => "percentage",
            Self::Identifier => "identifier",
            Self::Hash => "hash",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A typed literal: two of one kind are the same value iff their canonical texts are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// What it is.
    pub kind: LiteralKind,
    /// Its value in canonical form: `GB29NWBK60161331926819`, `USD 5000`, `2026-08-13`.
    pub value: Arc<str>,
}

impl Literal {
    /// The literal of this kind with this canonical value.
    pub fn new(kind: LiteralKind, value: &str) -> Self {
        Self {
            kind,
            value: value.into(),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_polarity_is_found_by_its_name() {
        for kind in LiteralKind::ALL {
            assert_eq!(LiteralKind::from_name(kind.name()), Some(kind));
        }
        for sign in ['+', '-', '?'] {
            assert_eq!(Polarity::from_sign(sign).map(Polarity::sign), Some(sign));
        }
        assert_eq!(Polarity::from_sign('!'), None);
    }
}
