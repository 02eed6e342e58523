//! Who speaks: finding a source, or taking note of a newcomer.

use immune_model::shell::{self, Command};
use immune_model::{
    Carriage, ChannelId, ChannelName, Event, Handle, Item, Principal, Role, SourceId, SourceKind,
    Standing, Trust,
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
    /// A new handle that could be taken for an id.
    #[error("`{handle}` looks like an id, and is no handle for a new source")]
    LikeAnId {
        /// The handle.
        handle: Handle,
    },
    /// A new handle of which nothing can be seen.
    #[error("the handle of a new source is made of characters that nobody sees: `{shown}`", shown = shell::escaped(.handle.as_str()))]
    Unseen {
        /// The handle.
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
                let command = Command::new("immune channels set").word(channel.as_str());
                format!(
                    "an operator opens it: `{}`",
                    command.option("--tier", "0.7")
                )
            }
            Self::Unknown { .. } | Self::Ambiguous { .. } => {
                "name the channel with `--channel NAME`".to_owned()
            }
            Self::LikeAnId { handle } => format!(
                "ids are given by the memory; write the handle in another way: `{}`",
                shell::escaped(&handle.as_str().replace('_', "-"))
            ),
            Self::Unseen { .. } => "name it by what people can read".to_owned(),
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
            let found = self.state.sources_to_speak(&named.handle, &self.actor);
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
        if self.actor.role >= Role::Operator {
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
        check_new_handle(&named.handle)?;
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

    /// Refuses an agent that is new under a handle that no new source may have.
    pub(super) fn check_agent(&self, name: &Handle) -> Result<(), SourceError> {
        match self.state.find_agent(name) {
            Some(_) => Ok(()),
            None => check_new_handle(name),
        }
    }

    /// The source that an agent is, checked before; the channel of agents is opened on first use.
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

impl crate::State {
    /// The sources that who would speak as a handle may mean by it alone.
    ///
    /// An agent means what it may speak as. What an operator says is not made unclear by who takes
    /// the same handle: agents that are called so, and newcomers beside a source that is declared,
    /// are named with their channel.
    pub fn sources_to_speak(&self, handle: &Handle, actor: &Principal) -> Vec<SourceId> {
        let is_operator = actor.role >= Role::Operator;
        let mut found = self.find_sources(handle);
        narrow(&mut found, |it| self.may_speak_as(it, actor));
        narrow(&mut found, |it| !is_operator || !self.is_of_agents(it));
        narrow(&mut found, |it| {
            !is_operator || self.sources.get(it).standing == Standing::Declared
        });
        found
    }

    fn may_speak_as(&self, id: SourceId, actor: &Principal) -> bool {
        let source = self.sources.get(id);
        let authored = self.channels.get(source.channel).carriage == Carriage::Authored;
        let other = self.is_of_agents(id) && source.handle != actor.name;
        actor.role >= Role::Operator || !(authored || other)
    }

    fn is_of_agents(&self, id: SourceId) -> bool {
        let channel = self.sources.get(id).channel;
        self.channels.get(channel).name.as_str() == AGENTS
    }

    /// The source that an agent of this name is, if it is known.
    pub(super) fn find_agent(&self, name: &Handle) -> Option<SourceId> {
        let agents = ChannelName::new(AGENTS).expect("a constant that is a name");
        self.find_source(self.find_channel(&agents)?, name)
    }
}

/// Keeps those that fit, or all where none does.
fn narrow(found: &mut Vec<SourceId>, fits: impl Fn(SourceId) -> bool) {
    if found.len() > 1 && found.iter().any(|it| fits(*it)) {
        found.retain(|it| fits(*it));
    }
}

/// Refuses a handle for a source that is yet to be added: one that could be taken for an id, or
/// that nobody can see. What an older log holds under such a handle stays as it is.
pub(super) fn check_new_handle(handle: &Handle) -> Result<(), SourceError> {
    let handle = handle.clone();
    if Item::is_like_id(handle.as_str()) {
        return Err(SourceError::LikeAnId { handle });
    }
    if !shell::is_visible(handle.as_str()) {
        return Err(SourceError::Unseen { handle });
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use immune_model::{Namespace, Principal, Recorded, Role, Screening, Text};

    use super::*;
    use crate::plan::{Remember, SetChannel};

    #[test]
    fn an_old_log_with_a_handle_like_an_id_replays_and_its_source_still_speaks() {
        let at = "2026-08-13T13:30:00Z".parse().unwrap();
        let name = Handle::new("me").unwrap();
        let role = Role::Operator;
        let actor = Principal { role, name };
        let inbox = ChannelName::new("inbox").unwrap();
        let mut draft = Draft::new(crate::State::new(), actor.clone(), at);
        let set = SetChannel {
            name: inbox.clone(),
            tier: "0.7".parse().unwrap(),
            carriage: None,
            create_only: true,
        };
        let (channel, _) = draft.set_channel(&set).unwrap();
        let (mut state, events) = draft.finish();
        let source = SourceId::new(1);
        state.apply(&Recorded {
            seq: events.len() as u64 + 1,
            at,
            actor: actor.clone(),
            event: Event::SourceAdded {
                source,
                channel,
                handle: Handle::new("src_2").unwrap(),
                kind: SourceKind::Other,
                standing: Standing::Newcomer,
            },
        });
        let said = |handle: &str| Remember {
            from: SourceRef {
                channel: Some(inbox.clone()),
                handle: Handle::new(handle).unwrap(),
                kind: None,
            },
            namespace: Namespace::ROOT,
            text: Text::new("The shop opens at nine").unwrap(),
            sent_at: None,
            external_id: None,
            run: None,
            screening: Screening::Unscreened,
            claims: Vec::new(),
            metadata: immune_model::Metadata::default(),
        };
        let mut draft = Draft::new(state, actor, at);
        assert_eq!(draft.remember(&said("src_2")).unwrap().source, source);
        for handle in ["src_3", "\u{2060}"] {
            let refused = draft.remember(&said(handle)).unwrap_err();
            assert!(matches!(refused, crate::plan::RememberError::Source(_)));
        }
    }
}
