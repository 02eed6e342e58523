//! The search against oracles whose truth is known.

mod exact;
mod stops;
mod truth;
