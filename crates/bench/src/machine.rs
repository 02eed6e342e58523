//! What is read of this machine: CPU time of this thread, memory of this process, names.

use rustix::time::{ClockId, clock_gettime};

/// CPU and wall time since a moment, of this thread.
#[derive(Debug)]
pub(crate) struct Lap {
    cpu: f64,
    wall: std::time::Instant,
}

/// Milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    pub(crate) cpu_ms: f64,
    pub(crate) wall_ms: f64,
}

impl Lap {
    pub(crate) fn start() -> Self {
        Self {
            cpu: thread_ms(),
            wall: std::time::Instant::now(),
        }
    }

    pub(crate) fn took(&self) -> Took {
        Took {
            cpu_ms: thread_ms() - self.cpu,
            wall_ms: self.wall.elapsed().as_secs_f64() * 1e3,
        }
    }
}

fn thread_ms() -> f64 {
    ms_of(ClockId::ThreadCPUTime)
}

fn ms_of(clock: ClockId) -> f64 {
    let now = clock_gettime(clock);
    let seconds = u32::try_from(now.tv_sec).unwrap_or(u32::MAX);
    let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or(0);
    f64::from(seconds) * 1e3 + f64::from(nanoseconds) / 1e6
}

/// CPU time of all threads of this process so far, in milliseconds.
pub(crate) fn process_ms() -> f64 {
    ms_of(ClockId::ProcessCPUTime)
}

/// The median of CPU and of wall times.
pub(crate) fn median(laps: &[Took]) -> Took {
    let middle = |of: fn(&Took) -> f64| {
        let mut values: Vec<f64> = laps.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    Took {
        cpu_ms: middle(|it| it.cpu_ms),
        wall_ms: middle(|it| it.wall_ms),
    }
}

/// The memory of this process in use now, in bytes; 0 where the system does not tell.
pub(crate) fn resident_bytes() -> u64 {
    status_bytes("VmRSS:")
}

/// The most memory of this process since [`forget_peak`].
pub(crate) fn peak_bytes() -> u64 {
    status_bytes("VmHWM:")
}

/// Starts a new peak of memory, where the system allows it.
pub(crate) fn forget_peak() {
    // Elsewhere than on Linux there is no peak to forget, and none is read.
    drop(fs_err::write("/proc/self/clear_refs", "5"));
}

fn status_bytes(name: &str) -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix(name));
    let kilobytes = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// The name of the processor, as the system gives it.
pub(crate) fn processor() -> String {
    let info = fs_err::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = info.lines().filter_map(|it| it.split_once(':'));
    let name = lines.find(|(key, _)| key.trim() == "model name");
    let name = name.map_or("unknown", |(_, name)| name.trim());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{name}, {threads} threads")
}

/// As a float; counts here are far below 2^52.
pub(crate) fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Bytes as megabytes.
pub(crate) fn megabytes(bytes: u64) -> f64 {
    float(usize::try_from(bytes / 1000).unwrap_or(usize::MAX)) / 1e3
}

/// A time for what has none.
pub(crate) fn epoch() -> immune_model::Instant {
    "2026-01-01T00:00:00Z"
        .parse()
        .expect("a constant that is a time")
}
