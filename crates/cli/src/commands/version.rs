//! `version`: of the program, and of the log that it writes.

use immune_api::Reply;
use immune_api::doctor::Version;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context) -> Result<Exit, Failure> {
    let version = Version {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        format: immune_store::FORMAT,
    };
    if !context.printer.reply(&Reply::new(version.clone()))? {
        let (version, format) = (&version.version, version.format);
        context
            .printer
            .line(format!("immune {version}, log format {format}"))?;
    }
    Ok(Exit::Yes)
}
