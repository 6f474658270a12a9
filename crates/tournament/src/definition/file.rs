//! A definition file, key by key.

use std::path::Path;

use clock::TimeControl;
use protocol::dialect::{ClockStyle, ProtocolChoice};
use protocol::message::clean_name;
use ratings::{EloModel, Sprt};
use rules::BoardSize;

use super::error::DefinitionError;
use super::reader::{Item, Source, Table};
use clock::{Limits, Resources};

use super::{Definition, EngineDefinition, Format, OpeningOrder, OpeningSource, Origin};
use crate::sprt::{SprtPlan, model_by_name};

/// More games than this can't be numbered within 2^53.
const MOST_PAIRS: u64 = 1_000_000_000;
const MOST_PLIES: u64 = 59;
/// Who may fail more often in a row is never withdrawn.
const MOST_FAULTS: u64 = 1_000_000;

/// The keys at the top, under `[limits]` and under `[[engine]]`.
const KEYS: [&str; 22] = [
    "name",
    "format",
    "seeds",
    "sprt",
    "pairs",
    "seed",
    "concurrency",
    "variant",
    "board",
    "start",
    "empties",
    "time",
    "margin",
    "cpu_clock",
    "freeze",
    "pin",
    "openings",
    "restart",
    "limits",
    "sandbox",
    "faults",
    "engine",
];
const SPRT_KEYS: [&str; 7] = ["elo0", "elo1", "alpha", "beta", "model", "overshoot", "pair"];
const LIMIT_KEYS: [&str; 4] = ["start", "ready", "move", "quit"];
const ENGINE_KEYS: [&str; 14] = [
    "name",
    "engine",
    "level",
    "command",
    "options",
    "threads",
    "protocol",
    "clock",
    "directory",
    "env",
    "time",
    "restart",
    "limits",
    "sandbox",
];

pub(super) fn parse(file: &Path, text: &str) -> Result<Definition, DefinitionError> {
    let source = Source::new(file, text);
    let document = source.parse()?;
    let table = Table::new(source, document.get_ref(), String::new(), 0);
    let definition = read(&table, file)?;
    definition.check()?;
    Ok(definition)
}

fn read(table: &Table<'_>, file: &Path) -> Result<Definition, DefinitionError> {
    table.refuse_all_but(&KEYS)?;
    let name = table.require("name", "the name of the results folder")?;
    let name_text = name.text()?;
    if !super::is_folder_name(name_text) {
        return Err(name.error(format!("{name_text:?} cannot name a folder; use letters, digits, - and _")));
    }
    let mut definition = Definition::new(name_text.to_owned(), Vec::new(), Origin::File(file.to_owned()));

    for key in KEYS {
        definition.lines.extend(table.get(key).map(|item| (key.to_owned(), item.line())));
    }
    let set = |key, into: &mut dyn FnMut(Item<'_>) -> Result<(), DefinitionError>| {
        table.get(key).map_or(Ok(()), into)
    };
    set("format", &mut |item| item.word().map(|value| definition.format = value))?;
    set("seeds", &mut |item| {
        let seeds = usize::try_from(item.count(1, 10_000)?).unwrap_or(usize::MAX);
        match definition.format {
            Format::Gauntlet { .. } => definition.format = Format::Gauntlet { seeds },
            _ => return Err(item.error("goes with format = \"gauntlet\"")),
        }
        Ok(())
    })?;
    set("sprt", &mut |item| sprt(&item).map(|value| definition.sprt = Some(value)))?;
    set("pairs", &mut |item| item.count(1, MOST_PAIRS).map(|value| definition.pairs = value))?;
    set("seed", &mut |item| item.count(0, (1 << 53) - 1).map(|value| definition.seed = Some(value)))?;
    set("concurrency", &mut |item| {
        item.count(1, 10_000).map(|value| definition.concurrency = usize::try_from(value).ok())
    })?;
    set("variant", &mut |item| item.word().map(|value| definition.variant = value))?;
    set("board", &mut |item| board(&item).map(|value| definition.board = value))?;
    set("start", &mut |item| item.word().map(|value| definition.start = Some(value)))?;
    set("empties", &mut |item| item.word().map(|value| definition.empties = value))?;
    set("time", &mut |item| item.time().map(|value| definition.time = value))?;
    set("margin", &mut |item| item.duration().map(|value| definition.margin = value))?;
    set("cpu_clock", &mut |item| item.flag().map(|value| definition.cpu_clock = value))?;
    set("freeze", &mut |item| item.flag().map(|value| definition.freeze = value))?;
    set("pin", &mut |item| item.flag().map(|value| definition.pin = value))?;
    set("openings", &mut |item| {
        openings(&item)
            .map(|(source, balanced)| (definition.openings, definition.balanced) = (source, balanced))
    })?;
    set("limits", &mut |item| {
        let both = limits(&item.table()?);
        both.map(|(limits, resources)| (definition.limits, definition.resources) = (limits, resources))
    })?;
    set("sandbox", &mut |item| item.flag().map(|value| definition.sandbox = value))?;
    set("faults", &mut |item| {
        let table = item.table()?;
        table.refuse_all_but(&["withdraw_after"])?;
        if let Some(item) = table.get("withdraw_after") {
            definition.withdraw_after = u32::try_from(item.count(1, MOST_FAULTS)?).ok();
        }
        Ok(())
    })?;
    let mut restart = false;
    set("restart", &mut |item| item.flag().map(|value| restart = value))?;

    let engines = table.require("engine", "a tournament needs two [[engine]] or more")?;
    for engine in engines.tables()? {
        definition.engines.push(read_engine(&engine, restart)?);
    }
    if definition.engines.len() < 2 {
        return Err(engines.error("a tournament needs two [[engine]] or more"));
    }
    Ok(definition)
}

