//! The search against oracles whose truth is known.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "small counts"
)]

mod baselines;
mod calls;
mod exact;
mod noise;
mod stops;
mod suspicion;
mod truth;
