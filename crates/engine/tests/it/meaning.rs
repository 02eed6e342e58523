//! Recall by meaning: what is near and may be believed is found without a shared word, what may
//! not be believed is not, and whatever happens to the model, words go on answering.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use immune_engine::reason::plan::{Flag, FlagError, FlagWhat, Forget, Remember, Unflag};
use immune_engine::{
    CalibrateError, EmbedError, Embedder, EmbeddingModel, Meaning, Off, Reason, Recall, Recalled,
    ReindexError, Session, WriteError,
};
use immune_model::*;
use immune_store::{MemoryStore, Store};
use immune_store_sqlite::{SqliteOptions, SqliteStore};
use proptest::prelude::*;

use crate::common::{World, said, set_up_record, text};

/// Words that mean the same have one direction; any other word has one of its own.
const CONCEPTS: [&[&str]; 3] = [
    &["lamp", "light", "lantern"],
    &["refund", "reimbursement", "repayment"],
    &["tea", "infusion"],
];
const DIMENSIONS: usize = 32;

/// A toy that knows three concepts, counts what it is asked, and fails on request.
#[derive(Debug)]
struct Toy {
    model: EmbeddingModel,
    is_cheap: bool,
    asked: AtomicUsize,
    fails: AtomicBool,
}

impl Toy {
    fn new(name: &str, is_cheap: bool) -> Arc<Self> {
        let model = EmbeddingModel {
            name: name.to_owned(),
            dimensions: DIMENSIONS as u32,
        };
        Arc::new(Self {
            model,
            is_cheap,
            asked: AtomicUsize::new(0),
            fails: AtomicBool::new(false),
        })
    }
}

/// The vector of a text.
fn vector_of(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.to_lowercase().split(|it: char| !it.is_alphanumeric()) {
        let concept = CONCEPTS.iter().position(|it| it.contains(&word));
        let hash = word
            .bytes()
            .fold(7_usize, |it, byte| it * 31 % 1_009 + usize::from(byte));
        let place = concept.unwrap_or(CONCEPTS.len() + hash % (DIMENSIONS - CONCEPTS.len()));
        let weight = if concept.is_some() { 4.0 } else { 0.25 };
        vector[place] += if word.is_empty() { 0.0 } else { weight };
    }
    immune_engine::normalise(&mut vector);
    vector
}

impl Embedder for Toy {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn is_cheap(&self) -> bool {
        self.is_cheap
    }

    fn window_tokens(&self) -> usize {
        100
    }

    fn n_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.fails.load(Ordering::Relaxed) {
            return Err(EmbedError::Model {
                model: self.model.name.clone(),
                reason: "it is out".to_owned(),
            });
        }
        self.asked.fetch_add(texts.len(), Ordering::Relaxed);
        Ok(texts.iter().map(|it| vector_of(it)).collect())
    }
}

fn world(embedder: &Arc<Toy>) -> World {
    let world = World::embedding(Arc::new(MemoryStore::new()), embedder.clone());
    set_up_record(&world.operator);
    world
}

fn asked(session: &Session, words: &str) -> Recalled {
    session.recall(&Recall::query(words)).unwrap()
}

fn beliefs(recalled: &Recalled) -> Vec<BeliefId> {
    recalled.facts.iter().map(|it| it.belief).collect()
}

fn flag(world: &World, belief: BeliefId) -> Result<(), WriteError<FlagError>> {
    let flag = Flag {
        what: FlagWhat::Item(belief.into()),
        received_from: None,
        reason: None,
    };
    world.operator.flag(flag).map(|_| ())
}

fn unflag(world: &World, belief: BeliefId) -> Result<(), WriteError<FlagError>> {
    let what = FlagWhat::Item(belief.into());
    world.operator.unflag(Unflag { what }).map(|_| ())
}

fn note(words: &str) -> Remember {
    Remember {
        text: text(words),
        claims: Vec::new(),
        screening: Screening::Unscreened,
        ..said("inbox", "writer", "x", "x")
    }
}

#[test]
fn what_means_the_same_is_found_and_falls_with_its_status() {
    let world = world(&Toy::new("toy", true));
    let belief = world.believe("inbox", "a", "hall.glow", "The lantern is blue");
    let found = asked(&world.operator, "lamp");
    assert_eq!(beliefs(&found), [belief]);
    let score = &found.facts[0].score;
    assert!(score.matched.is_empty() && score.meaning_millionths.is_some());
    let seq = found.seq;
    flag(&world, belief).unwrap();
    let after = asked(&world.operator, "lamp");
    assert!(after.facts.is_empty());
    assert_eq!(after.excluded[0].item, Item::Belief(belief));
    assert!(matches!(after.excluded[0].reason, Reason::Status(_)));
    let past = world.operator.at(immune_engine::When::Seq(seq)).unwrap();
    assert_eq!(beliefs(&asked(&past, "lamp")), [belief]);
    unflag(&world, belief).unwrap();
    assert_eq!(beliefs(&asked(&world.operator, "lamp")), [belief]);
}

