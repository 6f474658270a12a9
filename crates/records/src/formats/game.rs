//! What all formats have in common: a game, and a position with values.

use std::time::Duration;

use rules::{BoardSize, ByColor, Color, Empties, IllegalPly, Ply, Position, Turn, Variant};

use super::game_end::{End, StatedResult, score_of_difference};
use crate::verdict::{Outcome, Termination, Verdict};

/// Most games have no more passes.
const ROOM_FOR_PASSES: usize = 4;

/// One game as any of the formats can hold it. Its plies are legal, and every pass is among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    start: Position,
    plies: Vec<Played>,
    last: Position,
    /// Othello or one of its relatives.
    pub variant: Variant,
    /// Whose the squares are that stay empty.
    pub empties: Empties,
    /// The players' names; empty where they are not known.
    pub names: ByColor<String>,
    /// The players' ratings.
    pub ratings: ByColor<Option<f64>>,
    /// The tournament, or empty.
    pub event: String,
    /// Where it was played, or empty.
    pub site: String,
    /// When it was played, in the words of its file, or empty.
    pub date: String,
    /// How many of the plies are the opening, which no player chose.
    pub opening: usize,
    /// How it ended; `None` for a game that is not finished, or of which that is not known.
    pub end: Option<End>,
    /// What only our own records know.
    pub tournament: Option<Box<TournamentInfo>>,
    /// What only WTHOR knows.
    pub wthor: Option<Box<WthorEntry>>,
}

/// One ply, with what its file says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Played {
    /// A square, or a pass.
    pub ply: Ply,
    /// The time it took.
    pub spent: Option<Duration>,
    /// What the mover expects, in discs, from the mover's view.
    pub score: Option<f64>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Positions searched.
    pub nodes: Option<u64>,
}

impl From<Ply> for Played {
    fn from(ply: Ply) -> Self {
        Self { ply, spent: None, score: None, depth: None, nodes: None }
    }
}

/// What only our own records know of a game: see [`GameRecord`](crate::GameRecord).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TournamentInfo {
    /// Index in the schedule.
    pub game: u64,
    /// Index of the game pair.
    pub pair: u64,
    /// The opening's number.
    pub round: u64,
    /// The game's seed.
    pub seed: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Processor time that each side used out of its turn.
    pub off_turn: Option<ByColor<Duration>>,
}

/// A position with what is known of its moves, as a line of a problem file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// Moves with their scores in discs, for the side to move, best first.
    pub moves: Vec<(Ply, f64)>,
    /// The score of the position where no move is named with it.
    pub score: Option<f64>,
}

/// What stands in a file: a game, or a position.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all are games, and one at a time is held")]
pub enum Item {
    /// A game.
    Game(Game),
    /// A position.
    Problem(Problem),
}

impl Item {
    /// The item as a game: a position is a game without plies from that start.
    #[must_use]
    pub fn into_game(self) -> Game {
        match self {
            Self::Game(game) => game,
            Self::Problem(problem) => Game::new(problem.position),
        }
    }

    /// The item as a position: of a game, the last one.
    #[must_use]
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Game(game) => Problem { position: game.last, moves: Vec::new(), score: None },
            Self::Problem(problem) => problem,
        }
    }
}

/// What is played from a position where nothing else is said.
fn default_variant(start: Position) -> Variant {
    if start.is_placing() { Variant::Historical } else { Variant::Othello }
}

/// A name, where `?` stands for none.
pub(super) fn name_or_empty(name: &str) -> &str {
    if name == "?" { "" } else { name }
}

/// What a game of WTHOR has besides: the numbers of its names, and two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WthorEntry {
    /// The number of the tournament.
    pub tournament: u16,
    /// The number of Black.
    pub black: u16,
    /// The number of White.
    pub white: u16,
    /// The byte of Black's discs, as it stands.
    pub score: u8,
    /// Black's discs with best play, from as many empty squares as the header says.
    pub theoretical: u8,
}

impl Game {
    /// A game at its start, about which nothing else is known.
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

    /// A game that was played through already: its plies are legal and lead to `last`, with every pass among them.
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

    /// Gives it another start, and no plies.
    pub(super) fn set_start(&mut self, start: Position) {
        self.plies.clear();
        if self.variant == Variant::Othello {
            self.variant = default_variant(start);
        }
        (self.start, self.last) = (start, start);
    }

    /// Takes what a file says of the variant; where it says nothing, the start decides.
    ///
    /// # Errors
    /// What is wrong, if that variant is not played from there.
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

    /// Whether it starts where games of its board normally do.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        self.start == Position::start(self.start.size())
    }

    /// The board's size.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.start.size()
    }

    /// All plies, passes too.
    #[must_use]
    pub fn plies(&self) -> &[Played] {
        &self.plies
    }

    /// The position after the last ply.
    #[must_use]
    pub fn last(&self) -> Position {
        self.last
    }

    /// Plays a ply. A pass that was left out before a disc is put in.
    ///
    /// # Errors
    /// [`IllegalPly`] if the rules forbid it; the game is then as before, but for a pass that was put in.
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

    /// Plays a ply of which the file says who made it. What is wrong names the ply.
    pub(super) fn push_by(&mut self, color: Color, played: Played) -> Result<(), String> {
        let side = self.last.side_to_move();
        // Where the other side has to pass, its pass was left out.
        let passed = || played.ply != Ply::Pass && matches!(self.last.turn(), Turn::Pass(_));
        let pushed = if color == side || passed() {
            self.push(played).map_err(|why| why.to_string())
        } else {
            Err(format!("expected a move of {side}, found {} of {color}", played.ply))
        };
        pushed.map_err(|what| format!("ply {}: {what}", self.plies.len() + 1))
    }

    /// Puts what is said of the last ply to it.
    pub(super) fn annotate(&mut self, said: Played) {
        if let Some(last) = self.plies.last_mut() {
            *last = Played { ply: last.ply, ..said };
        }
    }

    /// The plies alone.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = Ply> + Clone {
        self.plies.iter().map(|played| played.ply)
    }

    /// Who made each of the plies, passes too: the sides take turns.
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

    /// Whether it is the game that is won by fewer discs.
    pub(super) fn fewest_wins(&self) -> bool {
        self.variant == Variant::Reversed
    }
}

impl Game {
    /// The score that stands for this end where a format wants one: the one that is known, or all the squares for
    /// the winner, half of them each after a draw.
    pub(super) fn score_or_forfeit(&self, end: &End) -> ByColor<u8> {
        end.score.unwrap_or_else(|| match end.outcome {
            Outcome::Win(winner) => Verdict::by_forfeit(winner.opposite(), self.variant, self.size()).score,
            Outcome::Draw => {
                let half = u8::try_from(self.size().squares() / 2).unwrap_or(u8::MAX);
                ByColor::new(half, half)
            }
        })
    }

    /// Finds the end from what the file says of it and from the last position. A result that the discs of a
    /// finished game bear out, by either rule for empty squares, is a normal end; any other was decided by
    /// somebody, and stands.
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
