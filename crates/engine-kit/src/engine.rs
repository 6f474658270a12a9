//! What an engine author writes.

use rules::{Move, Moves, Position};

use crate::{Options, Search, Settings};

/// A player of Othello.
///
/// A value lives for one game: `uginewgame` drops it and makes a new one, so nothing of the last
/// game can be left over. A changed option makes a new one too.
pub trait Engine: Sized {
    /// What it calls itself.
    const NAME: &'static str;

    /// Who wrote it.
    const AUTHOR: &'static str;

    /// The options it declares.
    fn options() -> Options {
        Options::new()
    }

    /// A player for a new game under these settings. Everything that takes time, like filling
    /// tables, belongs here: no clock runs yet.
    fn new_game(settings: &Settings) -> Self;

    /// Chooses one of the legal `moves` of `position`. Not called for forced passes or when the
    /// game is over.
    ///
    /// A player that thinks calls [`Search::node`] for each position it looks at, and comes back
    /// with the best move so far when that says [`Stopped`](crate::Stopped).
    fn choose(&mut self, position: Position, moves: Moves, search: &mut Search<'_>) -> Move;
}
