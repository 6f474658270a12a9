//! What the games start from: read, listed, drawn, and held to be balanced where that is asked for.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use records::formats::{Format, Settings, by_content, by_name};
use rules::Position;
use tournament::definition::{
    Definition, DefinitionError, EngineDefinition, OpeningOrder, OpeningSource, Origin,
};
use tournament::openings::{
    BALANCE, BALANCE_DEPTH, BALANCE_ENGINE, BALANCE_WITHIN, FileOpenings, LeftOut, MOST_POSITIONS, Opening,
    OpeningFileError, Openings, RandomOpenings, positions_after,
};

use crate::prepare::evaluator::{Evaluator, Line, NoValues};
use crate::prepare::find_program::absolute;
use play::engine::CancelToken;

/// The openings of a tournament, and what the user should know of them.
pub(super) fn read_openings(
    definition: &Definition,
    seed: u64,
) -> Result<(Openings, Vec<String>), DefinitionError> {
    let start = definition.start_position();
    let mut warnings = Vec::new();
    let (path, order, plies) = match definition.opening_source()? {
        OpeningSource::Random(plies) => {
            let mut openings = Openings::Random(RandomOpenings::new(seed, start, plies));
            // The first one shows whether there are any.
            openings.get(0).map_err(|error| definition.error("openings.random", error.to_string()))?;
            return Ok((openings, warnings));
        }
        OpeningSource::Every { plies, order } => {
            return Ok((every(definition, start, plies, order, seed)?, warnings));
        }
        OpeningSource::File { path, order, plies } => (absolute(&definition.path(&path)), order, plies),
    };
    // A results folder stands for its record, as it does elsewhere.
    let record = path.join(report::RECORD);
    let path = if record.is_file() { record } else { path };
    let bytes = read_file(&path).map_err(|message| definition.error("openings.file", message))?;
    let format = by_content(&bytes).or_else(|| by_name(&path)).unwrap_or(Format::Transcripts);
    let read = if format == Format::Transcripts {
        let text = text_of(&path, bytes).map_err(|message| definition.error("openings.file", message))?;
        FileOpenings::parse(&text, start, plies)
    } else {
        let settings = Settings { board: definition.board, ..Settings::default() };
        FileOpenings::read(format, &bytes, &settings, start, plies)
    };
    let openings = read.map_err(|error| match error {
        OpeningFileError::Line { line, message } => DefinitionError::at_line(&path, line, message),
        OpeningFileError::Empty | OpeningFileError::AllShort { .. } | OpeningFileError::Game(_) => {
            DefinitionError::in_file(&path, error.to_string())
        }
    })?;
    let LeftOut { short, repeated } = openings.left_out();
    if let (Some(plies), 1..) = (plies, short + repeated) {
        warnings.push(format!(
            "{}: {} openings of {plies} plies from {} games; left out are {short} that are over by then or shorter, \
             and {repeated} that lead, up to symmetry, where an earlier one leads",
            path.display(),
            openings.len(),
            openings.len() + short + repeated
        ));
    }
    if !openings.repeats().is_empty() {
        let pairs = openings.repeats().iter().map(|(line, first)| format!("{line} (as {first})"));
        let shown: Vec<String> = pairs.take(10).collect();
        let numbers = if format == Format::Transcripts { "lines" } else { "games" };
        let more = if openings.repeats().len() > shown.len() { ", ..." } else { "" };
        warnings.push(format!(
            "{}: {} of {} openings lead, up to symmetry, to the position of an earlier one: {numbers} {}{more}",
            path.display(),
            openings.repeats().len(),
            openings.len(),
            shown.join(", ")
        ));
    }
    if definition.pairs > openings.len() as u64 && !definition.openings.balanced {
        warnings.push(format!(
            "{}: {} openings for {} pairs: they start over",
            path.display(),
            openings.len(),
            definition.pairs
        ));
    }
    Ok((Openings::File(openings.in_order(order, seed)), warnings))
}

