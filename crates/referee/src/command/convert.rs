//! `referee convert`: games and positions from one format to another.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use records::formats::wthor::{self, Header, Tables};
use records::formats::{Format, Item, ReadError, WriteError, Writer, by_name};

use super::CommandError;
use super::game_input::{Input, InputArgs, failed, is_same, open_names, unreadable};
use crate::cli::ConvertArgs;
use crate::exit_code::Exit;
use crate::prepare::find_program::absolute;

/// The size of the output buffer in bytes.
const BUFFER: usize = 256 * 1024;

/// Items that are reported on standard error; with more, the file is of another kind.
const MOST_NAMED: u64 = 1000;

/// The number of items.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    written: u64,
    /// Those that can't be read.
    bad: u64,
    /// Those that the output format can't hold.
    left_out: u64,
}

impl Counts {
    /// Reports what is wrong with an item, for the first items.
    fn name(&self, what: &str) {
        match self.bad + self.left_out {
            ..=MOST_NAMED => eprintln!("{what}"),
            count if count == MOST_NAMED + 1 => eprintln!("(further ones are only counted)"),
            _ => {}
        }
    }
}

pub(super) fn convert(args: &ConvertArgs) -> Result<Exit, CommandError> {
    let to = target(args)?;
    let wanted = InputArgs {
        format: args.from,
        board: args.board,
        players: args.jou.as_deref(),
        tournaments: args.trn.as_deref(),
    };
    let input = Input::open(&args.input, wanted)?;
    if args.output != Path::new("-") && is_same(&input.path, &args.output) {
        let shown = absolute(&args.output);
        return Err(CommandError::new(
            Exit::Usage,
            format!("{} is the input; name another file", shown.display()),
        ));
    }
    let Input { path, items, header, names, .. } = input;
    let mut items = items.peekable();
    // An input of the wrong kind must not overwrite the output.
    if let Some(Err(error @ ReadError::BadFile(_))) = items.peek() {
        return Err(unreadable(&path, error));
    }
    let mut sink = Sink::open(&args.output, to, header, names)?;
    let mut counts = Counts::default();
    for (index, item) in items.enumerate() {
        match item {
            Ok(item) => match sink.write(item) {
                Ok(()) => counts.written += 1,
                Err(WriteError::Cannot(why)) => {
                    counts.left_out += 1;
                    counts.name(&format!("{}: game {} is left out: {why}", path.display(), index + 1));
                }
                Err(WriteError::Io(error)) => return stopped(&args.output, error),
            },
            Err(ReadError::BadItem(error)) => {
                counts.bad += 1;
                counts.name(&error.in_file(&path));
            }
            Err(error) => return Err(unreadable(&path, &error)),
        }
    }
    if let Err(error) = sink.finish() {
        return stopped(&args.output, error);
    }
    let Counts { written, bad, left_out } = counts;
    eprintln!("{} read, {written} written, {bad} bad, {left_out} left out", written + left_out + bad);
    Ok(if bad + left_out == 0 { Exit::Done } else { Exit::False })
}

/// The output format.
fn target(args: &ConvertArgs) -> Result<Format, CommandError> {
    let to = args.to.or_else(|| by_name(&args.output)).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        let message = format!(
            "{}: its name does not tell the format; use --to with one of {names}",
            args.output.display()
        );
        CommandError::new(Exit::Usage, message)
    })?;
    if to == Format::Wthor && args.output == Path::new("-") {
        let message = "WTHOR is three files (.wtb, .JOU, .TRN) and can't go to standard output; name a file";
        return Err(CommandError::new(Exit::Usage, message));
    }
    Ok(to)
}

/// The result after a failed write. If the reader of standard output has gone away, that is no failure.
fn stopped(output: &Path, error: io::Error) -> Result<Exit, CommandError> {
    if output == Path::new("-") && error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(Exit::Done);
    }
    let name = if output == Path::new("-") { PathBuf::from("standard output") } else { absolute(output) };
    Err(failed(format!("cannot write {}: {error}", name.display())))
}

/// The writer of the output format.
enum Sink {
    Stream(Writer<Box<dyn Write>>),
    Wthor { games: Box<wthor::Writer<BufWriter<File>>>, date: [u8; 4], names: [PathBuf; 2] },
}

impl Sink {
    fn open(
        output: &Path,
        format: Format,
        header: Option<Header>,
        names: Tables,
    ) -> Result<Self, CommandError> {
        if output == Path::new("-") {
            let out: Box<dyn Write> = Box::new(BufWriter::with_capacity(BUFFER, io::stdout()));
            return Self::stream(format, out, output);
        }
        let path = absolute(output);
        let failed = |error: io::Error| failed(format!("cannot write {}: {error}", path.display()));
        if format != Format::Wthor {
            let file = File::create(&path).map_err(failed)?;
            return Self::stream(format, Box::new(BufWriter::with_capacity(BUFFER, file)), output);
        }
        // Existing names keep their numbers, since other files may refer to them.
        let files = [existing(&path, "JOU"), existing(&path, "TRN")];
        let known = open_names(is_file(&files[0]), is_file(&files[1]))?;
        let names = Tables {
            players: if files[0].exists() { known.players } else { names.players },
            tournaments: if files[1].exists() { known.tournaments } else { names.tournaments },
        };
        let today = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date();
        let mut fresh = Header::dated(
            today.year().unsigned_abs(),
            today.month().unsigned_abs(),
            today.day().unsigned_abs(),
        );
        fresh.board = 8;
        let file = BufWriter::with_capacity(BUFFER, File::create(&path).map_err(failed)?);
        let games = wthor::Writer::new(file, header.unwrap_or(fresh), names).map_err(failed)?;
        Ok(Self::Wthor { games: Box::new(games), date: fresh.date, names: files })
    }

    fn stream(format: Format, out: Box<dyn Write>, output: &Path) -> Result<Self, CommandError> {
        match Writer::new(format, out) {
            Ok(writer) => Ok(Self::Stream(writer)),
            Err(error) => Err(failed(format!("cannot write {}: {error}", output.display()))),
        }
    }

    fn write(&mut self, item: Item) -> Result<(), WriteError> {
        match self {
            Self::Stream(writer) => writer.write(item),
            Self::Wthor { games, .. } => games.write(&item.into_game()),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Stream(writer) => writer.finish().map(drop),
            Self::Wthor { games, date, names: [players, tournaments] } => {
                let (_, names) = games.finish()?;
                names.players.write(&mut BufWriter::new(File::create(players)?), date)?;
                names.tournaments.write(&mut BufWriter::new(File::create(tournaments)?), date)
            }
        }
    }
}

/// The file of names beside a `.wtb`, which may not exist. In lower case only if it exists so.
fn existing(games: &Path, ending: &str) -> PathBuf {
    let small = games.with_extension(ending.to_ascii_lowercase());
    if small.is_file() { small } else { games.with_extension(ending) }
}

fn is_file(path: &Path) -> Option<&Path> {
    Some(path).filter(|path| path.is_file())
}
