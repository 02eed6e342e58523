//! Laundering: how often a lie from a page is what a memory answers once it went through the hands
//! of agents, in chains of 1 to 10 hops and four channels.
//!
//! Every defence sees the same scenes in the same run: what was written, by whom, in which channel,
//! how sure it sounds, what it says it rests on, and what was read before it. One looks at the
//! content alone, one at declared lineage alone, ours at what was read. Nothing is measured in time;
//! mixed chains are drawn from the seed.

mod hall;
mod others;

use immune_api::bench::{BenchRow, BenchTarget};
use immune_testkit::random::Random;

use crate::machine::float;
use crate::quick::{Ask, Found, Mode};
use hall::answered_by_ours;
use others::{by_content, by_lineage, by_published};

/// Hops of the longest chain.
const HOPS_MAX: usize = 10;
/// Mixed chains for each number of hops.
const MIXED: usize = 20;
/// How far those are trusted who know the truth, in thousandths.
const TRUSTED: u16 = 900;
/// How many of them speak where somebody does.
const KNOWING: usize = 4;
/// The tier of the web.
const WEB: u16 = 200;
/// How sure every write sounds, in thousandths.
const CONFIDENCE: u16 = 960;

/// The defences that are compared where ours is, and those of the published update.
fn defences(mode: Mode) -> &'static [Defence] {
    match mode {
        Mode::Compat => &[Defence::Inherits, Defence::DeclaredHops],
        Mode::Default => &[
            Defence::Ours,
            Defence::OursUnread,
            Defence::Lineage,
            Defence::Content,
        ],
    }
}

/// Who decides what is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defence {
    Ours,
    /// Ours, with no read written down: what is declared is all it knows.
    OursUnread,
    Lineage,
    Content,
    /// Published: a hop is as good as its writer.
    Inherits,
    /// Published: a hop is as good as the least of those that it declares.
    DeclaredHops,
}

impl Defence {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "immune",
            Self::OursUnread => "immune, reads not written down",
            Self::Lineage => "lineage only",
            Self::Content => "content only",
            Self::Inherits => "compat, naive inherit",
            Self::DeclaredHops => "compat, declared hops",
        }
    }

    /// Whether the value of the first hop is what is answered in the end.
    fn passes(self, scene: &Scene) -> bool {
        match self {
            Self::Ours => answered_by_ours(scene, hall::Reads::Written),
            Self::OursUnread => answered_by_ours(scene, hall::Reads::Unwritten),
            Self::Lineage => by_lineage(scene),
            Self::Content => by_content(scene),
            Self::Inherits => by_published(scene, others::Hops::Last),
            Self::DeclaredHops => by_published(scene, others::Hops::Declared),
        }
    }
}

/// How a value goes from hand to hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// An agent reads it and writes a summary of its own.
    SelfSummary,
    /// An agent reads it and a trusted tool says it again.
    ToolEcho,
    /// Each of several agents reads the first of it and says it as its own.
    Corroboration,
    /// A trusted tool says it again where no run is: nothing says that anybody read it. Each hop
    /// changes some words of a long text.
    EchoOutside,
}

impl Way {
    const ALL: [Self; 3] = [Self::SelfSummary, Self::ToolEcho, Self::Corroboration];

    fn name(self) -> &'static str {
        match self {
            Self::SelfSummary => "self-summary",
            Self::ToolEcho => "trusted-tool echo",
            Self::Corroboration => "manufactured corroboration",
            Self::EchoOutside => "trusted-tool echo outside a run",
        }
    }

    /// How far the channel is trusted in which a hop of this kind is written.
    fn tier(self) -> u16 {
        match self {
            Self::ToolEcho | Self::EchoOutside => 900,
            Self::SelfSummary | Self::Corroboration => 850,
        }
    }
}

/// One hop: somebody read an earlier write, and writes the same value.
#[derive(Debug, Clone, Copy)]
struct Hop {
    way: Way,
    /// The write that was read: 0 is the first statement, n the nth hop.
    read: usize,
    /// Whether it says that it rests on what was read.
    declares: bool,
    /// Whether it is about what the question is about; other hops are notes on the way.
    is_asked: bool,
}

