//! The packed form of the words of `model`: ids, times, names, choices.
//!
//! A choice is its place in the list that is written here: a list only grows at its end, or the
//! version of the packed state changes with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use immune_model::{
    ActionClass, ActionId, ActionStatus, AntibodyId, Area, AttributionId, BeliefId, Carriage,
    ChannelId, ChannelName, Closing, DecisionId, EvidenceFor, Fingerprint, FlagTarget, Handle,
    IncidentId, Instant, Item, JustificationId, Kind, Literal, LiteralKind, MemoryName, MeshGround,
    MeshIncidentId, Metadata, Namespace, ObservationId, Outcome, Polarity, Premise, ReviewId, Role,
    Rule, RuleId, RunId, Screening, SourceId, SourceKind, Standing, Status, Subject, SubjectFrom,
    TaskId, Text, TextDigest, Trust, UnknownPolicy, UsedBy, Waiver, WaiverBar, Write,
};

use immune_model::metadata::{Number, Value};

use super::{Input, Packed, put_number, put_text};
use crate::arena::Slot;
use crate::network::EdgeId;

macro_rules! numbers {
    ($($kind:ty)*) => {$(
        impl Packed for $kind {
            #[inline]
            fn pack(&self, out: &mut Vec<u8>) {
                put_number(u64::from(*self), out);
            }

            #[inline]
            fn unpack(input: &mut Input<'_>) -> Option<Self> {
                input.number()?.try_into().ok()
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 }

impl Packed for usize {
    fn pack(&self, out: &mut Vec<u8>) {
        put_number(*self as u64, out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        input.number()?.try_into().ok()
    }
}

impl Packed for i64 {
    fn pack(&self, out: &mut Vec<u8>) {
        // Zigzag: what is near 0 is short on both sides of it.
        put_number(((self << 1) ^ (self >> 63)).cast_unsigned(), out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        let number = input.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

impl Packed for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match input.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

macro_rules! ids {
    ($($id:ty)*) => {$(
        impl Packed for $id {
            #[inline]
            fn pack(&self, out: &mut Vec<u8>) {
                put_number(self.slot() as u64, out);
            }

            #[inline]
            fn unpack(input: &mut Input<'_>) -> Option<Self> {
                let slot = usize::unpack(input)?;
                // The largest number is no id: ids count from 1.
                (slot < u32::MAX as usize).then(|| Self::at(slot))
            }
        }
    )*};
}

ids! {
    ChannelId SourceId ObservationId BeliefId JustificationId DecisionId ActionId RuleId IncidentId
    ReviewId TaskId AttributionId MeshIncidentId AntibodyId EdgeId
}

impl<T: Packed> Packed for Option<T> {
    #[inline]
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        if let Some(value) = self {
            value.pack(out);
        }
    }

    #[inline]
    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        Some(if bool::unpack(input)? {
            Some(T::unpack(input)?)
        } else {
            None
        })
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        put_number(self.len() as u64, out);
        for value in self {
            value.pack(out);
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        (0..input.count()?).map(|_| T::unpack(input)).collect()
    }
}

impl<T: Packed> Packed for Arc<[T]> {
    fn pack(&self, out: &mut Vec<u8>) {
        put_number(self.len() as u64, out);
        for value in self.iter() {
            value.pack(out);
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match input.count()? {
            // What is empty is shared by all that are.
            0 => Some(Self::default()),
            count => (0..count).map(|_| T::unpack(input)).collect(),
        }
    }
}

impl Packed for Arc<str> {
    fn pack(&self, out: &mut Vec<u8>) {
        put_text(self, out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        Some(input.text()?.into())
    }
}

macro_rules! tuples {
    ($(($($part:ident $place:tt)*))*) => {$(
        impl<$($part: Packed),*> Packed for ($($part,)*) {
            fn pack(&self, out: &mut Vec<u8>) {
                $(self.$place.pack(out);)*
            }

            fn unpack(input: &mut Input<'_>) -> Option<Self> {
                Some(($($part::unpack(input)?,)*))
            }
        }
    )*};
}

tuples! { (A 0 B 1) (A 0 B 1 C 2) }

macro_rules! words {
    ($($word:ty)*) => {$(
        impl Packed for $word {
            fn pack(&self, out: &mut Vec<u8>) {
                put_text(self.as_str(), out);
            }

            fn unpack(input: &mut Input<'_>) -> Option<Self> {
                Self::new(input.text()?).ok()
            }
        }
    )*};
}

words! { MemoryName ChannelName Handle Kind RunId Namespace Subject Area Text }

impl Packed for Instant {
    fn pack(&self, out: &mut Vec<u8>) {
        self.micros().pack(out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        Self::from_micros(i64::unpack(input)?)
    }
}

impl Packed for Trust {
    fn pack(&self, out: &mut Vec<u8>) {
        self.thousandths().pack(out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        Self::from_thousandths(u16::unpack(input)?)
    }
}

/// A choice is a byte: its place in the list, from 0.
macro_rules! choices {
    ($($choice:ident { $($name:ident)* })*) => {$(
        impl Packed for $choice {
            fn pack(&self, out: &mut Vec<u8>) {
                const ALL: &[$choice] = &[$($choice::$name),*];
                // A choice that is not in the list does not compile.
                match self { $(Self::$name => {})* }
                let place = ALL.iter().position(|it| it == self);
                put_number(place.expect("every choice is in the list") as u64, out);
            }

            fn unpack(input: &mut Input<'_>) -> Option<Self> {
                const ALL: &[$choice] = &[$($choice::$name),*];
                ALL.get(usize::from(input.byte()?)).copied()
            }
        }
    )*};
}

impl Packed for Fingerprint {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend(self.0.to_le_bytes());
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        let mut bytes = [0; 8];
        for byte in &mut bytes {
            *byte = input.byte()?;
        }
        Some(Self(u64::from_le_bytes(bytes)))
    }
}

impl Packed for TextDigest {
    fn pack(&self, out: &mut Vec<u8>) {
        out.extend(self.0);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        let mut bytes = [0; 16];
        for byte in &mut bytes {
            *byte = input.byte()?;
        }
        Some(Self(bytes))
    }
}

choices! {
    MeshGround { Canary Directive Hops Agents Mirroring Antibody }
    Screening { Explicit Rules Unscreened Model }
    SubjectFrom { Caller Rules Model }
    Polarity { Affirmed Denied Open }
    Carriage { Relays Authored }
    Standing { Newcomer Declared }
    UsedBy { Named Inferred }
    UnknownPolicy { Block Warn Allow }
    SourceKind { Email Web Tool Agent Human Record Other }
    ActionClass { Reversible Compensable Irreversible }
    Role { Viewer Agent Verifier Operator }
    Outcome {
        Found NotReproduced WrongWithoutMemory BudgetSpent Interrupted OracleFailed Unstable
    }
    ActionStatus {
        Proposed Blocked Executing Executed Failed Reversing Reversed Irreversible ReversalFailed
    }
    Status {
        Retracted Quarantined Unsupported Revoked Active Superseded Expired Forgotten Stale
    }
    LiteralKind {
        Iban Account Card CryptoAddress Email Host Phone Package Amount Quantity Date Percentage
        Identifier Hash
    }
}

/// A choice with a value, or without: its place in the list, then the value.
macro_rules! variants {
    ($($choice:ident { $($place:literal $name:ident $(($value:ident))? $({$field:ident})?)* })*) => {$(
        impl Packed for $choice {
            fn pack(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$name $(($value))? $({$field})? => {
                        out.push($place);
                        $($value.pack(out);)?
                        $($field.pack(out);)?
                    })*
                }
            }

            fn unpack(input: &mut Input<'_>) -> Option<Self> {
                Some(match input.byte()? {
                    $($place => {
                        $(let $value = Packed::unpack(input)?;)?
                        $(let $field = Packed::unpack(input)?;)?
                        Self::$name $(($value))? $({$field})?
                    })*
                    _ => return None,
                })
            }
        }
    )*};
}

variants! {
    Closing { 0 Superseded { by } 1 Expired 2 Forgotten }
    WaiverBar { 0 Record 1 Strength(bar) }
    Premise { 0 Observation(id) 1 Belief(id) }
    FlagTarget { 0 Source(id) 1 Observation(id) 2 Belief(id) }
    Write { 0 Observation(id) 1 Justification(id) 2 Decision(id) }
    Item {
        0 Channel(id) 1 Source(id) 2 Observation(id) 3 Belief(id) 4 Justification(id)
        5 Decision(id) 6 Action(id) 7 Rule(id) 8 Incident(id) 9 Review(id) 10 Task(id)
        11 Attribution(id) 12 MeshIncident(id) 13 Antibody(id)
    }
    EvidenceFor { 0 Incident(id) 1 Review(id) }
}

records! {
    Literal { kind value }
    Waiver { subject bar }
    Rule { rule kind class unknown waiver compensation }
}

variants! {
    Number { 0 Whole(number) 1 Real(number) }
    Value { 0 Null 1 Bool(it) 2 Number(it) 3 Text(it) 4 List(it) 5 Object(it) }
}

impl Packed for Metadata {
    fn pack(&self, out: &mut Vec<u8>) {
        self.entries().pack(out);
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        Self::new(Packed::unpack(input)?).ok()
    }
}

impl<K: Packed + Ord, V: Packed> Packed for BTreeMap<K, V> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.len().pack(out);
        for (key, value) in self {
            key.pack(out);
            value.pack(out);
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        let len = usize::unpack(input)?;
        (0..len)
            .map(|_| Some((K::unpack(input)?, V::unpack(input)?)))
            .collect()
    }
}
