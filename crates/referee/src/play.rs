//! The game loop: what a game wants next is asked of an engine, and its answer handed back.

use std::time::{Duration, Instant};

use protocol::message::NewGame;
use records::{GameRecord, Start, Termination};
use rules::{ByColor, Color, Position};
use tournament::attendance::AT_START;
use tournament::schedule::Fixture;

use crate::engine::{Failure, Manner, Trouble};
use crate::evidence::{self, Evidence};
use crate::game::{Ending, Game, Next, Setup};
use crate::seats::Seats;

/// A game to be played.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its place in the schedule, and who plays.
    pub fixture: Fixture,
    /// What is fixed before it begins.
    pub setup: Setup,
    /// Its own seed, below 2^53.
    pub seed: u64,
    /// What reports call the players.
    pub names: ByColor<String>,
}

/// Details are cut to this many characters.
const LONGEST_DETAIL: usize = 2000;

impl Job {
    /// The record of this game, from how it went.
    #[must_use]
    pub fn record(&self, game: Game, ending: Ending, started: String, took: Duration) -> GameRecord {
        let setup = &self.setup;
        let size = setup.start.size();
        let standard = setup.start == Position::start(size);
        let discs = game.position().disc_counts();
        GameRecord {
            format: records::game::FORMAT,
            game: self.fixture.game,
            pair: self.fixture.pair,
            round: self.fixture.round,
            opening: setup.opening.clone(),
            start: if standard { Start::Standard } else { Start::Position(setup.start) },
            variant: setup.variant,
            board: size,
            empties: setup.empties,
            black: self.names.black.clone(),
            white: self.names.white.clone(),
            seed: self.seed,
            moves: game.into_moves(),
            result: ending.verdict.outcome,
            discs,
            score: ending.verdict.score,
            termination: ending.termination,
            offender: ending.offender,
            detail: ending.detail.map(|detail| detail.chars().take(LONGEST_DETAIL).collect()),
            started,
            seconds: (took.as_secs_f64() * 1000.0).round() / 1000.0,
            off_turn: None,
        }
    }

    /// The record of a game that is not played, since a player failed before it.
    #[must_use]
    pub fn forfeit(&self, offender: Color, failure: Failure) -> GameRecord {
        let game = Game::new(self.setup.clone());
        let ending = game.failed(offender, failure);
        self.record(game, ending, now(), Duration::ZERO)
    }
}

/// This moment as it stands in records: UTC, to the second.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Plays a game with the engines in these seats, which are started where they are not up. `up` is
/// called when both are. Whatever the engines do, a record comes out of it; `None` if we were told
/// to drop everything. What was said goes to `evidence`, if that wants it.
pub fn play(
    job: &Job,
    seats: &mut Seats,
    evidence: Option<&Evidence>,
    up: impl FnOnce(),
) -> Option<GameRecord> {
    let (started, begun) = (now(), Instant::now());
    let mut game = Game::new(job.setup.clone());
    let ending = match play_to_end(job, &mut game, seats, up) {
        Ok(ending) => ending,
        Err((side, Trouble::Failed(failure))) => game.failed(side, failure),
        Err((_, Trouble::Called)) => return None,
    };
    let mut record = job.record(game, ending, started, begun.elapsed());
    record.off_turn = seats.off_turn(&record, job.fixture.players);
    let evidence = evidence.filter(|evidence| evidence.wants(&record));
    let told = seats.after_game(&record, job.fixture.players, evidence.is_some());
    if let Some(evidence) = evidence
        && let Err(warning) = evidence.keep(record.game, &evidence::text(&record, begun, &told))
    {
        seats.take_note(warning);
    }
    Some(record)
}

fn play_to_end(
    job: &Job,
    game: &mut Game,
    seats: &mut Seats,
    up: impl FnOnce(),
) -> Result<Ending, (Color, Trouble)> {
    let players = job.fixture.players;
    for color in Color::ALL {
        seats.seat(*players.get(color), players).map_err(|trouble| (color, at_start(trouble)))?;
    }
    for color in Color::ALL {
        let told = NewGame {
            variant: job.setup.variant,
            start: job.setup.start,
            seed: job.seed,
            color,
            names: ByColor::new(&job.names.black, &job.names.white),
            time: job.setup.time,
        };
        let mut begun = seats.engines(players)[color].new_game(&told);
        // An engine that left after its last game may do so a moment after it was found to be up.
        if begun.is_err() && seats.has_left(*players.get(color)) {
            seats.seat(*players.get(color), players).map_err(|trouble| (color, at_start(trouble)))?;
            begun = seats.engines(players)[color].new_game(&told);
        }
        begun.map_err(|trouble| (color, trouble))?;
    }
    up();
    let mut engines = seats.engines(players);
    loop {
        match game.advance() {
            Next::Ask { side, go, allowance } => {
                let engine = &mut engines[side];
                engine.position(game.played(), &go).map_err(|trouble| (side, trouble))?;
                let answer = engine.go(&go, allowance).map_err(|trouble| (side, trouble))?;
                if let Some(ending) = game.take(answer) {
                    return Ok(ending);
                }
            }
            Next::Over(ending) => return Ok(ending),
        }
    }
}

fn at_start(trouble: Trouble) -> Trouble {
    match trouble {
        Trouble::Failed(Failure { termination, detail }) => {
            Trouble::Failed(Failure { termination, detail: format!("{AT_START}{detail}") })
        }
        Trouble::Called => Trouble::Called,
    }
}

/// How the offender of a game is stopped: one whose dialogue is still sound stays.
#[must_use]
pub(crate) fn broke_off(termination: Termination) -> Option<Manner> {
    termination.is_fault().then_some(Manner::Broken)
}
