use std::sync::Arc;

use clock::{Limits, TimeControl};
use engine_process::{cancel::CancelToken, launch::Launch, procfs};
use play::{GameJob, engine::*, engine_pool::EnginePool, game::Setup, now, play};
use rules::{BoardSize, ByColor, Position};

/// Plays the two programs that are named, a second a move, and prints the record.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    procfs::become_subreaper(); // Processes that an engine leaves behind are found and ended.
    let programs: Vec<String> = std::env::args().skip(1).collect();
    let specs: Arc<[EngineSpec]> =
        programs.iter().map(|program| EngineSpec::new(program, Launch::new(program.into()))).collect();
    let start = Position::start(BoardSize::Eight);
    let time: TimeControl = "movetime=1s".parse().expect("a time control");
    let job = GameJob::single(Setup::new(start, ByColor::new(time, time)), ByColor::new(0, 1), &specs);

    let spawner = Spawner::new(Limits::default(), &CancelToken::default());
    let mut pool = EnginePool::new(specs, spawner, 2);
    let record = play(&job, &mut pool, None, || println!("{}: both are ready", now())).await;
    pool.stop(StopMode::Polite).await;

    let record = record.expect("nobody cancels it");
    println!("{} - {}: {:?}, {}", record.black, record.white, record.score, record.termination);
}
