//! Dialogues over in-memory pipes.

use std::collections::VecDeque;
use std::io::{self, Write};

use engine_kit::{Engine, Input, Options, Search, Settings, run_with};
use proptest::prelude::*;
use rules::{Move, Moves, Position};

/// Plays the first legal move at once.
struct First;

impl Engine for First {
    const NAME: &'static str = "first";
    const AUTHOR: &'static str = "the tests";

    fn options() -> Options {
        Options::new().seed().variant().board_size()
    }

    fn new_game(_: &Settings) -> Self {
        Self
    }

    fn choose(&mut self, _: Position, moves: Moves, _: &mut Search<'_>) -> Move {
        moves.first()
    }
}

/// Thinks until it is stopped, then plays the last legal move.
struct Thinker;

impl Engine for Thinker {
    const NAME: &'static str = "thinker";
    const AUTHOR: &'static str = "the tests";

    fn new_game(_: &Settings) -> Self {
        Self
    }

    fn choose(&mut self, _: Position, moves: Moves, search: &mut Search<'_>) -> Move {
        while search.node().is_ok() {}
        moves.iter().last().expect("there is a move")
    }
}

/// Plays its first legal move when asked first, its second when asked again, and so on, counting from
/// what the option says.
struct Counter(usize);

impl Engine for Counter {
    const NAME: &'static str = "counter";
    const AUTHOR: &'static str = "the tests";

    fn options() -> Options {
        Options::new().spin("From", 0, 0..=3)
    }

    fn new_game(settings: &Settings) -> Self {
        Self(settings.spin("From") as usize)
    }

    fn choose(&mut self, _: Position, moves: Moves, _: &mut Search<'_>) -> Move {
        self.0 += 1;
        moves.get((self.0 - 1) % moves.len()).expect("below the number of moves")
    }
}

/// Bytes that come one piece at a time, each only after it was looked for in vain some times.
struct Pieces {
    pieces: VecDeque<(u32, Vec<u8>)>,
}

impl Pieces {
    fn new(pieces: &[(u32, &str)]) -> Self {
        Self { pieces: pieces.iter().map(|&(wait, text)| (wait, text.as_bytes().to_vec())).collect() }
    }
}

impl Input for Pieces {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let Some((_, piece)) = self.pieces.front_mut() else { return Ok(0) };
        let count = piece.len().min(room.len());
        room[..count].copy_from_slice(&piece[..count]);
        piece.drain(..count);
        if piece.is_empty() {
            self.pieces.pop_front();
        }
        Ok(count)
    }

    fn ready(&mut self) -> bool {
        match self.pieces.front_mut() {
            Some((wait @ 1.., _)) => {
                *wait -= 1;
                false
            }
            _ => true,
        }
    }
}

fn talk<E: Engine>(input: impl Input) -> String {
    let mut output = Vec::new();
    run_with::<E>(input, &mut output);
    String::from_utf8(output).expect("answers are text")
}

fn answers<E: Engine>(text: &str) -> String {
    talk::<E>(text.as_bytes())
}

#[test]
fn greeting() {
    assert_eq!(
        answers::<First>("ugi\nisready\nquit\n"),
        "id name first\nid author the tests\n\
         option name Seed type spin default 0 min 0 max 9007199254740991\n\
         option name Variant type combo default othello var othello var reversed var historical\n\
         option name BoardSize type spin default 8 min 4 max 8\n\
         ugiok\nreadyok\n"
    );
    assert_eq!(answers::<Thinker>("ugi\n"), "id name thinker\nid author the tests\nugiok\n");
}

#[test]
fn options_are_checked() {
    let explained =
        answers::<First>("setoption name BoardSize value 5\nsetoption name Hash value 1\nsetoption\n");
    let lines: Vec<&str> = explained.lines().collect();
    assert_eq!(lines.len(), 3, "{explained}");
    assert!(lines.iter().all(|line| line.starts_with("info string ")), "{explained}");
    assert!(lines[0].contains("4, 6 or 8") && lines[1].contains("declares Seed, Variant, BoardSize"));
    let text = "setoption name BoardSize value 4\nposition startpos\ngo\n\
                setoption name BoardSize value 5\nposition startpos\ngo\n";
    let answer = answers::<First>(text);
    assert!(answer.starts_with("bestmove b1\n") && answer.ends_with("bestmove b1\n"), "{answer}");
    assert_eq!(answers::<First>("setoption name boardsize value 6\nuginewgame\ngo\n"), "bestmove c2\n");
}

