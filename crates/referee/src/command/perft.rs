//! `referee perft`.

use std::io::Write as _;

use rules::{BoardSize, Position};

use super::CommandError;
use crate::cli::PerftArgs;
use crate::exit::Exit;

/// Prints a line `DEPTH COUNT` for each depth from 1 (or 0, if that is all) on.
pub(super) fn count(args: &PerftArgs) -> Result<Exit, CommandError> {
    let position = match (args.position, args.board) {
        (Some(position), Some(board)) if position.size() != board => {
            let message = format!("--position is on a {} board, --board says {board}", position.size());
            return Err(CommandError::new(Exit::Usage, message));
        }
        (Some(position), _) => position,
        (None, board) => Position::start(board.unwrap_or(BoardSize::Eight)),
    };
    for depth in args.depth.min(1)..=args.depth {
        let mut out = std::io::stdout().lock();
        let line = writeln!(out, "{depth} {}", rules::perft(position, depth));
        if line.and_then(|()| out.flush()).is_err() {
            // Whoever read this has gone away.
            break;
        }
    }
    Ok(Exit::Done)
}
