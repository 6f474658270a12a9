//! `referee rate`: ratings from any records.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use ratings::{Model, Prior, Settings};
use records::formats::pgn;
use records::{LogError, RecordError, repeats_warning};
use tournament::merge::{self, MergeError, MergedGame};
use tournament::standings::{RatingError, Standings, Tally};

use super::game_input::{is_same, record_of};
use super::{CommandError, no_output, say, warn};
use crate::cli::{RateArgs, RateModel};
use crate::exit_code::Exit;
use crate::prepare::find_program::absolute;

pub(super) fn rate(args: &RateArgs) -> Result<Exit, CommandError> {
    let sources = sources(args)?;
    let mut tally = Tally::new();
    let mut pgn = args.pgn.as_deref().map(Pgn::create).transpose()?;
    for file in &sources {
        take_in(&mut tally, file, pgn.as_mut())?;
    }
    if let Some(pgn) = pgn {
        pgn.finish()?;
    }
    let standings = standings(&tally, args).map_err(|error| match error {
        RatingError::NoSuchEngine(_) => CommandError::new(Exit::Usage, format!("--anchor: {error}")),
        RatingError::Pool(_) => CommandError::new(Exit::Failed, error),
    })?;
    let told = tell(args, &standings);
    // The process ends now; freeing millions of small allocations first would only cost time.
    std::mem::forget((tally, standings));
    told
}

fn standings(tally: &Tally, args: &RateArgs) -> Result<Standings, RatingError> {
    let usual = Settings { colour: !args.no_colour, ..Settings::default() };
    let anchor = args.anchor.as_deref();
    match args.model {
        RateModel::Davidson => tally.standings_with(&usual, anchor),
        RateModel::BtHalf => {
            let usual = Settings { model: Model::BtHalf, ..usual };
            let standings = tally.standings_with(&Settings { prior: Prior::NONE, ..usual }, anchor)?;
            // Without a prior there are no ratings if an engine took no point off the others, even indirectly.
            match standings.pool.draw_rate_equal {
                Some(_) => Ok(standings),
                None => tally.standings_with(&usual, anchor),
            }
        }
    }
}

/// The files to read. Fails if an output file is one of them, since it would be overwritten.
fn sources(args: &RateArgs) -> Result<Vec<PathBuf>, CommandError> {
    let sources = args.files.iter().map(|file| record_of(file)).collect::<Result<Vec<_>, _>>()?;
    if let Some(pgn) = &args.pgn
        && let Some(source) = sources.iter().find(|source| is_same(source, pgn))
    {
        let message = format!("--pgn: {} is to be read; name another file", source.display());
        return Err(CommandError::new(Exit::Usage, message));
    }
    Ok(sources)
}

fn take_in(tally: &mut Tally, file: &Path, mut pgn: Option<&mut Pgn>) -> Result<(), CommandError> {
    let each = |game: MergedGame<'_>| {
        if let Some(pgn) = &mut pgn {
            pgn.write(game);
        }
    };
    let taken = if merge::is_table(file) {
        merge::add_results(tally, file, each).map(|()| 0)
    } else {
        merge::add_log(tally, file, each)
    };
    let repeats = taken.map_err(|error| {
        let hint = match &error {
            MergeError::Log(LogError::Line { line: 1, error: RecordError::Json(_), .. }) => {
                " (the name of a table of results has to end in .csv)"
            }
            _ => "",
        };
        CommandError::new(Exit::Failed, format!("{error}{hint}"))
    })?;
    repeats_warning(file, repeats).iter().for_each(|text| warn(text));
    Ok(())
}

fn tell(args: &RateArgs, standings: &Standings) -> Result<Exit, CommandError> {
    match &args.csv {
        Some(to) if to == "-" => {
            let mut table = Vec::new();
            report::csv(standings, &mut table).map_err(|error| no_output(&error))?;
            say(String::from_utf8_lossy(&table).trim_end_matches('\n'))?;
        }
        Some(to) => {
            let folder = Path::new(to);
            fs::create_dir_all(folder).map_err(|error| {
                let shown = absolute(folder);
                CommandError::new(
                    Exit::Failed,
                    format!("cannot make the folder {}: {error}", shown.display()),
                )
            })?;
            report::write_tables(folder, standings)
                .map_err(|error| CommandError::new(Exit::Failed, error))?;
        }
        None if args.json => say(&report::json(standings).to_string())?,
        None => say(&crate::display::conclusion(standings, None))?,
    }
    Ok(Exit::Done)
}

/// An output file for other rating programs. Keeps the first error until the end.
struct Pgn {
    path: PathBuf,
    out: BufWriter<File>,
    result: io::Result<()>,
}

impl Pgn {
    fn create(path: &Path) -> Result<Self, CommandError> {
        let file = File::create(path).map_err(|error| Self::failed(path, &error))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::new(file), result: Ok(()) })
    }

    fn write(&mut self, game: MergedGame<'_>) {
        if self.result.is_ok() {
            self.result = pgn::write_result(&mut self.out, game.black, game.white, game.outcome);
        }
    }

    fn finish(mut self) -> Result<(), CommandError> {
        let result = self.result.and_then(|()| self.out.flush());
        result.map_err(|error| Self::failed(&self.path, &error))
    }

    fn failed(path: &Path, error: &io::Error) -> CommandError {
        CommandError::new(Exit::Failed, format!("cannot write {}: {error}", absolute(path).display()))
    }
}
