//! s
pub fn literals(_: &str) -> Vec<immune_model::Literal> {
    Vec::new()
}
