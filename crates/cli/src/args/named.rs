//! Items as people name them, and the one place where a word is taken for an item: an id first,
//! then the alias that a graph gave, then the handle of a source. A channel beside the word says
//! that it is a handle in there. A word that means several things is refused, with the id of each.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::str::FromStr;

use immune_api::{Code, SourceName};
use immune_engine::reason::State;
use immune_engine::reason::plan::{SourceError, SourceRef};
use immune_model::shell::Command;
use immune_model::{
    ActionId, AntibodyId, AttributionId, BeliefId, ChannelName, DecisionId, Handle, IncidentId,
    Item, MeshIncidentId, Principal, SourceId,
};

use crate::escape;
use crate::failure::Failure;

/// Meanings of one word that are told apart; more are counted.
const MEANINGS_MAX: usize = 5;

/// An item of some kind, by id, alias or handle.
#[derive(Debug, Clone)]
pub(crate) struct Named<T = Item> {
    word: String,
    kind: PhantomData<fn() -> T>,
}

/// A kind of item that a command takes.
pub(crate) trait Wanted: TryFrom<Item> + Copy {
    /// In words: `a belief`.
    const WHAT: &'static str;
}

impl Wanted for Item {
    const WHAT: &'static str = "an item";
}

impl Wanted for BeliefId {
    const WHAT: &'static str = "a belief";
}

impl Wanted for ActionId {
    const WHAT: &'static str = "an action";
}

impl Wanted for IncidentId {
    const WHAT: &'static str = "an incident";
}

impl Wanted for AttributionId {
    const WHAT: &'static str = "an attribution";
}

impl Wanted for MeshIncidentId {
    const WHAT: &'static str = "an incident of the mesh";
}

impl Wanted for AntibodyId {
    const WHAT: &'static str = "an antibody";
}

impl Wanted for DecisionId {
    const WHAT: &'static str = "a decision";
}

impl Wanted for SourceId {
    const WHAT: &'static str = "a source";
}

impl<T> FromStr for Named<T> {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(Self {
            word: word.to_owned(),
            kind: PhantomData,
        })
    }
}

impl<T: Wanted> Named<T> {
    /// The item.
    pub(crate) fn find(&self, state: &State) -> Result<T, Failure> {
        let meanings = state.named(&self.word, None);
        if let Some(found) = only(state, &self.word, &meanings)? {
            return Ok(found);
        }
        Err(no_such_id::<T>(&self.word).unwrap_or_else(|| {
            let shown = escape::line(&self.word);
            let message = format!("`{shown}` is no id, and no alias or handle in this memory");
            Failure::new(Code::InvalidId, message)
                .hint("ids look like `bel_7`; `immune list beliefs` shows what is there")
        }))
    }

    /// All of several, in order.
    pub(crate) fn find_all(named: &[Self], state: &State) -> Result<Vec<T>, Failure> {
        named.iter().map(|it| it.find(state)).collect()
    }

    /// The id as it is written, whether or not there is such an item; else as [`Self::find`].
    pub(crate) fn find_or_id(&self, state: &State) -> Result<T, Failure> {
        let id: Option<Item> = self.word.parse().ok();
        match id.and_then(|it| T::try_from(it).ok()) {
            Some(id) => Ok(id),
            None => self.find(state),
        }
    }
}

/// The item that a word names, where sources are meant in the first place.
pub(crate) fn item<T: Wanted>(
    state: &State,
    word: &str,
    channel: Option<&str>,
) -> Result<T, Failure> {
    let handle = Handle::new(word)?;
    let channel = channel.map(ChannelName::new).transpose()?;
    let channel = channel.map(|name| {
        let found = state.find_channel(&name);
        found.ok_or(SourceError::NoChannel { channel: name })
    });
    let channel = channel.transpose()?;
    if let Some(found) = only(state, word, &state.named(word, channel))? {
        return Ok(found);
    }
    let no_such_id = no_such_id::<T>(word).filter(|_| channel.is_none());
    Err(no_such_id.unwrap_or_else(|| unknown_source(&handle)))
}

/// No source of this handle.
pub(crate) fn unknown_source(handle: &Handle) -> Failure {
    let shown = escape::line(handle.as_str());
    Failure::new(Code::UnknownSource, format!("no source `{shown}` is known"))
        .hint("`immune sources` lists them")
}

