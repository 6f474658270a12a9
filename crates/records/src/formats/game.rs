//! The types shared by all formats: a game, and a position with the values of its moves.

use std::time::Duration;

use rules::{BoardSize, ByColor, Color, Empties, IllegalPly, Ply, Position, Turn, Variant};

use super::game_end::{End, StatedResult, score_of_difference};
use crate::verdict::{FaultPhase, Outcome, Termination, Verdict};

/// Hardly a game has more passes.
const ROOM_FOR_PASSES: usize = 4;

/// One game, with everything that some format can store. Its plies are legal and include every pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    start: Position,
    plies: Vec<Played>,
    last: Position,
    pub variant: Variant,
    /// The side that squares left empty count for.
    pub empties: Empties,
    /// The players' names; empty if unknown.
    pub names: ByColor<String>,
    pub ratings: ByColor<Option<f64>>,
    /// The tournament's name; empty if unknown.
    pub event: String,
    /// The place; empty if unknown.
    pub site: String,
    /// The date as the file writes it; empty if unknown.
    pub date: String,
    /// The number of plies at the beginning that were given, not chosen by a player.
    pub opening: usize,
    /// `None` if the game is not finished or its result is unknown.
    pub end: Option<End>,
    /// Only in our own records.
    pub tournament: Option<Box<TournamentInfo>>,
    /// Only in WTHOR files.
    pub wthor: Option<Box<WthorEntry>>,
}

/// One ply with its annotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Played {
    /// A square, or a pass.
    pub ply: Ply,
    pub spent: Option<Duration>,
    /// The mover's evaluation in discs; plus is good for the mover.
    pub score: Option<f64>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Number of positions searched.
    pub nodes: Option<u64>,
}

impl From<Ply> for Played {
    fn from(ply: Ply) -> Self {
        Self { ply, spent: None, score: None, depth: None, nodes: None }
    }
}

/// Fields of a game that only our own records have: see [`GameRecord`](crate::GameRecord).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TournamentInfo {
    /// The index in the schedule.
    pub game: u64,
    pub pair: u64,
    /// The opening's number.
    pub round: u64,
    pub seed: u64,
    /// The duration in seconds.
    pub seconds: f64,
    /// CPU time that each side used while it was not its turn.
    pub off_turn: Option<ByColor<Duration>>,
    /// When the fault happened that decided the game.
    pub phase: Option<FaultPhase>,
}

/// A position with scores of its moves: a line of a problem file.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub position: Position,
    /// Moves with their scores in discs for the side to move, in the order of the file, usually best first.
    pub moves: Vec<(Ply, f64)>,
    /// The score of the position itself, given without a move.
    pub score: Option<f64>,
}

/// One entry of a file.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all are games, and one at a time is held")]
pub enum Item {
    Game(Game),
    Problem(Problem),
}

impl Item {
    /// The item as a game: a position becomes a game without plies.
    #[must_use]
    pub fn into_game(self) -> Game {
        match self {
            Self::Game(game) => game,
            Self::Problem(problem) => Game::new(problem.position),
        }
    }

    /// The item as a position: a game becomes its last position.
    #[must_use]
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Game(game) => Problem { position: game.last, moves: Vec::new(), score: None },
            Self::Problem(problem) => problem,
        }
    }
}

/// The variant of a game from this start if the file does not say it.
fn default_variant(start: Position) -> Variant {
    if start.is_placing() { Variant::Historical } else { Variant::Othello }
}

/// A name; `?` stands for an unknown one.
pub(super) fn name_or_empty(name: &str) -> &str {
    if name == "?" { "" } else { name }
}

/// Fields of a game that only WTHOR files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WthorEntry {
    /// The number of the tournament's name.
    pub tournament: u16,
    /// The number of Black's name.
    pub black: u16,
    /// The number of White's name.
    pub white: u16,
    /// Black's discs, as the file has them.
    pub score: u8,
    /// Black's discs with best play from the number of empty squares in [`Header::depth`](super::wthor::Header).
    pub theoretical: u8,
}

impl Game {
    /// A game without plies; all else is unknown.
    #[must_use]
    pub fn new(start: Position) -> Self {
        Self {
            start,
            plies: Vec::with_capacity(usize::try_from(start.empty().len()).unwrap_or(0) + ROOM_FOR_PASSES),
            last: start,
            variant: default_variant(start),
            empties: Empties::Winner,
            names: ByColor::default(),
            ratings: ByColor::default(),
            event: String::new(),
            site: String::new(),
            date: String::new(),
            opening: 0,
            end: None,
            tournament: None,
            wthor: None,
        }
    }

    /// A game from plies that the caller has replayed: they are legal, include every pass, and lead to `last`.
    pub(super) fn from_legal_plies(
        start: Position,
        plies: impl Iterator<Item = Played>,
        last: Position,
    ) -> Self {
        let mut game = Self::new(start);
        game.plies.extend(plies);
        game.last = last;
        debug_assert!(game.walk().last().is_none_or(|(before, played)| before.play(played.ply) == Ok(last)));
        game
    }