#[test]
fn every_form_of_go_gets_one_answer() {
    for limits in [
        "",
        " movetime 5",
        " nodes 100",
        " depth 3",
        " p1time 100 p2time 100 p1inc 0 p2inc 0",
        " p1time 1 p2time 1 p1inc 1000 p2inc 1000",
        " movetime 1",
        " depth 1 nodes 1 movetime 1",
        " p1time 5",
    ] {
        assert_eq!(answers::<First>(&format!("position startpos\ngo{limits}\n")), "bestmove d3\n");
        assert_eq!(answers::<Thinker>(&format!("go{limits}\n")), "bestmove e6\n", "{limits}");
    }
    let explained = answers::<First>("go fast\n");
    assert!(explained.starts_with("info string "), "{explained}");
}

#[test]
fn a_limit_of_nodes_or_time_ends_a_search_without_stop() {
    for limits in ["nodes 1000", "movetime 20", "p1time 100"] {
        // The input stays open and silent until long after the search.
        let input = Pieces::new(&[(0, &format!("go {limits}\n")), (10_000, "query gameover\n")]);
        assert_eq!(talk::<Thinker>(input), "bestmove e6\nresponse false\n", "{limits}");
    }
}

const BEFORE_PASS: &str = "position startpos moves d3 c3 b3 b2 f5 a3 a1 c1";
const WIPED_OUT: &str = "position startpos moves e6 f4 e3 f6 g5 d6 e7 f5 c5";

#[test]
fn positions_are_followed() {
    let text = "position startpos moves f5\ngo depth 1\n\
                position startpos moves f5 d6\nquery p1turn\n\
                position startpos moves f5 d6 a1\nquery p1turn\ngo depth 1\n\
                position startpos moves F5 D6 C3\nquery p1turn\n";
    let answer = answers::<First>(text);
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines[..2], ["bestmove f4", "response true"]);
    assert_eq!(lines[2], "info string position ignored: illegal move: a1 outflanks nothing");
    assert_eq!(lines[3], "response true", "the position is the one before");
    assert!(lines[4].starts_with("bestmove "));
    assert_eq!(lines[5..], ["response false"]);
    for wrong in [
        "position",
        "position here",
        "position fen XO X",
        "position startpos f5",
        "position startpos moves i9",
    ] {
        let answer = answers::<First>(&format!("{wrong}\ngo depth 1\n"));
        assert!(answer.starts_with("info string ") && answer.ends_with("bestmove d3\n"), "{wrong}: {answer}");
    }
}

#[test]
fn forced_passes_and_finished_games() {
    assert_eq!(answers::<First>(&format!("{BEFORE_PASS}\ngo depth 1\n")), "bestmove pass\n");
    assert_eq!(answers::<First>(&format!("{BEFORE_PASS} pass\nquery p1turn\n")), "response false\n");
    // The next move, with the pass and without it.
    let with = answers::<First>(&format!("{BEFORE_PASS} pass\ngo depth 1\n"));
    let next = with.trim().strip_prefix("bestmove ").unwrap();
    for list in [format!("{BEFORE_PASS} pass {next}"), format!("{BEFORE_PASS} {next}")] {
        assert_eq!(answers::<First>(&format!("{list}\nquery p1turn\n")), "response true\n");
    }
    let over = answers::<First>(&format!("{WIPED_OUT}\nquery gameover\nquery result\ngo movetime 10\n"));
    assert_eq!(over, "response true\nresponse p1win\nbestmove pass\n");
    let reversed = format!("setoption name Variant value reversed\n{WIPED_OUT}\nquery result\n");
    assert_eq!(answers::<First>(&reversed), "response p2win\n");
    assert_eq!(answers::<First>("query result\nquery gameover\n"), "response none\nresponse false\n");
    let even = "XO".repeat(32);
    assert_eq!(answers::<First>(&format!("position fen {even} X\nquery result\n")), "response draw\n");
}

