//! The mesh: worms among two hundred agents that read and write real mail, and honest traffic.
//!
//! Half of the people and ten payloads were looked at when thresholds were chosen; the figures are of
//! the other half and twelve payloads that were written before the detector. Every kind of payload
//! is a row, and none is left out of the mean. Invariant: all but the times are the same each run.

mod behaviour;
mod honest;
mod lineage;
mod mail;
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
    }
}
