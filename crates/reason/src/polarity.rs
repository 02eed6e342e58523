//! s
pub fn polarity(_: &str) -> immune_model::Polarity {
    immune_model::Polarity::Affirmed
}
