//! The laws of the formats: what is written is read again, as far as the format holds it.

use std::io::Cursor;
use std::time::Duration;

use proptest::prelude::*;
use records::formats::wthor::{self, Header, Tables};
use records::formats::{
    End, Format, Game, Item, Played, Problem, Settings, TournamentInfo, Writer, by_content, read,
};
use records::{FaultPhase, Outcome, Termination, Verdict};
use rules::{BoardSize, ByColor, Color, Empties, Position, Turn, Variant};

/// Names that are hard on a format: its own signs, other alphabets, blanks within.
const NAMES: [&str; 7] = ["", "mcts", "Smith, J. \"Joe\"", "x [y] \\ {z}", "Éléonore", "黒白; (;GM[", "-"];
const DATES: [&str; 5] = ["", "1977", "2026-11-29", "2026-11-29T21:00:00Z", "2003-12"];

/// What a game is made of, drawn by lots.
#[derive(Clone, Debug)]
struct Lots {
    size: BoardSize,
    parallel: bool,
    variant: Variant,
    choices: Vec<usize>,
    names: [usize; 4],
    date: usize,
    termination: Termination,
    winner: Option<Color>,
    stop: usize,
    details: bool,
    empties: Empties,
}

fn lots() -> impl Strategy<Value = Lots> {
    let size = prop::sample::select(&BoardSize::ALL[..]);
    let variant = prop::sample::select(&Variant::ALL[..]);
    let termination = prop::sample::select(&Termination::ALL[..]);
    let winner = prop::sample::select(vec![None, Some(Color::Black), Some(Color::White)]);
    let choices = prop::collection::vec(0usize..1000, 80);
    let names = [0..NAMES.len(), 0..NAMES.len(), 0..NAMES.len(), 0..NAMES.len()];
    let empties = prop::sample::select(vec![Empties::Winner, Empties::None]);
    let rest = (0..DATES.len(), termination, winner, 0usize..90, any::<bool>(), empties);
    (size, any::<bool>(), variant, choices, names, rest).prop_map(
        |(size, parallel, variant, choices, names, (date, termination, winner, stop, details, empties))| {
            Lots {
                size,
                parallel,
                variant,
                choices,
                names,
                date,
                termination,
                winner,
                stop,
                details,
                empties,
            }
        },
    )
}

/// A game in which the n-th choice picks the move, with everything that a game can have.
fn game(lots: &Lots) -> Game {
    let start = if lots.parallel { Position::parallel(lots.size) } else { lots.variant.start(lots.size) };
    let mut game = Game::new(start);
    while game.plies().len() < lots.stop {
        let index = game.plies().len();
        let choice = lots.choices.get(index).copied().unwrap_or(0);
        let ply = match game.last().turn() {
            Turn::Place(moves) => moves.get(choice % moves.len()).expect("within the moves").ply(),
            Turn::Pass(_) => rules::Ply::Pass,
            Turn::Over(_) => break,
        };
        let details = lots.details && index >= 4;
        let played = Played {
            ply,
            spent: details.then(|| Duration::from_nanos(choice as u64 * 7919)),
            score: (details && index.is_multiple_of(3)).then_some(choice as f64 / 100.0 - 3.0),
            depth: (details && index.is_multiple_of(3)).then_some(9),
            nodes: (details && index.is_multiple_of(2)).then_some(choice as u64),
        };
        game.push(played).expect("legal");
    }
    game.variant = lots.variant;
    game.empties = lots.empties;
    let name = |index: usize| NAMES[lots.names[index]].to_owned();
    game.names = ByColor::new(name(0), name(1));
    game.event = name(2);
    game.site = name(3);
    game.date = DATES[lots.date].to_owned();
    game.opening = game.plies().len().min(4);
    game.end = end(&game, lots);
    if lots.details {
        game.ratings = ByColor::new(Some(2196.37), None);
        game.tournament = Some(Box::new(TournamentInfo {
            game: 5,
            pair: 2,
            round: 1,
            seed: 77,
            seconds: 1.25,
            off_turn: Some(ByColor::new(Duration::from_millis(3), Duration::ZERO)),
            phase: [None, Some(FaultPhase::Start), Some(FaultPhase::Play)][lots.stop % 3],
        }));
    }
    game
}