#[test]
fn the_historical_game_begins_on_an_empty_board() {
    let set = "setoption name Variant value historical\n";
    let play = |text: &str| answers::<First>(&format!("{text}\ngo depth 1\n"));
    assert_eq!(play(&format!("{set}position startpos")), "bestmove d4\n");
    assert_eq!(play(&format!("{set}uginewgame")), "bestmove d4\n");
    assert_eq!(play(&format!("{set}position startpos moves d4 e5 e4")), "bestmove d5\n");
    let board = Position::empty_board(rules::BoardSize::Six);
    assert_eq!(play(&format!("{set}position fen {board} moves d4")), "bestmove c3\n");
    assert_eq!(play(&format!("{set}position startpos moves d4 d5 e5 e4")), "bestmove e3\n");
    // The start is that of the variant, whichever was set before.
    let back =
        format!("{set}position startpos\nsetoption name Variant value othello\nposition startpos moves f5");
    assert_eq!(play(&back), "bestmove f4\n");
    let refused = answers::<First>(&format!("position fen {board}\n"));
    let expected = "info string position ignored: the centre is not full: only in the historical game\n";
    assert_eq!(refused, expected);
    let early = answers::<First>(&format!("{set}position startpos moves d4 f5\n"));
    assert!(early.contains("f5 comes before the four centre squares are filled"), "{early}");
    assert_eq!(
        answers::<First>(&format!("{set}query gameover\nquery p1turn\n")),
        "response false\nresponse true\n"
    );
}

#[test]
fn boards_square_by_square() {
    let start = Position::start(rules::BoardSize::Six);
    assert_eq!(answers::<First>(&format!("position fen {start}\ngo depth 1\n")), "bestmove c2\n");
    let refused = answers::<Thinker>(&format!("position fen {start}\n"));
    assert_eq!(refused, "info string position ignored: this engine does not play on 6x6\n");
}

#[test]
fn an_endless_search_is_answered_after_stop_and_not_before() {
    fn check<E: Engine>(best: &str) {
        let input = Pieces::new(&[
            (0, "go infinite\n"),
            (3, "isready\n"),
            (2, "nonsense\n"),
            (1, "stop\nquery p1turn\n"),
        ]);
        assert_eq!(talk::<E>(input), format!("readyok\nbestmove {best}\nresponse true\n"));
    }
    check::<First>("d3");
    check::<Thinker>("e6");
    // Also where there is nothing to think about.
    let input = Pieces::new(&[(0, BEFORE_PASS), (0, "\ngo infinite\n"), (0, "isready\n"), (0, "stop\n")]);
    assert_eq!(talk::<First>(input), "readyok\nbestmove pass\n");
}

#[test]
fn stop_ends_a_limited_search_and_a_late_one_does_nothing() {
    let input =
        Pieces::new(&[(0, "go movetime 3600000\n"), (3, "isready\nstop\n"), (0, "stop\nisready\nquit\n")]);
    assert_eq!(talk::<Thinker>(input), "readyok\nbestmove e6\nreadyok\n");
    let input = Pieces::new(&[(0, "go depth 99\n"), (3, "stop\ngo nodes 5\n")]);
    assert_eq!(talk::<Thinker>(input), "bestmove e6\nbestmove e6\n");
}

#[test]
fn commands_that_come_during_a_search_are_kept_for_later() {
    let input = Pieces::new(&[
        (0, "position startpos moves f5\ngo nodes 50000000\n"),
        (1, "position startpos moves f5 d6\nisready\n"),
        (1, "query p1turn\nstop\n"),
    ]);
    // Black is to move after the second position only; `isready` behind it is answered behind it.
    assert_eq!(talk::<Thinker>(input), "bestmove f6\nreadyok\nresponse true\n");
    // A search without end is over when something else is wanted.
    let input =
        Pieces::new(&[(0, "go infinite\n"), (2, "position startpos moves f5\n"), (0, "go nodes 3\n")]);
    assert_eq!(talk::<Thinker>(input), "bestmove e6\nbestmove f6\n");
}

#[test]
fn quit_and_the_end_of_the_input_end_a_search() {
    for end in [&[(5, "quit\ngo infinite\n")][..], &[]] {
        let mut pieces = vec![(0, "go infinite\n")];
        pieces.extend(end);
        assert_eq!(talk::<Thinker>(Pieces::new(&pieces)), "bestmove e6\n");
    }
    assert_eq!(answers::<First>("quit\ngo depth 1\n"), "");
}

