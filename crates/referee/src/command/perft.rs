//! `referee perft`.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use rules::{BoardSize, Position, SimdLevel};

use super::{CommandError, no_output};
use crate::cli::PerftArgs;
use crate::exit_code::Exit;

/// Each level counts for at least this time, so that small depths give a stable rate.
const BENCH: Duration = Duration::from_millis(300);

/// Prints a line `DEPTH COUNT` for each depth from 1 on (or just for 0), then the rates of `--bench`.
pub(super) fn count(args: &PerftArgs) -> Result<Exit, CommandError> {
    let position = match (args.position, args.board) {
        (Some(position), Some(board)) if position.size() != board => {
            let message = format!("--position is on a {} board, --board says {board}", position.size());
            return Err(CommandError::new(Exit::Usage, message));
        }
        (Some(position), _) if !args.variant.allows(position) => {
            let message = "--position has an open centre: say --variant historical".to_owned();
            return Err(CommandError::new(Exit::Usage, message));
        }
        (Some(position), _) => position,
        (None, board) => args.variant.start(board.unwrap_or(BoardSize::Eight)),
    };
    for depth in args.depth.min(1)..=args.depth {
        if !print(&format!("{depth} {}", rules::perft(position, depth)))? {
            return Ok(Exit::Done);
        }
    }
    if args.bench {
        bench(position, args.depth)?;
    }
    Ok(Exit::Done)
}

/// Prints a line and flushes it. `false` if the reader has gone away.
fn print(line: &str) -> Result<bool, CommandError> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(no_output(&error)),
    }
}

/// Prints the leaves per second that each level of this machine counts on one core. The counts above were made by the
/// last of them.
fn bench(position: Position, depth: u32) -> Result<(), CommandError> {
    if depth == 0 || position.is_over() {
        let why = if depth == 0 { "at depth 0" } else { "when the game is over" };
        return print(&format!("nothing to time: there is nothing to count {why}")).map(|_| ());
    }
    let used = SimdLevel::best();
    for level in SimdLevel::ALL {
        let line = if level.is_available() {
            let speed = leaves_a_second(level, position, depth) / 1e6;
            let mark = if level == used { " (used)" } else { "" };
            format!("{level}: {speed:.1} million leaves a second at depth {depth}{mark}")
        } else {
            format!("{level}: skipped, this machine lacks it")
        };
        if !print(&line)? {
            break;
        }
    }
    Ok(())
}

fn leaves_a_second(level: SimdLevel, position: Position, depth: u32) -> f64 {
    let begin = Instant::now();
    let (mut leaves, mut spent) = (0u64, Duration::ZERO);
    while spent < BENCH {
        leaves += rules::perft_on(level, black_box(position), depth);
        spent = begin.elapsed();
    }
    leaves as f64 / spent.as_secs_f64()
}
