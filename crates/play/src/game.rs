//! One game as a plain value: whose turn it is, what the clocks say, and how it ended. It is told
//! what the engines answered and never waits for anything.

use std::time::Duration;

use clock::{Clock, TimeControl};
use protocol::message::{Go, PlayedPly};
use records::{FaultPhase, MoveRecord, Termination, Verdict};
use rules::{ByColor, Color, Empties, Ply, Position, Turn, Variant};

use crate::engine::{Answer, AnswerKind, Failure};

/// Rules, time and opening of a game.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Othello or one of its relatives.
    pub variant: Variant,
    /// The side that empty squares count for.
    pub empties: Empties,
    /// How each side's thinking is limited.
    pub time: ByColor<TimeControl>,
    /// The reserve on clocks and move times.
    pub margin: Duration,
    /// For a search that has no clock.
    pub move_limit: Duration,
    /// The position before the opening.
    pub start: Position,
    /// The plies before the engines are asked, legal from `start`.
    pub opening: Vec<Ply>,
}

impl Setup {
    /// Othello from this position, with 20 ms of margin, a minute for a search without a clock, and no opening.
    #[must_use]
    pub fn new(start: Position, time: ByColor<TimeControl>) -> Self {
        Self {
            variant: Variant::Othello,
            empties: Empties::Winner,
            time,
            margin: Duration::from_millis(20),
            move_limit: clock::Limits::default().move_,
            start,
            opening: Vec::new(),
        }
    }
}

/// A game that is being played.
#[derive(Debug)]
pub struct Game {
    setup: Setup,
    position: Position,
    clocks: ByColor<Clock>,
    played: Vec<PlayedPly>,
    moves: Vec<MoveRecord>,
    /// What is charged for getting ready for the position.
    preparation: Duration,
}

/// The next step of a game.
#[derive(Debug)]
pub enum Step {
    /// Ask this side for a move, and give it at most this long.
    Ask {
        /// Whose turn it is.
        side: Color,
        /// How it may think.
        go: Go,
        /// After this it is late.
        allowance: Duration,
    },
    /// The game is over by the rules.
    Over(GameEnd),
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct GameEnd {
    /// The kind of end.
    pub termination: Termination,
    /// The side that failed.
    pub offender: Option<Color>,
    /// When the fault happened, if there was one.
    pub phase: Option<FaultPhase>,
    /// What happened, in words.
    pub detail: Option<String>,
    /// Result and score.
    pub verdict: Verdict,
    /// How long the engine could not run in the turn that came too late, if that is at least as long as it was late.
    pub starved: Option<Duration>,
}

impl Game {
    /// A game at its first move: the opening is on the board.
    ///
    /// # Panics
    /// If the opening is not legal; it was checked when it was made.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let line = rules::replay(setup.start, setup.opening.iter().copied()).expect("openings are legal");
        let clocks = setup.time.map(|control| Clock::new(control, setup.margin));
        let played = setup.opening.iter().map(|&ply| PlayedPly { ply, spent: Duration::ZERO }).collect();
        Self {
            position: line.position(),
            clocks,
            played,
            moves: Vec::new(),
            preparation: Duration::ZERO,
            setup,
        }
    }

    /// Plays forced passes, and returns the next step.
    pub fn advance(&mut self) -> Step {
        loop {
            match self.position.turn() {
                Turn::Place(_) => {
                    let side = self.position.side_to_move();
                    let clock = &self.clocks[side];
                    let allowance = clock.allowance().unwrap_or(self.setup.move_limit);
                    return Step::Ask { side, go: self.go(side), allowance };
                }
                Turn::Pass(forced) => {
                    self.position = self.position.after_pass(forced);
                    self.push_ply(Ply::Pass, Duration::ZERO, None);
                }
                Turn::Over(score) => {
                    let verdict = Verdict::by_discs(score, self.setup.variant, self.setup.empties);
                    return Step::Over(GameEnd {
                        termination: Termination::Normal,
                        offender: None,
                        phase: None,
                        detail: None,
                        verdict,
                        starved: None,
                    });
                }
            }
        }
    }

