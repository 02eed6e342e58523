//! A text as the checks of a mesh see it: its views with their prints. For the mesh alone.

use std::collections::BTreeSet;

use crate::directive::Directive;
use crate::fact::{Message, Origin, Place, Purpose, Span};
use crate::pairs::{PAIRS_LEAST, Pair, Words};
use crate::prints::{Print, Stretch, prints, sorted, stretches, stretches_of, within};
use crate::view::View;

/// Pairs of words in one place that another text has too.
#[derive(Debug)]
pub(crate) struct SharedPairs {
    pub(crate) stretch: Stretch,
    pub(crate) span: Span,
    /// The hashes of the prints there.
    pub(crate) prints: Vec<u64>,
}

/// A text, read in every way.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) place: Place,
    pub(crate) views: Vec<(View, Vec<Print>)>,
    /// The hashes of all prints, sorted.
    pub(crate) hashes: Vec<u64>,
}

impl Read {
    pub(crate) fn of(place: Place, text: &str) -> Self {
        let views = View::all(text).into_iter().map(|view| {
            let prints = prints(&view.letters);
            (view, prints)
        });
        let views: Vec<(View, Vec<Print>)> = views.collect();
        let hashes = views.iter().flat_map(|(_, prints)| prints);
        let hashes = sorted(hashes.map(|it| it.hash));
        Self {
            place,
            views,
            hashes,
        }
    }

    /// The hashes of the pairs of words of all views, sorted.
    pub(crate) fn pairs(&self) -> Vec<u64> {
        let views = self.views.iter();
        let hashes = views.flat_map(|(view, _)| {
            let words = Words::of(&view.letters);
            words.pairs().map(|it| it.mark.hash).collect::<Vec<u64>>()
        });
        sorted(hashes)
    }

    /// The bytes behind letters of one of the views.
    pub(crate) fn span(&self, view: &View, (start, end): (u32, u32)) -> Span {
        let (start, end) = view.behind(start, end);
        Span {
            place: self.place,
            start,
            end,
            reading: view.reading,
        }
    }

    /// What of it is among other prints, which are sorted; with the span of each.
    pub(crate) fn shared(&self, others: &[u64]) -> Vec<(Stretch, Span)> {
        let found = self.views.iter().flat_map(|(view, prints)| {
            let found = stretches(prints, others).into_iter();
            found.map(|it| {
                let span = self.span(view, (it.start, it.end));
                (it, span)
            })
        });
        found.collect()
    }

    /// What of its pairs of words is among others, where several of them are in one place.
    pub(crate) fn shared_pairs(&self, is_shared: impl Fn(&Pair) -> bool) -> Vec<SharedPairs> {
        let found = self.views.iter().flat_map(|(view, prints)| {
            let words = Words::of(&view.letters);
            let shared = words.pairs().filter(&is_shared).map(|it| it.mark);
            let found = stretches_of(shared).into_iter();
            let found = found.filter_map(|mut stretch| {
                stretch.hashes = sorted(stretch.hashes);
                if stretch.hashes.len() < PAIRS_LEAST {
                    return None;
                }
                Some(SharedPairs {
                    prints: within(prints, stretch.start, stretch.end).collect(),
                    span: self.span(view, (stretch.start, stretch.end)),
                    stretch,
                })
            });
            found.collect::<Vec<SharedPairs>>()
        });
        found.collect()
    }

    /// Where it has any of the marks of an antibody.
    pub(crate) fn spans_of(&self, marks: &[u64]) -> Vec<Span> {
        let marks = sorted(marks.iter().copied());
        let prints = self.shared(&marks);
        let pairs = self.shared_pairs(|it| marks.binary_search(&it.mark.hash).is_ok());
        let prints = prints.into_iter().map(|(_, span)| span);
        prints.chain(pairs.into_iter().map(|it| it.span)).collect()
    }

    /// How much of it is among other prints, which are sorted, in thousandths; 0 for a text of too
    /// few prints to say.
    pub(crate) fn share(&self, others: &[u64]) -> u16 {
        share(&self.hashes, others)
    }

    /// The strongest directive in any view: its score, its prints, and where it is.
    pub(crate) fn directive(&self) -> Asked {
        let mut best = Asked::default();
        for (view, prints) in &self.views {
            let found = Directive::of(&view.letters);
            if found.score() <= best.score() {
                continue;
            }
            best = Asked {
                hashes: sorted(within(prints, found.start, found.end)),
                span: Some(self.span(view, (found.start, found.end))),
                words: found,
            };
        }
        best
    }
}

