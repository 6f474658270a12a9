//! `referee openings`: counts positions, and makes and verifies sets of balanced openings that anyone can make again.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use rules::{Ply, Position};
use tournament::definition::{Definition, Origin, engine_from_words};
use tournament::openings::{FileOpenings, MOST_POSITIONS, Opening, Openings, positions_after};

use super::{CommandError, engines};
use crate::cli::{CountOpenings, GenerateOpenings, OpeningsArgs, OpeningsCommand, VerifyOpenings};
use crate::exit_code::Exit;
use crate::prepare::evaluator::{Evaluator, Line, NoValues};
use engine_process::procfs;
use play::engine::CancelToken;

/// The number of positions that are evaluated at once.
const AT_ONCE: usize = 200;

pub(super) fn openings(args: &OpeningsArgs) -> Result<Exit, CommandError> {
    procfs::become_subreaper();
    let done = match &args.command {
        OpeningsCommand::Count(args) => count(args),
        OpeningsCommand::Generate(args) => generate(args),
        OpeningsCommand::Verify(args) => verify(args),
    };
    procfs::kill_all_children();
    done
}

fn usage(error: impl ToString) -> CommandError {
    CommandError::new(Exit::Usage, error)
}

fn listed(start: Position, plies: u32) -> Result<Vec<(Vec<Ply>, Position)>, CommandError> {
    positions_after(start, plies, MOST_POSITIONS).ok_or_else(|| {
        usage(format!("there are more than {MOST_POSITIONS} positions after {plies} plies; take fewer plies"))
    })
}

/// Prints a line `PLIES COUNT` for each number of plies.
fn count(args: &CountOpenings) -> Result<Exit, CommandError> {
    let start = args.start.on(args.board).ok_or_else(|| usage("--start is a position on another board"))?;
    for plies in 0..=args.plies {
        let line = format!("{plies} {}\n", listed(start, plies)?.len());
        if std::io::stdout().lock().write_all(line.as_bytes()).is_err() {
            // The reader has gone away.
            break;
        }
    }
    Ok(Exit::Done)
}

/// The engine that evaluates positions, from its words on the command line.
fn judge(words: &str, depth: u32) -> Result<Evaluator, CommandError> {
    let words = shlex::split(words).ok_or_else(|| usage(format!("a quote is not closed in `{words}`")))?;
    // Settings follow the command, as in `--engine`.
    let is_setting = |word: &&String| word.contains('=') && !word.starts_with('-');
    let settings: Vec<String> = words.iter().skip(1).filter(is_setting).cloned().collect();
    let command: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(at, word)| *at == 0 || !is_setting(word))
        .map(|(_, word)| word.as_str())
        .collect();
    let command = shlex::try_join(command).map_err(usage)?;
    let words: Vec<String> = [command].into_iter().chain(settings).collect();
    let engine = engine_from_words(&words).map_err(usage)?;
    let mut definition = Definition::new("openings".to_owned(), vec![engine], Origin::CommandLine);
    definition.complete(&engines::known().map_err(usage)?).map_err(usage)?;
    runtime()?.block_on(Evaluator::start(&definition, depth, &CancelToken::default())).map_err(usage)
}

fn no_values(error: NoValues) -> CommandError {
    match error {
        NoValues::Failed(why) => CommandError::new(Exit::Failed, why),
        NoValues::Cancelled => CommandError::new(Exit::Interrupted, "cancelled"),
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|error| CommandError::new(Exit::Failed, error))
}

/// An opening and its values by each evaluator, in discs for the side to move.
struct Valued {
    plies: Vec<Ply>,
    values: Vec<f64>,
}

fn generate(args: &GenerateOpenings) -> Result<Exit, CommandError> {
    let start = Position::start(rules::BoardSize::Eight);
    let all = listed(start, args.plies)?;
    let (positions, seed) = (all.len(), args.seed);
    let mut judges = vec![judge(&args.engine, args.depth)?];
    if let Some(second) = &args.second {
        judges.push(judge(second, args.second_depth.unwrap_or(args.depth))?);
    }
    let open = all.into_iter().filter(|(_, position)| !position.is_over()).collect();
    let shuffled =
        FileOpenings::from_lines(start, open).in_order(tournament::definition::OpeningOrder::Random, seed);
    let (total, mut candidates) = (shuffled.len(), Openings::File(shuffled));
    let runtime = runtime()?;
    let mut kept: Vec<Valued> = Vec::new();
    let mut looked_at = 0;
    while kept.len() < args.count && looked_at < total {
        let batch: Vec<Opening> = (looked_at..total.min(looked_at + AT_ONCE))
            .filter_map(|number| candidates.get(number as u64).ok())
            .collect();
        looked_at += batch.len();
        let mut left: Vec<Valued> =
            batch.into_iter().map(|opening| Valued { plies: opening.plies, values: Vec::new() }).collect();
        // The second evaluator sees only the positions that the first accepts.
        for judge in &judges {
            let lines: Vec<Line<'_>> = left.iter().map(|each| Line { start, plies: &each.plies }).collect();
            let values =
                runtime.block_on(judge.values(&lines, &CancelToken::default())).map_err(no_values)?;
            left.iter_mut().zip(values).for_each(|(each, value)| each.values.push(value));
            left.retain(|each| each.values.iter().all(|value| value.abs() <= args.within));
        }
        kept.extend(left);
        kept.truncate(args.count);
        if !args.quiet {
            eprint!("\r{} of {} found among {looked_at} positions", kept.len(), args.count);
        }
    }
    if !args.quiet {
        eprintln!();
    }
    if kept.is_empty() {
        return Err(CommandError::new(
            Exit::Failed,
            "no position is as balanced as that; allow more with --within",
        ));
    }
    let text = text(args, &judges, &kept, positions, looked_at);
    write(args.out.as_deref(), &text)?;
    if kept.len() < args.count {
        eprintln!("referee: only {} of the {} openings that were asked for exist", kept.len(), args.count);
        return Ok(Exit::False);
    }
    Ok(Exit::Done)
}