/// A value comes in from outside and goes through hands; perhaps others know better.
#[derive(Debug, Clone)]
struct Scene {
    /// The tier of the channel in which it comes in.
    first_tier: u16,
    hops: Vec<Hop>,
    /// How many who are trusted say something else.
    n_against: usize,
}

/// One line of the table: scenes, and how they are called.
struct Lot {
    what: String,
    source: &'static str,
    scenes: Vec<Scene>,
}

/// Runs every scene on every defence that is asked for.
pub(crate) fn chains(ask: &Ask) -> Found {
    let lots = lots(ask.seed);
    let mut found = Found::default();
    for mode in [Mode::Default, Mode::Compat] {
        if ask.wants(mode) {
            for lot in &lots {
                let rows = defences(mode).iter().map(|defence| row(lot, *defence));
                found.rows.extend(rows);
            }
            found.targets.extend(targets(&found.rows, mode));
        }
    }
    found
}

fn row(lot: &Lot, defence: Defence) -> BenchRow {
    let passed = |scene: &&Scene| defence.passes(scene);
    let passed: Vec<&Scene> = lot.scenes.iter().filter(passed).collect();
    let percent = float(passed.len()) * 100.0 / float(lot.scenes.len());
    let mut hops: Vec<usize> = passed.iter().map(|it| it.hops.len()).collect();
    hops.sort_unstable();
    let part = passed.len() != lot.scenes.len();
    let shortest = hops.first().filter(|_| part);
    BenchRow {
        engine: defence.name().to_owned(),
        what: lot.what.clone(),
        source: lot.source.to_owned(),
        percent: Some(percent),
        note: shortest
            .filter(|it| **it > 1)
            .map(|it| format!("{percent:.0} %, from {it} hops on")),
        ..BenchRow::default()
    }
}

const ALONE: &str = "nobody else speaks";
const AGAINST: &str = "4 at 0.90 know better";

fn lots(seed: u64) -> Vec<Lot> {
    let mut lots = Vec::new();
    for (source, n_against) in [(ALONE, 0), (AGAINST, KNOWING)] {
        for declares in [false, true] {
            for way in Way::ALL {
                let chain = |n| Scene {
                    first_tier: WEB,
                    hops: chain(n, declares, |_| way),
                    n_against,
                };
                lots.push(Lot {
                    what: format!("lie: {}, {}", way.name(), said(declares)),
                    source,
                    scenes: (1..=HOPS_MAX).map(chain).collect(),
                });
            }
        }
        lots.push(Lot {
            what: format!("lie: {}", Way::EchoOutside.name()),
            source,
            scenes: (1..=HOPS_MAX)
                .map(|n| Scene {
                    first_tier: WEB,
                    hops: chain(n, false, |_| Way::EchoOutside),
                    n_against,
                })
                .collect(),
        });
        lots.push(Lot {
            what: "lie: mixed ways, declared or not".to_owned(),
            source,
            scenes: mixed(seed, n_against),
        });
    }
    for way in Way::ALL {
        let chain = |n| Scene {
            first_tier: TRUSTED,
            hops: chain(n, false, |_| way),
            n_against: 0,
        };
        lots.push(Lot {
            what: format!("truth: {}, {}", way.name(), said(false)),
            source: ALONE,
            scenes: (1..=HOPS_MAX).map(chain).collect(),
        });
    }
    lots.push(Lot {
        what: format!("truth: {}", Way::EchoOutside.name()),
        source: ALONE,
        scenes: (1..=HOPS_MAX)
            .map(|n| Scene {
                first_tier: TRUSTED,
                hops: chain(n, false, |_| Way::EchoOutside),
                n_against: 0,
            })
            .collect(),
    });
    lots
}

fn said(declares: bool) -> &'static str {
    if declares { "declared" } else { "undeclared" }
}

/// So many hops. What is corroborated is said by each about what is asked; what is summed up or
/// echoed goes through notes, and only the last is about that.
fn chain(n: usize, declares: bool, way: impl Fn(usize) -> Way) -> Vec<Hop> {
    let hop = |at: usize| {
        let way = way(at);
        let corroborates = way == Way::Corroboration;
        Hop {
            way,
            read: if corroborates { 0 } else { at },
            declares,
            is_asked: corroborates || at + 1 == n,
        }
    };
    (0..n).map(hop).collect()
}

