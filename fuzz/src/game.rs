//! The game loop, from two engines that write anything to the line in `games.jsonl`.
//!
//! The head chooses protocols, game, clocks and the time that each move takes; the rest is what the engines write,
//! both the same unless a byte [`APART`] stands between what each of them does.

use std::time::Duration;

use clock::TimeControl;
use play::GameJob;
use play::engine::{Answer, AnswerKind, Failure, Waited};
use play::game::{Game, GameEnd, Setup, Step};
use protocol::dialect::{ClockStyle, ProtocolId};
use protocol::message::{Go, NewGame, Request, Response, SearchInfo};
use records::formats::{Format, Settings, read};
use records::{GameRecord, Termination};
use rules::{BoardSize, ByColor, Color, Empties, Ply, Position, Turn, Variant};

use super::dialects::time_control;
use super::laws::is_fit_to_show;
use super::pretended::{Came, Pretended};

/// Parts what Black writes from what White writes.
const APART: u8 = 0xff;

/// Plays the game that these bytes are, and holds its record against the rules.
pub fn run(data: &[u8]) {
    let Some((head, said)) = data.split_first_chunk::<16>() else { return };
    let [black, white, game, black_time, white_time, margin, opening, silence, spent @ ..] = head;
    let mut parts = said.splitn(2, |&byte| byte == APART);
    let of_black = parts.next().unwrap_or_default();
    let of_white = parts.next().unwrap_or(of_black);
    let kinds: Vec<ProtocolId> = ProtocolId::all().collect();
    let engine = |choice: u8, said| {
        Pretended::new(kinds[usize::from(choice) % kinds.len()], ClockStyle::default(), said, 1)
    };
    let mut engines = ByColor::new(engine(*black, of_black), engine(*white, of_white));
    let time = ByColor::new(time_control(*black_time), time_control(*white_time));
    let job = job(*game, time, Duration::from_millis(u64::from(*margin)), usize::from(*opening % 16));

    let mut game = Game::new(job.setup.clone());
    let table = Table { job: &job, silence: *silence, spent };
    let ending = match table.play(&mut game, &mut engines) {
        Ok(ending) => ending,
        Err((side, failure)) => game.failed(side, records::FaultPhase::Play, failure),
    };
    let record =
        job.record(game, ending, "2026-11-29T21:00:00Z".to_owned(), Duration::from_micros(1_234_567));
    holds(&record);
    let ByColor { black, white } = engines;
    black.end();
    white.end();
}

/// A game from an opening of so many plies, always the first move that there is.
fn job(game: u8, time: ByColor<TimeControl>, margin: Duration, opening: usize) -> GameJob {
    let variant = Variant::ALL[usize::from(game) % 3];
    let start = variant.start(BoardSize::ALL[usize::from(game) / 3 % 3]);
    let (mut position, mut plies) = (start, Vec::new());
    while plies.len() < opening {
        let ply = match position.turn() {
            Turn::Place(moves) => moves.first().ply(),
            Turn::Pass(_) => Ply::Pass,
            Turn::Over(_) => break,
        };
        position = position.play(ply).expect("legal");
        plies.push(ply);
    }
    let empties = if (game / 9).is_multiple_of(2) { Empties::Winner } else { Empties::None };
    let move_limit = Duration::from_secs(1);
    GameJob {
        game: 3,
        pair: 1,
        round: 1,
        players: ByColor::new(0, 1),
        setup: Setup { variant, empties, time, margin, move_limit, start, opening: plies },
        seed: 7,
        names: ByColor::new("a".to_owned(), "\"b\", é".to_owned()),
        dropped: std::collections::BTreeMap::new(),
    }
}

/// The table at which a game is played.
struct Table<'a> {
    job: &'a GameJob,
    /// What becomes of an engine that says nothing more.
    silence: u8,
    /// The time that the moves take, over and over.
    spent: &'a [u8],
}

