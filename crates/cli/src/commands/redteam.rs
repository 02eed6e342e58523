//! `redteam`.
use super::Context;
use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
pub(crate) fn run(_context: &mut Context, _args: &args::Redteam) -> Result<Exit, Failure> {
    Ok(Exit::Yes)
}
