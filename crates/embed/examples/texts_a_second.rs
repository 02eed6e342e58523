//! How many short texts a second the static embedder reads on one core.
//!
//! `cargo run --release -p immune-embed --example texts_a_second`

use std::time::Instant;

use immune_embed::StaticModel;
use immune_recall::Embedder as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = StaticModel::bundled();
    let texts: Vec<String> = (0..20_000)
        .map(|it| format!("Brandt GmbH pays invoice {it} to its supplier in Lisbon by Friday."))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let vectors = model.embed(&texts)?;
        best = best.min(start.elapsed().as_secs_f64());
        assert_eq!(vectors.len(), texts.len(), "a vector for each text");
    }
    let n_tokens = model.n_tokens(texts.first().copied().unwrap_or_default());
    #[expect(clippy::print_stdout, reason = "it is what the example is for")]
    {
        println!("{:.0} texts of {n_tokens} tokens a second", 20_000.0 / best);
    }
    Ok(())
}
