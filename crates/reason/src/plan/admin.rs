//! What an operator sets: channels and their tiers, declared sources, records, rules, half-lives.

use std::num::NonZeroU32;

use immune_model::shell::Command;
use immune_model::{
    Area, Carriage, ChannelId, ChannelName, Event, Handle, MirrorRuling, Role, Rule, RuleId,
    SourceId, SourceKind, Standing, Trust,
};

use super::source::{AGENTS, check_new_handle};
use super::{Draft, Forbidden, SourceError, SourceRef};
use crate::state::EmbedderChoice;

/// A channel with its tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetChannel {
    /// Its name.
    pub name: ChannelName,
    /// The most that anything there is ever trusted.
    pub tier: Trust,
    /// Whether it may carry an agent's words; as before, or relays, if nothing is said.
    pub carriage: Option<Carriage>,
    /// Refuses to change the tier of a channel that exists.
    pub create_only: bool,
}

/// A source that is to be declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclareSource {
    /// In which channel.
    pub channel: ChannelName,
    /// Under which handle.
    pub handle: Handle,
    /// What kind of identity; guessed from the handle if nothing is said.
    pub kind: Option<SourceKind>,
}

/// A source that is to be the system of record for an area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRecord {
    /// Which source; declared with it if it is not yet.
    pub source: SourceRef,
    /// For which subjects.
    pub area: Area,
}

/// A declaration that one source copies another, or that it does not any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetMirror {
    /// Which source copies.
    pub source: SourceRef,
    /// From which one.
    pub of: SourceRef,
    /// Whether it does.
    pub copying: Copying,
}

/// Whether a source copies another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copying {
    /// It is declared to.
    Declared,
    /// The declaration is taken back.
    Withdrawn,
    /// Neither copies the other, whatever is inferred.
    Independent,
    /// What was said about their independence is taken back: it may be inferred again.
    Open,
}

/// A policy for one kind of action; its id is assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetRule {
    /// The rule; the id in it is ignored.
    pub rule: Rule,
    /// The corroboration that each belief an action relies on has to have; 0 asks for none.
    pub corroboration: u32,
}

/// How fast what is stated in an area loses weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetHalfLife {
    /// In which area; where several cover a subject, the narrowest decides.
    pub area: Area,
    /// Seconds after which a statement weighs half; nothing takes what was set back.
    pub seconds: Option<NonZeroU32>,
}

/// Why nothing was set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The principal is no operator.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The source is not found.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The channel exists with another tier.
    #[error("channel `{channel}` has tier {found}, not {asked}")]
    OtherTier {
        /// Its name.
        channel: ChannelName,
        /// The tier it has.
        found: Trust,
        /// The tier that was asked for.
        asked: Trust,
    },
    /// A record has to speak through an authored channel.
    #[error("channel `{channel}` may carry an agent's words, so nobody in it is a record")]
    NotAuthored {
        /// Its name.
        channel: ChannelName,
    },
    /// What agents conclude never arrives through an authored channel.
    #[error("channel `{channel}` carries the words of agents, and cannot be authored")]
    AgentsAuthored {
        /// Its name.
        channel: ChannelName,
    },
    /// A source copies others, not itself.
    #[error("source `{handle}` cannot copy itself")]
    OwnMirror {
        /// Its handle.
        handle: Handle,
    },
    /// A record has to be trusted enough.
    #[error("source `{handle}` has strength {found}; a record needs {needed}")]
    TooWeak {
        /// Its handle.
        handle: Handle,
        /// Its strength.
        found: Trust,
        /// What a record needs.
        needed: Trust,
    },
}

