//! How a game ended, from what its file says and what its last position says.

use rules::{ByColor, Color, Empties, Turn};

use super::game::Game;
use crate::verdict::{Outcome, Termination, Verdict};

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Who has won.
    pub outcome: Outcome,
    /// The score, if it is known.
    pub score: Option<ByColor<u8>>,
    /// The kind of end.
    pub termination: Termination,
    /// What happened, in words.
    pub detail: Option<String>,
}

impl End {
    /// Who is to blame for it: who lost by a fault.
    #[must_use]
    pub fn offender(&self) -> Option<Color> {
        match self.outcome {
            Outcome::Win(winner) if self.termination.has_offender() => Some(winner.opposite()),
            _ => None,
        }
    }
}

/// What a file says of the end of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Said {
    Nothing,
    Outcome(Outcome),
    /// Black's and white's discs.
    Score(ByColor<u8>),
    /// Black's discs minus white's.
    Difference(i32),
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
    pub(super) fn conclude(&mut self, said: Said, how: Option<Termination>) {
        let over = match self.last().turn() {
            Turn::Over(score) => Some(score),
            _ => None,
        };
        let by_discs = |empties| over.map(|score| Verdict::by_discs(score, self.variant, empties));
        let all = self.size().squares() as i32;
        let (outcome, score) = match said {
            Said::Nothing => {
                self.end = by_discs(self.empties).map(End::normal);
                return;
            }
            Said::Outcome(outcome) => (outcome, None),
            Said::Score(score) => (self.winner_of(score), Some(score)),
            Said::Difference(difference) => {
                let fits = |verdict: &Verdict| {
                    i32::from(verdict.score.black) - i32::from(verdict.score.white) == difference
                };
                let of_board = [Empties::Winner, Empties::None].into_iter().filter_map(by_discs).find(fits);
                let score = of_board.map(|verdict| verdict.score).or_else(|| split(all, difference));
                (self.by_sign(difference), score)
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

    fn winner_of(&self, score: ByColor<u8>) -> Outcome {
        self.by_sign(i32::from(score.black) - i32::from(score.white))
    }

    fn by_sign(&self, difference: i32) -> Outcome {
        match if self.fewest_wins() { -difference } else { difference } {
            0 => Outcome::Draw,
            1.. => Outcome::Win(Color::Black),
            _ => Outcome::Win(Color::White),
        }
    }
}

impl End {
    fn normal(verdict: Verdict) -> Self {
        Self {
            outcome: verdict.outcome,
            score: Some(verdict.score),
            termination: Termination::Normal,
            detail: None,
        }
    }
}

/// All the squares in two parts that differ by so much.
fn split(all: i32, difference: i32) -> Option<ByColor<u8>> {
    if difference.abs() > all || (all + difference) % 2 != 0 {
        return None;
    }
    let black = u8::try_from((all + difference) / 2).ok()?;
    let white = u8::try_from((all - difference) / 2).ok()?;
    Some(ByColor::new(black, white))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{BoardSize, Position};

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Position::start(BoardSize::Eight));
        for (ply, _) in rules::parse_plies(moves).expect("plies") {
            game.push(ply.into()).expect("legal");
        }
        game
    }

    /// Black 13, white 0 after nine plies.
    const WIPE_OUT: &str = "d3c3b3d2e1d6d7e3f4";

    fn end(
        moves: &str,
        said: Said,
        how: Option<Termination>,
    ) -> Option<(Outcome, Option<ByColor<u8>>, Termination)> {
        let mut game = game(moves);
        game.conclude(said, how);
        game.end.map(|end| (end.outcome, end.score, end.termination))
    }

    #[test]
    fn an_end_is_normal_if_the_discs_bear_it_out() {
        let black = Outcome::Win(Color::Black);
        let all = Some(ByColor::new(64, 0));
        let bare = Some(ByColor::new(13, 0));
        assert_eq!(end("f5", Said::Nothing, None), None);
        for said in
            [Said::Nothing, Said::Difference(64), Said::Score(ByColor::new(64, 0)), Said::Outcome(black)]
        {
            assert_eq!(end(WIPE_OUT, said, None), Some((black, all, Termination::Normal)), "{said:?}");
        }
        for said in [Said::Difference(13), Said::Score(ByColor::new(13, 0))] {
            assert_eq!(end(WIPE_OUT, said, None), Some((black, bare, Termination::Normal)), "{said:?}");
        }
    }

    #[test]
    fn another_end_was_decided_by_somebody() {
        let white = Outcome::Win(Color::White);
        let score = Some(ByColor::new(26, 38));
        let adjudicated = Some((white, score, Termination::Adjudicated));
        assert_eq!(end(WIPE_OUT, Said::Difference(-12), None), adjudicated);
        assert_eq!(end("f5", Said::Difference(-12), None), adjudicated);
        let timeout = Some(Termination::Timeout);
        assert_eq!(end("f5", Said::Difference(-12), timeout), Some((white, score, Termination::Timeout)));
        assert_eq!(end("f5", Said::Difference(-13), None), Some((white, None, Termination::Adjudicated)));
        let draw = Some((Outcome::Draw, Some(ByColor::new(32, 32)), Termination::Adjudicated));
        assert_eq!(end("f5", Said::Difference(0), timeout), draw, "nobody is to blame for a draw");
    }
}
