//! A guard beside this process: it ends the commands that are bounded once this process is gone,
//! however it went (an interrupt, a signal that nobody handles, a kill).
//!
//! It is a shell that reads which process groups there are from a pipe that this process holds open,
//! so that its end is the end of this process. Started with the first command, once a process.
//! Invariant: a group is on its list only while its leader was not waited for, so that no number is
//! ended that means somebody else by now.

use std::io::Write as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Reads `+ GROUP` and `- GROUP`; at the end of them it ends the groups that are left. It is in a
/// group of its own, and whoever ends this process by a signal to all ends it later than that.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
groups=
while read -r what group; do
    left=
    for it in $groups; do
        [ "$it" = "$group" ] || left="$left $it"
    done
    [ "$what" = + ] && left="$left $group"
    groups=$left
done
for it in $groups; do
    kill -s KILL -- "-$it"
done
"#;

/// Where the guard reads; nothing where there is none to be had.
static GUARD: LazyLock<Mutex<Option<ChildStdin>>> = LazyLock::new(|| {
    let mut command = Command::new("sh");
    command
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // Not waited for: it outlives this process by what it has to end.
    let guard = command.spawn().ok();
    Mutex::new(guard.and_then(|it| it.stdin))
});

/// The group of this leader is ended if this process goes.
pub(crate) fn watch(leader: u32) {
    tell('+', leader);
}

/// The group of this leader was ended.
pub(crate) fn release(leader: u32) {
    tell('-', leader);
}

fn tell(what: char, leader: u32) {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(guard) = guard.as_mut() {
        // Without a guard a command is ended all the same where this process ends in order.
        let _ = guard.write_all(format!("{what} {leader}\n").as_bytes());
    }
}