impl AdminError {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Source(error) => Some(error.hint()),
            Self::OtherTier { channel, asked, .. } => {
                let command = Command::new("immune channels set").word(channel.as_str());
                let command = command.option("--tier", &asked.to_string());
                Some(format!("an operator changes it: `{command}`"))
            }
            Self::NotAuthored { channel } => {
                let command = Command::new("immune channels set").word(channel.as_str());
                let command = command.plain("--authored");
                Some(format!(
                    "if nothing that agents write can arrive through it: `{command}`"
                ))
            }
            Self::TooWeak { .. } => Some("raise the tier of its channel to 0.9 or more".to_owned()),
            Self::Forbidden(_) | Self::OwnMirror { .. } | Self::AgentsAuthored { .. } => None,
        }
    }
}

impl Draft {
    /// Plans a channel. Returns its id and whether anything changed.
    pub fn set_channel(&mut self, command: &SetChannel) -> Result<(ChannelId, bool), AdminError> {
        self.require(Role::Operator, "set a channel")?;
        let known = self.state.find_channel(&command.name);
        let before = known.map(|it| self.state.channels.get(it).clone());
        let carriage = command.carriage.or(before.as_ref().map(|it| it.carriage));
        let carriage = carriage.unwrap_or(Carriage::Relays);
        if carriage == Carriage::Authored && command.name.as_str() == AGENTS {
            return Err(AdminError::AgentsAuthored {
                channel: command.name.clone(),
            });
        }
        if let (Some(id), Some(before)) = (known, before) {
            if command.create_only && before.tier != command.tier {
                return Err(AdminError::OtherTier {
                    channel: command.name.clone(),
                    found: before.tier,
                    asked: command.tier,
                });
            }
            if before.tier == command.tier && before.carriage == carriage {
                return Ok((id, false));
            }
        }
        let channel = known.unwrap_or_else(|| self.state.channels.next_id());
        let (name, tier) = (command.name.clone(), command.tier);
        self.push(Event::ChannelSet {
            channel,
            name,
            tier,
            carriage,
        });
        Ok((channel, true))
    }

    /// Plans the declaration of a source. Returns its id and whether anything changed.
    pub fn declare_source(
        &mut self,
        command: &DeclareSource,
    ) -> Result<(SourceId, bool), AdminError> {
        self.require(Role::Operator, "declare a source")?;
        let named = SourceRef {
            channel: Some(command.channel.clone()),
            handle: command.handle.clone(),
            kind: command.kind,
        };
        match self.find_source(&named)? {
            Some(source) if self.state.sources.get(source).standing == Standing::Declared => {
                Ok((source, false))
            }
            Some(source) => {
                self.push(Event::SourceDeclared { source });
                Ok((source, true))
            }
            None => {
                let channel = self.state.find_channel(&command.channel);
                let channel = channel.expect("the look-up found the channel");
                check_new_handle(&command.handle)?;
                let kind = command.kind.unwrap_or(SourceKind::Other);
                Ok((
                    self.add_source(channel, &command.handle, kind, Standing::Declared),
                    true,
                ))
            }
        }
    }

    /// Plans a system of record. Returns its source and whether anything changed.
    pub fn name_record(&mut self, command: &NameRecord) -> Result<(SourceId, bool), AdminError> {
        self.require(Role::Operator, "name a system of record")?;
        let known = self.find_source(&command.source)?;
        let channel = match known {
            Some(source) => Some(self.state.sources.get(source).channel),
            None => command
                .source
                .channel
                .as_ref()
                .and_then(|it| self.state.find_channel(it)),
        };
        let channel = channel.expect("the look-up found the channel");
        let found = self.state.channels.get(channel).clone();
        if found.carriage != Carriage::Authored {
            return Err(AdminError::NotAuthored {
                channel: found.name,
            });
        }
        let strength = known.map_or(found.tier, |it| self.state.reputation_if_declared(it));
        if strength < Trust::RECORD {
            let (handle, needed) = (command.source.handle.clone(), Trust::RECORD);
            return Err(AdminError::TooWeak {
                handle,
                found: strength,
                needed,
            });
        }
        let declare = DeclareSource {
            channel: found.name,
            handle: command.source.handle.clone(),
            kind: command.source.kind.or(Some(SourceKind::Record)),
        };
        let (source, declared) = self.declare_source(&declare)?;
        if self
            .state
            .sources
            .get(source)
            .records
            .contains(&command.area)
        {
            return Ok((source, declared));
        }
        self.push(Event::RecordNamed {
            source,
            area: command.area.clone(),
        });
        Ok((source, true))
    }