fn end(game: &Game, lots: &Lots) -> Option<End> {
    let forfeit = |winner: Color| Verdict::by_forfeit(winner.opposite(), lots.variant, lots.size);
    let (verdict, termination) = match (game.last().turn(), lots.winner) {
        (Turn::Over(score), None) => {
            (Verdict::by_discs(score, lots.variant, lots.empties), Termination::Normal)
        }
        (_, None) => return None,
        (_, Some(winner)) if lots.termination.has_offender() => (forfeit(winner), lots.termination),
        (Turn::Over(score), _) => (Verdict::by_discs(score, lots.variant, lots.empties), Termination::Normal),
        (_, Some(winner)) => (forfeit(winner), Termination::Adjudicated),
    };
    Some(End { outcome: verdict.outcome, score: Some(verdict.score), termination, detail: None })
}

fn written(format: Format, games: &[Game]) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(format, Vec::new()).map_err(|error| error.to_string())?;
    for game in games {
        writer.write(Item::Game(game.clone())).map_err(|error| error.to_string())?;
    }
    writer.finish().map_err(|error| error.to_string())
}

fn read_all(format: Format, bytes: &[u8]) -> Vec<Game> {
    let items = read(format, bytes, &Settings::default()).expect("a sound beginning");
    items.map(|item| item.unwrap_or_else(|error| panic!("{format}: {error}")).into_game()).collect()
}

/// What a format holds of a game.
struct Holds {
    /// How a name comes back.
    name: fn(&str) -> String,
    event: bool,
    date: fn(&str) -> String,
    spent: bool,
    score: bool,
    depth: bool,
    nodes: bool,
    tournament: bool,
    seed: bool,
    opening: bool,
    ratings: bool,
    termination: fn(Termination) -> Termination,
    /// Whether passes behind the last move come back.
    last_pass: bool,
}

fn as_is(text: &str) -> String {
    text.to_owned()
}

fn nothing(_: &str) -> String {
    String::new()
}

fn day(date: &str) -> String {
    date.split('T').next().unwrap_or("").to_owned()
}

fn of_server(termination: Termination) -> Termination {
    match termination {
        Termination::Timeout | Termination::Resigned | Termination::Normal | Termination::Adjudicated => {
            termination
        }
        _ => Termination::Crash,
    }
}

fn of_sgf(termination: Termination) -> Termination {
    match of_server(termination) {
        Termination::Crash => Termination::Adjudicated,
        termination => termination,
    }
}

fn holds(format: Format) -> Holds {
    let all = Holds {
        name: as_is,
        event: true,
        date: day,
        spent: true,
        score: true,
        depth: true,
        nodes: false,
        tournament: false,
        seed: false,
        opening: false,
        ratings: true,
        termination: |termination| termination,
        last_pass: true,
    };
    match format {
        Format::Ggf => Holds {
            name: |name| name.replace('[', "(").replace(']', ")").replace('\\', "/"),
            date: as_is,
            depth: false,
            termination: of_server,
            ..all
        },
        Format::Sgf => Holds { spent: false, depth: false, termination: of_sgf, ..all },
        Format::Pgn => all,
        Format::Jsonl => Holds {
            event: false,
            date: as_is,
            nodes: true,
            tournament: true,
            seed: true,
            opening: true,
            ratings: false,
            ..all
        },
        Format::Csv => Holds {
            event: false,
            date: as_is,
            spent: false,
            score: false,
            depth: false,
            tournament: true,
            opening: true,
            ratings: false,
            last_pass: false,
            ..all
        },
        _ => Holds {
            name: nothing,
            event: false,
            date: nothing,
            spent: false,
            score: false,
            depth: false,
            ratings: false,
            last_pass: false,
            ..all
        },
    }
}

