//! Ids: short, per memory and deterministic (`src_3`, `bel_7`); assigned in log order from 1.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// A word that is no id: neither a known prefix nor a number from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no id; ids look like `bel_7`")]
pub struct IdError {
    /// The word as it was given.
    pub word: String,
}

impl Item {
    /// The kind of item with its article, for a message: `a belief`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Channel(_) => "a channel",
            Self::Source(_) => "a source",
            Self::Observation(_) => "an observation",
            Self::Belief(_) => "a belief",
            Self::Justification(_) => "a justification",
            Self::Decision(_) => "a decision",
            Self::Action(_) => "an action",
            Self::Rule(_) => "a rule",
            Self::Incident(_) => "an incident",
            Self::Review(_) => "a review",
            Self::Task(_) => "a task",
            Self::Attribution(_) => "an attribution",
            Self::MeshIncident(_) => "an incident of the mesh",
            Self::Antibody(_) => "an antibody",
        }
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $variant:ident $prefix:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(NonZeroU32);

            impl $name {
                /// The id with this number; numbers start at 1.
                ///
                /// # Panics
                /// On 0, which is no id: a caller that has one holds a corrupt log.
                pub fn new(number: u32) -> Self {
                    Self(NonZeroU32::new(number).expect("ids start at 1"))
                }

                /// The id of the arena slot with this index.
                pub fn from_index(index: usize) -> Self {
                    let number = u32::try_from(index + 1);
                    Self::new(number.expect("arenas hold fewer than u32::MAX items"))
                }

                /// The number behind the prefix, from 1.
                pub fn number(self) -> u32 {
                    self.0.get()
                }

                /// The slot of this id in its arena, from 0.
                pub fn index(self) -> usize {
                    self.0.get() as usize - 1
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, concat!($prefix, "_{}"), self.0)
                }
            }

            impl FromStr for $name {
                type Err = IdError;

                fn from_str(word: &str) -> Result<Self, IdError> {
                    match word.parse::<Item>()? {
                        Item::$variant(id) => Ok(id),
                        _ => Err(IdError { word: word.to_owned() }),
                    }
                }
            }
        )*

        /// Any item of a memory, by id.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Item {
            $($(#[$doc])* $variant($name),)*
        }

        impl Item {
            /// The number behind the prefix, from 1.
            pub fn number(self) -> u32 {
                match self { $(Self::$variant(id) => id.number(),)* }
            }

            /// The prefix that names the kind of item: `bel`.
            pub fn prefix(self) -> &'static str {
                match self { $(Self::$variant(_) => $prefix,)* }
            }

            /// Whether a word could be taken for an id, of an item that there is or not: a prefix
            /// and digits, among characters that nobody sees.
            pub fn is_like_id(word: &str) -> bool {
                let seen: String = word
                    .chars()
                    .filter(|it| !it.is_whitespace() && !crate::shell::is_hostile(*it))
                    .collect();
                let number = match seen.split_once('_') {
                    $(Some(($prefix, number)) => number,)*
                    _ => return false,
                };
                !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit())
            }

            /// The item of this kind with this number, if there is such a kind.
            pub fn from_parts(prefix: &str, number: u32) -> Option<Self> {
                if number == 0 {
                    return None;
                }
                match prefix {
                    $($prefix => Some(Self::$variant($name::new(number))),)*
                    _ => None,
                }
            }
        }

        $(impl From<$name> for Item {
            fn from(id: $name) -> Self {
                Self::$variant(id)
            }
        }

        impl TryFrom<Item> for $name {
            type Error = Item;

            /// The id of this kind, or the item if it is of another.
            fn try_from(item: Item) -> Result<Self, Item> {
                match item {
                    Item::$variant(id) => Ok(id),
                    other => Err(other),
                }
            }
        })*

        impl fmt::Display for Item {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$variant(id) => id.fmt(f),)* }
            }
        }
    };
}

