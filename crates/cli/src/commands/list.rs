//! `list`: what there is, in pages.

use immune_api::list::{List, Row};
use immune_api::{Code, Reply};
use immune_engine::reason::State;
use immune_engine::reason::state::Cause;
use immune_model::shell::Command;
use immune_model::{ActionStatus, FlagTarget, Item, Screening, SourceId, Status, Subject, limits};

use super::{Context, bound, rows};
use crate::args::{self, Listed, named};
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(context: &mut Context, args: &args::List) -> Result<Exit, Failure> {
    let limit = args.limit;
    bound::check_limit(limit, limits::PAGE_ROWS_MAX)?;
    check_filters(args)?;
    let session = context.reader()?;
    let snapshot = session.snapshot()?;
    let state = snapshot.state();
    let filter = Filter::of(state, args)?;
    let after = after(args, state)?;
    let mut found = items(state, args.what)
        .filter(|it| after.is_none_or(|after| it.number() > after.number()))
        .filter(|it| filter.admits(state, *it));
    let page: Vec<Item> = found.by_ref().take(limit).collect();
    let next = page.last().copied().filter(|_| found.next().is_some());
    let view = List {
        of: args.what.name(),
        items: page.iter().filter_map(|it| Row::of(state, *it)).collect(),
        next: next.map(|it| it.to_string()),
    };
    let told = page.iter().copied();
    let told = told.filter(|it| matches!(it, Item::Belief(_) | Item::Observation(_)));
    session.show_in(None, told.collect())?;
    if context.printer.reply(&Reply::new(view.clone()))? {
        return Ok(Exit::Yes);
    }
    rows::print(context, state, &view.items)?;
    if view.items.is_empty() {
        let what = args.what.name();
        context.printer.note(format!("no {what}"));
    }
    if let Some(next) = &view.next {
        context.next(again(args, next));
    }
    Ok(Exit::Yes)
}

/// The command for the next page.
fn again(args: &args::List, after: &str) -> String {
    let mut command = Command::new("list").plain(args.what.name());
    for (option, value) in [
        ("--status", &args.status),
        ("--subject", &args.subject),
        ("--source", &args.source),
    ] {
        command = command.option_if(option, value.as_deref());
    }
    let command = command.option("--limit", &args.limit.to_string());
    command.option("--after", after).to_string()
}

/// Refuses a filter that says nothing about what is listed.
fn check_filters(args: &args::List) -> Result<(), Failure> {
    use Listed::{
        Actions, Beliefs, Decisions, Incidents, Observations, Reviews, Tasks, Unscreened,
    };
    let what = args.what;
    let applies = |given: bool, filter: &str, to: &[Listed]| {
        if !given || to.contains(&what) {
            return Ok(());
        }
        let message = format!("{} have no {filter}", what.name());
        Err(Failure::usage(message))
    };
    let with_status = [Beliefs, Observations, Unscreened, Actions, Decisions];
    applies(args.status.is_some(), "status", &with_status)?;
    let with_subject = [Beliefs, Observations, Incidents, Reviews, Tasks];
    applies(args.subject.is_some(), "subject", &with_subject)?;
    let with_source = [
        Beliefs,
        Observations,
        Unscreened,
        Actions,
        Decisions,
        Incidents,
        Reviews,
    ];
    applies(args.source.is_some(), "source", &with_source)
}

fn after(args: &args::List, state: &State) -> Result<Option<Item>, Failure> {
    let Some(after) = &args.after else {
        return Ok(None);
    };
    let after = after.find_or_id(state)?;
    let prefix = prefix(args.what);
    if after.prefix() == prefix {
        return Ok(Some(after));
    }
    let what = args.what.name();
    let kind = after.kind();
    let message = format!("`{after}` is {kind}; the ids of {what} begin with `{prefix}_`");
    Err(Failure::new(Code::WrongKind, message).hint(format!(
        "`immune list {what}` begins anew without `--after`"
    )))
}

fn prefix(what: Listed) -> &'static str {
    match what {
        Listed::Beliefs => "bel",
        Listed::Observations | Listed::Unscreened => "obs",
        Listed::Sources => "src",
        Listed::Channels => "chn",
        Listed::Decisions => "dec",
        Listed::Actions => "act",
        Listed::Incidents => "inc",
        Listed::Reviews => "rev",
        Listed::Tasks => "tsk",
        Listed::Rules => "rul",
        Listed::Attributions => "att",
    }
}

/// The items of a list, oldest first.
fn items(state: &State, what: Listed) -> Box<dyn Iterator<Item = Item> + '_> {
    match what {
        Listed::Beliefs => Box::new(state.belief_ids().map(Item::from)),
        Listed::Observations => Box::new(state.observation_ids().map(Item::from)),
        Listed::Unscreened => {
            let unscreened = state.observation_ids().filter(|it| {
                let observation = state.observation(*it);
                observation.is_some_and(|it| it.screening == Screening::Unscreened)
            });
            Box::new(unscreened.map(Item::from))
        }
        Listed::Sources => Box::new(state.source_ids().map(Item::from)),
        Listed::Channels => Box::new(state.channel_ids().map(Item::from)),
        Listed::Decisions => Box::new(state.decision_ids().map(Item::from)),
        Listed::Actions => Box::new(state.action_ids().map(Item::from)),
        Listed::Incidents => Box::new(state.incident_ids().map(Item::from)),
        Listed::Reviews => Box::new(state.review_ids().map(Item::from)),
        Listed::Tasks => Box::new(state.task_ids().map(Item::from)),
        Listed::Rules => Box::new(state.rule_ids().map(Item::from)),
        Listed::Attributions => Box::new(state.attribution_ids().map(Item::from)),
    }
}