fn board(item: &Item<'_>) -> Result<BoardSize, DefinitionError> {
    let side = item.count(4, 8)?;
    let size = u8::try_from(side).ok().and_then(|side| BoardSize::try_from(side).ok());
    size.ok_or_else(|| item.error(format!("must be 4, 6 or 8, not {side}")))
}

/// Where openings come from, and whether only balanced ones are taken.
fn openings(item: &Item<'_>) -> Result<(OpeningSource, bool), DefinitionError> {
    const WANTED: &str = "{ random = PLIES }, { every = PLIES } or { file = \"FILE\" }";
    let table = item.table_like(WANTED)?;
    table.refuse_all_but(&["random", "every", "file", "plies", "order", "balanced"])?;
    let (random, every, file) = (table.get("random"), table.get("every"), table.get("file"));
    let sources: Vec<&Item<'_>> = [&random, &every, &file].into_iter().flatten().collect();
    match sources[..] {
        [] => return Err(item.error(format!("must be {WANTED}"))),
        [_] => {}
        [_, second, ..] => return Err(second.error("is one source too many; choose one")),
    }
    let balanced = table.get("balanced").map_or(Ok(false), |item| item.flag())?;
    let at_least = |least, item: &Item<'_>| {
        item.count(least, MOST_PLIES).map(|plies| u32::try_from(plies).unwrap_or(u32::MAX))
    };
    let plies = |item: &Item<'_>| at_least(0, item);
    if let (Some(first), None) = (table.get("plies"), &file) {
        return Err(first.error("goes with `file` alone: the first plies of each of its games"));
    }
    if let Some(random) = random {
        if let Some(order) = table.get("order") {
            return Err(order.error("goes with `file` or `every`, not with `random`"));
        }
        return Ok((OpeningSource::Random(plies(&random)?), balanced));
    }
    let order = table.get("order").map_or(Ok(OpeningOrder::default()), |order| order.word())?;
    if let Some(every) = every {
        return Ok((OpeningSource::Every { plies: plies(&every)?, order }, balanced));
    }
    let path = file.as_ref().map_or(Ok(""), Item::text)?;
    match file {
        Some(file) if path.is_empty() => Err(file.error("names no file")),
        _ => {
            // An empty line is no opening that a game could lend.
            let plies = table.get("plies").map(|item| at_least(1, &item)).transpose()?;
            Ok((OpeningSource::File { path: path.into(), order, plies }, balanced))
        }
    }
}