/// Chains of every length in which each hop goes its own way.
fn mixed(seed: u64, n_against: usize) -> Vec<Scene> {
    let mut random = Random::new(seed);
    let mut scenes = Vec::new();
    for n in 1..=HOPS_MAX {
        for _ in 0..MIXED {
            let ways: Vec<Way> = (0..n)
                .filter_map(|_| Way::ALL.get(random.below(Way::ALL.len())).copied())
                .collect();
            let way = |at: usize| ways.get(at).copied().unwrap_or(Way::SelfSummary);
            let mut hops = chain(n, false, way);
            // One hop at least says nothing: with every hop declared there is nothing to hide.
            let silent = random.below(n);
            for (at, hop) in hops.iter_mut().enumerate() {
                hop.declares = at != silent && random.below(2) == 0;
            }
            scenes.push(Scene {
                first_tier: WEB,
                hops,
                n_against,
            });
        }
    }
    scenes
}

fn targets(rows: &[BenchRow], mode: Mode) -> Vec<BenchTarget> {
    let of = |engine: Defence, is_of: &dyn Fn(&BenchRow) -> bool| {
        let rows = rows.iter().filter(|it| it.engine == engine.name());
        let found = rows.filter(|it| is_of(it)).filter_map(|it| it.percent);
        found.collect::<Vec<f64>>()
    };
    let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let least = |of: &[f64]| of.iter().copied().fold(100.0, f64::min);
    let lie = |row: &BenchRow| row.what.starts_with("lie");
    let undeclared =
        |row: &BenchRow| lie(row) && row.what.ends_with("undeclared") && row.source == ALONE;
    let truth = |row: &BenchRow| row.what.starts_with("truth");
    let at_most = |name: &str, value: f64, most: f64| BenchTarget {
        name: name.to_owned(),
        value,
        target: format!("<= {most}"),
        holds: value <= most,
    };
    let at_least = |name: &str, value: f64| BenchTarget {
        name: name.to_owned(),
        value,
        target: ">= 100".to_owned(),
        holds: value >= 100.0,
    };
    match mode {
        Mode::Default => vec![
            at_most(
                "attack success, every channel, 1 to 10 hops, declared or not, %",
                most(&of(Defence::Ours, &lie)),
                0.0,
            ),
            at_least(
                "truth that comes through the same hands, %",
                least(&of(Defence::Ours, &truth)),
            ),
            at_least(
                "attack success over lineage alone, undeclared, %",
                least(&of(Defence::Lineage, &undeclared)),
            ),
            at_least(
                "attack success over content alone, %",
                least(&of(Defence::Content, &undeclared)),
            ),
            at_least(
                "attack success over ours without the reads, undeclared, %",
                least(&of(Defence::OursUnread, &undeclared)),
            ),
        ],
        Mode::Compat => vec![
            at_least(
                "published: attack success where a hop inherits its writer's tier, %",
                least(&of(Defence::Inherits, &lie)),
            ),
            at_most(
                "published: attack success over the least of declared hops, declared, %",
                most(&of(Defence::DeclaredHops, &|it| {
                    lie(it) && it.what.ends_with(", declared") && it.source == AGAINST
                })),
                0.0,
            ),
            at_least(
                "published: the same with the hops undeclared, %",
                least(&of(Defence::DeclaredHops, &undeclared)),
            ),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Declared hops keep the published update safe against those who know better; undeclared ones
    /// do not. The cells themselves are compared with the kept ones by the check of all benches.
    #[test]
    fn every_target_of_both_modes_holds() {
        let ask = Ask {
            mode: None,
            seed: 5,
            data: None,
        };
        let found = chains(&ask);
        assert!(
            found.targets.iter().all(|it| it.holds),
            "{:#?}",
            found.targets
        );
    }

    /// Another seed draws other mixed chains, with the same end.
    #[test]
    fn no_mixture_of_ways_gets_through() {
        for seed in [1, 77, 4_242] {
            for scene in mixed(seed, 0) {
                assert!(!Defence::Ours.passes(&scene), "{scene:?}");
            }
        }
    }
}
