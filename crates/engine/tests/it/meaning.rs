//! Recall by meaning: what is near and may be believed is found without a shared word, what may
//! not be believed is not, and whatever happens to the model, words go on answering.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use immune_engine::reason::plan::{Flag, FlagError, FlagWhat, Forget, Remember, Unflag};
use immune_engine::{
    CalibrateError, EmbedError, Embedder, EmbeddingModel, Engine, Meaning, Off, Parts, Preparing,
    Reason, Recall, Recalled, ReindexError, Session, WhyWithout, WriteError,
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
pub(crate) struct Toy {
    model: EmbeddingModel,
    is_cheap: bool,
    asked: AtomicUsize,
    pub(crate) fails: AtomicBool,
    /// Texts after which it fails.
    fails_after: AtomicUsize,
    /// Texts after which it says no more.
    hangs_after: AtomicUsize,
    /// A word that no text may have.
    refuses: Mutex<Option<&'static str>>,
}

impl Toy {
    pub(crate) fn new(name: &str, is_cheap: bool) -> Arc<Self> {
        let model = EmbeddingModel {
            name: name.to_owned(),
            dimensions: DIMENSIONS as u32,
        };
        Arc::new(Self {
            model,
            is_cheap,
            asked: AtomicUsize::new(0),
            fails: AtomicBool::new(false),
            fails_after: AtomicUsize::new(usize::MAX),
            hangs_after: AtomicUsize::new(usize::MAX),
            refuses: Mutex::new(None),
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
        let failed = |reason: &str| {
            let (model, reason) = (self.model.name.clone(), reason.to_owned());
            Err(EmbedError::Model { model, reason })
        };
        let so_far = self.asked.load(Ordering::Relaxed);
        if self.fails.load(Ordering::Relaxed) || so_far >= self.fails_after.load(Ordering::Relaxed)
        {
            return failed("it is out");
        }
        let refuses = *self.refuses.lock().unwrap();
        if refuses.is_some_and(|word| texts.iter().any(|it| it.contains(word))) {
            return failed("a word is refused");
        }
        if so_far >= self.hangs_after.load(Ordering::Relaxed) {
            let mut parent = std::io::stderr();
            writeln!(parent, "{HANGING}").unwrap();
            loop {
                std::thread::park();
            }
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

/// A memory in a file, with so many beliefs about lanterns.
fn with_lanterns(world: &World, n: usize) {
    set_up_record(&world.operator);
    let mut waiting = Vec::new();
    for n in 0..n {
        let claim = format!("Lantern {n} is blue");
        let said = said("inbox", "a", &format!("hall.glow{n}"), &claim);
        waiting.push(world.operator.submit_remember(said));
    }
    for it in waiting {
        it.wait().unwrap();
    }
}

fn in_file(path: &Path, toy: &Arc<Toy>) -> World {
    let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
    World::embedding(Arc::new(store), toy.clone())
}

#[test]
fn the_vectors_of_the_model_before_stay_until_the_next_one_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let first = Toy::new("first", false);
    let world = in_file(&path, &first);
    with_lanterns(&world, 300);
    world.operator.reindex(&mut |_, _| {}).unwrap();
    drop(world);
    let made = first.asked.load(Ordering::Relaxed);
    // It makes the vectors of one step, and then none.
    let second = Toy::new("second", false);
    second.fails_after.store(256, Ordering::Relaxed);
    let world = in_file(&path, &second);
    world.operator.reindex(&mut |_, _| {}).unwrap_err();
    drop(world);
    let world = in_file(&path, &first);
    assert_eq!(asked(&world.operator, "lamp").facts.len(), 10);
    assert_eq!(
        first.asked.load(Ordering::Relaxed),
        made + 1,
        "the question alone"
    );
    drop(world);
    second.fails_after.store(usize::MAX, Ordering::Relaxed);
    let made = second.asked.load(Ordering::Relaxed);
    let world = in_file(&path, &second);
    let reindexed = world.operator.reindex(&mut |_, _| {}).unwrap();
    assert_eq!(reindexed.documents, 300);
    assert_eq!(
        second.asked.load(Ordering::Relaxed),
        made + 44,
        "the rest alone"
    );
    assert_eq!(asked(&world.operator, "lamp").facts.len(), 10);
    assert!(!folder.path().join("m.immune-next-vectors-1").exists());
    world.verify();
}

/// Begins to make the vectors of another model, until the process is killed.
fn reindex_until_killed(path: &Path) {
    let toy = Toy::new("second", false);
    let hangs = HANGS_AFTER;
    toy.hangs_after.store(hangs, Ordering::Relaxed);
    drop(in_file(path, &toy).operator.reindex(&mut |_, _| {}));
}

/// More than are kept at once, and the texts after which the other model says no more.
const MANY: usize = limits::KEPT_INDEX_DOCUMENTS + 600;
const HANGS_AFTER: usize = limits::KEPT_INDEX_DOCUMENTS + 300;
const HANGING: &str = "it hangs";

/// Does the work of a child process; passes at once where there is none to do.
#[test]
fn child() {
    if let Some((path, _)) = crate::child::asked() {
        reindex_until_killed(&path);
    }
}

#[test]
fn a_reindex_that_is_killed_loses_nothing_and_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let first = Toy::new("first", false);
    let world = in_file(&path, &first);
    with_lanterns(&world, MANY);
    world.operator.reindex(&mut |_, _| {}).unwrap();
    let before = world.memory.snapshot().unwrap().head();
    drop(world);
    let mut process = crate::child::start("meaning::child", &path, "reindex");
    let said = BufReader::new(process.stderr.take().unwrap());
    let hangs = said.lines().any(|it| it.unwrap() == HANGING);
    assert!(hangs, "the child ended by itself");
    process.kill().unwrap();
    process.wait().unwrap();
    let made = first.asked.load(Ordering::Relaxed);
    let world = in_file(&path, &first);
    assert_eq!(world.memory.snapshot().unwrap().head(), before);
    assert_eq!(asked(&world.operator, "lamp").facts.len(), 10);
    assert_eq!(
        first.asked.load(Ordering::Relaxed),
        made + 1,
        "the question alone"
    );
    drop(world);
    let second = Toy::new("second", false);
    let world = in_file(&path, &second);
    let reindexed = world.operator.reindex(&mut |_, _| {}).unwrap();
    assert_eq!(reindexed.documents as usize, MANY);
    let asked_for = second.asked.load(Ordering::Relaxed);
    assert!(
        asked_for <= MANY - limits::KEPT_INDEX_DOCUMENTS,
        "{asked_for} were made again"
    );
    assert_eq!(asked(&world.operator, "lamp").facts.len(), 10);
    world.verify();
}

#[test]
fn d30_a_text_that_the_model_refuses_is_listed_with_why_and_the_others_have_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.immune");
    let toy = Toy::new("dear", false);
    let world = in_file(&path, &toy);
    with_lanterns(&world, 40);
    let refused = world.believe("inbox", "b", "hall.word", "The attributes of a light");
    *toy.refuses.lock().unwrap() = Some("attributes");
    let reindexed = world.operator.reindex(&mut |_, _| {}).unwrap();
    assert_eq!((reindexed.documents, reindexed.failed), (41, 1));
    let found = asked(&world.operator, "lamp");
    assert_eq!(found.facts.len(), 10);
    assert!(matches!(
        found.meaning,
        Meaning::On {
            waiting: 0,
            failed: 1,
            ..
        }
    ));
    assert_eq!(
        beliefs(&asked(&world.operator, "attributes"))[0],
        refused,
        "by its words"
    );
    let late = world.believe("inbox", "b", "hall.late", "The lantern is late");
    let listed = |world: &World| world.operator.without_vectors(10).unwrap();
    let found = listed(&world);
    assert_eq!((found.n_failed, found.n_waiting), (1, 1));
    let items: Vec<Item> = found.listed.iter().map(|it| it.item).collect();
    assert_eq!(items, [refused.into(), late.into()]);
    assert!(matches!(&found.listed[0].why, WhyWithout::Failed(why) if why.contains("refused")));
    assert_eq!(found.listed[1].why, WhyWithout::Waiting);
    assert!(world.agent("bot").without_vectors(10).is_err());
    drop(world);
    let world = in_file(&path, &toy);
    assert_eq!(
        listed(&world),
        found,
        "it is known to whoever opens it next"
    );
    *toy.refuses.lock().unwrap() = None;
    let reindexed = world.operator.reindex(&mut |_, _| {}).unwrap();
    assert_eq!((reindexed.documents, reindexed.failed), (42, 0));
    assert_eq!(listed(&world).listed, []);
    let question = Recall {
        limit: 50,
        ..Recall::query("lamp")
    };
    let found = world.operator.recall(&question).unwrap();
    assert!(beliefs(&found).contains(&refused));
    world
        .operator
        .forget(Forget {
            item: refused.into(),
        })
        .unwrap();
    assert!(!beliefs(&world.operator.recall(&question).unwrap()).contains(&refused));
}

#[test]
fn what_the_first_question_waits_for_is_told() {
    let world = world(&Toy::new("toy", true));
    for n in 0..3 {
        world.believe(
            "inbox",
            "a",
            &format!("hall.glow{n}"),
            "The lantern is blue",
        );
    }
    let mut told = Vec::new();
    world
        .operator
        .prepare(&mut |what, done, all| told.push((what, done, all)))
        .unwrap();
    let words = |it: &&(Preparing, usize, usize)| it.0 == Preparing::Words;
    assert_eq!(told.iter().filter(words).count(), 1, "{told:?}");
    assert_eq!(told.last(), Some(&(Preparing::Vectors, 3, 3)));
    assert_eq!(asked(&world.operator, "lamp").facts.len(), 3);
}

/// Seed 1 ranked an arbitrary 200 documents where it had no index, and knew no tenants.
#[test]
fn hole_15_every_document_is_ranked_and_none_of_another_memory() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let toy = Toy::new("toy", true);
    let world = World::embedding(store.clone(), toy.clone());
    set_up_record(&world.operator);
    for n in 0..450 {
        let claim = format!("The stone number {n} is grey");
        let about = format!("yard.stone{n}");
        let waiting = world
            .operator
            .submit_remember(said("inbox", "a", &about, &claim));
        if n % 200 == 150 {
            waiting.wait().unwrap();
            world.believe(
                "inbox",
                "b",
                &format!("hall.glow{n}"),
                "The lantern is blue",
            );
        }
    }
    // What fits lies before and behind the first 200, by words and by meaning.
    for question in ["lantern", "lamp"] {
        assert_eq!(
            asked(&world.operator, question).facts.len(),
            2,
            "{question}"
        );
    }
    let parts = Parts::new(store).with_embedder(Some(toy));
    let other = Engine::new(parts).memory(&MemoryName::new("other").unwrap());
    let other = other.unwrap().session(Principal {
        role: Role::Operator,
        name: Handle::new("me").unwrap(),
    });
    for question in ["lantern", "lamp"] {
        let found = asked(&other, question);
        assert!(
            found.facts.is_empty() && found.excluded.is_empty(),
            "{question}"
        );
    }
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
