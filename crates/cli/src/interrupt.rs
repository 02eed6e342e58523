//! Interrupts: the first asks a command to stop in order, the second stops it at once.
//!
//! Either way the store is sound: what was acknowledged is on disk, what was not is not there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use immune_api::Code;

use crate::exit::Exit;
use crate::failure::Failure;

/// Whether somebody asked to stop.
#[derive(Debug, Clone)]
pub(crate) struct Interrupts {
    seen: Arc<AtomicU8>,
}

impl Interrupts {
    /// Listens from now on. Once a process: each command that needs it is one process.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let seen = Arc::new(AtomicU8::new(0));
        let handler = Arc::clone(&seen);
        ctrlc::set_handler(move || {
            if handler.fetch_add(1, Ordering::SeqCst) > 0 {
                at_once();
            }
        })
        .map_err(|it| Failure::new(Code::Internal, it))?;
        Ok(Self { seen })
    }

    /// Whether somebody asked to stop.
    pub(crate) fn asked(&self) -> bool {
        self.seen.load(Ordering::SeqCst) > 0
    }
}

#[expect(
    clippy::exit,
    reason = "the second interrupt is meant to end the process where it is"
)]
fn at_once() -> ! {
    std::process::exit(i32::from(Exit::Interrupted.number()))
}
