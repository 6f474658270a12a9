//! The effect of each command.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use protocol::ugi::{Command, CommandError, EngineMessage, Limits, Query};
use rules::{Color, Position, Turn};

use crate::dialogue::Dialogue;
use crate::game::Game;
use crate::input::{Input, standard_input};
use crate::{Engine, Search, Settings};

/// The time limit of a `go` without limits.
const DEFAULT_MOVETIME: Duration = Duration::from_secs(1);

/// Runs an engine over standard input and output until `quit` or the end of the input. The `main` of an
/// engine is this one call.
#[must_use]
pub fn run<E: Engine>() -> ExitCode {
    match standard_input() {
        Ok(input) => {
            run_with::<E>(input, io::stdout().lock());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot read standard input: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs an engine over any input and output until `quit`, the end of the input, or a write error.
///
/// ```
/// # use engine_kit::{Engine, Options, Search, Settings};
/// # use rules::{Move, Moves, Position};
/// # struct First;
/// # impl Engine for First {
/// #     const NAME: &'static str = "first";
/// #     const AUTHOR: &'static str = "you";
/// #     fn new_game(_: &Settings) -> Self { First }
/// #     fn choose(&mut self, _: Position, moves: Moves, _: &mut Search<'_>) -> Move { moves.first() }
/// # }
/// let mut answers = Vec::new();
/// engine_kit::run_with::<First>(&b"position startpos\ngo movetime 100\nquit\n"[..], &mut answers);
/// assert_eq!(answers, b"bestmove d3\n");
/// ```
pub fn run_with<E: Engine>(input: impl Input, output: impl Write) {
    let mut dialogue = Dialogue::new(input, output);
    let mut session = Session::<E>::new();
    let mut line = String::new();
    while dialogue.next_line(&mut line) {
        session.handle_line(&line, &mut dialogue);
    }
    dialogue.flush();
}

/// An engine, its settings and its game.
struct Session<E> {
    settings: Settings,
    game: Game,
    /// `None` until it is needed; `uginewgame` and a changed option drop it.
    engine: Option<E>,
    /// The longest preemption of recent searches.
    preempted: Duration,
}

impl<E: Engine> Session<E> {
    fn new() -> Self {
        let settings = Settings::new(E::options());
        Self { game: Game::new(&settings), settings, engine: None, preempted: Duration::ZERO }
    }

    fn handle_line<I: Input, O: Write>(&mut self, line: &str, dialogue: &mut Dialogue<I, O>) {
        match Command::parse(line) {
            Ok(Command::Ugi) => self.greet(dialogue),
            Ok(Command::SetOption { name, value }) => {
                match self.settings.set(name, value.unwrap_or_default()) {
                    Ok(()) => self.engine = None,
                    Err(error) => dialogue.info_string(&error.to_string()),
                }
            }
            Ok(Command::IsReady) => {
                self.engine();
                dialogue.answer("readyok");
            }
            Ok(Command::NewGame) => {
                self.engine = None;
                self.game = Game::new(&self.settings);
            }
            Ok(Command::Position { start, moves }) => {
                if let Err(error) = self.game.set(start, moves, &self.settings) {
                    dialogue.info_string(&format!("position ignored: {error}"));
                }
            }
            Ok(Command::Go(limits)) => self.go(limits, dialogue),
            Ok(Command::Query(query)) => dialogue.answer(EngineMessage::Response(self.respond(query))),
            Ok(Command::Quit) => dialogue.close(),
            Ok(Command::Stop) | Err(CommandError::Unknown) => {}
            Err(error) => dialogue.info_string(&error.to_string()),
        }
    }

    fn engine(&mut self) -> &mut E {
        self.engine.get_or_insert_with(|| E::new_game(&self.settings))
    }

    fn greet<I: Input, O: Write>(&self, dialogue: &mut Dialogue<I, O>) {
        dialogue.answer(EngineMessage::Name(E::NAME));
        dialogue.answer(EngineMessage::Author(E::AUTHOR));
        for option in self.settings.options() {
            dialogue.answer(format_args!("option {option}"));
        }
        dialogue.answer(EngineMessage::UgiOk);
    }

    fn go<I: Input, O: Write>(&mut self, mut limits: Limits, dialogue: &mut Dialogue<I, O>) {
        if limits == Limits::default() {
            limits.movetime = Some(DEFAULT_MOVETIME);
        }
        let position = self.game.position();
        let started = dialogue.arrived();
        dialogue.begin_search(limits.infinite);
        let ply = match position.turn() {
            Turn::Place(moves) => {
                let mut search = Search::new(limits, position, started, Some(dialogue));
                search.expect_preemption(self.preempted * 7 / 8);
                let chosen = self.engine().choose(position, moves, &mut search);
                self.preempted = search.preempted();
                debug_assert!(moves.contains(chosen.square()), "{chosen} is another position's move");
                chosen.ply()
            }
            Turn::Pass(_) | Turn::Over(_) => rules::Ply::Pass,
        };
        if limits.infinite {
            dialogue.wait_for_stop();
        }
        dialogue.answer(format_args!("bestmove {ply}"));
        dialogue.end_search();
    }

    fn respond(&self, query: Query) -> &'static str {
        let position = self.game.position();
        let yes_or_no = |yes| if yes { "true" } else { "false" };
        match query {
            Query::P1Turn => yes_or_no(position.side_to_move() == Color::Black),
            Query::GameOver => yes_or_no(position.is_over()),
            Query::Result => self.result(position),
        }
    }

    fn result(&self, position: Position) -> &'static str {
        let Turn::Over(end) = position.turn() else { return "none" };
        match end.winner(self.settings.variant()) {
            Some(Color::Black) => "p1win",
            Some(Color::White) => "p2win",
            None => "draw",
        }
    }
}
