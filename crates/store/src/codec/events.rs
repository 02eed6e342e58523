//! The table of the format: every kind of event with its number and the places of its fields.
//!
//! For the codec only. Fields stand in the order in which they are written, those in the clear
//! first. `sealed by ID` content is sealed with a key of that item; `sealed if any by ID` is the
//! same, and nothing when there is none. Numbers and orders of what was once written never
//! change: a new kind gets a number that no other had, a new field a new kind.

use immune_model::{
    Antibody, Attributed, AttributionCertificate, Candidate, Carrier, Decided, Derived, Event,
    GraphAction, GraphBelief, GraphDecision, GraphJustification, GraphObservation, GraphSource,
    Hedge, Incident, Item, MeshIncident, Observed, OracleCall, Proposal, Reached, RepeatedContent,
    Rule, SharedDomain, SharedValues, Statement, Waiver,
};

use super::DecodeError;
use super::fields::Field;
use super::read::Reader;
use super::write::Writer;

/// How many values an array of these fields and sealed parts has.
macro_rules! count {
    ($($thing:ident)*) => {
        [$(stringify!($thing)),*].len()
    };
}

/// Writes fields that are bound by reference, as one array.
macro_rules! put_fields {
    ($writer:ident: $($field:ident)*
        $(; sealed by $key:ident: $($content:ident)*)?
        $(; sealed if any by $if_key:ident: $if_content:ident)?
    ) => {
        $writer.array(count!($($field)* $($key)? $($if_key)?));
        $($field.put($writer);)*
        $($writer.sealed(Item::from(*$key), |writer| {
            writer.array(count!($($content)*));
            $($content.put(writer);)*
        });)?
        $(match $if_content {
            Some(content) => $writer.sealed(Item::from(*$if_key), |writer| content.put(writer)),
            None => $writer.null(),
        })?
    };
}

/// Reads what `put_fields` wrote, and binds it.
macro_rules! get_fields {
    ($reader:ident: $($field:ident)*
        $(; sealed by $key:ident: $($content:ident)*)?
        $(; sealed if any by $if_key:ident: $if_content:ident)?
    ) => {
        $reader.array(count!($($field)* $($key)? $($if_key)?))?;
        $(let $field = Field::get($reader)?;)*
        $(let ($($content,)*) = $reader.sealed(Item::from($key), |reader| {
            reader.array(count!($($content)*))?;
            $(let $content = Field::get(reader)?;)*
            Ok(($($content,)*))
        })?;)?
        $(let $if_content = if $reader.null()? {
            None
        } else {
            Some($reader.sealed(Item::from($if_key), Field::get)?)
        };)?
    };
}

macro_rules! records {
    ($($name:ident {
        $($field:ident)*
        $(; sealed by $key:ident: $($content:ident)*)?
        $(; sealed if any by $if_key:ident: $if_content:ident)?
    })*) => {$(
        impl Field for $name {
            fn put(&self, writer: &mut Writer<'_>) {
                let Self { $($field,)* $($($content,)*)? $($if_content,)? } = self;
                put_fields!(writer: $($field)*
                    $(; sealed by $key: $($content)*)?
                    $(; sealed if any by $if_key: $if_content)?);
            }

            fn get(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                get_fields!(reader: $($field)*
                    $(; sealed by $key: $($content)*)?
                    $(; sealed if any by $if_key: $if_content)?);
                Ok(Self { $($field,)* $($($content,)*)? $($if_content,)? })
            }
        }
    )*};
}

records! {
    RepeatedContent { observation of percent }
    SharedDomain { source of domain }
    SharedValues { source of shared unbelieved differing evidence settled }
    Statement {
        belief justification subject subject_from polarity valid_from valid_until expires_at;
        sealed by justification: text literals
    }
    Observed {
        observation source namespace sent_at run screening statements;
        sealed by observation: text external_id
    }
    Derived {
        belief justification agent namespace subject polarity premises run expires_at;
        sealed by justification: text literals
    }
    Incident { incident since trigger challenger subject refuted }
    Decided { decision agent relied_on used_by waivers run }
    Proposal {
        action decision kind class;
        sealed by action: payload refusal warnings
    }
    GraphSource { source alias channel tier kind mirrors }
    GraphObservation { observation alias source sent_at; sealed by observation: text }
    GraphBelief {
        belief alias subject polarity agent;
        sealed by belief: text literals
    }
    GraphJustification { justification alias belief premises }
    GraphDecision { decision alias agent relied_on }
    GraphAction { action alias decision kind class status }
    Waiver { subject bar }
    Carrier { justification belief }
    Hedge { justification confidence }
    Candidate { item turn }
    OracleCall { shown fails answer }
    AttributionCertificate {
        guard_calls replays replays_right bound_thousandths confidence flips non_monotone
    }
    Attributed {
        attribution namespace run decision candidates calls outcome causes hidden correction
        fallen certificate;
        sealed by attribution: question wrong expected judge oracle answers
    }
    Reached { agent since runs sources }
    MeshIncident { incident observed_at ground is_confirmed score path reached }
    Antibody {
        antibody incident agents confidence made_at expires_at;
        sealed by antibody: prints
    }
    Rule {
        rule kind class unknown waiver;
        sealed if any by rule: compensation
    }
}

