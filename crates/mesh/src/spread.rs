//! Which agent carried which print, of whom it had it, and when. For the mesh alone.
//!
//! A print that an agent repeats of what it was shown is a hop: the first one where the text came
//! from outside, one more than that of the agent from whom it came. Invariant: an agent has one
//! entry for a print, its first within the window, and at most `MESH_WINDOW_PRINTS_MAX` prints and
//! `MESH_PRINT_AGENTS_MAX` agents for each are kept.

use std::collections::{BTreeMap, VecDeque};

use immune_model::Instant;
use immune_model::limits::{
    MESH_IDENTITIES_MAX, MESH_PRINT_AGENTS_MAX, MESH_WINDOW_PRINTS_MAX, MESH_WINDOW_SECONDS,
};

/// That an agent carried a print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Carried {
    #[n(0)]
    pub(crate) agent: u32,
    /// The hops that it went, this one included.
    #[n(1)]
    pub(crate) hops: u32,
    /// The agent of whom it had it; with one hop, that one is not known to have carried it.
    #[n(2)]
    pub(crate) from: Option<u32>,
    #[n(3)]
    pub(crate) beside: Beside,
    #[cbor(n(4), with = "crate::kept::instant")]
    pub(crate) at: Instant,
}

/// What an agent says beside a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub(crate) enum Beside {
    /// It is most of what the agent read, or of what it says: work on a text.
    #[n(0)]
    Nothing,
    /// It was taken out of what the agent read, and other words are beside it.
    #[n(1)]
    OtherWords,
}

/// How a span was carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop<'a> {
    pub(crate) from: From<'a>,
    pub(crate) beside: Beside,
}

/// Of whom an agent has a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From<'a> {
    Outside,
    Agent(&'a str),
    /// Whoever carried it last.
    Unknown,
}

/// The carried prints of a window of time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spread {
    pub(crate) names: Vec<String>,
    pub(crate) numbers: BTreeMap<String, u32>,
    pub(crate) prints: BTreeMap<u64, Vec<Carried>>,
    /// The prints in the order in which they were first carried.
    pub(crate) order: VecDeque<(Instant, u64)>,
}

/// How far the prints of a span went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Way {
    /// The most hops that enough of them went.
    pub(crate) hops: u32,
    /// The agents that carried enough of them.
    pub(crate) reached: Vec<String>,
    /// When each of those carried the first of them.
    pub(crate) since: Vec<Instant>,
    /// The agents of the longest way.
    pub(crate) path: Vec<String>,
    /// How many agents took enough of them out of what they read and put them beside other words,
    /// and have them, one of another, from the first agent of that way, itself included.
    pub(crate) family: usize,
    /// The same, whatever they did with it.
    pub(crate) descent: usize,
}