/// A directive that was found in a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    words: Directive,
    /// The hashes of the prints of its words, sorted.
    pub(crate) hashes: Vec<u64>,
    pub(crate) span: Option<Span>,
}

impl Asked {
    /// Of [`Directive::MOST`].
    pub(crate) fn score(&self) -> u16 {
        self.words.score()
    }

    /// Of [`Directive::MOST`], for two of them together.
    pub(crate) fn score_with(&self, other: &Self) -> u16 {
        self.words.score_with(&other.words)
    }
}

/// Prints below which a share says nothing.
const PRINTS_LEAST: usize = 4;

/// How many of a thousand of these are among the others, which are sorted.
pub(crate) fn share(hashes: &[u64], others: &[u64]) -> u16 {
    if hashes.len() < PRINTS_LEAST {
        return 0;
    }
    let shared = hashes.iter().filter(|it| others.binary_search(it).is_ok());
    (1000 * shared.count() / hashes.len()) as u16
}

/// Those of these that are not among the others, which are sorted.
pub(crate) fn without(hashes: &[u64], others: &[u64]) -> Vec<u64> {
    let left = hashes.iter().copied();
    left.filter(|it| others.binary_search(it).is_err())
        .collect()
}

/// Whether what a message says is anybody's: what is trusted and what the agent wrote itself is not.
pub(crate) fn is_untrusted(message: &Message<'_>, agent: &str) -> bool {
    match message.origin {
        Origin::Trusted => false,
        Origin::Agent(name) => name != agent,
        Origin::Outside | Origin::Unknown => true,
    }
}

/// The untrusted texts of an input, and the prints of the rest, sorted.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) untrusted: Vec<Read>,
    /// Why each of them is there.
    pub(crate) purposes: Vec<Purpose>,
    /// What each of them asks for.
    pub(crate) asked: Vec<Asked>,
    pub(crate) trusted: Vec<u64>,
    /// The prints of the trusted texts and of what the agent works on, sorted.
    pub(crate) known: Vec<u64>,
    /// The trusted texts.
    told: Vec<Read>,
}

impl Input {
    pub(crate) fn of(messages: &[Message<'_>], agent: &str) -> Self {
        let (mut untrusted, mut purposes) = (Vec::new(), Vec::new());
        let (mut trusted, mut known) = (Vec::new(), Vec::new());
        let mut told = Vec::new();
        for (number, message) in messages.iter().enumerate() {
            let read = Read::of(Place::Input(number), message.text);
            if !is_untrusted(message, agent) {
                trusted.extend_from_slice(&read.hashes);
                told.push(read);
                continue;
            }
            if message.purpose == Purpose::Task {
                known.extend_from_slice(&read.hashes);
            }
            purposes.push(message.purpose);
            untrusted.push(read);
        }
        known.extend_from_slice(&trusted);
        Self {
            asked: untrusted.iter().map(Read::directive).collect(),
            untrusted,
            purposes,
            trusted: sorted(trusted),
            known: sorted(known),
            told,
        }
    }

    /// The words of the trusted texts and of what the agent works on, if they are long enough to say
    /// something.
    pub(crate) fn words(&self) -> BTreeSet<&[u8]> {
        let texts = self.untrusted.iter().zip(&self.purposes);
        let tasks = texts.filter(|(_, it)| **it == Purpose::Task);
        let texts = tasks.map(|(text, _)| text).chain(&self.told);
        let views = texts.flat_map(|it| &it.views);
        views
            .flat_map(|(view, _)| view.letters.long_words())
            .collect()
    }

    /// The pairs of words of the trusted texts and of what the agent works on, sorted.
    pub(crate) fn known_pairs(&self) -> Vec<u64> {
        let texts = self.untrusted.iter().zip(&self.purposes);
        let tasks = texts.filter(|(_, it)| **it == Purpose::Task);
        let texts = tasks.map(|(text, _)| text).chain(&self.told);
        sorted(texts.flat_map(Read::pairs))
    }

    /// The untrusted texts that came along.
    pub(crate) fn found(&self) -> impl Iterator<Item = &Read> {
        let texts = self.untrusted.iter().zip(&self.purposes);
        let found = texts.filter(|(_, it)| **it == Purpose::Found);
        found.map(|(text, _)| text)
    }
}