/// The game as it comes back from a format.
fn returned(game: &Game, format: Format) -> Game {
    let holds = holds(format);
    let mut plies: Vec<Played> = game.plies().to_vec();
    while !holds.last_pass && plies.last().is_some_and(|played| played.ply == rules::Ply::Pass) {
        plies.pop();
    }
    let mut back = Game::new(game.start());
    for (index, played) in plies.iter().enumerate() {
        let played = Played {
            ply: played.ply,
            spent: played.spent.filter(|_| holds.spent),
            score: played.score.filter(|_| holds.score),
            depth: played.depth.filter(|_| holds.depth),
            nodes: played.nodes.filter(|_| holds.nodes),
        };
        // Our record tells the time of every move, and nothing of the opening.
        let is_jsonl = format == Format::Jsonl;
        let played = match is_jsonl {
            true if index < game.opening => played.ply.into(),
            true => Played { spent: Some(played.spent.unwrap_or_default()), ..played },
            false => played,
        };
        back.push(played).expect("legal");
    }
    back.variant = game.variant;
    back.names = game.names.clone().map(|name| (holds.name)(&name));
    if holds.event {
        back.event.clone_from(&game.event);
        back.site.clone_from(&game.site);
        if format == Format::Ggf {
            let place = [&game.event, &game.site].map(|part| (holds.name)(part));
            let place: Vec<String> = place.into_iter().filter(|part| !part.is_empty()).collect();
            back.event = String::new();
            back.site = if place.is_empty() { "Outflank".to_owned() } else { place.join(", ") };
        }
    }
    back.date = (holds.date)(&game.date);
    if holds.opening {
        back.opening = game.opening.min(back.plies().len());
    }
    if holds.ratings {
        back.ratings = game.ratings;
    }
    back.end = game.end.clone().map(|end| End { termination: (holds.termination)(end.termination), ..end });
    back.empties = empties(game, format);
    if let (Turn::Over(score), Some(end)) = (game.last().turn(), &mut back.end)
        && end.termination == Termination::Normal
    {
        end.score = Some(score.score(back.empties));
    }
    if holds.tournament {
        back.tournament = game.tournament.clone().or(Some(Box::new(TournamentInfo::default())));
        if let (Some(info), false) = (&mut back.tournament, holds.seed) {
            (info.seed, info.off_turn, info.phase) = (0, None, None);
        }
    }
    back
}

/// The rule for empty squares is seen from the score, if that differs; a draw is just a draw where only differences
/// are written.
fn empties(game: &Game, format: Format) -> Empties {
    let normal = game.end.as_ref().is_some_and(|end| end.termination == Termination::Normal);
    match game.last().turn() {
        _ if format == Format::Jsonl => game.empties,
        Turn::Over(score) if normal && score.score(Empties::Winner) != score.score(Empties::None) => {
            let draw = game.end.as_ref().is_some_and(|end| end.outcome == Outcome::Draw);
            let told = !draw || matches!(format, Format::Pgn | Format::Csv);
            if told { game.empties } else { Empties::Winner }
        }
        _ => Empties::Winner,
    }
}

/// A result without discs stands for all of them.
fn with_score(mut game: Game) -> Game {
    let (variant, size) = (game.variant, game.size());
    if let Some(end) = &mut game.end
        && let Outcome::Win(winner) = end.outcome
    {
        end.score.get_or_insert(Verdict::by_forfeit(winner.opposite(), variant, size).score);
    }
    game
}

