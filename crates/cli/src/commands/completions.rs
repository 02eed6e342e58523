//! `completions`: the scripts for the shells, from the same definitions as the help.

use clap::CommandFactory as _;

use super::Context;
use crate::args::{Cli, Completions};
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "immune", &mut script);
    context.printer.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Yes)
}
