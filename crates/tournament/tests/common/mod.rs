//! Game records made by hand.

use std::time::Duration;

use records::game::FORMAT;
use records::{GameRecord, MoveRecord, Outcome, Start, Termination, Verdict};
use rules::{BoardSize, ByColor, Color, Empties, Ply, Position, Turn, Variant};

/// How a game of the tests is to end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// By the rules.
    Normal,
    /// By decree.
    Adjudicated(Outcome),
    /// By this side's fault, at its next turn after so many plies.
    Fault(Termination, Color, usize),
}

/// A small game: `choose` picks one of so many legal moves, first for the opening, then for the rest.
/// Every ply takes a millisecond and as many nanoseconds as its number.
pub(crate) fn game(
    index: u64,
    players: [&str; 2],
    opening: usize,
    ending: Ending,
    mut choose: impl FnMut(usize) -> usize,
) -> GameRecord {
    let mut position = Position::start(BoardSize::Four);
    let mut plies = Vec::new();
    loop {
        if let Ending::Fault(_, offender, after) = ending
            && plies.len() >= opening + after
            && position.side_to_move() == offender
        {
            break;
        }
        let ply = match position.turn() {
            Turn::Place(moves) => moves.get(choose(moves.len())).expect("one of the moves").ply(),
            Turn::Pass(_) => Ply::Pass,
            Turn::Over(_) => break,
        };
        position = position.play(ply).expect("legal");
        plies.push(ply);
    }
    let rest = plies.split_off(opening.min(plies.len()));
    let mut record = finished(index, players, plies, rest, position);
    let offender = match ending {
        Ending::Fault(termination, offender, _) if !position.is_over() => {
            record.termination = termination;
            let verdict = Verdict::by_forfeit(offender, Variant::Othello, BoardSize::Four);
            (record.result, record.score) = (verdict.outcome, verdict.score);
            Some(offender)
        }
        Ending::Adjudicated(outcome) => {
            record.termination = Termination::Adjudicated;
            record.result = outcome;
            None
        }
        _ => None,
    };
    record.offender = offender;
    record
}

/// A game that took this way to this last position.
pub(crate) fn finished(
    index: u64,
    [black, white]: [&str; 2],
    opening: Vec<Ply>,
    moves: Vec<Ply>,
    last: Position,
) -> GameRecord {
    let size = last.size();
    let spent = |(number, &ply): (u64, &Ply)| match ply {
        Ply::Pass => Duration::ZERO,
        Ply::Place(_) => Duration::from_nanos(1_000_000 + number),
    };
    let moves = (1..).zip(&moves).map(|(number, ply)| MoveRecord {
        ply: *ply,
        spent: spent((number, ply)),
        score: None,
        depth: None,
        nodes: None,
    });
    let (termination, verdict) = match last.turn() {
        Turn::Over(score) => {
            (Termination::Normal, Verdict::by_discs(score, Variant::Othello, Empties::Winner))
        }
        _ => (Termination::Adjudicated, Verdict { outcome: Outcome::Draw, score: ByColor::new(8, 8) }),
    };
    GameRecord {
        format: FORMAT,
        game: index,
        pair: index / 2,
        round: index / 2,
        opening,
        start: Start::Standard,
        variant: Variant::Othello,
        board: size,
        empties: Empties::Winner,
        black: black.to_owned(),
        white: white.to_owned(),
        seed: 1,
        moves: moves.collect(),
        result: verdict.outcome,
        discs: last.disc_counts(),
        score: verdict.score,
        termination,
        offender: None,
        phase: None,
        detail: None,
        started: "2026-11-29T21:00:00Z".to_owned(),
        seconds: 0.5,
        off_turn: None,
    }
}

/// Picks by a simple series of numbers.
pub(crate) fn series(mut state: u64) -> impl FnMut(usize) -> usize {
    move |choices| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % choices
    }
}
