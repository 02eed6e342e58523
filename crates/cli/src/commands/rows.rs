//! Items as lines: a row each in a list, all parts of one that is explained.

use immune_api::list::Row;
use immune_engine::reason::State;

use super::{Context, bound, explain, show};
use crate::escape;
use crate::failure::Failure;
use crate::layout::{self, Cell};
use crate::printer::DIM;

/// Items as rows, one line each.
pub(crate) fn print(context: &mut Context, state: &State, items: &[Row]) -> Result<(), Failure> {
    let table: Vec<Vec<Cell>> = items.iter().map(|it| cells(state, it)).collect();
    for line in layout::rows(&table, context.printer.width()) {
        context.printer.line(line)?;
    }
    Ok(())
}

/// The cells of what there is.
fn cells(state: &State, row: &Row) -> Vec<Cell> {
    let status = |name: &'static str| Cell::styled(show::status_style(name), name);
    let words = |text: &str| Cell::from(escape::line(text));
    match row {
        Row::Belief(it) => vec![
            words(&it.belief),
            status(it.status),
            Cell::from(explain::strength(state, &it.belief)),
            words(&it.subject),
            words(&it.claim),
        ],
        Row::Observation(it) => vec![
            words(&it.observation),
            status(it.status),
            Cell::from(it.screening),
            Cell::from(show::source(&it.source)),
            words(&it.text),
        ],
        Row::Source(it) => vec![
            words(&it.name.source),
            Cell::from(reputation(state, &it.name.source)),
            Cell::from(it.standing),
            Cell::from(it.kind),
            Cell::from(show::source(&it.name)),
            Cell::styled(DIM, records(&it.records)),
        ],
        Row::Channel(it) => vec![
            words(&it.channel),
            Cell::from(tier(state, &it.channel)),
            Cell::from(it.carriage),
            Cell::from(show::count(it.sources, "source")),
            words(&it.name),
        ],
        other => cells_of_response(state, other),
    }
}

/// The cells of what is done about it.
fn cells_of_response(state: &State, row: &Row) -> Vec<Cell> {
    let status = |name: &'static str| Cell::styled(show::status_style(name), name);
    let words = |text: &str| Cell::from(escape::line(text));
    match row {
        Row::Decision(it) => vec![
            words(&it.decision),
            status(it.status),
            Cell::from(show::source(&it.agent)),
            Cell::from(it.action.clone().unwrap_or_default()),
            Cell::from(bound::words(&it.relied_on)),
        ],
        Row::Action(it) => vec![
            words(&it.action),
            status(it.status),
            words(&it.kind),
            Cell::from(it.class),
            words(&it.payload),
        ],
        Row::Rule(it) => vec![
            words(&it.rule),
            Cell::from(it.class),
            Cell::from(format!("unknown {}", it.unknown)),
            words(&it.kind),
            Cell::styled(DIM, rule(state, it)),
        ],
        Row::Incident(it) => vec![
            words(&it.incident),
            Cell::from(show::moment(&it.opened_at)),
            words(&show::about(it)),
            Cell::from(match it.reinstated_at {
                Some(_) => "undone",
                None if it.is_released() => "released",
                None => "stands",
            }),
            Cell::from(format!(
                "{} refuted, {} revoked, {}",
                it.refuted.len(),
                it.revoked.len(),
                show::cause(it)
            )),
        ],
        Row::Review(it) => vec![
            words(&it.review),
            Cell::from(show::moment(&it.opened_at)),
            words(&it.subject),
            Cell::from(format!(
                "{} against {}, by {}",
                it.claimed,
                bound::words(&it.against),
                show::source(&it.challenger)
            )),
        ],
        Row::Task(it) => vec![
            words(&it.task),
            words(&it.belief),
            words(&it.incident),
            words(&it.subject),
        ],
        Row::Attribution(it) => vec![
            words(&it.attribution),
            Cell::from(it.outcome.replace('_', " ")),
            Cell::from(show::moment(&it.at)),
            Cell::from(bound::words_by(&it.correction, |it| it.item.clone())),
            words(&it.question),
        ],
        Row::MeshIncident(_) | Row::Antibody(_) => cells_of_mesh(row),
        Row::Belief(_) | Row::Observation(_) | Row::Source(_) | Row::Channel(_) => Vec::new(),
    }
}

