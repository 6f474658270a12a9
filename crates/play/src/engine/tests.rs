//! Tests of starting, waiting and ending, with shells as engines.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use super::connection::{Connection, NoAnswer};
use super::*;
use protocol::message::{Go, NewGame};

/// Longer than any of these tests takes, also on a busy machine.
const LONG: Duration = Duration::from_secs(60);

const LIMITS: Limits = Limits {
    start: LONG,
    ready: LONG,
    move_: LONG,
    quit: Duration::from_secs(2),
    sync: Duration::from_millis(50),
};

fn shell(script: &str) -> Launch {
    Launch { arguments: vec!["-c".to_owned(), script.to_owned()], ..Launch::new("/bin/sh".into()) }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test)
}

async fn connected(script: &str, cancel: &CancelToken) -> Connection {
    Connection::open(&shell(script), &Arc::default(), cancel).await.expect("a shell")
}

/// An engine that takes its time to start.
const SLOW_STARTER: &str = "sleep 0.05
while read line; do
  case $line in ugi) echo ugiok;; isready) echo readyok;; quit) exit;; esac
done";

/// How often this thread gave up its core to wait for something.
fn times_blocked() -> u64 {
    let status = fs::read_to_string("/proc/thread-self/status").expect("this system has it");
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    count.and_then(|count| count.trim().parse().ok()).expect("a number")
}

#[test]
fn starting_and_stopping_engines_blocks_no_game_of_the_thread() {
    const ENGINES: u64 = 10;
    let blocked = run(async {
        let restarting = tokio::spawn(async {
            let spec = EngineSpec { restart: true, ..EngineSpec::new("slow starter", shell(SLOW_STARTER)) };
            let spawner = Spawner::new(LIMITS, &CancelToken::default());
            for _ in 0..ENGINES {
                let engine = spawner.start(&spec).await.expect("it starts");
                engine.stop(StopMode::Polite).await;
            }
        });
        // This stands for another game, which has something to do at any moment. So the thread has no reason to give up
        // its core, however busy the machine is: whenever it does, something blocks it.
        let before = times_blocked();
        while !restarting.is_finished() {
            tokio::task::yield_now().await;
        }
        let blocked = times_blocked() - before;
        restarting.await.expect("all of them started");
        blocked
    });
    // To start a process in the thread, or to wait there for its end, would block it at least once an engine.
    assert!(blocked < ENGINES, "the thread was blocked {blocked} times by {ENGINES} engines");
}

#[test]
fn a_wait_that_is_given_up_loses_nothing_of_a_line() {
    let line = run(async {
        let mut connection = connected(
            "read a; printf ugi; read b; printf ok; read c; echo ' at last'",
            &CancelToken::default(),
        )
        .await;
        for (question, begin) in [("one\n", "ugi"), ("two\n", "ugiok"), ("three\n", "")] {
            connection.ask(question.as_bytes(), LONG).await.expect("it reads");
            let deadline = connection.deadline(LONG);
            let is_there = |connection: &Connection| match begin {
                "" => connection.lines.has_line(),
                begin => connection.lines.partial_line() == begin.as_bytes(),
            };
            while !is_there(&connection) {
                // Given up again and again, at any moment.
                let wait = connection.receive(deadline);
                let _ = tokio::time::timeout(Duration::from_micros(100), wait).await;
            }
        }
        connection.lines.next_line().map(str::to_owned)
    });
    assert_eq!(line.as_deref(), Some("ugiok at last"));
}

#[test]
fn every_kind_of_end_is_heard() {
    run(async {
        let cancel = CancelToken::default();
        // Output counts before the end of the process, also when another process holds the pipe open.
        let mut connection = connected("echo last words; sleep 100 & exit 3", &cancel).await;
        connection.ask(b"", LONG).await.expect("nothing to write");
        let deadline = connection.deadline(LONG);
        connection.receive(deadline).await.expect("a line");
        assert_eq!(connection.lines.next_line(), Some("last words"));
        assert_eq!(connection.receive(deadline).await, Err(NoAnswer::Gone));
        assert_eq!(connection.process.exit_status_soon().await, Some(ExitStatus::Code(3)));
        connection.process.stop(StopMode::Now, Duration::ZERO, b"").await;

        let mut silent = connected("sleep 100", &cancel).await;
        silent.ask(b"", Duration::from_millis(30)).await.expect("nothing to write");
        let deadline = silent.deadline(Duration::from_millis(30));
        assert_eq!(silent.receive(deadline).await, Err(NoAnswer::TimedOut));
        assert!(silent.took() >= Duration::from_millis(30), "{:?}", silent.took());

        let canceller = cancel.clone();
        tokio::spawn(async move { canceller.cancel() });
        silent.ask(b"", LONG).await.expect("nothing to write");
        let deadline = silent.deadline(LONG);
        assert_eq!(silent.receive(deadline).await, Err(NoAnswer::Cancelled));
        assert_eq!(silent.ask(&[b' '; 1 << 20], LONG).await, Err(NoAnswer::Cancelled), "nobody reads that");
        silent.process.stop(StopMode::Now, Duration::ZERO, b"").await;
    });
}