/// The source that speaks, which may be new: a word beside a channel is a handle in there. Alone it
/// is the one as which that principal may speak, and which others that are called so do not hide.
pub(crate) fn speaker(
    state: &State,
    principal: &Principal,
    word: &str,
    channel: Option<&str>,
) -> Result<SourceRef, Failure> {
    let handle = Handle::new(word)?;
    let new = SourceRef {
        channel: channel.map(ChannelName::new).transpose()?,
        handle,
        kind: None,
    };
    if channel.is_some() {
        return Ok(new);
    }
    let mut meanings = state.named(word, None);
    let speaking = state.sources_to_speak(&new.handle, principal);
    meanings.retain(|it| match it {
        Item::Source(id) => {
            let has_handle = state.source(*id).is_some_and(|it| it.handle == new.handle);
            !has_handle || speaking.contains(id)
        }
        _ => true,
    });
    let found: Option<SourceId> = only(state, word, &meanings)?;
    match (found, no_such_id::<SourceId>(word)) {
        (Some(source), _) => Ok(reference(state, source).unwrap_or(new)),
        (None, Some(failure)) => Err(failure),
        // Of a handle that nobody knows, the plan says that a channel is missing.
        (None, None) => Ok(new),
    }
}

/// A source that is known, as plans name it.
pub(crate) fn reference(state: &State, source: SourceId) -> Option<SourceRef> {
    let source = state.source(source)?;
    Some(SourceRef {
        channel: state.channel(source.channel).map(|it| it.name.clone()),
        handle: source.handle.clone(),
        kind: None,
    })
}

/// The one meaning that is of the kind that is wanted; nothing if the word means nothing.
fn only<T: Wanted>(state: &State, word: &str, meanings: &[Item]) -> Result<Option<T>, Failure> {
    let fit = meanings.iter().filter_map(|it| T::try_from(*it).ok());
    let fit: Vec<T> = fit.collect();
    match (fit.as_slice(), meanings) {
        ([one], _) => Ok(Some(*one)),
        ([], [other, ..]) => Err(wrong_kind(*other, T::WHAT)),
        ([], []) => Ok(None),
        _ => Err(ambiguous(state, word, meanings)),
    }
}

/// What is wrong with a word that is an id and means nothing; nothing if it is no id.
fn no_such_id<T: Wanted>(word: &str) -> Option<Failure> {
    let id: Item = word.parse().ok()?;
    Some(match T::try_from(id) {
        Ok(_) => absent(id),
        Err(_) => wrong_kind(id, T::WHAT),
    })
}

/// An item of a kind that the command does not take.
pub(crate) fn wrong_kind(item: Item, wanted: &str) -> Failure {
    let kind = item.kind();
    Failure::new(
        Code::WrongKind,
        format!("`{item}` is {kind}; this takes {wanted}"),
    )
    .hint(format!("`immune explain {item}` shows what it is"))
}

/// No such item.
pub(crate) fn absent(item: Item) -> Failure {
    let what = match item {
        Item::Channel(_) => "channels",
        Item::Source(_) => "sources",
        Item::Observation(_) => "observations",
        Item::Belief(_) | Item::Justification(_) => "beliefs",
        Item::Decision(_) => "decisions",
        Item::Action(_) => "actions",
        Item::Rule(_) => "rules",
        Item::Incident(_) => "incidents",
        Item::Review(_) => "reviews",
        Item::Task(_) => "tasks",
        Item::Attribution(_) => "attributions",
        Item::MeshIncident(_) | Item::Antibody(_) => {
            return Failure::new(Code::NotInMemory, format!("`{item}` is not in this memory"))
                .hint("`immune mesh status` shows what is there");
        }
    };
    Failure::new(Code::NotInMemory, format!("`{item}` is not in this memory"))
        .hint(format!("`immune list {what}` shows what is there"))
}

/// A word that means several things: each with its id.
fn ambiguous(state: &State, word: &str, meanings: &[Item]) -> Failure {
    let shown = escape::line(word);
    let what = |it: &Item| match it {
        Item::Source(id) => {
            let name = SourceName::of(state, *id);
            format!("`{it}` in channel {}", escape::line(&name.channel))
        }
        other => format!("`{other}`, {}", other.kind()),
    };
    let named = meanings.iter().take(MEANINGS_MAX).map(what);
    let mut named: Vec<String> = named.collect();
    if meanings.len() > MEANINGS_MAX {
        named.push(format!("{} more", meanings.len() - MEANINGS_MAX));
    }
    let channel = meanings.iter().find_map(|it| match it {
        Item::Source(id) => Some(SourceName::of(state, *id).channel),
        _ => None,
    });
    let by_channel = channel.map_or_else(String::new, |it| {
        let option = Command::new("").option("--channel", &it).to_string();
        format!(
            "; or, where it speaks, its channel: `{}`",
            option.trim_start()
        )
    });
    Failure::new(
        Code::AmbiguousSource,
        format!("`{shown}` means {} things", meanings.len()),
    )
    .hint(format!(
        "name one by its id: {}{by_channel}",
        named.join("; ")
    ))
}
