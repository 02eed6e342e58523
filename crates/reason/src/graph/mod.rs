//! A graph as a file says it, before a memory knows it: lines under aliases, each checked by itself.
//!
//! Whoever reads the file calls [`Graph::add`] for each line; [`Draft::import_graph`] plans the
//! import. Aliases are kept as numbers, so that a premise costs four bytes.
//!
//! [`Draft::import_graph`]: crate::Draft::import_graph

mod error;
mod line;

use immune_model::{Alias, Item};

use crate::words::Words;

pub use error::{GraphError, GraphProblem};
pub use line::{
    ActionLine, BeliefLine, DecisionLine, FlagLine, JustificationLine, ObservationLine, Said,
    SourceLine,
};

/// A reference to whatever has this alias or id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub(crate) u32);

/// A line with its place in the file.
#[derive(Debug, Clone)]
pub(crate) struct Line<T> {
    pub(crate) number: u64,
    pub(crate) alias: Word,
    pub(crate) said: T,
}

/// Where in the file an alias is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Source(u32),
    Observation(u32),
    Belief(u32),
    Justification(u32),
    Decision(u32),
    Action(u32),
}

/// The lines of one file.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    words: Words,
    places: Vec<Option<Place>>,
    pub(crate) sources: Vec<Line<SourceLine>>,
    pub(crate) observations: Vec<Line<ObservationLine>>,
    pub(crate) beliefs: Vec<Line<BeliefLine>>,
    pub(crate) justifications: Vec<Line<JustificationLine>>,
    pub(crate) decisions: Vec<Line<DecisionLine>>,
    pub(crate) actions: Vec<Line<ActionLine>>,
    pub(crate) flags: Vec<Line<FlagLine>>,
    pub(crate) n_repeated: u64,
}

impl Graph {
    /// A graph without lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reference, to be resolved once all lines are there.
    pub fn word(&mut self, word: &str) -> Word {
        let number = self.words.insert(word);
        if self.places.len() < self.words.len() {
            self.places.resize(self.words.len(), None);
        }
        Word(number)
    }

    /// Takes up a line. One that says again what an earlier one said is nothing new.
    pub fn add(&mut self, number: u64, alias: &str, said: Said) -> Result<(), GraphError> {
        let wrong = |problem| GraphError::new(number, alias, problem);
        if let Said::Flag(flag) = said {
            let alias = self.word(alias);
            push(&mut self.flags, number, alias, flag);
            return Ok(());
        }
        Alias::new(alias).map_err(|error| wrong(GraphProblem::Alias(error)))?;
        if Item::is_like_id(alias) {
            return Err(wrong(GraphProblem::LikeAnId));
        }
        let word = self.word(alias);
        if let Some(place) = self.place(word) {
            let (line, before) = self.said_at(place);
            if before == said {
                self.n_repeated += 1;
                return Ok(());
            }
            let how = differing(&before.fields(self), &said.fields(self));
            return Err(wrong(GraphProblem::SaidBefore { line, how }));
        }
        let place = match said {
            Said::Source(it) => Place::Source(push(&mut self.sources, number, word, it)),
            Said::Observation(it) => {
                Place::Observation(push(&mut self.observations, number, word, it))
            }
            Said::Belief(it) => Place::Belief(push(&mut self.beliefs, number, word, it)),
            Said::Justification(it) => {
                Place::Justification(push(&mut self.justifications, number, word, it))
            }
            Said::Decision(it) => Place::Decision(push(&mut self.decisions, number, word, it)),
            Said::Action(it) => Place::Action(push(&mut self.actions, number, word, it)),
            Said::Flag(_) => unreachable!("flags give no alias"),
        };
        if let Some(slot) = self.places.get_mut(word.0 as usize) {
            *slot = Some(place);
        }
        Ok(())
    }

    /// How many lines there are that say something.
    pub fn n_lines(&self) -> u64 {
        let n = self.sources.len()
            + self.observations.len()
            + self.beliefs.len()
            + self.justifications.len()
            + self.decisions.len()
            + self.actions.len()
            + self.flags.len();
        n as u64 + self.n_repeated
    }

    /// The characters of a reference.
    pub(crate) fn text(&self, word: Word) -> &str {
        self.words.get(word.0)
    }

    /// How many words there are: aliases and references.
    pub(crate) fn n_words(&self) -> usize {
        self.words.len()
    }

    /// Where an alias is given, if it is.
    pub(crate) fn place(&self, word: Word) -> Option<Place> {
        self.places.get(word.0 as usize).copied().flatten()
    }

    fn said_at(&self, place: Place) -> (u64, Said) {
        fn at<T: Clone>(lines: &[Line<T>], index: u32) -> (u64, T) {
            let line = lines
                .get(index as usize)
                .expect("places are those of lines");
            (line.number, line.said.clone())
        }
        match place {
            Place::Source(it) => {
                let (line, said) = at(&self.sources, it);
                (line, Said::Source(said))
            }
            Place::Observation(it) => {
                let (line, said) = at(&self.observations, it);
                (line, Said::Observation(said))
            }
            Place::Belief(it) => {
                let (line, said) = at(&self.beliefs, it);
                (line, Said::Belief(said))
            }
            Place::Justification(it) => {
                let (line, said) = at(&self.justifications, it);
                (line, Said::Justification(said))
            }
            Place::Decision(it) => {
                let (line, said) = at(&self.decisions, it);
                (line, Said::Decision(said))
            }
            Place::Action(it) => {
                let (line, said) = at(&self.actions, it);
                (line, Said::Action(said))
            }
        }
    }
}

fn push<T>(lines: &mut Vec<Line<T>>, number: u64, alias: Word, said: T) -> u32 {
    lines.push(Line {
        number,
        alias,
        said,
    });
    u32::try_from(lines.len() - 1).expect("fewer than u32::MAX lines of a kind")
}

/// What something says: the names of its keys, each with its value.
pub(crate) type Fields = Vec<(&'static str, String)>;

/// How the second differs from the first, in words.
pub(crate) fn differing(there: &Fields, here: &Fields) -> String {
    let value = |fields: &Fields, name: &str| {
        let found = fields.iter().find(|(it, _)| *it == name);
        found.map_or_else(
            || "nothing".to_owned(),
            |(_, value)| format!("`{}`", short(value)),
        )
    };
    let names = there.iter().chain(here).map(|(name, _)| *name);
    let mut different = names.map(|name| (name, value(there, name), value(here, name)));
    different
        .find(|(_, there, here)| there != here)
        .map_or_else(
            || "other content".to_owned(),
            |(name, there, here)| format!("`{name}` {there} there and {here} here"),
        )
}

fn short(value: &str) -> String {
    const SHOWN_MAX: usize = 80;
    if value.chars().count() <= SHOWN_MAX {
        return value.to_owned();
    }
    let shown: String = value.chars().take(SHOWN_MAX).collect();
    format!("{shown}…")
}