    /// How the side to move may think. Where one side has a game clock and the other none, the
    /// other's time is told as the mover's own.
    fn go(&self, side: Color) -> Go {
        match self.setup.time[side] {
            TimeControl::Game { .. } => {
                let of = |color: Color| {
                    let clock = match self.setup.time[color] {
                        TimeControl::Game { .. } => &self.clocks[color],
                        _ => &self.clocks[side],
                    };
                    (clock.remaining().unwrap_or_default(), clock.increment())
                };
                let both = ByColor::from_fn(of);
                Go::Clock {
                    time: both.map(|(time, _)| time),
                    increment: both.map(|(_, increment)| increment),
                }
            }
            TimeControl::MoveTime(time) => Go::MoveTime(time),
            TimeControl::Nodes(nodes) => Go::Nodes(nodes),
            TimeControl::Depth(depth) => Go::Depth(depth),
        }
    }

    /// The side to move needed longer than it may to get ready for the position: so much is charged to its clock. Returns
    /// what is left of the request and of the time for it.
    pub fn charge_preparation(&mut self, late: Duration, go: Go, allowance: Duration) -> (Go, Duration) {
        self.preparation = late;
        let side = self.position.side_to_move();
        let go = match go {
            Go::Clock { mut time, increment } => {
                time[side] = time[side].saturating_sub(late);
                Go::Clock { time, increment }
            }
            Go::MoveTime(time) => Go::MoveTime(time.saturating_sub(late)),
            other => other,
        };
        (go, allowance.saturating_sub(late))
    }

    /// Takes what the side to move answered. The order of judgement is: gone, late, unreadable,
    /// illegal. Returns the ending if the game is lost by it.
    pub fn apply_answer(&mut self, answer: Answer) -> Option<GameEnd> {
        let side = self.position.side_to_move();
        let preparation = std::mem::take(&mut self.preparation);
        let spent = answer.spent + preparation;
        if let AnswerKind::Gone(detail) = answer.kind {
            return Some(self.lost(Termination::Crash, side, detail));
        }
        if let AnswerKind::Silent(pending) = &answer.kind {
            // By the limit of a search without clock, or because the clock ran out while we waited.
            let Some(allowed) = self.clocks[side].allowance() else {
                let limit = clock::format_duration(self.setup.move_limit);
                let detail = format!("no move within {limit}, the limit on a search without clock{pending}");
                return Some(self.lost(Termination::Stall, side, detail));
            };
            let margin = self.setup.margin.min(allowed);
            let given = clock::brief_duration(allowed - margin);
            let with_margin = clock::format_duration(margin);
            let more = late_for_position(preparation) + &kept_waiting(answer.waited.threads);
            let detail = format!("no move within {given} and the margin of {with_margin}{pending}{more}");
            // How late it would have been is not known: a tenth of the turn is taken for enough.
            let waited = answer.waited.engine;
            let starved = (waited * 10 >= spent.max(WORTH_SAYING)).then_some(waited);
            return Some(GameEnd { starved, ..self.lost(Termination::Timeout, side, detail) });
        }
        if let AnswerKind::Idle(detail) = answer.kind {
            return Some(self.lost(Termination::Stall, side, detail));
        }
        if let Err(late) = self.clocks[side].charge(spent) {
            let what = match &answer.kind {
                AnswerKind::Ply(ply) => format!("{ply} came "),
                _ => "the answer came ".to_owned(),
            };
            let more = late_for_position(preparation) + &kept_waiting(answer.waited.threads);
            let detail = format!("{what}{late}{more}");
            let waited = answer.waited.engine;
            let starved =
                (waited >= late.over_by.saturating_sub(late.margin).max(WORTH_SAYING)).then_some(waited);
            return Some(GameEnd { starved, ..self.lost(Termination::Timeout, side, detail) });
        }
        match answer.kind {
            AnswerKind::Ply(ply) => match self.position.play(ply) {
                Ok(position) => {
                    self.position = position;
                    self.push_ply(ply, spent, Some(answer.info));
                    None
                }
                Err(illegal) => {
                    let stale = if self.has_played(ply) {
                        "; it played that earlier in this game, as if it answered an older question"
                    } else {
                        ""
                    };
                    let detail = format!("illegal move {ply}: {illegal}{stale}; position {}", self.position);
                    Some(self.lost(Termination::IllegalMove, side, detail))
                }
            },
            AnswerKind::Resigned => Some(self.lost(Termination::Resigned, side, "resigned".to_owned())),
            AnswerKind::Unreadable(detail) => Some(self.lost(Termination::ProtocolError, side, detail)),
            AnswerKind::Silent(_) | AnswerKind::Idle(_) | AnswerKind::Gone(_) => None,
        }
    }