#[test]
fn what_is_not_near_and_shares_no_word_is_no_answer() {
    let world = world(&Toy::new("toy", true));
    world.believe("inbox", "a", "hall.glow", "The lantern is blue");
    assert!(asked(&world.operator, "reimbursement").facts.is_empty());
}

#[test]
fn d35_another_model_is_refused_by_both_names_and_words_go_on_answering() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let first = World::embedding(store.clone(), Toy::new("first", true));
    set_up_record(&first.operator);
    let belief = first.believe("inbox", "a", "hall.glow", "The lantern is blue");
    first.operator.reindex(&mut |_, _| {}).unwrap();
    let second = World::embedding(store, Toy::new("second", false));
    let found = asked(&second.operator, "lantern");
    assert_eq!(beliefs(&found), [belief]);
    let Meaning::Off(off) = &found.meaning else {
        panic!("{:?}", found.meaning);
    };
    let problem = off.problem().unwrap();
    assert!(
        problem.contains("first (32 dimensions)") && problem.contains("second (32 dimensions)"),
        "{problem}"
    );
    assert!(asked(&second.operator, "lamp").facts.is_empty());
    let late = second.believe("inbox", "b", "hall.shine", "The light is red");
    let reindexed = second.operator.reindex(&mut |_, _| {}).unwrap();
    assert!(reindexed.changed && reindexed.documents == 2);
    let mut found = beliefs(&asked(&second.operator, "lamp"));
    found.sort_unstable();
    assert_eq!(found, [belief, late]);
    second.verify();
}

#[test]
fn a_model_that_fails_is_named_and_words_go_on_answering() {
    let toy = Toy::new("toy", true);
    let world = world(&toy);
    let belief = world.believe("inbox", "a", "hall.glow", "The lantern is blue");
    toy.fails.store(true, Ordering::Relaxed);
    let found = asked(&world.operator, "lantern");
    assert_eq!(beliefs(&found), [belief]);
    assert!(matches!(&found.meaning, Meaning::Off(Off::Failed(_))));
    let refused = world.operator.reindex(&mut |_, _| {}).unwrap_err();
    assert!(matches!(refused, ReindexError::Embed(_)));
    toy.fails.store(false, Ordering::Relaxed);
    assert_eq!(beliefs(&asked(&world.operator, "lamp")), [belief]);
}

#[test]
fn who_may_not_choose_an_embedder_sends_it_nothing() {
    let toy = Toy::new("toy", false);
    let world = world(&toy);
    world.believe("inbox", "a", "hall.glow", "The lantern is blue");
    let agent = world.agent("bot");
    let refused = agent.reindex(&mut |_, _| {}).unwrap_err();
    assert!(matches!(refused, ReindexError::Set(_)));
    world
        .operator
        .preview()
        .unwrap()
        .reindex(&mut |_, _| {})
        .unwrap();
    assert_eq!(toy.asked.load(Ordering::Relaxed), 0);
}

#[test]
fn d20_what_was_forgotten_before_it_had_a_vector_does_not_come_back() {
    let world = world(&Toy::new("toy", true));
    let belief = world.believe("inbox", "a", "hall.glow", "The lantern is blue");
    let item = Item::Belief(belief);
    world.operator.forget(Forget { item }).unwrap();
    let found = asked(&world.operator, "lamp");
    assert!(found.facts.is_empty());
    world.operator.reindex(&mut |_, _| {}).unwrap();
    assert!(asked(&world.operator, "lamp").facts.is_empty());
}

#[test]
fn d36_a_text_past_the_window_is_kept_whole_and_found_by_its_end() {
    let toy = Toy::new("toy", true);
    let world = world(&toy);
    let mut words: Vec<String> = (0..9_000).map(|it| format!("word{it}")).collect();
    words.push("lantern".to_owned());
    let long = words.join(" ");
    world.operator.remember(note(&long)).unwrap();
    let found = asked(&world.operator, "lamp");
    assert_eq!(found.notes[0].text.as_str(), long);
    let question = format!("lamp {long}");
    assert_eq!(asked(&world.operator, &question).notes.len(), 1);
}

#[test]
fn vectors_that_cost_something_are_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let open = |toy: &Arc<Toy>| {
        let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
        World::embedding(Arc::new(store), toy.clone())
    };
    let toy = Toy::new("dear", false);
    let world = open(&toy);
    set_up_record(&world.operator);
    for n in 0..20 {
        world.believe(
            "inbox",
            "a",
            &format!("hall.glow{n}"),
            &format!("Lantern {n} is blue"),
        );
    }
    let all = |world: &World| {
        let question = Recall {
            limit: 50,
            ..Recall::query("lamp")
        };
        world.operator.recall(&question).unwrap().facts.len()
    };
    assert_eq!(
        all(&world),
        0,
        "another model than the bundled one is asked for by name"
    );
    world.operator.reindex(&mut |_, _| {}).unwrap();
    assert_eq!(all(&world), 20);
    drop(world);
    let toy = Toy::new("dear", false);
    let world = open(&toy);
    assert_eq!(all(&world), 20);
    assert_eq!(toy.asked.load(Ordering::Relaxed), 1, "the question alone");
    world.believe("inbox", "a", "hall.glow20", "Lantern 20 is blue");
    assert_eq!(all(&world), 21);
    drop(world);
    let toy = Toy::new("dear", false);
    assert_eq!(all(&open(&toy)), 21);
    assert_eq!(toy.asked.load(Ordering::Relaxed), 1, "the question alone");
}

