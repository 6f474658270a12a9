//! Records of small games, made by hand.

use std::time::Duration;

use records::{GameRecord, MoveRecord, Start, Termination, Verdict};
use rules::{BoardSize, Color, Empties, Ply, Position, Turn, Variant};
use tournament::standings::{Standings, Tally};

/// A game on the small board, four of its plies an opening, the moves chosen by a series of numbers.
/// Each move takes 1.5 ms.
pub(crate) fn game(index: u64, [black, white]: [&str; 2], mut series: u64) -> GameRecord {
    let mut position = Position::start(BoardSize::Four);
    let mut plies = Vec::new();
    let score = loop {
        let ply = match position.turn() {
            Turn::Place(moves) => {
                series =
                    series.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let choice = usize::try_from(series >> 33).expect("31 bits") % moves.len();
                moves.get(choice).expect("one of the moves").ply()
            }
            Turn::Pass(_) => Ply::Pass,
            Turn::Over(score) => break score,
        };
        position = position.play(ply).expect("legal");
        plies.push(ply);
    };
    let verdict = Verdict::by_discs(score, Variant::Othello, Empties::Winner);
    let moves = plies.split_off(4).into_iter().map(|ply| MoveRecord {
        ply,
        spent: if ply == Ply::Pass { Duration::ZERO } else { Duration::from_micros(1500) },
        score: None,
        depth: None,
        nodes: None,
    });
    GameRecord {
        format: records::game::FORMAT,
        game: index,
        pair: index / 2,
        round: index / 2,
        opening: plies,
        start: Start::Standard,
        variant: Variant::Othello,
        board: BoardSize::Four,
        empties: Empties::Winner,
        black: black.to_owned(),
        white: white.to_owned(),
        seed: 1,
        moves: moves.collect(),
        result: verdict.outcome,
        discs: position.disc_counts(),
        score: verdict.score,
        termination: Termination::Normal,
        offender: None,
        phase: None,
        detail: None,
        started: "2026-11-29T21:00:00Z".to_owned(),
        seconds: 0.5,
        off_turn: None,
    }
}

/// The standings of these games.
pub(crate) fn standings(games: &[GameRecord]) -> Standings {
    let mut tally = Tally::new();
    games.iter().for_each(|game| tally.add(game).expect("a sound record"));
    tally.standings()
}

/// The same game, given up at the first move by this side.
pub(crate) fn forfeit(index: u64, players: [&str; 2], offender: Color) -> GameRecord {
    let mut record = game(index, players, index / 2);
    record.moves.clear();
    record.termination = Termination::Timeout;
    record.offender = Some(offender);
    let verdict = Verdict::by_forfeit(offender, record.variant, record.board);
    (record.result, record.score) = (verdict.outcome, verdict.score);
    let opened = rules::replay(Position::start(record.board), record.opening.iter().copied());
    record.discs = opened.expect("a legal opening").position().disc_counts();
    record
}