fn sprt(item: &Item<'_>) -> Result<SprtPlan, DefinitionError> {
    let table = item.table()?;
    table.refuse_all_but(&SPRT_KEYS)?;
    let rate = |key| table.get(key).map_or(Ok(0.05), |item| item.number());
    let model = table.get("model").map_or(Ok(EloModel::default()), |item| {
        model_by_name(item.text()?).map_err(|message| item.error(message))
    })?;
    let elo0 = table.require("elo0", "the Elo of H0, such as 0")?.number()?;
    let elo1 = table.require("elo1", "the Elo of H1, such as 5")?.number()?;
    let test = Sprt::new(elo0, elo1, rate("alpha")?, rate("beta")?, model);
    let pair = match table.get("pair") {
        None => None,
        Some(item) => {
            let names = item.array().unwrap_or_default();
            let names = names.iter().map(Item::text).collect::<Result<Vec<_>, _>>()?;
            match names[..] {
                [new, old] if new != old => Some((new.to_owned(), old.to_owned())),
                _ => return Err(item.error("must be two names: pair = [\"NEW\", \"OLD\"]")),
            }
        }
    };
    Ok(SprtPlan {
        test: test.map_err(|error| item.error(error.to_string()))?,
        overshoot: table.get("overshoot").map_or(Ok(false), |item| item.flag())?,
        pair,
    })
}

fn limits(table: &Table<'_>) -> Result<(Limits, Resources), DefinitionError> {
    table.refuse_all_but(&[&LIMIT_KEYS[..], &Resources::KEYS].concat())?;
    let mut limits = Limits::default();
    let places = [&mut limits.start, &mut limits.ready, &mut limits.move_, &mut limits.quit];
    for (key, place) in LIMIT_KEYS.into_iter().zip(places) {
        if let Some(item) = table.get(key) {
            *place = item.duration()?;
            if place.is_zero() && key != "quit" {
                return Err(item.error("must be more than zero"));
            }
        }
    }
    Ok((limits, resources(table)?))
}

fn resources(table: &Table<'_>) -> Result<Resources, DefinitionError> {
    let mut resources = Resources::default();
    for key in Resources::KEYS {
        if let Some(item) = table.get(key) {
            resources.set(key, &item.option_value()?).map_err(|message| item.error(message))?;
        }
    }
    Ok(resources)
}

