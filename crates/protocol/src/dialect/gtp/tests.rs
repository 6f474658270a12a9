//! Dialogues in GTP.

use super::*;
use crate::dialect::tests::{asked, clocks, game, heard, played};

/// Lets the engine accept whatever is sent, up to where the question is answered; what was sent.
fn accept_all(gtp: &mut Gtp, request: &Request<'_>) -> Vec<String> {
    let mut sent = vec![asked(gtp, request)];
    while gtp.queue.front().is_some() {
        assert_eq!(heard(gtp, "="), (Response::Ignored, String::new()));
        let (meaning, next) = heard(gtp, "");
        assert_eq!(meaning == Response::Done, next.is_empty());
        sent.push(next);
    }
    sent.retain(|line| !line.is_empty());
    sent.iter().map(|line| line.trim_end().to_owned()).collect()
}

fn greeted(clock_style: ClockStyle, commands: &str) -> Gtp {
    let mut gtp = Gtp { clock_style, ..Gtp::default() };
    assert_eq!(asked(&mut gtp, &Request::Handshake), "list_commands\n");
    let mut answers =
        format!("= {}", commands.replace(' ', "\n")).lines().map(str::to_owned).collect::<Vec<_>>();
    answers.extend(["", "", "=1 Example", "", "?unknown command", ""].map(str::to_owned));
    let meanings: Vec<Response> = answers.iter().map(|line| heard(&mut gtp, line).0).collect();
    assert_eq!(meanings.last(), Some(&Response::Done), "{meanings:?}");
    gtp
}

const ALL: &str = "set_game boardsize clear_board play genmove time_settings time_left";

fn at_go(commands: &str, clock_style: ClockStyle) -> Gtp {
    let mut gtp = greeted(clock_style, commands);
    accept_all(&mut gtp, &Request::NewGame(&game(Color::Black, "60s")));
    asked(&mut gtp, &Request::Go(&clocks(60.0, 60.0)));
    gtp
}

#[test]
fn a_whole_dialogue() {
    let mut gtp = greeted(ClockStyle::Protocol, ALL);
    assert_eq!(gtp.identity.name.as_deref(), Some("1 Example"));
    assert_eq!(gtp.identity.version, None);
    assert_eq!(accept_all(&mut gtp, &Request::SetOptions(&[])), [""; 0]);
    assert_eq!(
        accept_all(&mut gtp, &Request::NewGame(&game(Color::White, "60s+2s"))),
        ["set_game Othello", "boardsize 8", "time_settings 60 0 0", "clear_board"]
    );
    let position = |gtp: &mut Gtp, moves: &str, left| {
        accept_all(gtp, &Request::Position { played: &played(moves), go: &clocks(1.0, left) })
    };
    assert_eq!(
        position(&mut gtp, "f5 f6 e6", 59.99),
        ["play black f5", "play white f6", "play black e6", "time_left white 59 0"]
    );
    assert_eq!(asked(&mut gtp, &Request::Go(&clocks(1.0, 59.99))), "genmove white\n");
    heard(&mut gtp, "= D6");
    assert_eq!(heard(&mut gtp, "").0, Response::Move("d6".parse().expect("d6")));
    assert_eq!(
        position(&mut gtp, "f5 f6 e6 d6 pass c3 pass", 0.2),
        ["play black pass", "play white c3", "play black pass", "time_left white 1 0"],
        "its own move is on its board; never below a second"
    );
}