macro_rules! events {
    ($($number:literal $kind:ident $(($record:ident))? $({
        $($field:ident)*
        $(; sealed by $key:ident: $($content:ident)*)?
        $(; sealed if any by $if_key:ident: $if_content:ident)?
    })?)*) => {
        /// The number of the event's kind.
        pub(super) fn number(event: &Event) -> u32 {
            match event {
                $(Event::$kind { .. } => $number,)*
            }
        }

        /// Writes an event's fields.
        pub(super) fn put(event: &Event, writer: &mut Writer<'_>) {
            match event {
                $(Event::$kind $(($record))?
                    $({ $($field,)* $($($content,)*)? $($if_content,)? })? =>
                {
                    $($record.put(writer);)?
                    $(put_fields!(writer: $($field)*
                        $(; sealed by $key: $($content)*)?
                        $(; sealed if any by $if_key: $if_content)?);)?
                })*
            }
        }

        /// Reads the fields of an event whose kind has this number.
        pub(super) fn get(number: u32, reader: &mut Reader<'_>) -> Result<Event, DecodeError> {
            match number {
                $($number => {
                    $(let $record = Field::get(reader)?;)?
                    $(get_fields!(reader: $($field)*
                        $(; sealed by $key: $($content)*)?
                        $(; sealed if any by $if_key: $if_content)?);)?
                    Ok(Event::$kind $(($record))?
                        $({ $($field,)* $($($content,)*)? $($if_content,)? })?)
                })*
                number => Err(reader.unknown_event(number)),
            }
        }
    };
}

events! {
    1 MemoryCreated { name }
    2 ChannelSet { channel name tier carriage }
    3 SourceAdded { source channel handle kind standing }
    4 SourceDeclared { source }
    5 RecordNamed { source area }
    6 Observed(observed)
    7 Derived(derived)
    8 StatementsClosed { justifications closing }
    9 BeliefClosed { belief closing }
    10 ObservationClosed { observation closing }
    11 Checked { belief record verdict }
    12 IncidentOpened(incident)
    13 ReviewOpened { review trigger challenger claimed subject against }
    14 TaskOpened { task belief incident }
    15 RuleSet(rule)
    16 Decided(decided)
    17 Proposed(proposal)
    18 Executed { action; sealed if any by action: result }
    19 Failed { action; sealed by action: error }
    20 ReversalQueued { action incident }
    21 Reversed { action; sealed if any by action: result }
    22 ReversalTried { action retry_at; sealed by action: error }
    23 Reinstated { incident }
    24 MirrorDeclared { source of }
    25 MirrorWithdrawn { source of }
    26 Flagged { incident since target received_from; sealed if any by incident: reason }
    27 TasksOpened { incident first beliefs }
    28 TaskDone { task justification }
    29 GraphImported { since nodes }
    30 RuleAsks { rule corroboration }
    31 Shown { run from items }
    32 ContextUsed { write used }
    33 CopyInferred { copy }
    34 MirrorRuled { source of ruling }
    35 HalfLifeSet { area seconds }
    36 Hedged { claims }
    37 Annotated { write; sealed by write: metadata }
    38 EmbedderSet { model dimensions threshold }
    39 Attributed(attributed)
    40 Paroled { belief incidents retested calls; sealed if any by belief: oracle }
    41 EvidenceGiven { attribution target }
    42 MeshIncidentOpened(incident)
    43 AntibodyMade(antibody)
    44 AgentQuarantined { identity incident }
    45 TextBlocked { antibody agent; sealed by antibody: digest }
    46 AntibodyReviewed { antibody confidence by_hand }
    47 AntibodyRetracted { antibody }
    48 MeshIncidentRetracted { incident }
    49 AgentReleased { identity }
    50 MeshHabitLearned { cites }
    60 ParoleHeld { belief hold retested calls; sealed by belief: oracle said }
}
