//! The scenes: each question with one to five of its false texts among honest ones.
//!
//! PoisonedRAG puts the question itself before a false text, so that it is found; RealtimeQA's stand
//! as they are. The honest texts of the question are all there, and those of other questions fill up.
//! A seed gives how many, which and in which order.

use immune_attribution::Shown;
use immune_testkit::random::Random;

use crate::poisoned::data::Question;

/// How many false texts a scene has at most: as many as a question has.
pub(super) const POISON_MAX: usize = 5;
/// How many texts a scene has, false ones included.
const TEXTS: std::ops::RangeInclusive<usize> = 50..=100;

/// A question with what is shown to whoever answers it.
#[derive(Debug)]
pub(super) struct Scene<'q> {
    pub(super) question: &'q Question,
    pub(super) memories: Vec<Shown>,
    /// The numbers of the false texts.
    pub(super) poison: Vec<usize>,
    /// The numbers of the honest texts of this question.
    pub(super) own: Vec<usize>,
}

/// What a text is in its scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    False,
    Own,
    Other,
}

/// Every scene of a set: each question with each number of false texts.
pub(super) fn scenes<'q>(
    set: &str,
    questions: &'q [Question],
    all: &'q [(&'static str, Vec<Question>)],
    seed: u64,
) -> Vec<Scene<'q>> {
    let mut random = Random::new(seed);
    let mut scenes = Vec::new();
    for question in questions {
        for n_poison in 1..=POISON_MAX.min(question.poison.len()) {
            scenes.push(scene(set, question, n_poison, all, &mut random));
        }
    }
    scenes
}

fn scene<'q>(
    set: &str,
    question: &'q Question,
    n_poison: usize,
    all: &'q [(&'static str, Vec<Question>)],
    random: &mut Random,
) -> Scene<'q> {
    let mut false_texts: Vec<String> = question
        .poison
        .iter()
        .map(|it| placed(set, question, it))
        .collect();
    random.shuffle(&mut false_texts);
    false_texts.truncate(n_poison);
    let n = TEXTS.start() + random.below(TEXTS.end() - TEXTS.start() + 1);
    let own = question
        .honest
        .iter()
        .map(|it| (Part::Own, it.source.as_str(), it.text.clone()));
    let mut texts: Vec<_> = own.collect();
    texts.extend(
        false_texts
            .into_iter()
            .map(|it| (Part::False, "comments", it)),
    );
    let others = all
        .iter()
        .flat_map(|it| &it.1)
        .filter(|it| it.text != question.text);
    let mut others: Vec<_> = others.flat_map(|it| &it.honest).collect();
    random.shuffle(&mut others);
    let others = others
        .into_iter()
        .map(|it| (Part::Other, it.source.as_str(), it.text.clone()));
    texts.extend(others.take(n.saturating_sub(texts.len())));
    random.shuffle(&mut texts);
    let numbered = |part: Part| {
        let of = (0..).zip(&texts).filter(move |it| it.1.0 == part);
        of.map(|it| it.0).collect::<Vec<usize>>()
    };
    let (poison, own) = (numbered(Part::False), numbered(Part::Own));
    let memories = (1..).zip(texts).map(|(number, (_, source, text))| Shown {
        id: format!("obs_{number}"),
        source: source.to_owned(),
        text,
    });
    Scene {
        question,
        poison,
        own,
        memories: memories.collect(),
    }
}

/// A false text as the published attack places it.
fn placed(set: &str, question: &Question, text: &str) -> String {
    match set {
        "poisonedrag" => format!("{}. {text}", question.text.trim_end_matches(['?', ' '])),
        _ => text.to_owned(),
    }
}