#[test]
fn only_what_it_lists_is_sent() {
    let mut gtp = greeted(ClockStyle::Protocol, "clear_board play genmove");
    assert_eq!(accept_all(&mut gtp, &Request::NewGame(&game(Color::Black, "60s"))), ["clear_board"]);
    let position = Request::Position { played: &[], go: &clocks(60.0, 60.0) };
    assert_eq!(accept_all(&mut gtp, &position), [""; 0], "nothing to be told, nothing to wait for");
    assert!(
        gtp.unsupported_time_control("60s".parse().expect("a time"))
            .is_some_and(|why| why.contains("no commands"))
    );

    let mut silent = Gtp::default();
    asked(&mut silent, &Request::Handshake);
    for line in ["? what", "", "= A", "", "= 1", ""] {
        heard(&mut silent, line);
    }
    let sent = accept_all(&mut silent, &Request::NewGame(&game(Color::Black, "60s")));
    assert_eq!(sent, ["boardsize 8", "clear_board"], "no list: only what every engine has");
}

#[test]
fn the_time_is_told_in_several_ways() {
    for (clock_style, time, settings, left) in [
        (ClockStyle::Protocol, "2.5s", Some("2 0 0"), Some("time_left black 2 0")),
        (ClockStyle::Protocol, "movetime=2.5s", Some("0 2 1"), Some("time_left black 2 1")),
        (ClockStyle::Protocol, "movetime=100ms", Some("0 1 1"), Some("time_left black 1 1")),
        (ClockStyle::Protocol, "depth=3", None, None),
        (ClockStyle::SuddenDeath, "60s+1s", Some("60 0 0"), Some("time_left black 60 0")),
        (ClockStyle::SuddenDeath, "movetime=2s", None, None),
        (ClockStyle::Fischer, "60s+1.5s", Some("60 1 0"), Some("time_left black 60 0")),
        (ClockStyle::Fischer, "movetime=2s", Some("0 2 0"), None),
        (ClockStyle::None, "60s", None, None),
    ] {
        let mut gtp = greeted(clock_style, ALL);
        let game = game(Color::Black, time);
        let sent = accept_all(&mut gtp, &Request::NewGame(&game));
        let found = sent.iter().find_map(|line| line.strip_prefix("time_settings "));
        assert_eq!(found, settings, "{clock_style} {time}");
        let go = match game.time[Color::Black] {
            TimeControl::Game { main: time, .. } => clocks(time.as_secs_f64(), 1.0),
            TimeControl::MoveTime(time) => Go::MoveTime(time),
            _ => Go::Depth(3),
        };
        let sent = accept_all(&mut gtp, &Request::Position { played: &[], go: &go });
        assert_eq!(sent.first().map(String::as_str), left, "{clock_style} {time}");
    }
}

#[test]
fn refusals_are_forgiven_only_where_they_may_be() {
    let mut gtp = greeted(ClockStyle::Protocol, ALL);
    accept_all(&mut gtp, &Request::NewGame(&game(Color::Black, "60s")));
    let go = clocks(60.0, 60.0);
    asked(&mut gtp, &Request::Position { played: &played("f5 pass d6"), go: &go });
    let replies = ["=", "", "? syntax error", "", "? illegal move", ""];
    let meanings: Vec<Response> = replies.iter().map(|line| heard(&mut gtp, line).0).collect();
    assert_eq!(meanings[3], Response::Ignored, "a forced pass");
    let Response::Unreadable(why) = &meanings[5] else { panic!("{meanings:?}") };
    assert_eq!(why, "refused the legal `play black d6`: `illegal move`");

    asked(&mut gtp, &Request::NewGame(&game(Color::Black, "60s")));
    heard(&mut gtp, "? no such game");
    assert!(matches!(heard(&mut gtp, "").0, Response::Unreadable(why) if why.contains("set_game Othello")));
}

