//! What checks send to an engine, and how its answers are judged.

use std::time::Duration;

use clock::TimeControl;
use protocol::message::{Go, NewGame, PlayedPly, Request};
use protocol::option::OptionDecl;
use rules::{BoardSize, ByColor, Color, Ply, Position, SplitMix64, Variant};

use crate::engine_under_test::{EngineUnderTest, LESS_PATIENCE, PATIENCE};
use crate::hints;
use crate::sample_games::{GameSoFar, random_move};
use crate::verdict::{Fault, NotPassed, Verdict, in_millis};
use play::engine::{Answer, AnswerKind};

impl EngineUnderTest {
    /// The start of the variant on 8x8.
    pub(crate) fn start_position(&self) -> Position {
        self.variant().start(BoardSize::Eight)
    }

    /// The options it declares; skips the check if there are none.
    pub(crate) fn declared_options(&self) -> Result<Vec<OptionDecl>, NotPassed> {
        let protocol = self.protocol();
        if !protocol.has_options() {
            return Err(NotPassed::skipped(format!("{protocol} has no options")));
        }
        match &self.identity.options[..] {
            [] => Err(NotPassed::skipped("it declares no options")),
            options => Ok(options.to_vec()),
        }
    }

    /// `Some(reason)` if its protocol does not tell it this limit.
    pub(crate) fn unsupported_time_control(
        &mut self,
        time: TimeControl,
    ) -> Result<Option<String>, NotPassed> {
        Ok(self.engine()?.dialect().unsupported_time_control(time))
    }

    /// Skips the check if its protocol does not tell it this limit.
    pub(crate) fn require(&mut self, time: TimeControl) -> Result<(), NotPassed> {
        match self.unsupported_time_control(time)? {
            Some(why) => Err(NotPassed::skipped(format!("not told: {why}"))),
            None => Ok(()),
        }
    }

    /// The limit under which it answers soonest: depth 1, 1 node, or else a clock of 1 s.
    pub(crate) fn shortest_limit(&mut self) -> Result<TimeControl, NotPassed> {
        for time in [TimeControl::Depth(1), TimeControl::Nodes(1)] {
            if self.unsupported_time_control(time)?.is_none() {
                return Ok(time);
            }
        }
        Ok(TimeControl::Game { main: Duration::from_secs(1), increment: Duration::ZERO })
    }

    /// The longest wait for the answer to a search without a clock.
    pub(crate) fn patience(&self) -> Duration {
        if self.silences == 0 { PATIENCE } else { LESS_PATIENCE }
    }

    /// Begins a game of the variant that is checked.
    pub(crate) fn new_game(
        &mut self,
        start: Position,
        color: Color,
        time: TimeControl,
    ) -> Result<(), NotPassed> {
        self.new_game_of(self.variant(), start, color, time, 1)
    }

    /// Begins a game; skips the check if it cannot play from there.
    pub(crate) fn new_game_of(
        &mut self,
        variant: Variant,
        start: Position,
        color: Color,
        time: TimeControl,
        seed: u64,
    ) -> Result<(), NotPassed> {
        let engine = self.engine()?;
        if let Some(why) = engine.dialect().cannot_play(variant, &start) {
            return Err(NotPassed::skipped(why));
        }
        let (names, time) = (ByColor::new("engine", "engine"), ByColor::new(time, time));
        Ok(engine.new_game(&NewGame { variant, start, seed, color, names, time })?)
    }

    /// Sends the plies of the game so far.
    pub(crate) fn send_plies(&mut self, plies: &[Ply], go: &Go) -> Result<(), NotPassed> {
        let played: Vec<PlayedPly> =
            plies.iter().map(|&ply| PlayedPly { ply, spent: Duration::ZERO }).collect();
        Ok(self.engine()?.ask_ready(&Request::Position { played: &played, go })?)
    }

    /// Begins a game as the side to move and sends the plies so far.
    pub(crate) fn set_up(&mut self, game: &GameSoFar, time: TimeControl, go: &Go) -> Result<(), NotPassed> {
        self.new_game(game.start, game.position.side_to_move(), time)?;
        self.send_plies(&game.plies, go)
    }

    /// Plays some moves for both sides, each position sent together with the request for a move in it. Skipped if its
    /// protocol does not let them be.
    pub(crate) fn play_with_one_write(&mut self, start: Position) -> Result<String, NotPassed> {
        const MOVES: usize = 6;
        let (time, allowance) = (TimeControl::Depth(1), self.patience());
        if !self.engine()?.dialect().takes_position_and_go() {
            let why = format!("in {} each request waits for the answer to the one before", self.protocol());
            return Err(NotPassed::skipped(why));
        }
        self.new_game(start, start.side_to_move(), time)?;
        let (mut position, mut played) = (start, Vec::new());
        for _ in 0..MOVES {
            let answer = self.engine()?.position_and_go(&played, &go_of(time), allowance)?;
            let ply = legal_move(position, &answer, allowance)?;
            position = position.play(ply).unwrap_or(position);
            played.push(PlayedPly { ply, spent: answer.spent });
        }
        Ok(format!("{MOVES} moves"))
    }