ids! {
    /// A channel: how content arrives.
    ChannelId Channel "chn";
    /// A source: an identity in a channel.
    SourceId Source "src";
    /// An observation: one immutable piece of content.
    ObservationId Observation "obs";
    /// A belief: one per namespace, subject and value.
    BeliefId Belief "bel";
    /// A justification: premises that together suffice.
    JustificationId Justification "jus";
    /// A decision: what an agent concluded.
    DecisionId Decision "dec";
    /// An action: the effect that was run.
    ActionId Action "act";
    /// A rule: a policy checked before an action.
    RuleId Rule "rul";
    /// An incident: one refutation and all it changed.
    IncidentId Incident "inc";
    /// A review: a question for a person.
    ReviewId Review "rev";
    /// A task: a conclusion to derive again.
    TaskId Task "tsk";
    /// An attribution: which memories made an answer wrong.
    AttributionId Attribution "att";
    /// An incident of the mesh: a payload that copied itself from agent to agent.
    MeshIncidentId MeshIncident "msh";
    /// An antibody: a remembered payload.
    AntibodyId Antibody "ant";
}

impl FromStr for Item {
    type Err = IdError;

    fn from_str(word: &str) -> Result<Self, IdError> {
        word.split_once('_')
            .and_then(|(prefix, number)| {
                // Only the canonical spelling: `bel_07` and `bel_+7` are no ids.
                let canonical =
                    number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
                let number = number.parse().ok().filter(|_| canonical)?;
                Self::from_parts(prefix, number)
            })
            .ok_or_else(|| IdError {
                word: word.to_owned(),
            })
    }
}

/// What a justification may rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Premise {
    /// An observation itself: it stated the claim.
    Observation(ObservationId),
    /// A belief that must stand.
    Belief(BeliefId),
}

impl From<Premise> for Item {
    fn from(premise: Premise) -> Self {
        match premise {
            Premise::Observation(id) => id.into(),
            Premise::Belief(id) => id.into(),
        }
    }
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Item::from(*self).fmt(f)
    }
}

/// What is written in a run, with the context that the run has by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Write {
    /// An observation, with each claim in it.
    Observation(ObservationId),
    /// A derivation.
    Justification(JustificationId),
    /// A decision.
    Decision(DecisionId),
}

impl From<Write> for Item {
    fn from(write: Write) -> Self {
        match write {
            Write::Observation(id) => id.into(),
            Write::Justification(id) => id.into(),
            Write::Decision(id) => id.into(),
        }
    }
}

/// What an operator may flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlagTarget {
    /// A source: what it sent, what it concluded, and what it sends from now on.
    Source(SourceId),
    /// One observation, with each claim in it.
    Observation(ObservationId),
    /// A belief: the value itself, whoever repeats it.
    Belief(BeliefId),
}

impl From<FlagTarget> for Item {
    fn from(target: FlagTarget) -> Self {
        match target {
            FlagTarget::Source(id) => id.into(),
            FlagTarget::Observation(id) => id.into(),
            FlagTarget::Belief(id) => id.into(),
        }
    }
}

impl fmt::Display for FlagTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Item::from(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_from_its_text() {
        for item in [
            Item::Belief(BeliefId::new(7)),
            Item::Source(SourceId::new(u32::MAX)),
        ] {
            assert_eq!(item.to_string().parse(), Ok(item));
        }
        assert_eq!("bel_7".parse(), Ok(BeliefId::new(7)));
    }

    #[test]
    fn only_the_canonical_spelling_is_an_id() {
        for word in [
            "", "bel", "bel_", "bel_0", "bel_07", "bel_+7", "bel_-1", "BEL_7", "x_1",
        ] {
            assert_eq!(
                word.parse::<Item>(),
                Err(IdError {
                    word: word.to_owned()
                }),
                "{word}"
            );
        }
        assert!(
            "obs_7".parse::<BeliefId>().is_err(),
            "another kind is another id"
        );
        assert!("bel_4294967296".parse::<BeliefId>().is_err(), "past u32");
    }
}
