//! How each type of the vocabulary is written, once for both directions.
//!
//! For `events` only. The invariant: a number that stands for a word is never given to another
//! word, and values are rebuilt through the checked constructors of the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use immune_model::{
    ActionClass, ActionId, ActionStatus, Alias, AntibodyId, Area, AttributionId, BeliefId,
    Carriage, ChannelId, ChannelName, Closing, ContextUse, DecisionId, EvidenceFor, Fingerprint,
    FlagTarget, GraphNode, Handle, IncidentId, InferredCopy, Instant, JustificationId, Kind,
    Literal, LiteralKind, MemoryName, MeshGround, MeshIncidentId, Metadata, MirrorRuling,
    Namespace, ObservationId, Outcome, ParoleHold, Polarity, Premise, Principal, ReviewId, Role,
    RuleId, RunId, Screening, SourceId, SourceKind, Standing, Subject, SubjectFrom, TaskId, Text,
    TextDigest, Trust, UnknownPolicy, UsedBy, Verdict, WaiverBar, Write,
};

use immune_model::metadata::{Number, Value};

use super::DecodeError;
use super::read::Reader;
use super::write::Writer;

/// A value with a place in an event.
pub(super) trait Field: Sized {
    /// Writes it.
    fn put(&self, writer: &mut Writer<'_>);

    /// Reads it back.
    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

impl Field for u32 {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.number((*self).into());
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let number = reader.number()?;
        Self::try_from(number).map_err(|_| reader.value(&format!("`{number}` is no count or id")))
    }
}

impl Field for u64 {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.number(i64::try_from(*self).expect("positions fit in 63 bits"));
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let number = reader.number()?;
        Self::try_from(number).map_err(|_| reader.value(&format!("`{number}` is no position")))
    }
}

impl Field for Instant {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.number(self.micros());
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let micros = reader.number()?;
        Self::from_micros(micros).ok_or_else(|| reader.value(&format!("`{micros}` is no moment")))
    }
}

impl Field for Trust {
    fn put(&self, writer: &mut Writer<'_>) {
        u32::from(self.thousandths()).put(writer);
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let thousandths = u32::get(reader)?;
        u16::try_from(thousandths)
            .ok()
            .and_then(Self::from_thousandths)
            .ok_or_else(|| reader.value(&format!("`{thousandths}` thousandths are no trust")))
    }
}

impl Field for Arc<str> {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.text(self);
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(reader.text()?.into())
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, writer: &mut Writer<'_>) {
        match self {
            Some(value) => value.put(writer),
            None => writer.null(),
        }
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if reader.null()? {
            None
        } else {
            Some(T::get(reader)?)
        })
    }
}

impl<T: Field> Field for Vec<T> {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.array(self.len());
        for value in self {
            value.put(writer);
        }
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let len = reader.array_len()?;
        // Every value takes a byte or more; whoever claims more values gets no memory for them.
        if len > reader.bytes_left() {
            return Err(reader.malformed(format!("an array claims {len} values")));
        }
        (0..len).map(|_| T::get(reader)).collect()
    }
}

impl<K: Field + Ord, V: Field> Field for BTreeMap<K, V> {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.array(self.len());
        for (key, value) in self {
            writer.array(2);
            key.put(writer);
            value.put(writer);
        }
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let len = reader.array_len()?;
        let entries = (0..len).map(|_| {
            reader.array(2)?;
            Ok((K::get(reader)?, V::get(reader)?))
        });
        entries.collect()
    }
}

impl Field for Metadata {
    fn put(&self, writer: &mut Writer<'_>) {
        self.entries().put(writer);
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let entries: BTreeMap<Arc<str>, Value> = Field::get(reader)?;
        Self::new(entries).map_err(|error| reader.value(&error))
    }
}