#[test]
fn a_calibration_needs_texts_and_sets_what_is_near() {
    let world = world(&Toy::new("toy", true));
    let few = world.operator.calibrate();
    assert!(matches!(few, Err(CalibrateError::TooFew { found: 0 })));
    for n in 0..60 {
        let claim = format!("Lantern of house number {n} is coloured c{n}");
        world.believe("inbox", "a", &format!("house{n}.lamp"), &claim);
    }
    let calibrated = world.operator.calibrate().unwrap();
    assert!(calibrated.changed && calibrated.threshold > trust_of("0.9"));
    let found = asked(&world.operator, "lamp");
    assert!(
        matches!(found.meaning, Meaning::On { threshold, .. } if threshold == calibrated.threshold)
    );
    assert!(!world.operator.calibrate().unwrap().changed);
}

fn trust_of(word: &str) -> Trust {
    word.parse().unwrap()
}

/// One thing that happens to a memory of lanterns and teas.
#[derive(Debug, Clone)]
enum Happens {
    Said { source: u8, concept: u8, weak: bool },
    Flagged(u8),
    Unflagged(u8),
    Forgotten(u8),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        4 => (0..4_u8, 0..3_u8, any::<bool>())
            .prop_map(|(source, concept, weak)| Happens::Said { source, concept, weak }),
        1 => any::<u8>().prop_map(Happens::Flagged),
        1 => any::<u8>().prop_map(Happens::Unflagged),
        1 => any::<u8>().prop_map(Happens::Forgotten),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..Default::default()
    })]

    /// After every step, and as of every earlier one, what a question finds by meaning is what is
    /// near among what may be believed, by looking at each belief.
    #[test]
    fn recall_by_meaning_is_what_looking_at_each_belief_finds(
        steps in proptest::collection::vec(happens(), 1..14),
    ) {
        let world = world(&Toy::new("toy", true));
        world.channel("web", "0.3", Carriage::Relays);
        let mut answers = Vec::new();
        for (n, step) in steps.iter().enumerate() {
            let picked = |it: u8| {
                let snapshot = world.memory.snapshot().unwrap();
                let n_beliefs = snapshot.state().n_beliefs();
                (n_beliefs > 0).then(|| BeliefId::from_index(usize::from(it) % n_beliefs))
            };
            match step {
                Happens::Said { source, concept, weak } => {
                    let channel = if *weak { "web" } else { "inbox" };
                    let word = CONCEPTS[usize::from(*concept)][0];
                    let claim = format!("{word} number {n} stands");
                    world.believe(channel, &format!("s{source}"), &format!("thing.n{n}"), &claim);
                }
                Happens::Flagged(it) => if let Some(belief) = picked(*it) {
                    let _ = flag(&world, belief);
                },
                Happens::Unflagged(it) => if let Some(belief) = picked(*it) {
                    let _ = unflag(&world, belief);
                },
                Happens::Forgotten(it) => if let Some(belief) = picked(*it) {
                    let _ = world.operator.forget(Forget { item: belief.into() });
                },
            }
            let found = by_meaning(&world.operator);
            prop_assert_eq!(&found, &by_looking(&world.operator));
            answers.push((world.memory.snapshot().unwrap().state().seq(), found));
        }
        for (seq, found) in answers {
            let past = world.operator.at(immune_engine::When::Seq(seq)).unwrap();
            prop_assert_eq!(by_meaning(&past), found);
        }
    }
}

const QUESTION: &str = "infusion";

fn by_meaning(session: &Session) -> Vec<BeliefId> {
    let mut found = beliefs(&asked(session, QUESTION));
    found.sort_unstable();
    found
}

fn by_looking(session: &Session) -> Vec<BeliefId> {
    let snapshot = session.snapshot().unwrap();
    let state = snapshot.state();
    let question = vector_of(QUESTION);
    let near = |id: &BeliefId| {
        let belief = state.belief(*id).unwrap();
        let vector = vector_of(&format!("{} {}", belief.subject, belief.text));
        let cosine: f32 = vector
            .iter()
            .zip(&question)
            .map(|(one, other)| one * other)
            .sum();
        let now = state.belief_now(*id).unwrap();
        now.status == Status::Active && now.strength >= Trust::FLOOR && cosine >= 0.5
    };
    state.belief_ids().filter(near).collect()
}
