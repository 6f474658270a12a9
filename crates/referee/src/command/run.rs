//! `referee run`, and what it shares with `match`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use records::{GameLog, GameRecord, LogError, RepeatedGames, read_games, repeats_warning};
use rules::Color;
use tournament::definition::{Definition, DefinitionError, StartFault};
use tournament::known::KnownEngines;
use tournament::resolved::{ProgramFile, Resolved};
use tournament::sprt::PairTest;

use super::{CommandError, engines};
use crate::cli::{HowArgs, RunArgs};
use crate::display::{Display, Progress, Style, display};
use crate::exit_code::Exit;
use crate::machine::clock_check::ClockCheck;
use crate::machine::fd_limit;
use crate::machine::room;
use crate::machine::signals::Interrupts;
use crate::machine::slots::{self, Slots};
use crate::prepare::find_program::absolute;
use crate::prepare::{PrepareError, Prepared, prepare};
use crate::run::coordinator::{Conclusion, ConductError, Run, run_tournament};
use crate::run::game_queue::GameQueue;
use crate::run::program_files::{self, ProgramWatch};
use crate::run::results_dir::{self, FolderError};
use engine_process::affinity;
use engine_process::background;
use engine_process::procfs;
use engine_process::supervisor;
use play::engine::Starts;
use play::game_log::{self, LogFolder};
use tokio::sync::mpsc;

pub(super) fn run_file(args: &RunArgs) -> Result<Exit, CommandError> {
    let definition = read(&args.file).map_err(|error| CommandError::new(Exit::Usage, error))?;
    run(definition, &args.how)
}

fn read(file: &Path) -> Result<Definition, DefinitionError> {
    let unreadable = |what: String| DefinitionError::in_file(&absolute(file), what);
    let data = fs::metadata(file).map_err(|error| unreadable(error_in_words(&error)))?;
    if data.is_dir() {
        return Err(unreadable("is a folder, not a definition".to_owned()));
    }
    let bytes = fs::read(file).map_err(|error| unreadable(error_in_words(&error)))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("is not a text file (UTF-8)".to_owned()))?;
    Definition::parse(file, &text)
}

fn error_in_words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => error.to_string(),
    }
}

/// Runs a tournament from its definition to its reports.
pub(super) fn run(mut definition: Definition, how: &HowArgs) -> Result<Exit, CommandError> {
    let usage = |error: DefinitionError| CommandError::new(Exit::Usage, error);
    let known = engines::known().map_err(usage)?;
    definition.complete(&known).map_err(usage)?;
    if how.play_anyway {
        definition.faults.start = StartFault::Forfeit;
    }
    if how.expect.is_some() && definition.sprt.is_none() {
        let message = "--expect: nothing is tested; give --sprt ELO0,ELO1 or, in a definition, [sprt]";
        return Err(CommandError::new(Exit::Usage, message));
    }
    procfs::become_subreaper();
    let failed = |error: std::io::Error| CommandError::new(Exit::Failed, error);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let exit = runtime.block_on(run_to_reports(definition, &known, how));
    // Processes that hid from us until now.
    procfs::kill_all_children();
    exit
}

