//! Which processes are still there.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// The living processes that carry this mark in their environment or their arguments, each with
/// what it is.
pub(crate) fn living(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("proc").flatten();
    let marked = processes.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let holds = |file: &str| {
            let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
            bytes.windows(mark.len()).any(|part| part == mark.as_bytes())
        };
        if !holds("environ") && !holds("cmdline") {
            return None;
        }
        let command = fs::read(entry.path().join("cmdline")).ok()?;
        Some(format!("{pid}: {}", String::from_utf8_lossy(&command).replace('\0', " ")))
    });
    marked.collect()
}

/// Panics if a marked process lives for longer than this.
#[track_caller]
pub(crate) fn nobody_left_within(mark: &str, time: Duration) {
    let deadline = Instant::now() + time;
    loop {
        let left = living(mark);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "still there after {time:?}: {left:#?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The children of a process, of all its threads.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|each| fs::read_to_string(each.path().join("children")).ok());
    let numbers = lists.flat_map(|list| {
        list.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<i32>>()
    });
    numbers.collect()
}
