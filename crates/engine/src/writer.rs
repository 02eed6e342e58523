//! The writer of one memory: it drains a queue, plans each command on a copy of the state, and
//! appends all of them in one transaction and one sync (group commit). Only then are the callers
//! answered and the new state shown.
//!
//! When another process was faster, the store hands over what it appended; everything is planned
//! again on top of that, under the store's lock, so that a lost race is never an error and nobody
//! starves.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use immune_model::{Handle, Principal, Recorded, Role, limits};
use immune_reason::state::Changes;
use immune_reason::{Draft, State};
use immune_store::{Batch, Head, Sink, StoreError, seal};

use crate::committed::{self, Committed};
use crate::error::OpenError;
use crate::kept::Keeper;
use crate::memory::{Memory, Shared};
use crate::projection;

/// Events that are sealed before they are handed to the store.
const EVENTS_OF_A_PART: usize = 16;
/// Rows that are made before they are handed to the store.
const ROWS_OF_A_PART: usize = 16_384;

/// Events of a plan that is handed over by two threads.
const LARGE_PLAN: usize = 64;
/// Parts that are made ahead of the store.
const PARTS_AHEAD: usize = 4;

/// A command in the queue.
pub(crate) struct Job {
    pub(crate) principal: Principal,
    /// Plans it onto a draft and keeps the reply; planned again after a lost race.
    pub(crate) plan: Box<dyn FnMut(&mut Draft) + Send>,
    pub(crate) done: SyncSender<Result<(), OpenError>>,
}

/// The thread of a writer. Dropping it waits for its end, so that whoever closed a memory may
/// move or copy the store.
#[derive(Debug)]
pub(crate) struct Writer {
    thread: Option<JoinHandle<()>>,
}

impl Drop for Writer {
    fn drop(&mut self) {
        let thread = self.thread.take();
        let is_other = |it: &JoinHandle<()>| it.thread().id() != std::thread::current().id();
        if let Some(thread) = thread.filter(is_other) {
            // A writer that met a state that must not be has said so to its callers.
            let _ = thread.join();
        }
    }
}

/// Starts the writer. It ends when every handle of the memory is dropped.
pub(crate) fn start(shared: Arc<Shared>, queue: Receiver<Job>, keeper: Keeper) -> Writer {
    let thread = std::thread::Builder::new()
        .name(format!("immune writer {}", shared.name))
        .spawn(move || run(&shared, &queue, keeper))
        .expect("the system starts a thread");
    Writer {
        thread: Some(thread),
    }
}

/// Has the writer catch up with the head and append what expired.
pub(crate) fn refresh(memory: &Memory) -> Result<(), OpenError> {
    let (done, reply) = sync_channel(1);
    let stopped = || OpenError::Stopped {
        memory: memory.name().clone(),
    };
    let job = Job {
        principal: housekeeper(),
        plan: Box::new(|_| {}),
        done,
    };
    memory.jobs.send(job).map_err(|_| stopped())?;
    reply.recv().map_err(|_| stopped())?
}

/// Who appends what nobody asked for: the beginning of a log, and expiries.
fn housekeeper() -> Principal {
    Principal {
        role: Role::Operator,
        name: Handle::new("immune").expect("a constant that is a name"),
    }
}

fn run(shared: &Shared, queue: &Receiver<Job>, mut keeper: Keeper) {
    keeper.look(shared);
    while let Ok(first) = queue.recv() {
        let mut jobs = vec![first];
        jobs.extend(queue.try_iter().take(limits::GROUP_COMMIT_MAX - 1));
        match commit_unless_broken(shared, &mut jobs) {
            Some(result) => answer(jobs, result),
            // One of them met a state that must not be; the others must not pay for it.
            None => {
                for job in jobs {
                    let mut alone = [job];
                    let result = commit_unless_broken(shared, &mut alone);
                    let broken = || OpenError::Broken {
                        memory: shared.name.clone(),
                    };
                    answer(Vec::from(alone), result.unwrap_or_else(|| Err(broken())));
                }
            }
        }
        keeper.look(shared);
    }
    keeper.close(shared);
    crate::mesh::keep(shared);
}

/// Commits, or gives nothing if a plan broke off on an assertion. What was planned so far is
/// dropped with it: nothing is shown or appended before every plan has come to its end.
fn commit_unless_broken(shared: &Shared, jobs: &mut [Job]) -> Option<Result<(), OpenError>> {
    std::panic::catch_unwind(AssertUnwindSafe(|| commit(shared, jobs))).ok()
}