async fn run_to_reports(
    definition: Definition,
    known: &KnownEngines,
    how: &HowArgs,
) -> Result<Exit, CommandError> {
    let folder = how.results.join(&definition.name);
    let earlier = if how.fresh { None } else { results_dir::earlier(&folder).map_err(folder_error)? };
    let earlier_seed = earlier.as_ref().map(|earlier| earlier.seed);
    let style = match (how.quiet, how.json) {
        (true, _) => Style::Quiet,
        (_, true) => Style::Json,
        _ => Style::Automatic,
    };
    let mut display = display(style);
    for error in known.broken() {
        display.warning(&format!("{error}; this file of a known engine is left out"));
    }

    let cannot_listen = |error| CommandError::new(Exit::Failed, format!("cannot listen to signals: {error}"));
    let mut interrupts = Interrupts::listen().map_err(cannot_listen)?;
    if fd_limit::capacity_for(1, fd_limit::raise_limit()).is_none() {
        return Err(too_few_files());
    }
    // Before the first game a single interruption ends the run.
    let (notices, mut notified) = mpsc::unbounded_channel();
    let starts = Arc::new(Starts::new(notices.clone()));
    let mut preparing = std::pin::pin!(prepare(definition, known, earlier_seed, &starts));
    let prepared = loop {
        tokio::select! {
            prepared = &mut preparing => break prepared,
            () = supervisor::supervisor_gone() => return Ok(Exit::Interrupted),
            _ = interrupts.next() => return Ok(Exit::Interrupted),
            Some(notice) = notified.recv() => display.warning(&notice),
        }
    };
    let mut tournament = prepared.map_err(|error| match error {
        PrepareError::Definition(_) => CommandError::new(Exit::Usage, error),
        PrepareError::NotStarted(_) | PrepareError::Refused { .. } => CommandError::new(Exit::Failed, error),
    })?;
    tournament.warnings.iter().for_each(|text| display.warning(text));
    let programs = read_programs(&mut tournament, earlier.clone()).await?;
    if let Some(earlier) = &earlier {
        check_same_definition(&mut tournament, earlier, &folder, &mut *display)?;
        check_same_programs(&tournament.resolved, earlier, how.accept, &mut *display)?;
    }
    if how.fresh
        && let Some(aside) = results_dir::set_aside(&folder).map_err(folder_error)?
    {
        display.warning(&format!("the old results are now in {}", aside.display()));
    }
    let (mut log, torn) = results_dir::open(&folder, &tournament.resolved).map_err(folder_error)?;
    if torn > 0 {
        display.warning(&format!(
            "{}: cut off a torn last line of {torn} bytes; its game is replayed",
            log.path().display()
        ));
    }
    let faults = tournament.definition.faults.withdraw_after;
    let mut queue = GameQueue::new(tournament.schedule.clone(), tournament.specs.len(), faults);
    load_recorded_games(&mut tournament, &mut queue, log.path(), &mut *display)?;
    queue.find_not_played(how.retry_withdrawn);
    let evidence = LogFolder::open(&folder, how.log, |game| queue.is_recorded(game)).map_err(|error| {
        let place = folder.join(game_log::FOLDER);
        CommandError::new(Exit::Failed, format!("cannot use the folder {}: {error}", place.display()))
    })?;
    let evidence = Arc::new(evidence);
    tournament.evidence = Some(Arc::clone(&evidence));

    let decided = tournament.test.as_ref().is_some_and(PairTest::is_decided);
    let games = queue.schedule().games() - queue.not_played();
    let missing = if decided { 0 } else { games - queue.recorded() };
    let (slots, max_engines) = slots(&tournament, how, missing, &mut *display)?;
    if missing > 0 {
        let temporary = std::env::temp_dir();
        let in_sandbox = tournament.specs.iter().any(|spec| spec.launch.confinement.sandbox);
        let folders = if in_sandbox { vec![folder.as_path(), &temporary] } else { vec![folder.as_path()] };
        if let Some(what) = room::shortage(slots.count(), max_engines, &folders) {
            display.warning(&what);
        }
    }
    if missing > 0 && tournament.has_clocks() && !tournament.definition.cpu_clock {
        let margin = tournament.definition.margin;
        let warnings = ClockCheck::of(&slots).warnings(margin, slots.count());
        warnings.iter().for_each(|text| display.warning(text));
    }
    let progress = Progress { recorded: queue.recorded(), games, ..Progress::default() };
    display.begin(&tournament, slots.count(), progress);
    let conducted = if missing == 0 {
        Ok(Conclusion::Complete)
    } else {
        let cannot_watch = |error| CommandError::new(Exit::Failed, format!("cannot begin to play: {error}"));
        let specs = Arc::clone(&tournament.specs);
        let watch = ProgramWatch::start(specs, programs, notices).map_err(cannot_watch)?;
        starts.listen(watch.listener());
        let notices = &mut notified;
        let run = Run { log: &mut log, slots: &slots, max_engines, starts: Arc::clone(&starts), notices };
        let conducted = run_tournament(&mut tournament, queue, run, &mut interrupts, &mut *display).await;
        watch.finish();
        while let Ok(notice) = notified.try_recv() {
            display.warning(&notice);
        }
        conducted
    };
    let exit = finish(conducted, missing == 0, &log, &folder, progress, &evidence, &mut *display)?;
    Ok(verdict(&tournament, how, exit))
}

/// Reads the files of all engines and keeps what is known of them in the definition.
async fn read_programs(
    tournament: &mut Prepared,
    earlier: Option<Resolved>,
) -> Result<Vec<Vec<ProgramFile>>, CommandError> {
    let specs = Arc::clone(&tournament.specs);
    let read = background::run(move || program_files::read_programs(&specs, earlier.as_ref())).await;
    let programs = read.map_err(|error| CommandError::new(Exit::Failed, error))?;
    for (engine, files) in tournament.resolved.engines.iter_mut().zip(&programs) {
        engine.programs.clone_from(files);
    }
    Ok(programs)
}