#[test]
fn a_new_game_or_option_makes_a_new_player() {
    let go = "position startpos\ngo depth 1\n";
    let text = format!(
        "{go}{go}uginewgame\n{go}{go}setoption name From value 2\n{go}setoption name From value 9\n{go}"
    );
    let all = answers::<Counter>(&text);
    let moves: Vec<&str> = all.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert_eq!(moves, ["d3", "c4", "d3", "c4", "f5", "e6"]);
}

#[test]
fn odd_lines() {
    let long = "x".repeat(70_000);
    let text = format!("\n   \nhello\nUGI\r\n{long}\nisready\r\n  isready  \n\u{7}\n");
    assert_eq!(answers::<First>(&text), "readyok\nreadyok\n");
    assert_eq!(talk::<First>(&b"\xFF\xFEisready\n\xC3\n"[..]), "readyok\n");
}

/// Notes every write.
#[derive(Default)]
struct Writes(Vec<Vec<u8>>);

impl Write for &mut Writes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_answer_is_one_write() {
    struct Talker;
    impl Engine for Talker {
        const NAME: &'static str = "talker";
        const AUTHOR: &'static str = "the tests";
        fn new_game(_: &Settings) -> Self {
            Self
        }
        fn choose(&mut self, _: Position, moves: Moves, search: &mut Search<'_>) -> Move {
            search.say("two\nlines");
            let best = moves.first();
            search.report(1, -250, &[best.square()]);
            best
        }
    }
    let mut writes = Writes::default();
    run_with::<Talker>(Pieces::new(&[(0, "ugi\n"), (0, "go depth 1\n")]), &mut writes);
    assert_eq!(writes.0.len(), 2);
    let text = String::from_utf8(writes.0.pop().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "info string two lines");
    assert!(lines[1].starts_with("info depth 1 ") && lines[1].ends_with("score cp -250 pv d3"), "{text}");
    assert_eq!(lines[2..], ["bestmove d3"]);
}

#[test]
fn an_engine_leaves_when_nobody_reads() {
    struct Deaf;
    impl Write for Deaf {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    struct Endless;
    impl Input for Endless {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            room[..8].copy_from_slice(b"isready\n");
            Ok(8)
        }
        fn ready(&mut self) -> bool {
            true
        }
    }
    run_with::<First>(Endless, Deaf);
}

#[test]
fn a_flood_during_a_search_is_bounded() {
    struct Flood(u64);
    impl Input for Flood {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let text: &[u8] = if self.0 == 0 { b"go movetime 200\n" } else { b"query p1turn now\n" };
            self.0 += 1;
            if self.0 > 1_000_000 {
                return Ok(0);
            }
            room[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
        fn ready(&mut self) -> bool {
            self.0 < 2_000
        }
    }
    let answer = talk::<Thinker>(Flood(0));
    assert!(answer.starts_with("bestmove e6\nresponse true\n"));
}

fn any_line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("ugi"),
        Just("isready"),
        Just("uginewgame"),
        Just("position"),
        Just("startpos"),
        Just("fen"),
        Just("moves"),
        Just("go"),
        Just("nodes"),
        Just("depth"),
        Just("movetime"),
        Just("p1time"),
        Just("infinite"),
        Just("stop"),
        Just("setoption"),
        Just("name"),
        Just("value"),
        Just("BoardSize"),
        Just("Variant"),
        Just("Seed"),
        Just("reversed"),
        Just("query"),
        Just("p1turn"),
        Just("result"),
        Just("f5"),
        Just("d6"),
        Just("pass"),
        Just("a1"),
        Just("X"),
        Just("-1"),
        Just("0"),
        Just("4"),
        Just("6"),
        Just("99999999999999999999"),
        Just("é"),
        Just("\t"),
        Just("---------------------------OX------XO---------------------------"),
        Just("-----OX--XO-----"),
    ];
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_words_panic(lines in prop::collection::vec(any_line(), 0..30)) {
        let text = lines.join("\n") + "\n";
        let answer = answers::<First>(&text);
        let _ = answers::<Thinker>(&text);
        let asked = lines.iter().filter(|line| line.split_whitespace().next() == Some("ugi")).count();
        prop_assert!(answer.matches("ugiok").count() <= asked);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let mut output = Vec::new();
        run_with::<First>(&bytes[..], &mut output);
    }
}