fn cells_of_mesh(row: &Row) -> Vec<Cell> {
    let words = |text: &str| Cell::from(escape::line(text));
    match row {
        Row::MeshIncident(it) => vec![
            words(&it.incident),
            Cell::from(it.status),
            Cell::from(it.ground),
            Cell::from(show::moment(&it.observed_at)),
            words(&it.path.join(" -> ")),
        ],
        Row::Antibody(it) => vec![
            words(&it.antibody),
            Cell::from(it.status),
            Cell::from(format!("confidence {}", it.confidence)),
            Cell::from(format!("blocked {}", it.hits)),
            words(&it.incident),
        ],
        _ => Vec::new(),
    }
}

fn reputation(state: &State, source: &str) -> String {
    let view = source.parse().ok();
    let view = view.and_then(|it| immune_engine::Explained::of(state).source(it));
    view.map_or_else(String::new, |it| it.reputation.to_string())
}

fn tier(state: &State, channel: &str) -> String {
    let channel = channel.parse().ok().and_then(|it| state.channel(it));
    channel.map_or_else(String::new, |it| it.tier.to_string())
}

fn records(areas: &[String]) -> String {
    if areas.is_empty() {
        return String::new();
    }
    format!("record for {}", escape::line(&bound::words(areas)))
}

fn rule(state: &State, rule: &immune_api::list::ActionRule) -> String {
    let mut parts = Vec::new();
    if rule.corroboration > 0 {
        parts.push(format!("asks for corroboration {}", rule.corroboration));
    }
    if let Some(waiver) = &rule.waiver {
        let found = rule.rule.parse().ok().and_then(|it| state.rule(it));
        let bar = found.and_then(|it| it.waiver.as_ref()).map(|it| it.bar);
        let bar = match bar {
            Some(immune_model::WaiverBar::Strength(bar)) => bar.to_string(),
            _ => "record".to_owned(),
        };
        parts.push(format!("waived by {} at {bar}", escape::line(waiver)));
    }
    if let Some(compensation) = &rule.compensation {
        parts.push(format!("compensated by {}", escape::line(compensation)));
    }
    parts.join("; ")
}

/// One item with all that its row holds, a line for each part.
pub(crate) fn print_item(context: &mut Context, state: &State, row: &Row) -> Result<(), Failure> {
    print(context, state, std::slice::from_ref(row))?;
    let json = serde_json::to_value(row).unwrap_or_default();
    let Some(parts) = json.as_object() else {
        return Ok(());
    };
    let table: Vec<Vec<Cell>> = parts
        .iter()
        .filter_map(|(name, value)| {
            let value = part(value)?;
            let name = name.replace('_', " ");
            Some(vec![
                Cell::styled(DIM, format!("  {name}")),
                Cell::from(escape::line(&value)),
            ])
        })
        .collect();
    for line in layout::rows(&table, None) {
        context.printer.line(line)?;
    }
    Ok(())
}

/// A part of an item in words; nothing if there is nothing to say.
fn part(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match value {
        Value::Null => None,
        Value::Bool(it) => Some(it.to_string()),
        Value::Number(it) => Some(it.to_string()),
        Value::String(it) => Some(it.clone()).filter(|it| !it.is_empty()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(part).collect();
            Some(bound::words(&items)).filter(|it| !it.is_empty())
        }
        Value::Object(parts) => {
            if let Some(source) = source_part(parts) {
                return Some(source);
            }
            let parts = parts.iter().filter_map(|(name, value)| {
                let value = part(value)?;
                Some(format!("{} {value}", name.replace('_', " ")))
            });
            let parts: Vec<String> = parts.collect();
            Some(parts.join(", ")).filter(|it| !it.is_empty())
        }
    }
}

/// A source in words, with what moved it if something did.
fn source_part(parts: &serde_json::Map<String, serde_json::Value>) -> Option<String> {
    let words = |name: &str| parts.get(name)?.as_str();
    let source = format!("{} ({})", words("handle")?, words("channel")?);
    let trust = |name: &str| parts.get(name)?.as_f64();
    Some(match trust("before").zip(trust("after")) {
        Some((before, after)) => format!("{source} {before:.2} -> {after:.2}"),
        None => source,
    })
}
