//! The packed form of the items of a state.

use immune_model::{
    Antibody, Attributed, AttributionCertificate, Candidate, IncidentId, MeshIncident,
    ObservationId, OracleCall, Principal, Reached,
};

use super::{Input, Packed};
use crate::origins::Origin;
use crate::state::items::{
    Action, Attribution, Belief, Cause, Channel, Decision, Grounds, IncidentRecord, Justification,
    NewcomerEvent, Observation, ReputationEvent, ReputationKind, Reversal, Review, Source, Task,
};
use crate::state::{AntibodyRecord, Edge, EmbedderChoice, Flag, MeshRecord, Use};

records! {
    Channel { name tier carriage newcomer_events sources }
    NewcomerEvent { seq source area survived retracted }
    Source {
        channel handle kind standing records first_seq first_seen events mirrors mirrored_by
        last_observation last_derivation
    }
    ReputationEvent { seq area kind retracted }
    Observation {
        source namespace text sent_at received_at external_id run context screening statements closing
        retracted seq previous_of_source first_dependent
    }
    Belief {
        namespace subject text polarity literals believed_at refuted_in previous_of_subject
    }
    Justification {
        belief grounds text valid_from valid_until expires_at seq at run context closings
        retracted previous_of_agent
    }
    Decision { agent relied_on used_by waivers run context actions }
    Action {
        decision kind class payload status result detail warnings proposed_at ended_at reversal
    }
    Reversal { incident attempts next_at last_error cancelled }
    IncidentRecord {
        cause revoked reputations reversals opened_at since seq reinstated_at paroled
    }
    Review { trigger challenger claimed subject against opened_at retracted seq }
    Task { belief incident opened_at cancelled_at done }
    Attribution { what by at seq evidence_for }
    Attributed {
        attribution namespace run decision candidates calls outcome causes hidden correction
        fallen certificate question wrong expected judge oracle answers
    }
    Candidate { item turn }
    OracleCall { shown fails answer }
    AttributionCertificate {
        guard_calls replays replays_right bound_thousandths confidence flips non_monotone
    }
    MeshRecord { what at seq retracted_at quarantined antibodies }
    MeshIncident { incident observed_at ground is_confirmed score path reached }
    Reached { agent since runs sources }
    AntibodyRecord { what seq confidence reviewed hits retracted_at }
    Antibody { antibody incident agents confidence made_at expires_at prints }
    Principal { role name }
    Edge { justification next }
    Use { decision next }
    Flag { incident received_from }
    EmbedderChoice { model dimensions threshold }
}

impl Packed for ReputationKind {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Refuted {
                incident,
                observation,
            } => (0_u8, *incident, *observation).pack(out),
            Self::Survived { belief } => (1_u8, *belief).pack(out),
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match u8::unpack(input)? {
            0 => {
                let (incident, observation) = <(IncidentId, ObservationId)>::unpack(input)?;
                Some(Self::Refuted {
                    incident,
                    observation,
                })
            }
            1 => Packed::unpack(input).map(|belief| Self::Survived { belief }),
            _ => None,
        }
    }
}

impl Packed for Grounds {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Statement {
                observation,
                subject_from,
                carriers,
            } => {
                (0_u8, *observation, *subject_from).pack(out);
                carriers.pack(out);
            }
            Self::Derivation { agent, premises } => {
                (1_u8, *agent).pack(out);
                premises.pack(out);
            }
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match u8::unpack(input)? {
            0 => Some(Self::Statement {
                observation: Packed::unpack(input)?,
                subject_from: Packed::unpack(input)?,
                carriers: Packed::unpack(input)?,
            }),
            1 => Some(Self::Derivation {
                agent: Packed::unpack(input)?,
                premises: Packed::unpack(input)?,
            }),
            _ => None,
        }
    }
}

impl Packed for Cause {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Challenge {
                trigger,
                challenger,
                subject,
                refuted,
            } => {
                (0_u8, *trigger, *challenger).pack(out);
                subject.pack(out);
                refuted.pack(out);
            }
            Self::Flag {
                target,
                received_from,
                reason,
            } => {
                (1_u8, *target, *received_from).pack(out);
                reason.pack(out);
            }
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match u8::unpack(input)? {
            0 => Some(Self::Challenge {
                trigger: Packed::unpack(input)?,
                challenger: Packed::unpack(input)?,
                subject: Packed::unpack(input)?,
                refuted: Packed::unpack(input)?,
            }),
            1 => Some(Self::Flag {
                target: Packed::unpack(input)?,
                received_from: Packed::unpack(input)?,
                reason: Packed::unpack(input)?,
            }),
            _ => None,
        }
    }
}

impl Packed for Origin {
    fn pack(&self, out: &mut Vec<u8>) {
        match self {
            Self::Source(source) => (0_u8, *source).pack(out),
            Self::Newcomers(channel) => (1_u8, *channel).pack(out),
        }
    }

    fn unpack(input: &mut Input<'_>) -> Option<Self> {
        match u8::unpack(input)? {
            0 => Packed::unpack(input).map(Self::Source),
            1 => Packed::unpack(input).map(Self::Newcomers),
            _ => None,
        }
    }
}