impl Spread {
    /// That of these names, in the order of their numbers, and who carried each print, the first
    /// one first.
    pub(crate) fn of(names: Vec<String>, prints: BTreeMap<u64, Vec<Carried>>) -> Self {
        let numbers = names.iter().cloned().zip(0..).collect();
        let first = prints.iter().filter_map(|(hash, carried)| {
            let first = carried.first()?;
            Some((first.at, *hash))
        });
        let mut order: Vec<(Instant, u64)> = first.collect();
        order.sort_unstable();
        Self {
            names,
            numbers,
            prints,
            order: order.into(),
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        if self.names.len() >= MESH_IDENTITIES_MAX {
            *self = Self::default();
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Notes that an agent repeated these prints of a text that it had from there.
    pub(crate) fn carry(&mut self, agent: &str, hop: Hop<'_>, hashes: &[u64], at: Instant) {
        let from = hop.from;
        self.end(at);
        let giver = match from {
            From::Agent(name) => Some(self.number(name)),
            From::Outside | From::Unknown => None,
        };
        let agent = self.number(agent);
        for hash in hashes {
            let entries = self.prints.entry(*hash).or_default();
            if entries.is_empty() {
                self.order.push_back((at, *hash));
            }
            if entries.iter().any(|it| it.agent == agent) || entries.len() >= MESH_PRINT_AGENTS_MAX
            {
                continue;
            }
            let before = match from {
                From::Outside => None,
                From::Agent(_) => entries.iter().find(|it| Some(it.agent) == giver),
                From::Unknown => entries.last(),
            };
            // It is back where it comes from.
            if before.is_some_and(|it| source(entries, it.agent) == Some(agent)) {
                continue;
            }
            let carried = Carried {
                agent,
                hops: before.map_or(1, |it| it.hops + 1),
                from: before.map(|it| it.agent).or(giver),
                beside: hop.beside,
                at,
            };
            entries.push(carried);
        }
        while self.prints.len() > MESH_WINDOW_PRINTS_MAX {
            self.forget_oldest();
        }
    }

    /// Takes up what others noted: of each agent its first entry, and of whom it had a print where
    /// only the other one knew that.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.names.len() + other.names.len() > MESH_IDENTITIES_MAX {
            return;
        }
        let numbers: Vec<u32> = other.names.iter().map(|it| self.number(it)).collect();
        let here = |it: u32| numbers.get(it as usize).copied();
        for (hash, carried) in other.prints {
            let entries = self.prints.entry(hash).or_default();
            for mut it in carried {
                let Some(agent) = here(it.agent) else {
                    continue;
                };
                it.agent = agent;
                it.from = it.from.and_then(here);
                match entries.iter_mut().find(|known| known.agent == agent) {
                    Some(known) if known.at <= it.at => {}
                    Some(known) => *known = it,
                    None => entries.push(it),
                }
            }
            entries.sort_by_key(|it| it.at);
            entries.truncate(MESH_PRINT_AGENTS_MAX);
            link(entries);
        }
        self.prints.retain(|_, it| !it.is_empty());
        *self = Self::of(
            std::mem::take(&mut self.names),
            std::mem::take(&mut self.prints),
        );
        while self.prints.len() > MESH_WINDOW_PRINTS_MAX {
            self.forget_oldest();
        }
    }

    /// Forgets what was first carried before the window.
    fn end(&mut self, at: Instant) {
        while let Some((first, _)) = self.order.front() {
            if first.plus_seconds(MESH_WINDOW_SECONDS) >= at {
                break;
            }
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        match self.order.pop_front() {
            Some((_, hash)) => {
                self.prints.remove(&hash);
            }
            None => self.prints.clear(),
        }
    }

    /// How far the prints of a span went that `agent` just carried: what `enough` of them say.
    pub(crate) fn way(&self, agent: &str, hashes: &[u64], enough: usize) -> Way {
        let Some(agent) = self.numbers.get(agent).copied() else {
            return Way::default();
        };
        let mut carried_by: BTreeMap<u32, (usize, Instant)> = BTreeMap::new();
        let mut paths: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for hash in hashes {
            let Some(entries) = self.prints.get(hash) else {
                continue;
            };
            for entry in entries {
                let (n, since) = carried_by.entry(entry.agent).or_insert((0, entry.at));
                *n += 1;
                *since = entry.at.min(*since);
            }
            *paths.entry(path(entries, agent)).or_default() += 1;
        }
        let name = |it: &u32| self.names.get(*it as usize).cloned().unwrap_or_default();
        let told = paths.iter().filter(|(_, n)| **n >= enough);
        let longest = told.max_by_key(|(path, n)| (path.len(), **n));
        let longest = longest.map(|(path, _)| path.clone()).unwrap_or_default();
        let first = longest.first();
        let descent = first.map(|first| self.descent(*first, hashes, enough));
        let (family, descent) = descent.unwrap_or_default();
        let path: Vec<String> = longest.iter().map(name).collect();
        let reached = carried_by.iter().filter(|(_, (n, _))| *n >= enough);
        Way {
            hops: path.len() as u32,
            since: reached.clone().map(|(_, (_, since))| *since).collect(),
            reached: reached.map(|(agent, _)| name(agent)).collect(),
            path,
            family,
            descent,
        }
    }

    /// How many agents took enough of these that they have from this one, and how many have them
    /// from it whatever they did with them; itself included.
    fn descent(&self, first: u32, hashes: &[u64], enough: usize) -> (usize, usize) {
        let mut descend: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for entries in hashes.iter().filter_map(|it| self.prints.get(it)) {
            for entry in entries {
                if path(entries, entry.agent).first() == Some(&first) {
                    let (taken, all) = descend.entry(entry.agent).or_default();
                    *taken += usize::from(entry.beside == Beside::OtherWords);
                    *all += 1;
                }
            }
        }
        let taken = descend.values().filter(|(taken, _)| *taken >= enough);
        let all = descend.values().filter(|(_, all)| *all >= enough);
        (taken.count(), all.count())
    }
}

/// Counts the hops anew, once it may be known of others that they carried the print before.
fn link(entries: &mut [Carried]) {
    for _ in 0..entries.len() {
        let before = entries.to_vec();
        for entry in entries.iter_mut() {
            let giver = before.iter().find(|it| Some(it.agent) == entry.from);
            let giver = giver.filter(|it| {
                let is_mutual = it.from == Some(entry.agent) && it.hops > 1;
                entry.hops > 1 || it.at <= entry.at && !is_mutual
            });
            if let Some(giver) = giver {
                entry.hops = (giver.hops + 1).min(MESH_PRINT_AGENTS_MAX as u32);
            }
        }
        if before == entries {
            break;
        }
    }
}

/// The agent of whom the first one of a way had a print without being known to have carried it.
fn source(entries: &[Carried], agent: u32) -> Option<u32> {
    let first = *path(entries, agent).first()?;
    entries.iter().find(|it| it.agent == first)?.from
}

/// The agents from the first one that carried a print to this one.
fn path(entries: &[Carried], agent: u32) -> Vec<u32> {
    let mut path = Vec::new();
    let mut next = Some(agent);
    while let Some(agent) = next {
        if path.contains(&agent) {
            break;
        }
        let Some(entry) = entries.iter().find(|it| it.agent == agent) else {
            break;
        };
        path.push(agent);
        next = entry.from.filter(|_| entry.hops > 1);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(from: From<'_>) -> Hop<'_> {
        Hop {
            from,
            beside: Beside::OtherWords,
        }
    }

    fn at(seconds: i64) -> Instant {
        Instant::from_seconds(seconds).unwrap()
    }

    #[test]
    fn a_span_that_went_from_agent_to_agent_has_its_path() {
        let mut spread = Spread::default();
        let span: Vec<u64> = (0..10).collect();
        spread.carry("ann", hop(From::Outside), &span, at(0));
        spread.carry("bob", hop(From::Agent("ann")), &span, at(1));
        spread.carry("cat", hop(From::Unknown), &span, at(2));
        let way = spread.way("cat", &span, 5);
        assert_eq!(way.hops, 3);
        assert_eq!(way.path, ["ann", "bob", "cat"]);
        assert_eq!(way.reached, ["ann", "bob", "cat"]);
    }

    #[test]
    fn what_each_has_from_outside_is_no_way() {
        let mut spread = Spread::default();
        let span: Vec<u64> = (0..10).collect();
        for agent in ["ann", "bob", "cat"] {
            spread.carry(agent, hop(From::Outside), &span, at(0));
        }
        let way = spread.way("cat", &span, 5);
        assert_eq!((way.hops, way.reached.len()), (1, 3));
    }

    #[test]
    fn what_an_agent_wrote_itself_is_no_hop_of_it() {
        let mut spread = Spread::default();
        let span: Vec<u64> = (0..10).collect();
        spread.carry("bob", hop(From::Agent("ann")), &span, at(0));
        assert_eq!(spread.way("bob", &span, 5).path, ["bob"]);
    }

    #[test]
    fn what_comes_back_to_whoever_wrote_it_goes_no_way() {
        let mut spread = Spread::default();
        let span: Vec<u64> = (0..10).collect();
        spread.carry("bob", hop(From::Agent("ann")), &span, at(0));
        spread.carry("cat", hop(From::Agent("bob")), &span, at(1));
        for giver in ["bob", "cat"] {
            spread.carry("ann", hop(From::Agent(giver)), &span, at(2));
            assert_eq!(spread.way("ann", &span, 5).hops, 0);
        }
        spread.carry("dan", hop(From::Agent("cat")), &span, at(3));
        assert_eq!(spread.way("dan", &span, 5).path, ["bob", "cat", "dan"]);
    }

    #[test]
    fn a_way_ends_with_its_window() {
        let mut spread = Spread::default();
        let span: Vec<u64> = (0..10).collect();
        spread.carry("ann", hop(From::Outside), &span, at(0));
        let later = i64::from(MESH_WINDOW_SECONDS) + 1;
        spread.carry("bob", hop(From::Agent("ann")), &span, at(later));
        assert_eq!(spread.way("bob", &span, 5).hops, 1);
        assert_eq!(spread.prints.len(), span.len());
    }

    #[test]
    fn there_are_never_more_prints_than_the_limit() {
        let mut spread = Spread::default();
        let many: Vec<u64> = (0..MESH_WINDOW_PRINTS_MAX as u64 + 500).collect();
        spread.carry("ann", hop(From::Outside), &many, at(0));
        assert_eq!(spread.prints.len(), MESH_WINDOW_PRINTS_MAX);
        assert_eq!(spread.order.len(), MESH_WINDOW_PRINTS_MAX);
    }
}
