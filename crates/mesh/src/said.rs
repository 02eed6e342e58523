//! What a model said, as the checks of a mesh see it. For `observe`.

use immune_model::limits::MESH_CANARIES_MAX;

use crate::conclude::Finding;
use crate::fact::{Exchange, Ground, Judgement, Place};
use crate::prints::Stretch;
use crate::read::{Asked, Read};
use crate::spread::{Beside, Way};

/// How much of a text a part of it is at most.
const PART_PERCENT: usize = 75;
/// How much of a text stands in an output that quotes all of it, in thousandths.
const QUOTED_WHOLE: u16 = 800;
/// Bytes before a quotation within which it says that it is one.
const QUOTE_MARK_BYTES: usize = 400;

/// What a model said: its parts, then the arguments of tools, then all of it joined.
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) parts: Vec<Read>,
    pub(crate) joined: Read,
}

impl Said {
    pub(crate) fn of(exchange: &Exchange<'_>) -> Self {
        let arguments = exchange.tool_calls.iter().map(|it| it.text);
        let texts: Vec<&str> = exchange.output.iter().copied().chain(arguments).collect();
        let text = texts.join("\n");
        let joined = Read::of(Place::Output(0), &text);
        let parts = match texts.as_slice() {
            [_] | [] => Vec::new(),
            texts => {
                let texts = texts.iter().enumerate();
                texts
                    .map(|(it, text)| Read::of(Place::Output(it), text))
                    .collect()
            }
        };
        let mut said = Self {
            text,
            parts,
            joined,
        };
        if said.parts.is_empty() {
            said.parts.push(Read::of(Place::Output(0), &said.text));
        }
        said
    }

    /// A canary that was said, in a part or in all of it.
    pub(crate) fn leak(&self, exchange: &Exchange<'_>) -> Option<Finding> {
        let skipped = exchange.canaries.len().saturating_sub(MESH_CANARIES_MAX);
        let recent = || exchange.canaries.iter().skip(skipped);
        for read in self.parts.iter().chain([&self.joined]) {
            for (view, _) in &read.views {
                let leak = recent().find_map(|it| it.leak(&view.letters));
                let Some(letters) = leak else {
                    continue;
                };
                return Some(Finding {
                    judgement: Judgement::Confirmed,
                    ground: Ground::Canary,
                    score: 1000,
                    spans: vec![read.span(view, letters)],
                    way: Way::default(),
                    payload: Vec::new(),
                    is_sure: true,
                });
            }
        }
        None
    }

    /// Whether a stretch was taken out of a text and put beside other words.
    pub(crate) fn says_beside(&self, stretch: &Stretch, text: &Read) -> Beside {
        let letters = |it: &Read| {
            it.views
                .first()
                .map_or(0, |(view, _)| view.letters.bytes.len())
        };
        let is_part =
            |it: &Read| (stretch.end - stretch.start) as usize * 100 <= letters(it) * PART_PERCENT;
        if is_part(text) && is_part(&self.joined) {
            Beside::OtherWords
        } else {
            Beside::Nothing
        }
    }

    /// Whether it has what a text asks for without the rest of that text, and does not quote it.
    pub(crate) fn takes_out(&self, text: &Read, asked: &Asked) -> bool {
        let parts = self.joined.shared(&asked.hashes);
        let carried = parts.into_iter().map(|(stretch, _)| stretch);
        let longest = carried.max_by_key(|it| it.hashes.len());
        let is_part = longest.is_some_and(|it| self.says_beside(&it, text) == Beside::OtherWords);
        is_part && !self.quotes(text)
    }

    /// Whether it quotes all of a text, and says so.
    pub(crate) fn quotes(&self, text: &Read) -> bool {
        if text.share(&self.joined.hashes) < QUOTED_WHOLE {
            return false;
        }
        let shared = self.joined.shared(&text.hashes);
        let Some((_, span)) = shared.iter().max_by_key(|(it, _)| it.hashes.len()) else {
            return false;
        };
        let first = shared.iter().map(|(_, it)| it.start).min();
        let start = first.unwrap_or(span.start) as usize;
        let from = self
            .text
            .floor_char_boundary(start.saturating_sub(QUOTE_MARK_BYTES));
        let until = self.text.floor_char_boundary(start + 2);
        let before = self.text.get(from..until).unwrap_or_default();
        let marks = ["Original Message", "Forwarded", "wrote:", "From:", "\n>"];
        before.starts_with('>') || marks.iter().any(|it| before.contains(it))
    }
}
