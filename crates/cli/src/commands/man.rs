//! `man`: the man pages, from the same definitions as the help.

use clap::CommandFactory as _;
use immune_api::Code;
use immune_model::shell::Command;

use super::Context;
use crate::args::{Cli, Man};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &Man) -> Result<Exit, Failure> {
    let folder = &args.folder;
    let unwritten = |error: std::io::Error| Failure::new(Code::Unreadable, error);
    fs_err::create_dir_all(folder).map_err(unwritten)?;
    let shown = escape::line(&folder.to_string_lossy());
    clap_mangen::generate_to(Cli::command(), folder)
        .map_err(|error| Failure::new(Code::Unreadable, format!("`{shown}`: {error}")))?;
    context
        .printer
        .line(format!("wrote the man pages to {shown}"))?;
    let page = folder.join("immune.1");
    let command = Command::new("man").word(&page.to_string_lossy());
    context.printer.next("next", &command.to_string());
    Ok(Exit::Yes)
}