/// A value is an array of the number of its kind and what it holds.
impl Field for Value {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.array(2);
        let kind: u32 = match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(Number::Whole(_)) => 2,
            Self::Number(Number::Real(_)) => 3,
            Self::Text(_) => 4,
            Self::List(_) => 5,
            Self::Object(_) => 6,
        };
        kind.put(writer);
        match self {
            Self::Null => writer.null(),
            Self::Bool(yes) => yes.put(writer),
            Self::Number(Number::Whole(whole)) => writer.number(*whole),
            Self::Number(Number::Real(bits)) => writer.number(bits.cast_signed()),
            Self::Text(text) => text.put(writer),
            Self::List(values) => values.put(writer),
            Self::Object(entries) => entries.put(writer),
        }
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.array(2)?;
        Ok(match u32::get(reader)? {
            0 if reader.null()? => Self::Null,
            1 => Self::Bool(Field::get(reader)?),
            2 => Self::Number(Number::Whole(reader.number()?)),
            3 => {
                let bits = reader.number()?.cast_unsigned();
                match Number::of(f64::from_bits(bits)) {
                    Some(number @ Number::Real(_)) => Self::Number(number),
                    _ => return Err(reader.value(&"a number is not in its one form")),
                }
            }
            4 => Self::Text(Field::get(reader)?),
            5 => Self::List(Field::get(reader)?),
            6 => Self::Object(Field::get(reader)?),
            number => return Err(reader.value(&format!("`{number}` is no kind of value"))),
        })
    }
}

impl Field for bool {
    fn put(&self, writer: &mut Writer<'_>) {
        u32::from(*self).put(writer);
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u32::get(reader)? {
            0 => Ok(false),
            1 => Ok(true),
            number => Err(reader.value(&format!("`{number}` is neither yes nor no"))),
        }
    }
}

/// A hash is the number of the same bits.
impl Field for Fingerprint {
    fn put(&self, writer: &mut Writer<'_>) {
        writer.number(self.0.cast_signed());
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(reader.number()?.cast_unsigned()))
    }
}

/// Two numbers of 64 bits, the first bytes first.
impl Field for TextDigest {
    fn put(&self, writer: &mut Writer<'_>) {
        let bits = u128::from_be_bytes(self.0);
        writer.array(2);
        for half in [(bits >> 64) as u64, bits as u64] {
            writer.number(half.cast_signed());
        }
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.array(2)?;
        let first = reader.number()?.cast_unsigned();
        let second = reader.number()?.cast_unsigned();
        let bits = u128::from(first) << 64 | u128::from(second);
        Ok(Self(bits.to_be_bytes()))
    }
}

macro_rules! ids {
    ($($id:ident)*) => {$(
        impl Field for $id {
            fn put(&self, writer: &mut Writer<'_>) {
                self.number().put(writer);
            }

            fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                match u32::get(reader)? {
                    0 => Err(reader.value(&"ids start at 1")),
                    number => Ok(Self::new(number)),
                }
            }
        }
    )*};
}

ids! {
    ChannelId SourceId ObservationId BeliefId JustificationId DecisionId ActionId RuleId
    IncidentId ReviewId TaskId AttributionId MeshIncidentId AntibodyId
}

macro_rules! names {
    ($($name:ident)*) => {$(
        impl Field for $name {
            fn put(&self, writer: &mut Writer<'_>) {
                writer.text(self.as_str());
            }

            fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let word = reader.text()?;
                Self::new(word).map_err(|error| reader.value(&error))
            }
        }
    )*};
}

names! { Alias MemoryName ChannelName Handle Kind RunId Namespace Subject Area Text }

macro_rules! words {
    ($($name:ident { $($number:literal $word:ident)* })*) => {$(
        impl Field for $name {
            fn put(&self, writer: &mut Writer<'_>) {
                let number: u32 = match self { $(Self::$word => $number,)* };
                number.put(writer);
            }

            fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                match u32::get(reader)? {
                    $($number => Ok(Self::$word),)*
                    number => Err(reader.value(&format!(
                        concat!("`{}` is no ", stringify!($name)),
                        number,
                    ))),
                }
            }
        }
    )*};
}

