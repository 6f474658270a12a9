//! Each dialect's reading of what engines write, in dialogues as the referee has them.
//!
//! The first four bytes choose protocol, variant, clocks and how often everything is said; the rest is what the
//! engine writes, as [`Pretended`] spells it.

use std::time::Duration;

use clock::TimeControl;
use protocol::dialect::ProtocolId;
use protocol::message::{Go, NewGame, PlayedPly, Request, Response};
use protocol::option::Setting;
use rules::{BoardSize, ByColor, Color, Ply, Position, Turn, Variant};

use super::laws::is_fit_to_show;
use super::pretended::{Came, Pretended};

/// So many games are played with one engine at most.
const MOST_GAMES: u64 = 3;

/// Has a dialogue with the engine that these bytes are.
pub fn run(data: &[u8]) {
    let Some((&[protocol, game, clock, rounds], said)) = data.split_first_chunk() else { return };
    let kinds: Vec<ProtocolId> = ProtocolId::all().collect();
    let kind = kinds[usize::from(protocol) % kinds.len()];
    let clock_styles = kind.clock_styles();
    let clock_style = clock_styles[usize::from(protocol) / kinds.len() % clock_styles.len()];
    // Seldom more than once: that is slow, and shows only whether something grows.
    let rounds = if rounds == u8::MAX { 10_000 } else { 1 };
    let mut engine = Pretended::new(kind, clock_style, said, rounds);
    converse(&mut engine, game, clock);
    engine.end();
}

/// Greets it and plays some games with it, until it fails. `None` then.
fn converse(engine: &mut Pretended<'_>, game: u8, clock: u8) -> Option<()> {
    let standard = Position::start(BoardSize::Eight);
    let settings = [Setting { name: "Hash".to_owned(), value: Some("16".to_owned()) }];
    done(engine.ask(&Request::Handshake, standard))?;
    done(engine.ask(&Request::SetOptions(&settings), standard))?;
    let mut variant = Variant::ALL[usize::from(game) % 3];
    let mut start = variant.start(BoardSize::ALL[usize::from(game) / 3 % 3]);
    if let Some(why) = engine.dialect().cannot_play(variant, &start) {
        is_fit_to_show(&why);
        (variant, start) = (Variant::Othello, standard);
    }
    let time = time_control(clock);
    if let Some(why) = engine.dialect().unsupported_time_control(time) {
        is_fit_to_show(&why);
    }
    for number in 0..MOST_GAMES {
        let color =
            if (u64::from(game) / 9 + number).is_multiple_of(2) { Color::Black } else { Color::White };
        let told = NewGame {
            variant,
            start,
            seed: (1 << 53) - 1 - number,
            color,
            names: ByColor::new("a", "b]\\"),
            time: ByColor::new(time, time),
        };
        done(engine.ask(&Request::NewGame(&told), start))?;
        play(engine, start, color, time)?;
    }
    Some(())
}

/// Plays a game: it chooses its moves, and its opponent the last that there is.
fn play(engine: &mut Pretended<'_>, start: Position, color: Color, time: TimeControl) -> Option<()> {
    let (mut position, mut played) = (start, Vec::new());
    loop {
        let ply = match position.turn() {
            Turn::Over(_) => return Some(()),
            Turn::Pass(_) => Ply::Pass,
            Turn::Place(moves) if position.side_to_move() != color => moves.iter().last()?.ply(),
            Turn::Place(_) => {
                let go = go(time, played.len());
                done(engine.ask(&Request::Position { played: &played, go: &go }, position))?;
                match engine.ask(&Request::Go(&go), position) {
                    Came::Response(Response::Move(ply), _) => ply,
                    Came::Response(Response::Resigned, _) => return Some(()),
                    Came::Response(Response::Unreadable(_), _) => return None,
                    Came::Response(other, _) => panic!("no answer to go: {other:?}"),
                    // As `check` does with a search that does not end.
                    Came::Silence(_) => return done(engine.ask(&Request::Stop, position)).and(None),
                }
            }
        };
        position = position.play(ply).ok()?;
        played.push(PlayedPly { ply, spent: Duration::from_millis(played.len() as u64 * 77) });
    }
}

/// `None` if the question was not answered as it has to be.
fn done(came: Came) -> Option<()> {
    match came {
        Came::Response(Response::Unreadable(_), _) | Came::Silence(_) => None,
        Came::Response(..) => Some(()),
    }
}

/// One of the ways to limit a player's thinking.
pub(super) fn time_control(choice: u8) -> TimeControl {
    let time = Duration::from_millis(1 << (choice / 4 % 20));
    match choice % 4 {
        0 => TimeControl::Game { main: time, increment: time / 60 },
        1 => TimeControl::MoveTime(time),
        2 => TimeControl::Nodes(u64::from(choice) + 1),
        _ => TimeControl::Depth(u32::from(choice) + 1),
    }
}

fn go(time: TimeControl, played: usize) -> Go {
    match time {
        TimeControl::Game { main, increment } => {
            let left = main / (played as u32 + 1);
            Go::Clock { time: ByColor::new(left, main), increment: ByColor::new(increment, increment) }
        }
        TimeControl::MoveTime(time) => Go::MoveTime(time),
        TimeControl::Nodes(nodes) => Go::Nodes(nodes),
        TimeControl::Depth(depth) => Go::Depth(depth),
    }
}