/// The text of the file: the recipe, then an opening and its values per line.
fn text(
    args: &GenerateOpenings,
    judges: &[Evaluator],
    kept: &[Valued],
    positions: usize,
    looked_at: usize,
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "# {} openings of {} plies, worth at most {} discs to either side; distinct under the board's symmetries.",
        kept.len(),
        args.plies,
        args.within
    );
    let _ = writeln!(
        text,
        "# Found among {looked_at} of the {positions} positions there are, in an order shuffled by seed {}.",
        args.seed
    );
    let second = args.second.as_ref().map_or_else(String::new, |second| {
        format!(" --second '{second}' --second-depth {}", args.second_depth.unwrap_or(args.depth))
    });
    let _ = writeln!(
        text,
        "# referee openings generate --plies {} --count {} --within {} --engine '{}' --depth {}{second} --seed {}",
        args.plies, args.count, args.within, args.engine, args.depth, args.seed
    );
    for judge in judges {
        let _ = writeln!(
            text,
            "# value: {} at depth {}, discs from the view of the side to move",
            judge.name(),
            judge.depth()
        );
    }
    for each in kept {
        for ply in each.plies.iter().filter(|&&ply| ply != Ply::Pass) {
            let _ = write!(text, "{ply}");
        }
        text.push_str(" ;");
        for value in &each.values {
            let _ = write!(text, " {value:+.2}");
        }
        text.push('\n');
    }
    text
}

fn write(file: Option<&Path>, text: &str) -> Result<(), CommandError> {
    let failed = |error: std::io::Error| {
        let place = file.map_or_else(|| "standard output".to_owned(), |file| file.display().to_string());
        CommandError::new(Exit::Failed, format!("cannot write {place}: {error}"))
    };
    match file {
        None => std::io::stdout().lock().write_all(text.as_bytes()).map_err(failed),
        Some(file) => {
            let folder =
                file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            // The permissions of a new file, by the umask; those of a temporary file are stricter.
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            let mut aside = tempfile::Builder::new().permissions(mode).tempfile_in(folder).map_err(failed)?;
            aside.write_all(text.as_bytes()).map_err(failed)?;
            aside.persist(file).map(drop).map_err(|error| failed(error.error))
        }
    }
}

/// Evaluates every N-th opening of a file again, by the engine that its recipe names.
fn verify(args: &VerifyOpenings) -> Result<Exit, CommandError> {
    let shown = args.file.display();
    let text =
        fs::read_to_string(&args.file).map_err(|error| usage(format!("cannot read {shown}: {error}")))?;
    let recipe = text.lines().find_map(|line| line.strip_prefix("# referee openings generate "));
    let recipe = recipe.ok_or_else(|| {
        usage(format!("{shown}: no line `# referee openings generate ...` says how it was made"))
    })?;
    let words = shlex::split(recipe).unwrap_or_default();
    let option = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).cloned()
    };
    let bad = |name: &str| usage(format!("{shown}: its recipe has no {name} that can be read"));
    let number = |name: &str| option(name).and_then(|word| word.parse().ok()).ok_or_else(|| bad(name));
    let mut judges = vec![judge(&option("--engine").ok_or_else(|| bad("--engine"))?, number("--depth")?)?];
    if let (Some(second), false) = (option("--second"), args.first_only) {
        let depth = number("--second-depth")?;
        let judge = judge(&second, depth).map_err(|error| {
            usage(format!("{}; --first-only does without the recipe's second engine", error.message))
        })?;
        judges.push(judge);
    }
    let within: f64 = option("--within").and_then(|word| word.parse().ok()).ok_or_else(|| bad("--within"))?;
    let start = Position::start(rules::BoardSize::Eight);
    let openings =
        FileOpenings::parse(&text, start, None).map_err(|error| usage(format!("{shown}: {error}")))?;
    if let Some((line, first)) = openings.repeats().first() {
        println!("line {line} leads where line {first} leads");
        return Ok(Exit::False);
    }
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
    let step = lines.len().div_ceil(args.sample.max(1)).max(1);
    let mut all = Openings::File(openings);
    let runtime = runtime()?;
    let mut wrong = 0;
    let chosen: Vec<usize> = (0..lines.len()).step_by(step).collect();
    let sample: Vec<Opening> = chosen.iter().filter_map(|&number| all.get(number as u64).ok()).collect();
    for (place, judge) in judges.iter().enumerate() {
        let asked: Vec<Line<'_>> = sample.iter().map(|each| Line { start, plies: &each.plies }).collect();
        let values = runtime.block_on(judge.values(&asked, &CancelToken::default())).map_err(no_values)?;
        for (&number, value) in chosen.iter().zip(values) {
            let written = lines[number].split_once(';').map_or("", |(_, values)| values);
            let written = written.split_whitespace().nth(place).unwrap_or("nothing");
            let found = format!("{value:+.2}");
            if found != written || value.abs() > within {
                println!("{}: {} says {found}, the file {written}", lines[number], judge.name());
                wrong += 1;
            }
        }
    }
    println!("{} of {} openings valued again, {wrong} differ", chosen.len(), lines.len());
    Ok(if wrong == 0 { Exit::Done } else { Exit::False })
}
