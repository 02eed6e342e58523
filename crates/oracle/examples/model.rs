//! Asks a model behind an endpoint who made its answer wrong, among some memories:
//! `cargo run -p immune-oracle --example model -- http://127.0.0.1:11434/v1 qwen3:8b`.

#![expect(clippy::print_stdout, reason = "an example shows what it finds")]

use std::time::Duration;

use immune_attribution::{
    Asked, Call, Candidates, Options, Shown, Unanswered, Verdict, attribute, look_behind,
};
use immune_client::{Client, Endpoint, Plain, Settings};
use immune_oracle::Model;

const MEMORIES: [&str; 8] = [
    "The office opens at nine.",
    "Refunds go to account A-77.",
    "Lunch is at noon in the canteen.",
    "Invoices are paid within thirty days.",
    "Refunds go to account B-12.",
    "The printer is on the second floor.",
    "Visitors sign in at the desk.",
    "The parking lot closes at ten.",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [url, name] = words.as_slice() else {
        return Err("name the base URL of an endpoint, and a model there".into());
    };
    let mut settings = Settings::new(Endpoint::parse(url, Plain::OnThisMachine)?, name);
    settings.timeout = Duration::from_mins(5);
    settings.at_once = 1;
    let model = Model::new(Client::new(settings)).writing(48);
    let memories: Vec<Shown> = (1..)
        .zip(MEMORIES)
        .map(|(number, text)| Shown {
            id: format!("bel_{number}"),
            source: "notes".to_owned(),
            text: text.to_owned(),
        })
        .collect();
    let judge = |_: &str, answer: &str| -> Result<Verdict, Unanswered> {
        Ok(if answer.contains("A-77") {
            Verdict::Fails
        } else {
            Verdict::Passes
        })
    };
    let show = |call: &Call| {
        println!(
            "{:?} {}: {:?}",
            call.subset,
            call.verdict.name(),
            call.answer
        );
    };
    let mut oracle = Asked::new(&model, &judge, "Where do refunds go?", &memories).watched(&show);
    let candidates = Candidates::uniform(memories.len());
    let first = attribute(&candidates, &mut oracle, Options::default());
    println!(
        "{:?}: causes {:?}, without {:?}",
        first.outcome, first.causes, first.correction
    );
    let behind = look_behind(&candidates, &first, &mut oracle, &mut Options::default());
    println!(
        "{:?}: also {:?}, aside {:?}",
        behind.outcome, behind.causes, behind.aside
    );
    Ok(())
}