words! {
    Role { 0 Viewer 1 Agent 2 Verifier 3 Operator }
    Carriage { 0 Relays 1 Authored }
    Standing { 0 Newcomer 1 Declared }
    SourceKind { 0 Email 1 Web 2 Tool 3 Agent 4 Human 5 Record 6 Other }
    Screening { 0 Explicit 1 Rules 2 Unscreened 3 Model }
    SubjectFrom { 0 Caller 1 Rules 2 Model }
    Polarity { 0 Affirmed 1 Denied 2 Open }
    LiteralKind {
        0 Iban 1 Account 2 Card 3 CryptoAddress 4 Email 5 Host 6 Phone 7 Package 8 Amount
        9 Quantity 10 Date 11 Percentage 12 Identifier 13 Hash
    }
    Verdict { 0 Confirmed 1 Refuted 2 Unknown }
    UsedBy { 0 Named 1 Inferred }
    ActionClass { 0 Reversible 1 Compensable 2 Irreversible }
    ActionStatus {
        0 Proposed 1 Blocked 2 Executing 3 Executed 4 Failed 5 Reversing 6 Reversed 7 Irreversible
        8 ReversalFailed
    }
    UnknownPolicy { 0 Block 1 Warn 2 Allow }
    MirrorRuling { 0 Independent 1 Open 2 Lapsed }
    MeshGround { 0 Canary 1 Directive 2 Hops 3 Agents 4 Antibody }
    Outcome {
        0 Found 1 NotReproduced 2 WrongWithoutMemory 3 BudgetSpent 4 Interrupted 5 OracleFailed
        6 Unstable
    }
}

/// A word, or a word with one value: an array of the word's number and the value, if any.
macro_rules! choices {
    ($($name:ident {
        $($number:literal $choice:ident $(($value:ident))? $({ $field:ident })?)*
    })*) => {$(
        impl Field for $name {
            fn put(&self, writer: &mut Writer<'_>) {
                match self {
                    $(Self::$choice $(($value))? $({ $field })? => {
                        writer.array(1 $(+ one!($value))? $(+ one!($field))?);
                        let number: u32 = $number;
                        number.put(writer);
                        $($value.put(writer);)?
                        $($field.put(writer);)?
                    })*
                }
            }

            fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let len = reader.array_len()?;
                let number = u32::get(reader)?;
                match (number, len) {
                    $(($number, len) if len == 1 $(+ one!($value))? $(+ one!($field))? => {
                        $(let $value = Field::get(reader)?;)?
                        $(let $field = Field::get(reader)?;)?
                        Ok(Self::$choice $(($value))? $({ $field })?)
                    })*
                    (number, len) => Err(reader.value(&format!(
                        concat!("`{}` with {} values is no ", stringify!($name)),
                        number,
                        len,
                    ))),
                }
            }
        }
    )*};
}

/// 1, for each thing that is repeated.
macro_rules! one {
    ($thing:tt) => {
        1
    };
}

choices! {
    Closing { 0 Superseded { by } 1 Expired 2 Forgotten }
    WaiverBar { 0 Record 1 Strength(trust) }
    Premise { 0 Observation(id) 1 Belief(id) }
    InferredCopy { 0 Content(copy) 1 Domain(copy) 2 Values(copy) }
    FlagTarget { 0 Source(id) 1 Observation(id) 2 Belief(id) }
    Write { 0 Observation(id) 1 Justification(id) 2 Decision(id) }
    ContextUse { 0 Dropped 1 Carried(carriers) }
    EvidenceFor { 0 Incident(id) 1 Review(id) }
    ParoleHold { 0 ByRecord(id) 1 ByLeading(id) 2 WrongAgain(id) 3 Unanswered }
    GraphNode {
        0 Source(node) 1 Observation(node) 2 Belief(node) 3 Justification(node) 4 Decision(node)
        5 Action(node)
    }
}

impl Field for Principal {
    fn put(&self, writer: &mut Writer<'_>) {
        let Self { role, name } = self;
        writer.array(2);
        role.put(writer);
        name.put(writer);
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.array(2)?;
        Ok(Self {
            role: Field::get(reader)?,
            name: Field::get(reader)?,
        })
    }
}

impl Field for Literal {
    fn put(&self, writer: &mut Writer<'_>) {
        let Self { kind, value } = self;
        writer.array(2);
        kind.put(writer);
        value.put(writer);
    }

    fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.array(2)?;
        Ok(Self {
            kind: Field::get(reader)?,
            value: Field::get(reader)?,
        })
    }
}