/// A start says itself that its centre is open, and no word of another variant goes with it.
#[test]
fn an_open_centre_is_the_historical_games() {
    let board = "-".repeat(64);
    let read_one = |format, text: String| {
        let mut items = read(format, text.as_bytes(), &Settings::default()).expect("a sound beginning");
        items.next().expect("an item").map(Item::into_game).map_err(|error| error.to_string())
    };
    let fen = "[Event \"x\"]\n[FEN \"8/8/8/8/8/8/8/8 b - -\"]";
    let moves = "\n\n1. d4 d5 2. e5 e4 *\n\n";
    for (format, text) in [
        (Format::Pgn, format!("{fen}{moves}")),
        (Format::Pgn, format!("{fen}\n[Variant \"Historical\"]{moves}")),
        (Format::Sgf, "(;GM[2]SZ[8]RU[Historical];B[d4];W[d5];B[e5];W[e4])".to_owned()),
        (Format::Ggf, format!("(;GM[Othello]PB[a]PW[b]TY[8]BO[8 {board} *]B[d4]W[d5]B[e5]W[e4];)")),
        (Format::Csv, format!("transcript,start,variant\nd4d5e5e4,{board} X,historical\n")),
        (Format::Csv, format!("transcript,start\nd4d5e5e4,{board} X\n")),
    ] {
        let game = read_one(format, text.clone()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((game.variant, game.plies().len()), (Variant::Historical, 4), "{text}");
        assert_eq!(game.last().disc_counts(), ByColor::new(2, 2));
        let refused = written(Format::Transcripts, std::slice::from_ref(&game)).expect_err("another start");
        assert!(refused.contains("start"), "{refused}");
    }
    for (format, text) in [
        (Format::Pgn, format!("{fen}\n[Variant \"Othello\"]{moves}")),
        (Format::Ggf, format!("(;GM[Othello]PB[a]PW[b]TY[8a]BO[8 {board} *]B[d4];)")),
        (Format::Csv, format!("transcript,start,variant\nd4d5e5e4,{board} X,reversed\n")),
    ] {
        let error = read_one(format, text).expect_err("a word that does not fit");
        assert!(error.contains("centre"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn games_come_back(lots in lots()) {
        let game = game(&lots);
        for format in [Format::Ggf, Format::Sgf, Format::Pgn, Format::Jsonl, Format::Csv] {
            if format == Format::Jsonl && game.end.is_none() {
                prop_assert!(written(format, std::slice::from_ref(&game)).is_err());
                continue;
            }
            if format == Format::Ggf && game.variant == Variant::Historical {
                let refused = written(format, std::slice::from_ref(&game)).expect_err("GGF knows no open centre");
                prop_assert!(refused.contains("historical"));
                continue;
            }
            let bytes = written(format, &[game.clone(), game.clone()]).expect("it can be written");
            let text = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert_eq!(by_content(&bytes), Some(format), "{}", text);
            let back = read_all(format, &bytes);
            let expected = returned(&game, format);
            prop_assert_eq!(back.len(), 2, "{}", text);
            if let (Some(info), false) = (&back[1].tournament, lots.details) {
                // A game from elsewhere gets a number, and a pair of its own.
                prop_assert_eq!((info.game, info.pair, info.round), (2, 1, 1), "{} {}", format, text);
            }
            prop_assert_eq!(with_score(back[0].clone()), with_score(expected), "{} {}", format, text);
            // What was read once is written the same.
            if format != Format::Jsonl && format != Format::Csv {
                let again = written(format, &back).expect("it can be written");
                prop_assert_eq!(String::from_utf8_lossy(&again).into_owned(), text);
            }
        }
    }

    #[test]
    fn transcripts_come_back(lots in lots()) {
        let game = game(&Lots { size: BoardSize::Eight, parallel: false, variant: Variant::Othello, empties: Empties::Winner, ..lots });
        match written(Format::Transcripts, std::slice::from_ref(&game)) {
            Err(_) => prop_assert!(game.plies().is_empty()),
            Ok(bytes) => {
                let back = read_all(Format::Transcripts, &bytes);
                let mut expected = returned(&game, Format::Transcripts);
                let score = match expected.last().turn() {
                    Turn::Over(score) => Some(Verdict::by_discs(score, Variant::Othello, Empties::Winner)),
                    _ => None,
                };
                expected.end = score.map(|verdict| End {
                    outcome: verdict.outcome,
                    score: Some(verdict.score),
                    termination: Termination::Normal,
                    detail: None,
                });
                prop_assert_eq!(&back[..], &[expected][..]);
            }
        }
    }

    #[test]
    fn wthor_comes_back(lots in lots(), games in 1usize..4) {
        let mut game = game(&Lots { size: BoardSize::Eight, parallel: false, variant: Variant::Othello, empties: Empties::Winner, ..lots });
        let mut writer =
            wthor::Writer::new(Cursor::new(Vec::new()), Header::dated(2026, 11, 29), Tables::default()).expect("to memory");
        if game.end.is_none() {
            prop_assert!(writer.write(&game).is_err());
            return Ok(());
        }
        // Latin-1, and no longer than there is room for.
        game.names = ByColor::new("Éléonore".to_owned(), "???".to_owned());
        game.event = "Diverses".to_owned();
        for _ in 0..games {
            writer.write(&game).expect("it can be written");
        }
        let (bytes, tables) = writer.finish().expect("to memory");
        let bytes = bytes.into_inner();
        let reader = wthor::Reader::new(&bytes[..], tables.clone()).expect("a header");
        let header = reader.header();
        let back: Vec<Game> = reader.map(|item| item.expect("a game").into_game()).collect();
        prop_assert_eq!(back.len(), games);
        prop_assert!(back[0].moves().eq(returned(&game, Format::Wthor).moves()));
        let said = |game: &Game| game.end.as_ref().map(|end| (end.outcome, end.score));
        prop_assert_eq!(said(&back[0]), said(&game));
        prop_assert_eq!(&back[0].names.black, &game.names.black);
        prop_assert_eq!(&back[0].names.white, "", "number 0 is nobody");
        prop_assert_eq!(&back[0].event, "Diverses");
        let mut again = wthor::Writer::new(Cursor::new(Vec::new()), header, tables).expect("to memory");
        back.iter().for_each(|game| again.write(game).expect("it can be written"));
        prop_assert_eq!(again.finish().expect("to memory").0.into_inner(), bytes);
    }

    #[test]
    fn problems_come_back(lots in lots(), score in prop::option::of(-64i32..=64)) {
        let game = game(&lots);
        let position = game.last();
        let moves = match position.turn() {
            Turn::Place(moves) => moves.iter().zip(&lots.choices).map(|(placed, &choice)| (placed.ply(), choice as f64 / 16.0)).collect(),
            Turn::Pass(_) => vec![(rules::Ply::Pass, 3.0)],
            Turn::Over(_) => Vec::new(),
        };
        let problem = Problem { position, moves, score: score.map(f64::from) };
        let mut writer = Writer::new(Format::Obf, Vec::new()).expect("to memory");
        writer.write(Item::Problem(problem.clone())).expect("it can be written");
        let bytes = writer.finish().expect("to memory");
        prop_assert_eq!(by_content(&bytes), Some(Format::Obf));
        let back: Vec<Item> = read(Format::Obf, &bytes[..], &Settings::default()).expect("begun").map(|item| item.expect("a problem")).collect();
        prop_assert_eq!(back, vec![Item::Problem(problem)]);
    }

    /// Whatever stands in a file, reading ends, and never with a panic.
    #[test]
    fn anything_is_read_without_a_panic(
        lots in lots(), cut in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(), byte in any::<u8>(), noise in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        for format in Format::ALL {
            let mut files = vec![noise.clone()];
            if let Ok(mut bytes) = written(format, &[game(&lots), game(&lots)]) && !bytes.is_empty() {
                files.push(bytes[..cut.index(bytes.len())].to_vec());
                let at = place.index(bytes.len());
                bytes[at] = byte;
                files.push(bytes);
            }
            for file in files {
                if let Ok(items) = read(format, &file[..], &Settings::default()) {
                    prop_assert!(items.take(1000).count() < 1000);
                }
            }
        }
    }
}

#[test]
fn our_records_come_back_whole() {
    let line = r#"{"format":1,"game":17,"pair":8,"round":0,"opening":["f5","d6"],"start":"startpos","variant":"othello","board":8,"empties":"none","black":"mcts","white":"Éric","seed":2026017,"moves":[{"move":"c3","ms":49.812,"score":-1.5,"depth":9,"nodes":120345}],"result":"black","discs":[3,3],"score":[64,0],"termination":"timeout","offender":"white","phase":"play","detail":"late","started":"2026-11-29T21:00:00Z","seconds":1.9}"#;
    let line = format!("{line}\n").replace("\"discs\":[3,3]", "\"discs\":[5,2]");
    let games = read_all(Format::Jsonl, line.as_bytes());
    assert_eq!(String::from_utf8(written(Format::Jsonl, &games).expect("written")).expect("UTF-8"), line);
}