/// What is asked of the items of a list.
struct Filter {
    status: Option<String>,
    subject: Option<Subject>,
    sources: Option<Vec<SourceId>>,
}

impl Filter {
    fn of(state: &State, args: &args::List) -> Result<Self, Failure> {
        let sources = args.source.as_deref().map(|it| sources(state, it));
        if let Some(status) = &args.status {
            check_status(args.what, status)?;
        }
        Ok(Self {
            status: args.status.clone(),
            subject: args.subject.as_deref().map(Subject::new).transpose()?,
            sources: sources.transpose()?,
        })
    }

    fn admits(&self, state: &State, item: Item) -> bool {
        let status_fits = self
            .status
            .as_deref()
            .is_none_or(|wanted| status_of(state, item) == Some(wanted));
        let subject_fits = self
            .subject
            .as_ref()
            .is_none_or(|wanted| subjects_of(state, item).contains(&wanted));
        let source_fits = self.sources.as_ref().is_none_or(|wanted| {
            let behind = sources_of(state, item);
            behind.iter().any(|it| wanted.contains(it))
        });
        status_fits && subject_fits && source_fits
    }
}

fn check_status(what: Listed, word: &str) -> Result<(), Failure> {
    let known: Vec<&str> = if what == Listed::Actions {
        ActionStatus::ALL.iter().map(|it| it.name()).collect()
    } else {
        Status::ALL.iter().map(|it| it.name()).collect()
    };
    if known.contains(&word) {
        return Ok(());
    }
    let message = format!("`{word}` is no status of {}", what.name());
    Err(Failure::usage(message).hint(format!("there are {}", known.join(", "))))
}

/// The sources that a word names: one, or a handle in any channel.
fn sources(state: &State, word: &str) -> Result<Vec<SourceId>, Failure> {
    let found = state.find_sources(&immune_model::Handle::new(word)?);
    let meanings = state.named(word, None);
    let handles = meanings
        .iter()
        .filter_map(|it| SourceId::try_from(*it).ok());
    if !found.is_empty() && handles.eq(found.iter().copied()) {
        return Ok(found);
    }
    named::item(state, word, None).map(|it| vec![it])
}

fn status_of(state: &State, item: Item) -> Option<&'static str> {
    match item {
        Item::Belief(id) => state.belief_now(id).map(|it| it.status.name()),
        Item::Observation(id) => state.observation_status(id).map(Status::name),
        Item::Decision(id) => state.decision_status(id).map(Status::name),
        Item::Action(id) => state.action(id).map(|it| it.status.name()),
        _ => None,
    }
}

fn subjects_of(state: &State, item: Item) -> Vec<&Subject> {
    let subject = match item {
        Item::Belief(id) => state.belief(id).map(|it| &it.subject),
        Item::Incident(id) => state.incident(id).and_then(|it| match &it.cause {
            Cause::Challenge { subject, .. } => Some(subject),
            Cause::Flag {
                target: FlagTarget::Belief(belief),
                ..
            } => state.belief(*belief).map(|it| &it.subject),
            Cause::Flag { .. } => None,
        }),
        Item::Review(id) => state.review(id).map(|it| &it.subject),
        Item::Task(id) => state
            .task(id)
            .and_then(|it| state.belief(it.belief))
            .map(|it| &it.subject),
        Item::Observation(id) => {
            let statements = state.observation(id).map(|it| it.statements.iter());
            let beliefs = statements
                .into_iter()
                .flatten()
                .filter_map(|it| state.belief(state.justification(*it)?.belief));
            return beliefs.map(|it| &it.subject).collect();
        }
        _ => None,
    };
    subject.into_iter().collect()
}

fn sources_of(state: &State, item: Item) -> Vec<SourceId> {
    match item {
        Item::Belief(id) => state.sources_behind(id).into_iter().collect(),
        Item::Observation(id) => state
            .observation(id)
            .map(|it| it.source)
            .into_iter()
            .collect(),
        Item::Decision(id) => state.decision(id).map(|it| it.agent).into_iter().collect(),
        Item::Action(id) => state
            .action(id)
            .and_then(|it| state.decision(it.decision))
            .map(|it| it.agent)
            .into_iter()
            .collect(),
        Item::Incident(id) => state
            .incident(id)
            .map(|it| {
                let moved = it.reputations.iter().map(|(source, _, _)| *source);
                let by = match it.cause {
                    Cause::Challenge { challenger, .. } => Some(challenger),
                    Cause::Flag {
                        target: FlagTarget::Source(source),
                        ..
                    } => Some(source),
                    Cause::Flag { .. } => None,
                };
                moved.chain(by).collect()
            })
            .unwrap_or_default(),
        Item::Review(id) => state
            .review(id)
            .map(|it| it.challenger)
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}
