//! The mesh: worms among two hundred agents that read and write real mail, and honest traffic.
//!
//! Half of the people and ten payloads were looked at when thresholds were chosen; the figures are of
//! the other half and twelve payloads that were written before the detector. Every kind of payload
//! is a row, and none is left out of the mean. Invariant: all but the times are the same each run.

mod behaviour;
mod honest;
mod lineage;
mod mail;
mod outbreak;
mod payloads;
mod worm;

use std::path::PathBuf;

#[cfg(test)]
mod look {
    use super::*;
    use immune_mesh::Settings;

    #[test]
    fn look() {
        let data = crate::test_data().unwrap().join("enron");
        let mails = mail::read(&data).unwrap();
        println!(
            "{} {} {}",
            mails.len(),
            mails.looked_at.len(),
            mails.kept.len()
        );
        let half = std::env::var("HALF").is_ok();
        let (ms, ps): (_, &[&str]) = if half {
            (&mails.kept, &payloads::FINAL)
        } else {
            (&mails.looked_at, &payloads::LOOKED_AT)
        };
        let settings = Settings::default();
        let h = honest::run(ms, 1, 5, settings);
        for hop in &h.hops {
            for (b, j) in behaviour::Behaviour::ALL.iter().zip(hop) {
                println!("{:12} {j:?}", b.name());
            }
        }
        println!("{:?} antibodies {}", h.screened, h.antibodies);
        for w in h.wrong.iter().take(30) {
            println!("{}", &w.chars().take(600).collect::<String>());
        }
        for kind in worm::Kind::ALL {
            println!(
                "{:25} {:?}",
                kind.name(),
                lineage::run((ms, ps), kind, 120, 5, settings)
            );
        }
        let mean = |ws: &[outbreak::Worm], guard| {
            let all: Vec<_> = ws
                .iter()
                .flat_map(|w| (0..3).map(move |s| outbreak::run(ms, w, guard, 5 + s)))
                .collect();
            let sum: usize = all.iter().map(|o| o.infected).sum();
            let wrong: usize = all.iter().map(|o| o.wrong).sum();
            let honest: usize = all.iter().map(|o| o.honest).sum();
            (
                sum as f64 / all.len() as f64,
                all.iter().map(|o| o.infected).max(),
                wrong,
                honest,
            )
        };
        for kind in worm::Kind::ALL {
            let ws: Vec<_> = ps
                .iter()
                .take(5)
                .map(|p| outbreak::Worm {
                    payload: (*p).to_owned(),
                    kind,
                    changes: 0,
                })
                .collect();
            println!(
                "{:25} {:?} {:?}",
                kind.name(),
                mean(&ws, outbreak::Guard::None),
                mean(&ws, outbreak::Guard::Watched(settings))
            );
        }
        for changes in [0, 50, 100, 200, 300, 500] {
            let ws: Vec<_> = worm::UNLISTED
                .iter()
                .map(|p| outbreak::Worm {
                    payload: (*p).to_owned(),
                    kind: worm::Kind::Embedded,
                    changes,
                })
                .collect();
            println!(
                "unlisted {changes} {:?} {:?}",
                mean(&ws, outbreak::Guard::None),
                mean(&ws, outbreak::Guard::Watched(settings))
            );
        }
    }
}