/// Compares the programs of a resumed tournament with those that have played.
fn check_same_programs(
    now: &Resolved,
    earlier: &Resolved,
    accept: bool,
    display: &mut dyn Display,
) -> Result<(), CommandError> {
    for (old, new) in earlier.engines.iter().zip(&now.engines) {
        let Some(change) = program_files::change_since(old, &new.programs) else { continue };
        if !accept {
            return Err(folder_error(FolderError::Program { engine: new.name.clone(), change }));
        }
        display.warning(&format!("{}: {change}", new.name));
    }
    Ok(())
}

/// Compares a resumed tournament with the definition that was played before.
fn check_same_definition(
    tournament: &mut Prepared,
    earlier: &Resolved,
    folder: &Path,
    display: &mut dyn Display,
) -> Result<(), CommandError> {
    if let Some(change) = tournament.resolved.change_since(earlier) {
        return Err(folder_error(FolderError::Other { folder: folder.to_owned(), change }));
    }
    for (old, new) in earlier.engines.iter().zip(&tournament.resolved.engines) {
        let differs = old.calls_itself != new.calls_itself || old.version != new.version;
        if differs && old.calls_itself.is_some() && new.calls_itself.is_some() {
            let say = |name: &Option<String>, version: &Option<String>| {
                [name.as_deref(), version.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ")
            };
            display.warning(&format!(
                "{} called itself {:?} when its first games were played, and {:?} now",
                new.name,
                say(&old.calls_itself, &old.version),
                say(&new.calls_itself, &new.version),
            ));
        }
    }
    Ok(())
}

/// Reads the recorded games. Each must belong to this tournament. One that occurs twice with the same content counts
/// once.
fn load_recorded_games(
    tournament: &mut Prepared,
    queue: &mut GameQueue,
    path: &Path,
    display: &mut dyn Display,
) -> Result<(), CommandError> {
    let failed = |error: LogError| CommandError::new(Exit::Failed, error);
    let mut repeated = RepeatedGames::default();
    for game in read_games(path).map_err(failed)? {
        let game = game.map_err(failed)?;
        let foreign = |change: String| {
            let place = format!("{}:{}", path.display(), game.line);
            let message = format!("{place}: {change}; start over with --fresh, or choose another name");
            CommandError::new(Exit::Usage, message)
        };
        let record = &game.record;
        let Some(fixture) = queue.schedule().fixture(record.game) else {
            return Err(foreign(format!("game {} is not one of this tournament", record.game)));
        };
        if let Some(change) = difference(tournament, &fixture, record) {
            return Err(foreign(format!("game {} is that of another tournament: {change}", record.game)));
        }
        // A wrong record is found here and not only by the reports after the last game.
        if let Err(error) = record.replay() {
            return Err(failed(LogError::Line { path: path.to_owned(), line: game.line, error }));
        }
        if !repeated.is_new(record.game) {
            continue;
        }
        queue.mark_recorded(&fixture, record);
        display.loaded(record);
        tournament.repeats.load(&fixture, record);
        if let Some(test) = &mut tournament.test {
            test.add_game(&fixture, record);
        }
    }
    let repeats = repeated.compare(path).map_err(failed)?;
    repeats_warning(path, repeats).iter().for_each(|text| display.warning(text));
    Ok(())
}

fn difference(
    tournament: &mut Prepared,
    fixture: &tournament::schedule::Fixture,
    record: &GameRecord,
) -> Option<String> {
    for color in Color::ALL {
        let (name, recorded) = (&tournament.specs[fixture.players[color]].name, record.name(color));
        if name != recorded {
            return Some(format!("{color} is {recorded:?}, should be {name:?}"));
        }
    }
    if (record.pair, record.round) != (fixture.pair, fixture.round) {
        let (pair, round) = (fixture.pair, fixture.round);
        return Some(format!(
            "it is in pair {} of round {}, should be pair {pair} of round {round}",
            record.pair, record.round
        ));
    }
    let seed = tournament::seeds::game_seed(tournament.resolved.seed, fixture.game);
    if record.seed != seed {
        return Some(format!("its seed is {}, should be {seed}", record.seed));
    }
    let opening = tournament.openings.get(fixture.round).ok()?;
    if record.start_position() != opening.start {
        return Some(format!("it starts from {}, should be {}", record.start_position(), opening.start));
    }
    if record.opening != opening.plies {
        let text = |plies: &[rules::Ply]| rules::to_transcript(plies);
        return Some(format!("its opening is {}, should be {}", text(&record.opening), text(&opening.plies)));
    }
    None
}

fn too_few_files() -> CommandError {
    let limit = fd_limit::raise_limit();
    let message = format!(
        "only {limit} files may be open at once, which is too few for a single game; raise it (ulimit -n 1024)"
    );
    CommandError::new(Exit::Failed, message)
}

/// The slots, their cores, and the number of engines that each keeps running.
fn slots(
    tournament: &Prepared,
    how: &HowArgs,
    missing: u64,
    display: &mut dyn Display,
) -> Result<(Slots, usize), CommandError> {
    let definition = &tournament.definition;
    let threads = definition.engines.iter().map(|engine| engine.threads()).max().unwrap_or(1);
    let threads = usize::try_from(threads).unwrap_or(usize::MAX);
    let wish = how.concurrency.or(definition.concurrency);
    let cores = affinity::allowed_cores();
    let slots = slots::assign_cores(&cores, threads, wish, definition.pin, missing);
    let limit = fd_limit::raise_limit();
    let count = slots.count();
    let Some(room) = fd_limit::capacity_for(count, limit) else {
        return Err(too_few_files());
    };
    let slots = if room.slots < count {
        display.warning(&format!(
            "{count} games at once need more than the {limit} files that may be open: {} at once instead (ulimit -n)",
            room.slots
        ));
        slots::assign_cores(&cores, threads, Some(room.slots), definition.pin, missing)
    } else {
        slots
    };
    if let Some(text) = &slots.warning {
        display.warning(text);
    }
    Ok((slots, room.max_engines))
}

fn finish(
    conducted: Result<Conclusion, ConductError>,
    nothing_to_play: bool,
    log: &GameLog,
    folder: &Path,
    progress: Progress,
    evidence: &LogFolder,
    display: &mut dyn Display,
) -> Result<Exit, CommandError> {
    // Reports of another record would be wrong.
    let conducted = match log.unchanged() {
        Err(error) if conducted.is_ok() => Err(ConductError::from(error)),
        _ => conducted,
    };
    let reported = match conducted {
        Err(ConductError::Changed(error)) => {
            return Err(CommandError::new(Exit::Failed, ConductError::Changed(error)));
        }
        _ => ::report::write(folder),
    };
    let conclusion = conducted.map_err(|error| CommandError::new(Exit::Failed, error))?;
    let standings = reported.map_err(|error| CommandError::new(Exit::Failed, error))?.standings;
    let recorded = standings.games.played;
    let shown = folder.display();
    let (exit, words) = match conclusion {
        Conclusion::Complete if nothing_to_play => {
            (Exit::Done, format!("all {recorded} games were played before; results in {shown}"))
        }
        Conclusion::Complete => (Exit::Done, format!("{recorded} games; results in {shown}")),
        Conclusion::Interrupted | Conclusion::Aborted => {
            let games = progress.games;
            (
                Exit::Interrupted,
                format!("interrupted: {recorded} of {games} games; run again to go on; results in {shown}"),
            )
        }
    };
    let of_games = match evidence.written() {
        0 => String::new(),
        1 => format!("; what was said in a game is in {}", evidence.folder().display()),
        games => format!("; what was said in {games} games is in {}", evidence.folder().display()),
    };
    display.end(&standings, Progress { recorded, ..progress }, &(words + &of_games));
    let is_sound = !standings.has_withdrawn() && !standings.all_forfeited();
    Ok(if is_sound { exit } else { exit.max(Exit::False) })
}

/// Prints the verdict of the sequential test. The exit code says if it is the expected one.
fn verdict(tournament: &Prepared, how: &HowArgs, exit: Exit) -> Exit {
    let Some(test) = &tournament.test else { return exit };
    let (tested, opponent) = test.players();
    let name = |engine: usize| tournament.specs[engine].name.as_str();
    let words = test.verdict((name(tested), name(opponent)));
    if how.json {
        crate::display::print_line(&crate::display::verdict_event(test, &words).to_string());
    } else {
        crate::display::print_line(&test.live_line());
        crate::display::print_line(&words);
    }
    if how.expect.is_some_and(|expected| expected != test.state()) { exit.max(Exit::False) } else { exit }
}

fn folder_error(error: FolderError) -> CommandError {
    let exit = match &error {
        FolderError::NotAFolder(_)
        | FolderError::NoDefinition(_)
        | FolderError::Other { .. }
        | FolderError::Program { .. } => Exit::Usage,
        FolderError::Io { .. } | FolderError::Definition { .. } | FolderError::Log(_) => Exit::Failed,
    };
    CommandError::new(exit, error)
}