/// Every position after so many plies that does not end the game.
fn every(
    definition: &Definition,
    start: Position,
    plies: u32,
    order: OpeningOrder,
    seed: u64,
) -> Result<Openings, DefinitionError> {
    let wrong = |message: String| definition.error("openings.every", message);
    let all = positions_after(start, plies, MOST_POSITIONS).ok_or_else(|| {
        wrong(format!(
            "there are more than {MOST_POSITIONS} positions after {plies} plies; use fewer, or random"
        ))
    })?;
    let open: Vec<_> = all.into_iter().filter(|(_, position)| !position.is_over()).collect();
    if open.is_empty() {
        return Err(wrong(format!(
            "no line of {plies} plies leaves anything to play on this board; use fewer"
        )));
    }
    Ok(Openings::File(FileOpenings::from_lines(start, open).in_order(order, seed)))
}

/// So many openings are valued before it is looked whether that is enough.
const AT_ONCE: u64 = 64;
/// So many are looked at in vain before it is given up.
const PATIENCE: u64 = 5000;

/// Keeps, in their order, as many openings as there are pairs that our own search finds within two discs.
pub(super) async fn balance(
    definition: &Definition,
    mut openings: Openings,
    cancel: &CancelToken,
) -> Result<(Openings, Vec<String>), DefinitionError> {
    let wrong = |message: String| definition.error("openings.balanced", message);
    let engine = EngineDefinition::new(vec![BALANCE_ENGINE.to_owned()]);
    let mut judge_definition = Definition::new("balance".to_owned(), vec![engine], Origin::CommandLine);
    judge_definition.variant = definition.variant;
    judge_definition.board = definition.board;
    judge_definition.start = definition.start;
    judge_definition.limits = definition.limits;
    let judge = Evaluator::start(&judge_definition, BALANCE_DEPTH, cancel).await;
    let judge = judge.map_err(|error| wrong(error.to_string()))?;
    let (mut kept, mut looked_at): (Vec<Opening>, u64) = (Vec::new(), 0);
    'more: while (kept.len() as u64) < definition.pairs
        && looked_at < PATIENCE.saturating_mul(definition.pairs)
    {
        let mut batch = Vec::new();
        for number in looked_at..looked_at + AT_ONCE {
            let opening = openings.get(number).map_err(|error| wrong(error.to_string()))?;
            if opening.repeated {
                break;
            }
            batch.push(opening);
        }
        if batch.is_empty() {
            break 'more;
        }
        looked_at += batch.len() as u64;
        let lines: Vec<Line<'_>> =
            batch.iter().map(|opening| Line { start: opening.start, plies: &opening.plies }).collect();
        let values = judge.values(&lines, cancel).await.map_err(|error| match error {
            NoValues::Failed(why) => wrong(why),
            NoValues::Cancelled => wrong("was cancelled".to_owned()),
        })?;
        let even = |(opening, value): (Opening, f64)| (value.abs() <= BALANCE_WITHIN).then_some(opening);
        kept.extend(batch.into_iter().zip(values).filter_map(even));
    }
    kept.truncate(usize::try_from(definition.pairs).unwrap_or(usize::MAX));
    if kept.is_empty() {
        return Err(wrong(format!("none of {looked_at} openings is {BALANCE}")));
    }
    let found = kept.len() as u64;
    let mut warnings =
        vec![format!("{found} of the first {looked_at} openings are {BALANCE}; these are played")];
    if found < definition.pairs {
        warnings.push(format!("{found} balanced openings for {} pairs: they start over", definition.pairs));
    }
    Ok((Openings::File(FileOpenings::from_openings(kept)), warnings))
}

/// More than 10 million openings of eight plies.
const MOST_BYTES: u64 = 256 << 20;

/// The content of a file, or what is wrong with it.
fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let shown = path.display();
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("no such file: {shown}"));
        }
        Err(error) => return Err(format!("cannot read {shown}: {error}")),
        Ok(data) if data.is_dir() => {
            return Err(format!("{shown} is a folder without {}, not a file", report::RECORD));
        }
        Ok(_) => {}
    }
    // Some files have no end.
    let cannot = |error: io::Error| format!("cannot read {shown}: {error}");
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(cannot)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{shown} is larger than {} MiB, too much for openings", MOST_BYTES >> 20));
    }
    Ok(bytes)
}

/// The same as text, or the line that is none.
fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        format!("{}:{}: not a text file (bytes that are not UTF-8)", path.display(), line + 1)
    })
}
