//! Who speaks: finding a source, or taking note of a newcomer.

use immune_model::{
    Carriage, ChannelId, ChannelName, Event, Handle, SourceId, SourceKind, Standing, Trust,
};

use super::Draft;

/// A source as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRef {
    /// The channel; needed for a handle that is unknown or speaks in several.
    pub channel: Option<ChannelName>,
    /// The handle in it.
    pub handle: Handle,
    /// What kind of identity, for a newcomer; guessed from the handle if nothing is said.
    pub kind: Option<SourceKind>,
}

/// Why a source is not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A channel that no operator opened.
    #[error("there is no channel `{channel}`")]
    NoChannel {
        /// Its name.
        channel: ChannelName,
    },
    /// A handle that never spoke, without a channel.
    #[error("no source `{handle}` is known, and no channel is named for it")]
    Unknown {
        /// The handle.
        handle: Handle,
    },
    /// Somebody who speaks for somebody else.
    #[error("`{agent}` may not speak as `{handle}`")]
    NotItself {
        /// Who asked.
        agent: Handle,
        /// As whom.
        handle: Handle,
    },
    /// A handle that speaks in several channels, without a channel.
    #[error("source `{handle}` speaks in {channels} channels")]
    Ambiguous {
        /// The handle.
        handle: Handle,
        /// In how many.
        channels: usize,
    },
}

impl SourceError {
    /// The next step.
    pub fn hint(&self) -> String {
        match self {
            Self::NoChannel { channel } => {
                format!("an operator opens it: `immune channels set '{channel}' --tier 0.7`")
            }
            Self::Unknown { .. } | Self::Ambiguous { .. } => {
                "name the channel with `--channel NAME`".to_owned()
            }
            Self::NotItself { .. } => {
                "authored channels are an operator's; what an agent concludes, it derives"
                    .to_owned()
            }
        }
    }
}

/// The channel of agents' own conclusions.
pub(crate) const AGENTS: &str = "agents";

impl Draft {
    /// The source, if it is known; checks that it could be added otherwise. Writes nothing.
    pub(super) fn find_source(&self, named: &SourceRef) -> Result<Option<SourceId>, SourceError> {
        let Some(channel) = &named.channel else {
            let found = self.state.find_sources(&named.handle);
            return match found.as_slice() {
                [] => Err(SourceError::Unknown {
                    handle: named.handle.clone(),
                }),
                [source] => Ok(Some(*source)),
                several => Err(SourceError::Ambiguous {
                    handle: named.handle.clone(),
                    channels: several.len(),
                }),
            };
        };
        match self.state.find_channel(channel) {
            Some(id) => Ok(self.state.find_source(id, &named.handle)),
            None => Err(SourceError::NoChannel {
                channel: channel.clone(),
            }),
        }
    }

    /// Refuses anybody but an operator who would speak through an authored channel, or as another agent: what
    /// agents here can write is never the word of a record (semantics.md 1).
    pub(super) fn check_may_speak(&self, named: &SourceRef) -> Result<(), SourceError> {
        if self.actor.role >= immune_model::Role::Operator {
            return Ok(());
        }
        let known = self.find_source(named)?;
        let channel = known.map(|it| self.state.sources.get(it).channel).or(named
            .channel
            .as_ref()
            .and_then(|it| self.state.find_channel(it)));
        let Some(channel) = channel.and_then(|it| self.state.channel(it)) else {
            return Ok(());
        };
        let authored = channel.carriage == Carriage::Authored;
        let other = channel.name.as_str() == AGENTS && named.handle != self.actor.name;
        if authored || other {
            let (agent, handle) = (self.actor.name.clone(), named.handle.clone());
            return Err(SourceError::NotItself { agent, handle });
        }
        Ok(())
    }

    /// The source; a newcomer is added.
    pub(super) fn ensure_source(&mut self, named: &SourceRef) -> Result<SourceId, SourceError> {
        if let Some(source) = self.find_source(named)? {
            return Ok(source);
        }
        let channel = named
            .channel
            .as_ref()
            .and_then(|it| self.state.find_channel(it));
        let channel = channel.ok_or_else(|| SourceError::Unknown {
            handle: named.handle.clone(),
        })?;
        let kind = named.kind.unwrap_or_else(|| guess_kind(&named.handle));
        Ok(self.add_source(channel, &named.handle, kind, Standing::Newcomer))
    }

    pub(super) fn add_source(
        &mut self,
        channel: ChannelId,
        handle: &Handle,
        kind: SourceKind,
        standing: Standing,
    ) -> SourceId {
        let source = self.state.sources.next_id();
        self.push(Event::SourceAdded {
            source,
            channel,
            handle: handle.clone(),
            kind,
            standing,
        });
        source
    }

    /// The source that an agent is; the channel of agents is opened on first use.
    pub(super) fn ensure_agent(&mut self, name: &Handle) -> SourceId {
        let channel_name = ChannelName::new(AGENTS).expect("a constant that is a name");
        let channel = self.state.find_channel(&channel_name).unwrap_or_else(|| {
            let channel = self.state.channels.next_id();
            self.push(Event::ChannelSet {
                channel,
                name: channel_name,
                tier: Trust::AGENT,
                carriage: Carriage::Relays,
            });
            channel
        });
        self.state.find_source(channel, name).unwrap_or_else(|| {
            self.add_source(channel, name, SourceKind::Agent, Standing::Newcomer)
        })
    }
}

fn guess_kind(handle: &Handle) -> SourceKind {
    let handle = handle.as_str();
    if handle.contains("://") {
        SourceKind::Web
    } else if handle.contains('@') {
        SourceKind::Email
    } else {
        SourceKind::Other
    }
}
