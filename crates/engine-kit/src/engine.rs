//! The trait that an engine author implements.

use rules::{Move, Moves, Position};

use crate::{Options, Search, Settings};

/// A player of Othello.
///
/// A value lives for one game: `uginewgame` drops it and makes a new one, so no state of the last game
/// remains. A changed option makes a new one too.
pub trait Engine: Sized {
    /// The name of the engine, for `id name`.
    const NAME: &'static str;

    /// The author, for `id author`.
    const AUTHOR: &'static str;

    /// The options that the engine declares.
    fn options() -> Options {
        Options::new()
    }

    /// Makes a player for a new game with these settings. Slow work, like filling tables, belongs here:
    /// no clock runs yet.
    fn new_game(settings: &Settings) -> Self;

    /// Chooses one of the legal `moves` of `position`. The kit does not call it for forced passes or
    /// after the end of the game.
    ///
    /// A player that searches calls [`Search::node`] for each position, and returns its best move so far
    /// when that returns [`Stopped`](crate::Stopped).
    fn choose(&mut self, position: Position, moves: Moves, search: &mut Search<'_>) -> Move;
}