/// Every caller gets its own copy of a failure.
fn answer(jobs: Vec<Job>, result: Result<(), OpenError>) {
    let failure = result.err().map(|error| (error.to_string(), error));
    let mut jobs = jobs.into_iter();
    if let Some((text, error)) = failure {
        if let Some(first) = jobs.next() {
            // A caller that went away needs no answer.
            let _ = first.done.send(Err(error));
        }
        for job in jobs {
            let reason = text.clone();
            let error = immune_store::StoreError::Engine {
                operation: "append",
                reason,
            };
            let _ = job.done.send(Err(error.into()));
        }
        return;
    }
    for job in jobs {
        let _ = job.done.send(Ok(()));
    }
}

/// What a group of jobs writes on top of a head.
struct Plan {
    known: Head,
    state: State,
    events: Vec<Recorded>,
    changes: Changes,
}

fn commit(shared: &Shared, jobs: &mut [Job]) -> Result<(), OpenError> {
    let (name, store) = (&shared.name, &shared.parts.store);
    let latest = shared.latest();
    let mut base = Committed::clone(&latest.committed);
    if store.head(name)? != base.head {
        base.catch_up(name, store, &mut |_, _| {})?;
    }
    let caught_up = base.clone();
    let mut plan = plan_all(shared, base.clone(), jobs);
    if plan.events.is_empty() {
        if caught_up.head != latest.head() {
            shared.publish(caught_up);
        }
        return Ok(());
    }
    let (mut broken, mut bytes) = (None, 0);
    let head = store.append_parts(name, plan.known, &mut |tail, put| {
        if !tail.is_empty() {
            if let Err(error) = base.follow(tail) {
                broken = Some(error);
                return Ok(false);
            }
            plan = plan_all(shared, base.clone(), jobs);
        }
        if plan.events.is_empty() {
            return Ok(false);
        }
        bytes = 0;
        hand_over(shared, &plan, &mut |part| {
            bytes += committed::weight_of(&part.entries);
            put(part)
        })?;
        Ok(true)
    })?;
    if let Some(error) = broken {
        return Err(error);
    }
    let (state, transitions) = (plan.state, plan.changes.transitions.len());
    let weight = base.weight + committed::weight(bytes, transitions);
    shared.publish(Committed {
        head,
        state,
        weight,
    });
    Ok(())
}

/// Hands over what a plan writes, in parts: what they weigh is never there all at once. The parts of
/// a large plan are made while the store writes those before.
fn hand_over(shared: &Shared, plan: &Plan, put: Sink<'_>) -> Result<(), StoreError> {
    if plan.events.len() < LARGE_PLAN {
        return each_part(shared, plan, put);
    }
    std::thread::scope(|scope| {
        let (sender, parts) = sync_channel(PARTS_AHEAD);
        let made = scope.spawn(move || {
            each_part(shared, plan, &mut |part| {
                // Whoever receives has gone after an error of its own, which is the one to tell.
                let gone = |_| StoreError::Engine {
                    operation: "append",
                    reason: "the store stopped".to_owned(),
                };
                sender.send(part).map_err(gone)
            })
        });
        let put = parts.into_iter().try_for_each(put);
        match made.join() {
            Ok(made) => put.and(made),
            Err(broken) => std::panic::resume_unwind(broken),
        }
    })
}

/// Seals the events and makes the rows of a plan.
fn each_part(shared: &Shared, plan: &Plan, put: Sink<'_>) -> Result<(), StoreError> {
    let mut fill_random = |bytes: &mut [u8]| (shared.parts.fill_random)(bytes);
    let mut head = plan.known;
    for part in plan.events.chunks(EVENTS_OF_A_PART) {
        let entries = seal(head, part, &mut fill_random);
        head = entries.iter().fold(head, Head::after);
        put(Batch {
            entries,
            rows: Vec::new(),
        })?;
    }
    let mut rows = Vec::new();
    projection::each_row(&plan.state, &plan.changes, &mut |row| {
        rows.push(row);
        if rows.len() < ROWS_OF_A_PART {
            return Ok(());
        }
        let rows = std::mem::take(&mut rows);
        put(Batch {
            entries: Vec::new(),
            rows,
        })
    })?;
    put(Batch {
        entries: Vec::new(),
        rows,
    })
}

/// Plans every job, one after the other, on top of a state.
fn plan_all(shared: &Shared, base: Committed, jobs: &mut [Job]) -> Plan {
    let known = base.head;
    let now = shared.parts.clock.now();
    let mut state = base.state;
    let mut events = Vec::new();
    for job in jobs {
        let mut draft = Draft::new(state, housekeeper(), now);
        if Draft::expiry_due(draft.state(), draft.now()) {
            draft.expire();
        }
        let (settled, mut expired) = draft.finish();
        events.append(&mut expired);
        let mut draft = Draft::new(settled, job.principal.clone(), now);
        draft.name(&shared.name);
        (job.plan)(&mut draft);
        let (planned, mut written) = draft.finish();
        events.append(&mut written);
        state = planned;
    }
    let changes = state.take_changes();
    Plan {
        known,
        state,
        events,
        changes,
    }
}
