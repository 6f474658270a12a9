//! `referee rate`: ratings over any records.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use ratings::{Model, Settings};
use records::pgn;
use tournament::join::{self, JoinError, Joined};
use tournament::standings::{RatingError, Standings, Tally};

use super::CommandError;
use crate::cli::{RateArgs, RateModel};
use crate::exit::Exit;
use crate::locate::absolute;

pub(super) fn rate(args: &RateArgs) -> Result<Exit, CommandError> {
    let mut tally = Tally::new();
    let mut pgn = args.pgn.as_deref().map(Pgn::create).transpose()?;
    for file in &args.files {
        take_in(&mut tally, &source(file)?, pgn.as_mut())?;
    }
    if let Some(pgn) = pgn {
        pgn.finish()?;
    }
    let model = match args.model {
        RateModel::Davidson => Model::Davidson,
        RateModel::BtHalf => Model::BtHalf,
    };
    let settings = Settings { model, colour: !args.no_colour, ..Settings::default() };
    let standings = tally.standings_with(&settings, args.anchor.as_deref()).map_err(|error| match error {
        RatingError::NoSuchEngine(_) => CommandError::new(Exit::Usage, format!("--anchor: {error}")),
        RatingError::Pool(_) => CommandError::new(Exit::Failed, error),
    })?;
    let told = tell(args, &standings);
    // The process ends here: taking apart millions of small pieces first would only cost time.
    std::mem::forget((tally, standings));
    told
}

/// The file to read: a results folder stands for its record.
fn source(file: &Path) -> Result<PathBuf, CommandError> {
    let file = absolute(file);
    let failed = |error: io::Error| {
        CommandError::new(Exit::Failed, format!("cannot open {}: {error}", file.display()))
    };
    let data = fs::metadata(&file).map_err(failed)?;
    Ok(if data.is_dir() { file.join(report::RECORD) } else { file })
}

fn take_in(tally: &mut Tally, file: &Path, mut pgn: Option<&mut Pgn>) -> Result<(), CommandError> {
    let each = |game: Joined<'_>| {
        if let Some(pgn) = &mut pgn {
            pgn.write(game);
        }
    };
    let taken = if join::is_table(file) {
        join::add_results(tally, file, each)
    } else {
        join::add_log(tally, file, each)
    };
    taken.map_err(|error: JoinError| CommandError::new(Exit::Failed, error))
}

fn tell(args: &RateArgs, standings: &Standings) -> Result<Exit, CommandError> {
    match &args.csv {
        Some(to) if to == "-" => {
            let out = BufWriter::new(io::stdout().lock());
            // A reader that has gone away is no fault of ours.
            let _ = report::csv(standings, out);
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
        None if args.json => crate::display::print_line(&report::json(standings).to_string()),
        None => crate::display::print_line(&crate::display::conclusion(standings, None)),
    }
    Ok(Exit::Done)
}

/// A file for other rating programs. The first error is kept until the end.
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

    fn write(&mut self, game: Joined<'_>) {
        if self.result.is_ok() {
            self.result = pgn::write_game(&mut self.out, game.black, game.white, game.outcome);
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
