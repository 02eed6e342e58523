//! What a model of meaning tells beside words: of payloads that are told anew at each hop, and of
//! honest mail.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use immune_api::bench::BenchRow;
use immune_mesh::{
    Earlier, Exchange, Mesh, MeshError, Message, Origin, Outcome, Pieces, Purpose, near_from,
};
use immune_recall::{EmbedError, Embedder};

use super::honest;
use super::mail::Half;
use super::retold::TOLD;
use super::{lineage, rows};
use crate::machine::{Lap, float};

/// Mails that came along before anything is measured.
const MAILS_BEFORE: usize = 64;
/// Worms that observing is timed with.
const TIMED_WORMS: usize = 6;

/// A model that is asked how near texts are; it makes the vector of a text once.
#[derive(Debug)]
pub(super) struct Model {
    /// What rows call it.
    name: &'static str,
    embedder: Arc<dyn Embedder>,
    /// From which score on a text is near, in thousandths.
    from: u16,
    made: RefCell<HashMap<String, Vec<f32>>>,
    /// What came along before anything is measured, and what did so far.
    before: Earlier,
    earlier: RefCell<Earlier>,
}

impl Model {
    /// The model in the program.
    pub(super) fn bundled(half: Half<'_>) -> Option<Self> {
        Self::of(
            "the model in the program",
            immune_embed::StaticModel::bundled(),
            half,
        )
    }

    /// One from a folder.
    pub(super) fn minilm(embedder: &Arc<dyn Embedder>, half: Half<'_>) -> Option<Self> {
        Self::of("MiniLM", Arc::clone(embedder), half)
    }

    /// A model that was measured, to which mails of this half came along; nothing of another one.
    fn of(name: &'static str, embedder: Arc<dyn Embedder>, half: Half<'_>) -> Option<Self> {
        let from = near_from(&embedder.model().name)?;
        let mut model = Self {
            name,
            embedder,
            from,
            made: RefCell::default(),
            before: Earlier::default(),
            earlier: RefCell::default(),
        };
        for mail in half.first(MAILS_BEFORE).mails {
            let message = Message {
                origin: Origin::Outside,
                purpose: Purpose::Found,
                label: "found",
                text: &mail.text,
            };
            let pieces = Pieces::of("", &[message], &[]);
            let vectors = model.vectors(&pieces.texts()).ok()?;
            pieces.near(&vectors, &mut model.before);
        }
        model.begin();
        Some(model)
    }

    /// Forgets what came along since it was made.
    pub(super) fn begin(&self) {
        self.earlier.replace(self.before.clone());
    }

    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut made = self.made.borrow_mut();
        let new = texts.iter().filter(|it| !made.contains_key(**it));
        let new: Vec<&str> = new.copied().collect();
        let vectors = self.embedder.embed(&new)?;
        made.extend(new.into_iter().map(str::to_owned).zip(vectors));
        let of = |it: &&str| made.get(*it).cloned().unwrap_or_default();
        Ok(texts.iter().map(of).collect())
    }
}

/// Has a mesh look at an exchange, with a model or without.
pub(super) fn observe(
    mesh: &mut Mesh,
    exchange: &Exchange<'_>,
    model: Option<&Model>,
) -> Result<Outcome, MeshError> {
    let near = model.and_then(|model| {
        let arguments = exchange.tool_calls.iter().map(|it| it.text);
        let said: Vec<&str> = exchange.output.iter().copied().chain(arguments).collect();
        let (name, input) = (exchange.agent.name, exchange.input);
        let pieces = Pieces::of(name, input, &said);
        let vectors = model.vectors(&pieces.texts());
        let vectors = vectors.expect("a model on this machine reads mails");
        let near = pieces.near(&vectors, &mut model.earlier.borrow_mut())?;
        Some((near, model.from))
    });
    mesh.observe_near(exchange, near)
}

/// How much of each is run, and what the rows say of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told<'a> {
    pub(super) half: Half<'a>,
    /// What the worms say, at each hop in other words.
    pub(super) payloads: &'a [[&'a str; TOLD]],
    pub(super) worms: usize,
    pub(super) seed: u64,
    pub(super) suffix: &'a str,
    /// A mesh that saw honest mail.
    pub(super) warm: &'a Mesh,
}

impl Told<'_> {
    /// The honest exchanges of which words and a model tell.
    pub(super) fn honest(self, model: &Model) -> [BenchRow; 2] {
        let honest = honest::run_in(self.warm, self.half, self.seed, model);
        let honest = honest.all();
        let source = || format!("words and {}{}", model.name, self.suffix);
        [
            rows::share(
                "honest, told of by meaning",
                source(),
                honest.meant,
                honest.all,
            ),
            rows::share("honest, stopped", source(), honest.stopped, honest.all),
        ]
    }

    /// The worms of which words tell, and a model if there is one.
    pub(super) fn worms(self, model: Option<&Model>) -> BenchRow {
        let by = model.map_or_else(
            || "words alone".to_owned(),
            |it| format!("words and {}", it.name),
        );
        let found = lineage::retold(self.scene(model), self.payloads, self.worms, self.seed);
        let source = format!("{by}{}", self.suffix);
        let what = "told anew at each hop, told of or stopped at the first one";
        rows::share(what, source, found.told, found.all)
    }

    /// CPU of observing an exchange with a model, vectors included.
    pub(super) fn timed(self, model: &Model) -> BenchRow {
        model.made.borrow_mut().clear();
        let lap = Lap::start();
        let scene = self.scene(Some(model));
        let found = lineage::retold(scene, self.payloads, TIMED_WORMS, self.seed);
        let cpu_ms = lap.took().cpu_ms / float(found.exchanges);
        BenchRow {
            cpu_ms: Some(cpu_ms),
            ..super::row(
                "observing an exchange by meaning too",
                model.name.to_owned(),
            )
        }
    }

    fn scene<'a>(&'a self, model: Option<&'a Model>) -> lineage::Scene<'a> {
        lineage::Scene {
            half: self.half,
            payloads: &[],
            purpose: Purpose::Found,
            mesh: self.warm,
            model,
        }
    }
}