fn read_engine(table: &Table<'_>, restart: bool) -> Result<EngineDefinition, DefinitionError> {
    table.refuse_all_but(&ENGINE_KEYS)?;
    let known = table.get("engine");
    let command = match (table.get("command"), &known) {
        (None, None) => Some(table.require("command", "the program to start")?),
        (command, _) => command,
    };
    let mut engine = EngineDefinition::new(command.as_ref().map_or(Ok(Vec::new()), read_command)?);
    engine.restart = restart;
    engine.lines.extend(command.as_ref().or(known.as_ref()).map(|item| (String::new(), item.line())));
    engine.known = known.map(|item| item.text().map(str::to_owned)).transpose()?;
    if let Some(item) = table.get("level") {
        let level = item.count(0, 1000)?;
        if engine.known.is_none() {
            return Err(item.error(LEVEL_WITHOUT_ENGINE));
        }
        engine.level = u32::try_from(level).ok();
    }
    for key in ENGINE_KEYS {
        if let Some(item) = table.get(key) {
            engine.lines.insert(key.to_owned(), item.line());
        }
    }
    if let Some(item) = table.get("name") {
        let text = item.text()?;
        if clean_name(text).as_deref() != Some(text) {
            return Err(item.error(
                "must be 1 to 100 characters, without control characters or white space at its ends",
            ));
        }
        engine.name = Some(text.to_owned());
    }
    if let Some(item) = table.get("threads") {
        engine.threads = u32::try_from(item.count(1, 4096)?).unwrap_or(u32::MAX);
    }
    if let Some(item) = table.get("protocol") {
        engine.protocol = item.word()?;
    }
    if let Some(item) = table.get("clock") {
        engine.clock = item.word()?;
        if engine.known.is_none() {
            check_clock(engine.protocol, engine.clock).map_err(|message| item.error(message))?;
        }
    }
    if let Some(item) = table.get("directory") {
        engine.directory = Some(item.text()?.into());
    }
    if let Some(item) = table.get("restart") {
        engine.restart = item.flag()?;
    }
    if let Some(item) = table.get("limits") {
        let own = item.table()?;
        own.refuse_all_but(&Resources::KEYS)?;
        engine.resources = resources(&own)?;
    }
    if let Some(item) = table.get("sandbox") {
        engine.sandbox = Some(item.flag()?);
    }
    if let Some(item) = table.get("time") {
        engine.time = Some(item.time()?);
    }
    if let Some(item) = table.get("env") {
        for (key, value) in item.table()?.items() {
            let text = value.option_value()?;
            if key.is_empty() || key.contains(['=', '\0']) || text.contains('\0') {
                return Err(value.error("cannot stand in an environment"));
            }
            engine.env.insert(key.to_owned(), text);
        }
    }
    if let Some(item) = table.get("options") {
        let mut options: Vec<_> = item.table()?.items().collect();
        options.sort_by_key(|(_, value)| value.place());
        for (key, value) in options {
            if engine.known.is_none() && !engine.protocol.may_have_options() {
                return Err(value.error(no_options(&engine.protocol)));
            }
            let text = value.option_value()?;
            check_option(key, &text).map_err(|message| value.error(message))?;
            engine.lines.insert(format!("options.{key}"), value.line());
            engine.options.push((key.to_owned(), text));
        }
    }
    Ok(engine)
}

/// A command, as text or as an array.
pub(crate) fn read_command(item: &Item<'_>) -> Result<Vec<String>, DefinitionError> {
    let words = match item.array() {
        Some(words) => words.iter().map(|word| word.text().map(str::to_owned)).collect::<Result<_, _>>()?,
        None => split_command(item.text()?).map_err(|message| item.error(message))?,
    };
    if words.first().is_none_or(String::is_empty) {
        return Err(item.error("names no program"));
    }
    if words.iter().any(|word| word.contains('\0')) {
        return Err(item.error("holds a NUL character"));
    }
    Ok(words)
}

/// What is said of a level where there is no known engine.
pub(super) const LEVEL_WITHOUT_ENGINE: &str =
    "goes with a known engine, such as engine = \"edax\"; use arguments";

/// Whether the engine's protocol knows this way to tell it its time.
pub(crate) fn check_clock(protocol: ProtocolChoice, clock: ClockStyle) -> Result<(), String> {
    if protocol.allows_clock_style(clock) {
        Ok(())
    } else {
        Err(format!("protocol {protocol} does not tell the clock in the way `{clock}`; leave it out"))
    }
}

/// What is said of options where there can be none.
pub(super) fn no_options(protocol: &impl std::fmt::Display) -> String {
    format!("protocol {protocol} has no options; use arguments")
}

/// Whether an option can be sent in one line.
pub(super) fn check_option(name: &str, value: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("an option needs a name");
    }
    let breaks = |text: &str| text.contains(char::is_control);
    if breaks(name) || breaks(value) {
        Err("an option is one line, without control characters")
    } else {
        Ok(())
    }
}

/// A command in one piece, split as a shell would.
pub(super) fn split_command(text: &str) -> Result<Vec<String>, String> {
    shlex::split(text).ok_or_else(|| format!("a quote is not closed in `{text}`"))
}

/// A time control as text, as the file and the command line share it.
pub(super) fn parse_time(text: &str) -> Result<TimeControl, String> {
    text.parse().map_err(|error: clock::TimeError| error.to_string())
}
