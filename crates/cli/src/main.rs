//! The binary `immune`: parse, ask the engine, print. It decides nothing itself.

mod args;
mod commands;
mod escape;
mod exit;
mod failure;
mod input;
mod interrupt;
mod layout;
mod moment;
mod printer;
mod process;
mod progress;
mod settings;
mod store;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    commands::main(&arguments).into()
}
