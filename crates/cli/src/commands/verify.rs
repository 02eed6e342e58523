//! `verify`: the whole log is read, replayed, and compared with what is stored.

use immune_api::verify::Verified;
use immune_api::{Code, Reply};
use immune_engine::{Engine, Parts};

use super::{Context, show};
use crate::escape;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::{GREEN, RED, styled};
use crate::store::{Access, open_store};

pub(crate) fn run(context: &mut Context) -> Result<Exit, Failure> {
    let memory = context.settings.memory.value.clone();
    let engine = Engine::new(Parts::new(open_store(&context.settings, Access::Reads)?));
    if !engine.memories()?.contains(&memory) {
        return Err(immune_engine::StoreError::NoMemory { name: memory }.into());
    }
    let verified = engine.verify(&memory, &mut |_| {})?;
    let view = Verified::of(&memory, &verified);
    if !context.printer.reply(&Reply::new(view.clone()))? {
        let (events, rows) = (view.events as usize, view.rows as usize);
        let (events, rows) = (show::count(events, "event"), show::count(rows, "row"));
        let name = escape::line(memory.as_str());
        let word = if view.sound {
            styled(GREEN, "sound")
        } else {
            styled(RED, "not sound")
        };
        context
            .printer
            .line(format!("memory {name} is {word}: {events}, {rows}"))?;
        context.printer.line(format!("head {}", view.head))?;
        for finding in &view.findings {
            context
                .printer
                .line(format!("  {}", escape::line(finding)))?;
        }
        if view.findings_left_out > 0 {
            let more = view.findings_left_out;
            context.printer.line(format!("  and {more} more"))?;
        }
    }
    if view.sound {
        return Ok(Exit::Yes);
    }
    let found = show::count(
        view.findings.len() + view.findings_left_out as usize,
        "finding",
    );
    Err(Failure::new(
        Code::DriftFound,
        format!("the memory is not what its log says: {found}"),
    )
    .hint("keep a copy of the store before anything else"))
}