    /// Changes the start and removes all plies.
    pub(super) fn set_start(&mut self, start: Position) {
        self.plies.clear();
        if self.variant == Variant::Othello {
            self.variant = default_variant(start);
        }
        (self.start, self.last) = (start, start);
    }

    /// Sets the variant to what the file states; if it states none, the start decides.
    ///
    /// # Errors
    /// A message, if this variant does not start like that.
    pub(super) fn set_variant(&mut self, said: Option<Variant>) -> Result<(), String> {
        let variant = said.unwrap_or_else(|| default_variant(self.start));
        if !variant.allows(self.start) {
            return Err(format!(
                "expected variant historical, as the centre of the start is open, found {variant}"
            ));
        }
        self.variant = variant;
        Ok(())
    }

    /// The position before the first ply.
    #[must_use]
    pub fn start(&self) -> Position {
        self.start
    }

    /// True if it begins from the standard start of its board.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        self.start == Position::start(self.start.size())
    }

    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.start.size()
    }

    /// All plies, including passes.
    #[must_use]
    pub fn plies(&self) -> &[Played] {
        &self.plies
    }

    /// The position after the last ply.
    #[must_use]
    pub fn last(&self) -> Position {
        self.last
    }

    /// Plays a ply. If the side to move must pass and `played` places a disc, the pass is put in before it.
    ///
    /// # Errors
    /// [`IllegalPly`]. The game is then unchanged, except that a pass may have been put in.
    #[inline]
    pub fn push(&mut self, played: Played) -> Result<(), IllegalPly> {
        match self.last.play(played.ply) {
            Ok(position) => self.last = position,
            Err(illegal) => match (played.ply, self.last.turn()) {
                (Ply::Place(_), Turn::Pass(forced)) => {
                    self.last = self.last.after_pass(forced);
                    self.plies.push(Ply::Pass.into());
                    self.last = self.last.play(played.ply)?;
                }
                _ => return Err(illegal),
            },
        }
        self.plies.push(played);
        Ok(())
    }

    /// Plays a ply of this side. The error message names the number of the ply.
    pub(super) fn push_by(&mut self, color: Color, played: Played) -> Result<(), String> {
        let side = self.last.side_to_move();
        // If the side to move must pass, the file has left the pass out.
        let passed = || played.ply != Ply::Pass && matches!(self.last.turn(), Turn::Pass(_));
        let pushed = if color == side || passed() {
            self.push(played).map_err(|why| why.to_string())
        } else {
            Err(format!("expected a move of {side}, found {} of {color}", played.ply))
        };
        pushed.map_err(|what| format!("ply {}: {what}", self.plies.len() + 1))
    }

    /// Sets the annotations of the last ply.
    pub(super) fn annotate(&mut self, said: Played) {
        if let Some(last) = self.plies.last_mut() {
            *last = Played { ply: last.ply, ..said };
        }
    }

    /// The plies alone.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Ply> + Clone {
        self.plies.iter().map(|played| played.ply)
    }

    /// Every ply, including passes, with the side that made it.
    pub fn movers(&self) -> impl Iterator<Item = (Color, &Played)> {
        let first = self.start.side_to_move();
        let sides = [first, first.opposite()];
        self.plies.iter().enumerate().map(move |(index, played)| (sides[index % 2], played))
    }

    /// Every ply with the position before it.
    pub fn walk(&self) -> impl Iterator<Item = (Position, &Played)> {
        self.plies.iter().scan(self.start, |position, played| {
            let before = *position;
            *position = before.play(played.ply).expect("the plies of a game are legal");
            Some((before, played))
        })
    }

    /// True if the side with fewer discs wins.
    pub(super) fn fewest_wins(&self) -> bool {
        self.variant == Variant::Reversed
    }
}

impl Game {
    /// The score for formats that need one: the known score, else all squares for the winner, or half of them each
    /// after a draw.
    pub(super) fn score_or_forfeit(&self, end: &End) -> ByColor<u8> {
        end.score.unwrap_or_else(|| match end.outcome {
            Outcome::Win(winner) => Verdict::by_forfeit(winner.opposite(), self.variant, self.size()).score,
            Outcome::Draw => {
                let half = u8::try_from(self.size().squares() / 2).unwrap_or(u8::MAX);
                ByColor::new(half, half)
            }
        })
    }