    /// True if the side to move has played this move before. Turns alternate: passes are plies.
    fn has_played(&self, ply: Ply) -> bool {
        ply != Ply::Pass && self.played.iter().rev().skip(1).step_by(2).any(|played| played.ply == ply)
    }

    /// The game is lost by a side that failed otherwise than in its answer to `go`.
    #[must_use]
    pub fn failed(&self, side: Color, phase: FaultPhase, failure: Failure) -> GameEnd {
        GameEnd { phase: Some(phase), ..self.lost(failure.termination, side, failure.detail) }
    }

    fn lost(&self, termination: Termination, offender: Color, detail: String) -> GameEnd {
        let verdict = Verdict::by_forfeit(offender, self.setup.variant, self.position.size());
        let phase = termination.is_fault().then_some(FaultPhase::Play);
        GameEnd { termination, offender: Some(offender), phase, detail: Some(detail), verdict, starved: None }
    }

    fn push_ply(&mut self, ply: Ply, spent: Duration, info: Option<protocol::message::SearchInfo>) {
        let info = info.unwrap_or_default();
        self.played.push(PlayedPly { ply, spent });
        self.moves.push(MoveRecord { ply, spent, score: info.score, depth: info.depth, nodes: info.nodes });
    }

    /// Every ply so far, the opening's too, with the time it took.
    #[must_use]
    pub fn played(&self) -> &[PlayedPly] {
        &self.played
    }

    /// The position on the board.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The plies after the opening, for the record.
    #[must_use]
    pub fn into_moves(self) -> Vec<MoveRecord> {
        self.moves
    }
}

/// The time that was charged for getting ready for the position, as text behind a late answer.
fn late_for_position(preparation: Duration) -> String {
    if preparation.is_zero() {
        return String::new();
    }
    let charged = clock::brief_duration(preparation);
    format!("; {charged} of it went into getting ready for the position, beyond [limits] sync")
}

/// A shorter wait for a core decides nothing.
const WORTH_SAYING: Duration = Duration::from_millis(10);

