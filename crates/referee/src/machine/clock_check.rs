//! Measures the clock error of this machine before the first game.
//!
//! In each slot a helper process answers over pipes, as engines do, and spends 0.2 ms on each answer. Any time beyond
//! that is time that engines will be charged but did not use: pipes, the scheduler, another process on the core.

use std::io::{self, BufRead as _, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clock::brief_duration;

use crate::machine::slots::{SlotThread, Slots};
use engine_process::affinity;

/// The name of the helper process.
pub const NAME: &str = "outflank-answer";

/// The duration of a trial.
const TRIAL: Duration = Duration::from_millis(40);
/// The time that the helper spends on an answer.
const WORK: Duration = Duration::from_micros(200);

/// The clock error of each answer in a trial of all slots at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClockCheck {
    /// In ascending order.
    delays: Vec<Duration>,
}

impl ClockCheck {
    /// Runs the trial in these slots. A slot whose helper does not start is left out.
    #[must_use]
    pub fn of(slots: &Slots) -> Self {
        let trials = thread::scope(|scope| {
            let each = |thread: &SlotThread| {
                let cores = thread.cores.clone();
                scope.spawn(move || trial(&cores).unwrap_or_default())
            };
            let slots = slots.threads.iter().flat_map(|thread| std::iter::repeat_n(thread, thread.slots));
            let running: Vec<_> = slots.map(each).collect();
            running.into_iter().map(|trial| trial.join().unwrap_or_default()).collect::<Vec<_>>()
        });
        Self::from_delays(trials.concat())
    }

    fn from_delays(mut delays: Vec<Duration>) -> Self {
        delays.sort_unstable();
        Self { delays }
    }

    /// Warnings for games with this margin, `slots` of them at once.
    #[must_use]
    pub fn warnings(&self, margin: Duration, slots: usize) -> Vec<String> {
        let mut warnings = Vec::new();
        let Some(&worst) = self.delays.last() else { return warnings };
        let answers = u32::try_from(self.delays.len()).unwrap_or(u32::MAX);
        let mean = self.delays.iter().sum::<Duration>() / answers;
        if mean > WORK / 2 {
            let share = 100.0 * WORK.as_secs_f64() / (WORK + mean).as_secs_f64();
            let games = if slots == 1 { "a game".to_owned() } else { format!("{slots} games at once") };
            warnings.push(format!(
                "in a trial of {games}, processes got {share:.0} % of a core: lower --concurrency, stop what else is running, \
                 or charge processor time (cpu_clock = true)"
            ));
        }
        // The trial is short; a whole tournament meets larger errors.
        if worst > margin / 2 {
            let enough =
                Duration::from_millis(u64::try_from((worst * 3).as_millis()).unwrap_or(u64::MAX) + 1);
            warnings.push(format!(
                "in a trial of {answers} answers one came {} late by no fault of its sender, and margin is {}: games may be \
                 lost by time that nobody used; raise margin to {} or more, or lower --concurrency",
                brief_duration(worst),
                clock::format_duration(margin),
                clock::format_duration(enough),
            ));
        }
        warnings
    }
}

/// The clock error of each answer in one slot.
fn trial(cores: &[usize]) -> io::Result<Vec<Duration>> {
    affinity::keep_to(cores);
    let mut command = Command::new("/proc/self/exe");
    command.arg0(NAME).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let delays = (|| {
        let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
            return Ok(Vec::new());
        };
        let mut ask = || {
            let asked = Instant::now();
            to.write_all(b"\n")?;
            from.read_exact(&mut [0])?;
            Ok::<_, io::Error>(asked.elapsed().saturating_sub(WORK))
        };
        // The first answer includes the start of the process.
        ask()?;
        let begun = Instant::now();
        let mut delays = Vec::new();
        while begun.elapsed() < TRIAL {
            delays.push(ask()?);
        }
        Ok(delays)
    })();
    let _ = child.kill();
    child.wait()?;
    delays
}

/// The helper: answers each line after [`WORK`], until the end of its input.
pub(crate) fn answer() -> ExitCode {
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let begun = Instant::now();
        while begun.elapsed() < WORK {
            std::hint::spin_loop();
        }
        if line.is_err() || out.write_all(b"\n").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(delays: &[u64], margin: u64) -> Vec<String> {
        let delays = delays.iter().map(|&micros| Duration::from_micros(micros)).collect();
        ClockCheck::from_delays(delays).warnings(Duration::from_millis(margin), 4)
    }

    #[test]
    fn a_quiet_machine_is_nothing_to_speak_of() {
        assert_eq!(warnings(&[], 0), [""; 0]);
        assert_eq!(warnings(&[20, 9, 15, 300, 30, 11], 20), [""; 0]);
    }

    #[test]
    fn a_margin_that_is_too_small_is_told_with_one_that_is_not() {
        let delays: Vec<u64> = [10; 1000].into_iter().chain([31_000]).collect();
        let told = warnings(&delays, 20);
        assert!(told.len() == 1 && told[0].contains("in a trial of 1001 answers one came 31"), "{told:?}");
        assert!(told[0].contains("margin is 20ms") && told[0].contains("raise margin to 94ms"), "{told:?}");
        assert_eq!(warnings(&delays, 100), [""; 0]);
    }

    #[test]
    fn cores_that_are_shared_are_told() {
        let told = warnings(&[10, 900, 620, 30, 1440], 20);
        assert!(
            told.len() == 1 && told[0].contains("trial of 4 games at once, processes got 25 % of a core"),
            "{told:?}"
        );
    }
}