#[test]
fn answers_to_genmove() {
    let square = |text: &str| Response::Move(text.parse().expect(text));
    for (line, meaning) in [
        ("= f5", square("f5")),
        ("=F5", square("f5")),
        ("= 43 f5", square("f5")),
        ("=7  H8  ", square("h8")),
        ("= PASS", Response::Move(Ply::Pass)),
        ("= Resign", Response::Resigned),
    ] {
        let mut gtp = at_go(ALL, ClockStyle::Protocol);
        for noise in ["thinking...", "", "=====", "??"] {
            assert_eq!(heard(&mut gtp, noise).0, Response::Ignored);
        }
        assert_eq!(heard(&mut gtp, line).0, Response::Ignored, "the empty line ends it");
        assert_eq!(heard(&mut gtp, "").0, meaning, "{line}");
        assert_eq!(heard(&mut gtp, "").0, Response::Ignored);
        assert_eq!(heard(&mut gtp, "= d6").0, Response::Unexpected, "nothing was asked");
    }
    for line in ["=", "= i9", "= 43", "? cannot move", "?", "= f5?", "= é"] {
        let mut gtp = at_go(ALL, ClockStyle::Protocol);
        heard(&mut gtp, line);
        assert!(matches!(heard(&mut gtp, "").0, Response::Unreadable(_)), "{line}");
    }
}

#[test]
fn it_plays_what_it_can() {
    let gtp = Gtp::default();
    let start = Position::start(BoardSize::Eight);
    assert_eq!(gtp.cannot_play(Variant::Othello, &start), None);
    assert!(gtp.cannot_play(Variant::Reversed, &start).is_some());
    assert!(gtp.cannot_play(Variant::Othello, &Position::start(BoardSize::Six)).is_some());
    assert!(gtp.cannot_play(Variant::Othello, &Position::parallel(BoardSize::Eight)).is_some());
}

#[test]
fn answers_are_judged_when_they_are_complete() {
    let judged = |name: &str, text: &str| {
        let probe = CHECKS.probes.iter().find(|probe| probe.name == name).expect("a probe");
        (probe.expect)(&text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    assert_eq!(judged("protocol-version", "\n= 2"), None, "no empty line yet");
    assert_eq!(judged("protocol-version", "\n= 2\n\n"), Some(Ok(())));
    assert_eq!(judged("protocol-version", "noise\n=2.0\n\n"), Some(Ok(())));
    assert!(matches!(judged("protocol-version", "? what\n\n"), Some(Err(_))));
    assert_eq!(judged("known-command", "= TRUE \n\n\n=  false\n\n"), Some(Ok(())));
    assert!(matches!(judged("known-command", "= true\n\n= true\n\n"), Some(Err(_))));
    let all = "= name\nversion\nQUIT\nboardsize\nclear_board\nplay\ngenmove\n\n";
    assert_eq!(judged("needed-commands", all), Some(Ok(())));
    let lacks = judged("needed-commands", "= name\nplay\n\n").and_then(Result::err).expect("an error");
    assert_eq!(lacks, "the list lacks boardsize, clear_board, genmove, quit");
    assert_eq!(judged("numbered-command", "=4711 a b\n\n"), Some(Ok(())));
    assert!(matches!(judged("numbered-command", "= a b\n\n"), Some(Err(_))));
    assert!(matches!(judged("unknown-command", "=\n\n"), Some(Err(_))));
    assert!(matches!(judged("comments", "? empty\n\n= name\n\n"), Some(Err(_))));
}

#[test]
fn a_list_of_commands_without_end_is_kept_in_part() {
    // Many short words in few lines.
    let mut gtp = Gtp::default();
    asked(&mut gtp, &Request::Handshake);
    heard(&mut gtp, "= play");
    for line in 0..2000 {
        let words: Vec<String> = (0..200).map(|word| format!("{:x}", line * 200 + word)).collect();
        heard(&mut gtp, &words.join(" "));
    }
    let kept = |gtp: &Gtp| gtp.answer.iter().flat_map(|answer| &answer.lines).map(String::len).sum::<usize>();
    assert!((60 << 10..=64 << 10).contains(&kept(&gtp)), "{}", kept(&gtp));
    heard(&mut gtp, "");
    assert!(gtp.knows("play"));
    assert_eq!(gtp.known_commands.map(|known| known.len()), Some(MAX_COMMANDS));
}