/// How long the engine was ready to run and had no core, as text behind a late answer.
fn kept_waiting(waited: Duration) -> String {
    if waited < WORTH_SAYING {
        return String::new();
    }
    format!("; its threads waited {} for a core meanwhile", clock::brief_duration(waited))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Waited;
    use proptest::prelude::*;
    use protocol::message::SearchInfo;
    use rules::BoardSize;

    const SECOND: Duration = Duration::from_secs(1);

    fn setup(black: &str, white: &str) -> Setup {
        Setup {
            variant: Variant::Othello,
            empties: Empties::Winner,
            time: ByColor::new(black, white).map(|text| text.parse().expect("a time control")),
            margin: Duration::from_millis(20),
            move_limit: Duration::from_secs(60),
            start: Position::start(BoardSize::Eight),
            opening: Vec::new(),
        }
    }

    fn answer(spent: Duration, kind: AnswerKind) -> Answer {
        Answer { spent, waited: Waited::default(), info: SearchInfo::default(), kind }
    }

    fn ply(text: &str) -> AnswerKind {
        AnswerKind::Ply(text.parse().expect("a ply"))
    }

    fn asked(game: &mut Game) -> (Color, Go, Duration) {
        match game.advance() {
            Step::Ask { side, go, allowance } => (side, go, allowance),
            Step::Over(ending) => panic!("over: {ending:?}"),
        }
    }

    /// In milliseconds: Black's and White's time, then their increments.
    fn clocks(go: Go) -> [u128; 4] {
        match go {
            Go::Clock { time, increment } => {
                [time.black, time.white, increment.black, increment.white].map(|time| time.as_millis())
            }
            other => panic!("no clocks: {other:?}"),
        }
    }

    #[test]
    fn time_is_charged_and_told() {
        let mut game = Game::new(setup("10s+1s", "5s"));
        let (side, go, allowance) = asked(&mut game);
        assert_eq!((side, allowance), (Color::Black, Duration::from_millis(10_020)));
        assert_eq!(clocks(go), [10_000, 5000, 1000, 0]);
        assert_eq!(game.apply_answer(answer(4 * SECOND, ply("f5"))), None);
        let (side, go, _) = asked(&mut game);
        assert_eq!((side, clocks(go)), (Color::White, [7000, 5000, 1000, 0]));
        // Into the margin: no time is left, and the debt stays.
        assert_eq!(game.apply_answer(answer(Duration::from_millis(5015), ply("d6"))), None);
        assert_eq!(game.apply_answer(answer(SECOND, ply("c3"))), None);
        let (_, go, allowance) = asked(&mut game);
        assert_eq!(clocks(go), [7000, 0, 1000, 0]);
        assert_eq!(allowance, Duration::from_millis(5));
        let late = game.apply_answer(answer(Duration::from_millis(6), ply("d3"))).expect("late");
        assert_eq!((late.termination, late.offender), (Termination::Timeout, Some(Color::White)));
        let spent: Vec<_> = game.into_moves().iter().map(|each| each.spent).collect();
        assert_eq!(spent, [4 * SECOND, Duration::from_millis(5015), SECOND], "the late move is no move");
    }

    #[test]
    fn without_a_clock_the_other_ones_time_is_the_movers() {
        let mut game = Game::new(setup("10s+1s", "nodes=5"));
        let (_, go, _) = asked(&mut game);
        assert_eq!(clocks(go), [10_000, 10_000, 1000, 1000]);
        assert_eq!(game.apply_answer(answer(SECOND, ply("f5"))), None);
        let (_, go, allowance) = asked(&mut game);
        assert_eq!((go, allowance), (Go::Nodes(5), Duration::from_secs(60)));
        // However long it took: there is no clock.
        assert_eq!(game.apply_answer(answer(59 * SECOND, ply("d6"))), None);
        let silent = AnswerKind::Silent(String::new());
        assert_eq!(game.apply_answer(answer(SECOND, ply("c3"))), None);
        let stall = game.apply_answer(answer(60 * SECOND, silent)).expect("silent for too long");
        assert_eq!((stall.termination, stall.offender), (Termination::Stall, Some(Color::White)));
    }

    #[test]
    fn each_kind_of_answer_has_its_verdict() {
        let in_time = Duration::from_millis(100);
        let too_late = Duration::from_millis(121);
        let text = |text: &str| text.to_owned();
        let cases = [
            (too_late, ply("f5"), Termination::Timeout, "f5"),
            (too_late, ply("a1"), Termination::Timeout, "a1"),
            (too_late, AnswerKind::Unreadable(text("?")), Termination::Timeout, "the answer"),
            (too_late, AnswerKind::Gone(text("exit status 0")), Termination::Crash, "exit status 0"),
            (in_time, AnswerKind::Silent(text("; it said x")), Termination::Timeout, "it said x"),
            (in_time, ply("a1"), Termination::IllegalMove, "a1"),
            (in_time, ply("pass"), Termination::IllegalMove, "pass"),
            (in_time, AnswerKind::Unreadable(text("banana")), Termination::ProtocolError, "banana"),
            (in_time, AnswerKind::Resigned, Termination::Resigned, "resigned"),
        ];
        for (spent, kind, termination, word) in cases {
            let mut game = Game::new(setup("movetime=100ms", "movetime=100ms"));
            asked(&mut game);
            let ending = game.apply_answer(answer(spent, kind.clone())).expect("the game is lost");
            assert_eq!((ending.termination, ending.offender), (termination, Some(Color::Black)), "{kind:?}");
            assert!(ending.detail.is_some_and(|detail| detail.contains(word)), "{kind:?}");
            assert_eq!((ending.verdict.score.black, ending.verdict.score.white), (0, 64));
            assert!(game.into_moves().is_empty());
        }
    }

    #[test]
    fn a_machine_that_had_no_core_for_it_is_named_where_it_was_late() {
        let too_late = Duration::from_millis(121);
        let silent = AnswerKind::Silent("; it wrote nothing".to_owned());
        for (kind, waited, end) in [
            (ply("f5"), 90, "over the time limit, margin 20ms; its threads waited 90ms for a core meanwhile"),
            (ply("f5"), 9, "over the time limit, margin 20ms"),
            (silent.clone(), 90, "; it wrote nothing; its threads waited 90ms for a core meanwhile"),
            (silent, 0, "; it wrote nothing"),
        ] {
            let mut game = Game::new(setup("movetime=100ms", "movetime=100ms"));
            asked(&mut game);
            let late = Answer {
                waited: Waited { threads: Duration::from_millis(waited), engine: Duration::ZERO },
                ..answer(too_late, kind)
            };
            let detail = game.apply_answer(late).and_then(|ending| ending.detail).expect("late");
            assert!(detail.ends_with(end), "{detail}");
        }
    }

    #[test]
    fn a_repeated_move_is_told_from_another_illegal_one() {
        for (again, told) in [("f5", true), ("d6", false), ("a1", false)] {
            let mut game = Game::new(setup("1s", "1s"));
            for word in ["f5", "d6"] {
                asked(&mut game);
                assert_eq!(game.apply_answer(answer(Duration::ZERO, ply(word))), None);
            }
            asked(&mut game);
            let ending = game.apply_answer(answer(Duration::ZERO, ply(again))).expect("illegal");
            let detail = ending.detail.expect("a detail");
            assert_eq!(detail.contains("an older question"), told, "{detail}");
        }
    }

    #[test]
    fn who_fails_in_the_reversed_game_has_all_the_discs() {
        let game = Game::new(Setup { variant: Variant::Reversed, ..setup("1s", "1s") });
        let failure = Failure { termination: Termination::Stall, detail: "silent".into() };
        let ending = game.failed(Color::White, FaultPhase::Start, failure);
        assert_eq!((ending.verdict.score.black, ending.verdict.score.white), (0, 64));
        assert_eq!(ending.detail.as_deref(), Some("silent"));
    }

    #[test]
    fn a_pass_behind_the_opening_is_the_first_of_the_moves() {
        let line = "f5f6d3g5h5h4f7h6";
        let opening = rules::parse_plies(line).expect("plies").into_iter().map(|(ply, _)| ply).collect();
        let mut game = Game::new(Setup { opening, ..setup("1s+1s", "1s+1s") });
        let (side, ..) = asked(&mut game);
        assert_eq!(side, Color::White, "Black has no move");
        assert_eq!((game.played().len(), game.played()[8].ply), (9, Ply::Pass));
        let moves = game.into_moves();
        assert_eq!((moves.len(), moves[0].ply, moves[0].spent), (1, Ply::Pass, Duration::ZERO));
    }

    proptest! {
        /// Any game of legal moves comes to its end by the rules, as a replay of its record says.
        #[test]
        fn games_end_by_the_rules(choices in prop::collection::vec(any::<prop::sample::Index>(), 60), board in 2u8..5) {
            let size = BoardSize::try_from(2 * board).expect("a size");
            let start = Position::start(size);
            let mut game = Game::new(Setup { start, ..setup("depth=1", "movetime=1s") });
            let mut choices = choices.into_iter();
            let ending = loop {
                match game.advance() {
                    Step::Over(ending) => break ending,
                    Step::Ask { side, .. } => {
                        let position = game.position();
                        prop_assert_eq!(side, position.side_to_move());
                        let moves: Vec<_> = position.moves().iter().collect();
                        let choice = choices.next().expect("at most 60 moves");
                        let kind = AnswerKind::Ply(Ply::from(moves[choice.index(moves.len())]));
                        prop_assert_eq!(game.apply_answer(answer(Duration::ZERO, kind)), None);
                    }
                }
            };
            prop_assert_eq!(ending.termination, Termination::Normal);
            prop_assert!(ending.offender.is_none() && ending.detail.is_none());
            let end = game.position();
            prop_assert!(end.is_over());
            let total = ending.verdict.score.black + ending.verdict.score.white;
            prop_assert_eq!(u32::from(total), u32::from(size.side()).pow(2));
            let moves: Vec<_> = game.into_moves().iter().map(|each| each.ply).collect();
            let replayed = rules::replay(start, moves).expect("legal");
            prop_assert_eq!(replayed.position(), end);
        }
    }
}