    /// Sets the end from the stated result and the last position. If the game is over and its discs agree with the
    /// result, by either rule for empty squares, the end is normal. Otherwise the stated result stands, as adjudicated
    /// or as `how` says.
    pub(super) fn set_end(&mut self, said: StatedResult, how: Option<Termination>) {
        let over = match self.last().turn() {
            Turn::Over(score) => Some(score),
            _ => None,
        };
        let by_discs = |empties| over.map(|score| Verdict::by_discs(score, self.variant, empties));
        let all = self.size().squares() as i32;
        let (outcome, score) = match said {
            StatedResult::Nothing => {
                self.end = by_discs(self.empties).map(End::normal);
                return;
            }
            StatedResult::Outcome(outcome) => (outcome, None),
            StatedResult::Score(score) => (self.winner_by_score(score), Some(score)),
            StatedResult::Difference(difference) => {
                let fits = |verdict: &Verdict| {
                    i32::from(verdict.score.black) - i32::from(verdict.score.white) == difference
                };
                let of_board = [Empties::Winner, Empties::None].into_iter().filter_map(by_discs).find(fits);
                let score =
                    of_board.map(|verdict| verdict.score).or_else(|| score_of_difference(all, difference));
                (self.winner_by_difference(difference), score)
            }
        };
        if !how.is_some_and(|how| how != Termination::Normal) {
            for empties in [self.empties, Empties::Winner, Empties::None] {
                let agrees = |verdict: &Verdict| {
                    verdict.outcome == outcome && score.is_none_or(|score| score == verdict.score)
                };
                if let Some(verdict) = by_discs(empties).filter(agrees) {
                    self.empties = empties;
                    self.end = Some(End::normal(verdict));
                    return;
                }
            }
        }
        let blamed = how.filter(|how| how.has_offender() && outcome != Outcome::Draw);
        let termination = blamed.unwrap_or(Termination::Adjudicated);
        self.end = Some(End { outcome, score, termination, detail: None });
    }

    fn winner_by_score(&self, score: ByColor<u8>) -> Outcome {
        self.winner_by_difference(i32::from(score.black) - i32::from(score.white))
    }

    fn winner_by_difference(&self, difference: i32) -> Outcome {
        match if self.fewest_wins() { -difference } else { difference } {
            0 => Outcome::Draw,
            1.. => Outcome::Win(Color::Black),
            _ => Outcome::Win(Color::White),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Position::start(BoardSize::Eight));
        for (ply, _) in rules::parse_plies(moves).expect("plies") {
            game.push(ply.into()).expect("legal");
        }
        game
    }

    #[test]
    fn passes_are_put_in() {
        assert_eq!(game("f5f6d3g5h5h4f7h6e7").moves().nth(8), Some(Ply::Pass));
        let walked = game("f5f6d3g5h5h4f7h6e7");
        let sides: Vec<Color> = walked.walk().map(|(position, _)| position.side_to_move()).collect();
        assert_eq!(sides[9], Color::White);
    }

    /// Black 13, white 0 after nine plies.
    const WIPE_OUT: &str = "d3c3b3d2e1d6d7e3f4";

    fn end(
        moves: &str,
        said: StatedResult,
        how: Option<Termination>,
    ) -> Option<(Outcome, Option<ByColor<u8>>, Termination)> {
        let mut game = game(moves);
        game.set_end(said, how);
        game.end.map(|end| (end.outcome, end.score, end.termination))
    }

    #[test]
    fn an_end_is_normal_if_the_discs_bear_it_out() {
        let black = Outcome::Win(Color::Black);
        let all = Some(ByColor::new(64, 0));
        let bare = Some(ByColor::new(13, 0));
        assert_eq!(end("f5", StatedResult::Nothing, None), None);
        for said in [
            StatedResult::Nothing,
            StatedResult::Difference(64),
            StatedResult::Score(ByColor::new(64, 0)),
            StatedResult::Outcome(black),
        ] {
            assert_eq!(end(WIPE_OUT, said, None), Some((black, all, Termination::Normal)), "{said:?}");
        }
        for said in [StatedResult::Difference(13), StatedResult::Score(ByColor::new(13, 0))] {
            assert_eq!(end(WIPE_OUT, said, None), Some((black, bare, Termination::Normal)), "{said:?}");
        }
    }

    #[test]
    fn another_end_was_decided_by_somebody() {
        let white = Outcome::Win(Color::White);
        let score = Some(ByColor::new(26, 38));
        let adjudicated = Some((white, score, Termination::Adjudicated));
        assert_eq!(end(WIPE_OUT, StatedResult::Difference(-12), None), adjudicated);
        assert_eq!(end("f5", StatedResult::Difference(-12), None), adjudicated);
        let timeout = Some(Termination::Timeout);
        assert_eq!(
            end("f5", StatedResult::Difference(-12), timeout),
            Some((white, score, Termination::Timeout))
        );
        assert_eq!(
            end("f5", StatedResult::Difference(-13), None),
            Some((white, None, Termination::Adjudicated))
        );
        let draw = Some((Outcome::Draw, Some(ByColor::new(32, 32)), Termination::Adjudicated));
        assert_eq!(end("f5", StatedResult::Difference(0), timeout), draw, "nobody is to blame for a draw");
    }
}
