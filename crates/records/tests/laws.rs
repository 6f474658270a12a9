//! The laws of the record: what is written is read, what was tampered with is found, and a file
//! that was cut anywhere keeps its whole lines.

use std::fs;
use std::time::Duration;

use proptest::prelude::*;
use records::{
    FaultPhase, GameLog, GameRecord, LogError, MoveRecord, Outcome, RecordError, Start, Termination, Verdict,
    read_games,
};
use rules::{BoardSize, Color, Empties, Ply, Position, Turn, Variant};

/// A game in which the n-th choice picks the move, cut short by a fault after `faulty` plies.
fn played(
    size: BoardSize,
    variant: Variant,
    empties: Empties,
    choices: &[usize],
    faulty: Option<usize>,
) -> GameRecord {
    let start = variant.start(size);
    let (mut position, mut plies) = (start, Vec::new());
    let fault = loop {
        if faulty.is_some_and(|after| plies.len() >= after) {
            break true;
        }
        match position.turn() {
            Turn::Place(moves) => {
                let choice = choices.get(plies.len()).copied().unwrap_or(0) % moves.len();
                let chosen = moves.get(choice).expect("within the moves");
                plies.push(chosen.ply());
                position = position.after(chosen);
            }
            Turn::Pass(forced) => {
                plies.push(Ply::Pass);
                position = position.after_pass(forced);
            }
            Turn::Over(_) => break false,
        }
    };
    let offender = fault.then(|| position.side_to_move());
    let verdict = match (offender, position.turn()) {
        (Some(offender), _) => Verdict::by_forfeit(offender, variant, size),
        (None, Turn::Over(score)) => Verdict::by_discs(score, variant, empties),
        (None, _) => unreachable!("the loop ends when the game is over"),
    };
    let moves = plies.iter().enumerate().map(|(index, ply)| MoveRecord {
        ply: *ply,
        spent: Duration::from_nanos(choices.get(index).copied().unwrap_or(0) as u64 * 7919),
        score: (index % 3 == 0).then_some(index as f64 / 100.0 - 3.0),
        depth: (index % 2 == 0).then_some(9),
        nodes: Some(index as u64 * 1_000_000_007),
    });
    GameRecord {
        format: 1,
        game: 17,
        pair: 8,
        round: 0,
        opening: Vec::new(),
        start: if start == Position::start(size) { Start::Standard } else { Start::Position(start) },
        variant,
        board: size,
        empties,
        black: "comma, \"quote\"".into(),
        white: "é漢\\".into(),
        seed: (1 << 53) - 1,
        moves: moves.collect(),
        result: verdict.outcome,
        discs: position.disc_counts(),
        score: verdict.score,
        termination: if fault { Termination::Crash } else { Termination::Normal },
        offender,
        phase: fault.then_some(if plies.len() % 2 == 0 { FaultPhase::Start } else { FaultPhase::Play }),
        detail: fault.then(|| "exit status 3\n".to_owned()),
        started: "2026-11-29T21:00:00Z".into(),
        seconds: 1.9,
        off_turn: None,
    }
}

fn any_game() -> impl Strategy<Value = GameRecord> {
    let size = prop::sample::select(&BoardSize::ALL[..]);
    let variant = prop::sample::select(&Variant::ALL[..]);
    let empties = prop::sample::select(vec![Empties::Winner, Empties::None]);
    (size, variant, empties, prop::collection::vec(0usize..1000, 80), prop::option::of(0usize..50)).prop_map(
        |(size, variant, empties, choices, faulty)| played(size, variant, empties, &choices, faulty),
    )
}

fn line(record: &GameRecord) -> Vec<u8> {
    let mut line = Vec::new();
    record.write_line(&mut line).expect("finite numbers");
    line
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(record in any_game()) {
        let text = String::from_utf8(line(&record)).expect("UTF-8");
        prop_assert_eq!(text.matches('\n').count(), 1);
        prop_assert_eq!(GameRecord::parse(&text).expect("readable"), record);
    }

    #[test]
    fn a_record_follows_from_its_plies(record in any_game()) {
        let positions = record.replay().expect("consistent");
        prop_assert_eq!(positions.last.disc_counts(), record.discs);
        prop_assert_eq!(record.disc_difference(Color::Black), -record.disc_difference(Color::White));
        let good_for_black = record.disc_difference(Color::Black).signum();
        match record.result {
            Outcome::Win(Color::Black) => prop_assert_eq!(good_for_black, 1, "plus is good in every variant"),
            Outcome::Win(Color::White) => prop_assert_eq!(good_for_black, -1),
            Outcome::Draw => prop_assert_eq!(good_for_black, 0),
        }
    }

    #[test]
    fn what_was_tampered_with_is_found(record in any_game(), what in 0usize..5) {
        let mut forged = record.clone();
        match what {
            0 => forged.discs.black += 1,
            1 => forged.result = if record.result == Outcome::Draw { Outcome::Win(Color::Black) } else { Outcome::Draw },
            2 => forged.score.white = forged.score.white.wrapping_add(1),
            3 => forged.offender = if record.offender.is_some() { None } else { Some(Color::Black) },
            _ => forged.moves.push(MoveRecord { ply: "a1".parse().expect("a1"), spent: Duration::ZERO, score: None, depth: None, nodes: None }),
        }
        prop_assert!(forged.replay().is_err());
    }
}

#[test]
fn a_file_cut_anywhere_keeps_its_whole_lines() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("games.jsonl");
    let choices: Vec<usize> = (0..80).map(|n| n * 31).collect();
    let record = played(BoardSize::Four, Variant::Othello, Empties::Winner, &choices, None);
    let line = line(&record);
    let whole = [line.clone(), line.clone(), line.clone()].concat();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).expect("write");
        // A line that lacks only its end counts.
        let kept = (cut + 1) / line.len();
        assert_eq!(read_games(&path).expect("open").filter(|game| game.is_ok()).count(), kept);
        let (mut log, torn) = GameLog::open(&path).expect("open");
        assert_eq!(torn as usize, cut.saturating_sub(kept * line.len()));
        log.append(&line).expect("append");
        drop(log);
        assert_eq!(
            fs::read(&path).expect("read"),
            whole[..line.len() * kept].iter().chain(&line).copied().collect::<Vec<u8>>()
        );
    }
}

#[test]
fn a_file_in_use_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("games.jsonl");
    let (_log, _) = GameLog::open(&path).expect("open");
    assert!(matches!(GameLog::open(&path), Err(LogError::InUse { .. })));
}

#[test]
fn a_bad_line_is_named() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("games.jsonl");
    let good = line(&played(BoardSize::Four, Variant::Othello, Empties::Winner, &[], None));
    fs::write(&path, [&good[..], b"\n{\"format\":1}\n", &good[..], b"\xff\n"].concat()).expect("write");
    let games: Vec<_> = read_games(&path).expect("open").collect();
    assert_eq!(games.len(), 4);
    for (index, wrong) in [(1, ":3: "), (3, ":5: ")] {
        let message = games[index].as_ref().expect_err("bad line").to_string();
        assert!(message.contains(&format!("games.jsonl{wrong}")), "{message}");
    }
    let newer = String::from_utf8(good).expect("UTF-8").replacen("\"format\":1", "\"format\":2", 1);
    assert!(matches!(GameRecord::parse(&newer), Err(RecordError::Format(2))));
}