    /// Plans a declared mirror. Returns the source that copies and whether anything changed.
    pub fn set_mirror(&mut self, command: &SetMirror) -> Result<(SourceId, bool), AdminError> {
        self.require(Role::Operator, "declare a mirror")?;
        let found = (
            self.find_source(&command.source)?,
            self.find_source(&command.of)?,
        );
        let unknown = |named: &SourceRef| SourceError::Unknown {
            handle: named.handle.clone(),
        };
        let source = found.0.ok_or_else(|| unknown(&command.source))?;
        let of = found.1.ok_or_else(|| unknown(&command.of))?;
        if source == of {
            return Err(AdminError::OwnMirror {
                handle: command.source.handle.clone(),
            });
        }
        let declared = self.state.sources.get(source).mirrors.contains(&of);
        let independent = self.state.ruled_independent(source).contains(&of);
        let event = match command.copying {
            Copying::Declared if !declared => Event::MirrorDeclared { source, of },
            Copying::Withdrawn if declared => Event::MirrorWithdrawn { source, of },
            Copying::Independent if !independent => Event::MirrorRuled {
                source,
                of,
                ruling: MirrorRuling::Independent,
            },
            Copying::Open if independent => Event::MirrorRuled {
                source,
                of,
                ruling: MirrorRuling::Open,
            },
            Copying::Declared | Copying::Withdrawn | Copying::Independent | Copying::Open => {
                return Ok((source, false));
            }
        };
        self.push(event);
        Ok((source, true))
    }

    /// Plans a half-life. Returns whether anything changed.
    pub fn set_half_life(&mut self, command: &SetHalfLife) -> Result<bool, AdminError> {
        self.require(Role::Operator, "set a half-life")?;
        let seconds = command.seconds.map(NonZeroU32::get);
        let area = command.area.clone();
        if self.state.half_lives.get(&area).copied() == seconds {
            return Ok(false);
        }
        self.push(Event::HalfLifeSet { area, seconds });
        Ok(true)
    }

    /// Plans whose vectors the index has. Returns whether anything changed.
    pub fn set_embedder(&mut self, command: &EmbedderChoice) -> Result<bool, AdminError> {
        self.require(Role::Operator, "choose an embedder")?;
        if self.state.embedder() == Some(command) {
            return Ok(false);
        }
        let EmbedderChoice {
            model,
            dimensions,
            threshold,
        } = command.clone();
        self.push(Event::EmbedderSet {
            model,
            dimensions,
            threshold,
        });
        Ok(true)
    }

    /// Plans a rule. Returns its id and whether anything changed.
    pub fn set_rule(&mut self, command: &SetRule) -> Result<(RuleId, bool), AdminError> {
        self.require(Role::Operator, "set a rule")?;
        let known = self.state.find_rule(&command.rule.kind).cloned();
        let rule = known
            .as_ref()
            .map_or_else(|| self.state.rules.next_id(), |it| it.rule);
        let set = Rule {
            rule,
            ..command.rule.clone()
        };
        let from = self.events.len();
        if known.as_ref() != Some(&set) {
            self.push(Event::RuleSet(set));
        }
        let corroboration = command.corroboration;
        // A rule that was set anew asks for nothing, whatever the one before it asked for.
        if self.state.corroboration_asked(rule) != corroboration {
            self.push(Event::RuleAsks {
                rule,
                corroboration,
            });
        }
        Ok((rule, self.events.len() > from))
    }
}