    /// Asks for a move in a position that was sent, which has to be legal and to come within `allowance`.
    pub(crate) fn think(
        &mut self,
        position: Position,
        go: &Go,
        allowance: Duration,
    ) -> Result<(Ply, Answer), NotPassed> {
        let answer = self.engine()?.go(go, allowance)?;
        Ok((legal_move(position, &answer, allowance)?, answer))
    }

    /// Plays these plies in a new game and asks for the next, under the shortest limit.
    pub(crate) fn ask(&mut self, start: Position, plies: &[Ply]) -> Result<Ply, NotPassed> {
        let (time, game) = (self.shortest_limit()?, GameSoFar::new(start, plies));
        self.new_game(start, game.position.side_to_move(), time)?;
        self.ask_next(&game, time)
    }

    /// Sends the plies so far of the running game and asks for the next.
    pub(crate) fn ask_next(&mut self, game: &GameSoFar, time: TimeControl) -> Result<Ply, NotPassed> {
        let go = go_of(time);
        self.send_plies(&game.plies, &go)?;
        let patience = self.patience();
        Ok(self.think(game.position, &go, patience)?.0)
    }

    /// Plays on in a game that was begun as `color`: `own` asks the engine, `other` plays the other side. Ends when the game
    /// is over or `own` returns `None`.
    pub(crate) fn play_on(
        &mut self,
        game: &mut GameSoFar,
        color: Color,
        mut own: impl FnMut(&mut Self, &GameSoFar) -> Result<Option<Ply>, NotPassed>,
        mut other: impl FnMut(Position) -> Ply,
    ) -> Result<(), NotPassed> {
        loop {
            game.play_forced_pass();
            if game.position.is_over() {
                return Ok(());
            }
            let ply = if game.position.side_to_move() == color {
                own(self, game)?
            } else {
                Some(other(game.position))
            };
            match ply {
                Some(ply) => game.play(ply),
                None => return Ok(()),
            }
        }
    }

    /// Begins a game with an opening and plays it to its end, the other side at random, or until `goes_on` is false for
    /// the number of moves the engine was asked for. Returns that number too.
    pub(crate) fn play_game(
        &mut self,
        opening: GameSoFar,
        color: Color,
        rng: &mut SplitMix64,
        goes_on: impl Fn(usize) -> bool,
    ) -> Result<(usize, GameSoFar), NotPassed> {
        let time = self.shortest_limit()?;
        self.new_game(opening.start, color, time)?;
        let (mut asked, mut game) = (0, opening);
        let own = |engine: &mut Self, game: &GameSoFar| {
            if !goes_on(asked) {
                return Ok(None);
            }
            asked += 1;
            engine.ask_next(game, time).map(Some)
        };
        self.play_on(&mut game, color, own, |position| random_move(position, rng))?;
        Ok((asked, game))
    }
}

/// Carries out a check on each of the smaller boards. Skipped if the engine plays on none of them.
pub(crate) fn on_small_boards(mut check: impl FnMut(BoardSize) -> Verdict) -> Verdict {
    let (mut remarks, mut reason) = (Vec::new(), String::new());
    for size in [BoardSize::Four, BoardSize::Six] {
        match check(size) {
            Ok(remark) => remarks.push(remark),
            Err(NotPassed::Skipped(why)) => reason = why,
            Err(other) => return Err(other),
        }
    }
    if remarks.is_empty() { Err(NotPassed::Skipped(reason)) } else { Ok(remarks.join(", ")) }
}

/// The move of an answer, if it is legal. `allowance` is how long it was waited for.
pub(crate) fn legal_move(position: Position, answer: &Answer, allowance: Duration) -> Result<Ply, NotPassed> {
    let (why, hint) = match &answer.kind {
        &AnswerKind::Ply(ply) => match position.play(ply) {
            Ok(_) => return Ok(ply),
            Err(illegal) => {
                let legal: Vec<String> = position.moves().iter().map(|square| square.to_string()).collect();
                let why = format!("played {ply}: {illegal}; the legal moves are {}", legal.join(" "));
                (why, Some(hints::ILLEGAL))
            }
        },
        AnswerKind::Resigned => ("resigned".to_owned(), None),
        AnswerKind::Unreadable(why) => (why.clone(), Some(hints::UNREADABLE)),
        AnswerKind::Silent(pending) | AnswerKind::Idle(pending) => {
            (format!("no move within {}{pending}", in_millis(allowance)), Some(hints::SILENT))
        }
        AnswerKind::Gone(how) => (format!("it is gone: {how}"), Some(hints::GONE)),
    };
    Err(NotPassed::Failed(Fault { why, hint, position: Some(position) }))
}

/// The request for a move under a limit, at the start of a game in which both sides have it.
pub(crate) fn go_of(time: TimeControl) -> Go {
    match time {
        TimeControl::Game { main, increment } => {
            Go::Clock { time: ByColor::new(main, main), increment: ByColor::new(increment, increment) }
        }
        TimeControl::MoveTime(time) => Go::MoveTime(time),
        TimeControl::Nodes(nodes) => Go::Nodes(nodes),
        TimeControl::Depth(depth) => Go::Depth(depth),
    }
}
