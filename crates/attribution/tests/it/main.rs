//! The search against oracles whose truth is known.

mod baselines;
mod exact;
mod stops;
mod truth;