impl Table<'_> {
    /// As the referee plays a game; `Err` is the failure of a side before it was asked for a move.
    fn play(
        &self,
        game: &mut Game,
        engines: &mut ByColor<Pretended<'_>>,
    ) -> Result<GameEnd, (Color, Failure)> {
        let start = self.job.setup.start;
        for color in Color::ALL {
            let engine = &mut engines[color];
            self.settle(engine, &Request::Handshake, start).map_err(|failure| (color, failure))?;
            self.settle(engine, &Request::SetOptions(&[]), start).map_err(|failure| (color, failure))?;
            if let Some(why) = engine.dialect().cannot_play(self.job.setup.variant, &start) {
                return Err((color, Failure { termination: Termination::ProtocolError, detail: why }));
            }
        }
        for color in Color::ALL {
            let told = NewGame {
                variant: self.job.setup.variant,
                start,
                seed: self.job.seed,
                color,
                names: ByColor::new(&self.job.names.black, &self.job.names.white),
                time: self.job.setup.time,
            };
            let begun = self.settle(&mut engines[color], &Request::NewGame(&told), start);
            begun.map_err(|failure| (color, failure))?;
        }
        for number in 0.. {
            let (side, go, allowance) = match game.advance() {
                Step::Over(ending) => return Ok(ending),
                Step::Ask { side, go, allowance } => (side, go, allowance),
            };
            assert!(number <= 64, "a game has an end");
            let (position, engine) = (game.position(), &mut engines[side]);
            let told = Request::Position { played: game.played(), go: &go };
            self.settle(engine, &told, position).map_err(|failure| (side, failure))?;
            let answer = self.answer(engine, &go, number, position);
            let has_clock = go.has_clock();
            let spent = answer.spent;
            if let Some(ending) = game.apply_answer(answer) {
                return Ok(ending);
            }
            assert!(!has_clock || spent <= allowance, "{spent:?} of {allowance:?}");
        }
        unreachable!("the numbers have no end")
    }

    fn settle(
        &self,
        engine: &mut Pretended<'_>,
        request: &Request<'_>,
        position: Position,
    ) -> Result<(), Failure> {
        let failed = |termination, detail| Err(Failure { termination, detail });
        match engine.ask(request, position) {
            Came::Response(Response::Unreadable(why), _) => failed(Termination::ProtocolError, why),
            Came::Response(..) => Ok(()),
            Came::Silence(pending) if self.silence.is_multiple_of(2) => failed(Termination::Stall, pending),
            Came::Silence(pending) => failed(Termination::Crash, pending),
        }
    }

    fn answer(&self, engine: &mut Pretended<'_>, go: &Go, number: usize, position: Position) -> Answer {
        let spent = Duration::from_nanos(1 << (self.spent[number % self.spent.len()] % 40));
        let (kind, claims) = match engine.ask(&Request::Go(go), position) {
            Came::Response(heard, claims) => {
                let kind = match heard {
                    Response::Move(ply) => AnswerKind::Ply(ply),
                    Response::Resigned => AnswerKind::Resigned,
                    Response::Unreadable(why) => AnswerKind::Unreadable(why),
                    other => panic!("no answer to go: {other:?}"),
                };
                (kind, claims)
            }
            Came::Silence(pending) => {
                let kind = match self.silence % 3 {
                    0 => AnswerKind::Silent(pending),
                    1 => AnswerKind::Gone(pending),
                    _ => AnswerKind::Idle(pending),
                };
                (kind, SearchInfo::default())
            }
        };
        Answer { spent, waited: Waited { threads: spent / 2, engine: spent / 2 }, info: claims, kind }
    }
}

/// The record follows from its plies, and is the same when it was written and read.
fn holds(record: &GameRecord) {
    record.replay().unwrap_or_else(|error| panic!("{error}: {record:?}"));
    if let Some(detail) = &record.detail {
        is_fit_to_show(detail);
    }
    let mut line = Vec::new();
    record.write_line(&mut line).unwrap_or_else(|error| panic!("{error}: {record:?}"));
    let text = std::str::from_utf8(&line).expect("UTF-8");
    assert_eq!((text.matches('\n').count(), text.ends_with('\n')), (1, true));
    assert_eq!(&GameRecord::parse(text).expect("what was written is read"), record);
    let slowly: GameRecord = serde_json::from_str(text).expect("it is JSON");
    assert_eq!(&slowly, record, "whoever reads it");
    let mut items = read(Format::Jsonl, &line[..], &Settings::default()).expect("a record");
    let game = items.next().expect("a game").expect("sound").into_game();
    assert_eq!(game.last().disc_counts(), record.discs);
    assert!(items.next().is_none());
}