#[test]
fn an_endless_stream_starves_neither_deadline_nor_cancel_nor_other_tasks() {
    run(async {
        let cancel = CancelToken::default();
        let mut flooding = connected("yes", &cancel).await;
        let beside = tokio::spawn(async { tokio::task::yield_now().await });
        flooding.ask(b"", Duration::from_millis(50)).await.expect("nothing to write");
        let deadline = flooding.deadline(Duration::from_millis(50));
        let end = loop {
            if let Err(end) = flooding.receive(deadline).await {
                break end;
            }
            while flooding.lines.next_line().is_some() {}
        };
        assert_eq!(end, NoAnswer::TimedOut);
        assert!(beside.is_finished(), "the other task had its turn");

        flooding.ask(b"", LONG).await.expect("nothing to write");
        let deadline = flooding.deadline(LONG);
        cancel.cancel();
        let end = loop {
            if let Err(end) = flooding.receive(deadline).await {
                break end;
            }
            while flooding.lines.next_line().is_some() {}
        };
        assert_eq!(end, NoAnswer::Cancelled);
        flooding.process.stop(StopMode::Now, Duration::ZERO, b"").await;
    });
}

/// Starts an engine and begins a game with it. `position`, `ready` and `go` are what its script does at these commands.
async fn in_game(position: &str, ready: &str, go: &str) -> Engine {
    let script = format!(
        "while read line; do case $line in ugi) echo ugiok;; position*) told=1; {position};;
        isready) if [ \"$told\" ]; then {ready}; fi; told=; echo readyok;; go*) {go};; quit) exit;; esac; done"
    );
    let spawner = Spawner::new(LIMITS, &CancelToken::default());
    let mut engine = spawner.start(&EngineSpec::new("shell", shell(&script))).await.expect("it starts");
    let time = "movetime=60s".parse().expect("a time control");
    let game = NewGame {
        variant: rules::Variant::Othello,
        start: rules::Position::start(rules::BoardSize::Eight),
        seed: 1,
        color: rules::Color::Black,
        names: rules::ByColor::new("a", "b"),
        time: rules::ByColor::new(time, time),
    };
    engine.new_game(&game).await.expect("it is ready");
    engine
}

const GO: Go = Go::MoveTime(LONG);

fn f5() -> AnswerKind {
    AnswerKind::Ply("f5".parse().expect("a move"))
}

#[test]
fn getting_ready_for_a_position_is_charged_beyond_the_allowance_but_for_the_first() {
    run(async {
        let mut engine = in_game(":", "sleep 0.3", "echo bestmove f5").await;
        assert_eq!(engine.position(&[], &GO).await, Ok(Duration::ZERO), "the first is free");
        assert_eq!(engine.go(&GO, LONG).await.expect("a move").kind, f5());
        let charged = engine.position(&[], &GO).await.expect("it is ready");
        // It may have waited for a core besides, which is not charged.
        assert!(charged > Duration::from_millis(100), "{charged:?}");
        assert_eq!(engine.position(&[], &Go::Depth(1)).await, Ok(Duration::ZERO), "there is no clock");
        engine.stop(StopMode::Now).await;
    });
}

#[test]
fn what_can_be_read_when_a_request_is_sent_answers_nothing() {
    run(async {
        // A spare readyok comes with the move; then a line begins whose end comes with the next answer.
        let go = "printf 'bestmove f5\\nreadyok\\ninfo string '";
        let mut engine = in_game(":", "echo; sleep 0.2", go).await;
        for expected in [0, 1, 2] {
            engine.position(&[], &GO).await.expect("it is ready");
            assert!(engine.connection.took() >= Duration::from_millis(200), "by the spare readyok");
            assert_eq!(engine.oddities().surplus, expected, "the line that had begun before");
            assert_eq!(engine.go(&GO, LONG).await.expect("a move").kind, f5());
            // What it wrote together may come in two pieces.
            while engine.connection.lines.partial_line().is_empty() {
                let _ = engine.connection.receive(Instant::now() + LONG).await;
            }
        }
        engine.stop(StopMode::Now).await;

        // An answer that comes too early hides behind many other lines.
        let early = "i=0; while [ $i -lt 400 ]; do echo info string on and on and on; i=$((i+1)); done; echo bestmove a1";
        let mut engine = in_game(":", early, "echo bestmove f5").await;
        engine.position(&[], &GO).await.expect("it is ready");
        assert_eq!(engine.go(&GO, LONG).await.expect("a move").kind, f5());
        assert_eq!(engine.oddities().surplus, 1);
        engine.stop(StopMode::Now).await;
    });
}

#[test]
fn without_a_clock_position_and_go_are_sent_together() {
    run(async {
        let go = Go::Nodes(3);
        let mut engine = in_game("echo bestmove a1", ":", "echo info nodes 7; echo bestmove f5").await;
        assert!(engine.is_pipelined(&go) && !engine.is_pipelined(&GO));
        for surplus in [1, 2] {
            let answer = engine.position_and_go(&[], &go, LONG).await.expect("a move");
            assert_eq!((answer.kind, answer.info.nodes), (f5(), Some(7)));
            assert_eq!(engine.oddities().surplus, surplus);
        }
        engine.stop(StopMode::Now).await;

        let mut silent = in_game(":", "sleep 100", ":").await;
        silent.limits.ready = Duration::from_millis(30);
        let error = silent.position_and_go(&[], &go, LONG).await.expect_err("it never gets ready");
        let EngineError::Failed(Failure { termination, detail }) = error else { panic!("{error:?}") };
        assert_eq!(termination, Termination::Stall);
        assert!(detail.starts_with("no answer to the position within 30ms"), "{detail}");
        silent.stop(StopMode::Now).await;
    });
}
