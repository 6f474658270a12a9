//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clock::TimeControl;
use protocol::dialect::ProtocolChoice;
use ratings::SprtState;
use records::formats::Format;
use rules::{BoardSize, Position, Variant};
use serde::Serialize;
use tournament::definition::StartPosition;

/// Plays Othello engines against each other and says who is stronger, by how much and how sure that is.
#[derive(Debug, Parser)]
#[command(name = "referee", version, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  referee run tournaments/quick.toml
  referee match mcts positional --pairs 50 --time movetime=50ms
  referee match --engine positional name=flat option.Corners=0 --engine mcts time=movetime=100ms
  referee check ./my-engine
  referee report results/quick
  referee rate results/quick results/overnight --anchor greedy
  referee plan --elo 10 --time 60s+0.5s
  referee engines
  referee perft --depth 9
  referee convert games.ggf games.sgf
  referee show results/quick 17 --diagram

Exit codes:
  0 done; 1 done, but what was asked turned out false; 2 usage or a bad definition;
  3 interrupted, run again to go on; 4 could not go on")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a tournament, or resume it where it stopped
    Run(RunArgs),
    /// Play two or more engines named here, without a definition file
    Match(Box<MatchArgs>),
    /// Check whether an engine keeps to its protocol and to the rules
    Check(CheckArgs),
    /// Rebuild every report of a results folder from its games.jsonl
    Report {
        /// The results folder
        dir: PathBuf,
    },
    /// Ratings over any records: games.jsonl, results folders, tables of results (CSV)
    Rate(RateArgs),
    /// How many games it takes to see a difference, and how long they take
    Plan(PlanArgs),
    /// Make, check and count sets of openings
    Openings(OpeningsArgs),
    /// List the engines whose settings are known, and whether they are here
    Engines(EnginesArgs),
    /// Count the lines of play of each length: a line `DEPTH COUNT` for each depth
    Perft(PerftArgs),
    /// Games and positions from one file format to another
    Convert(ConvertArgs),
    /// One game, move by move, or as a diagram
    Show(ShowArgs),
}

/// `referee run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee run tournaments/quick.toml
  referee run overnight.toml --results /data/results --concurrency 8
  referee run quick.toml --fresh --json > events.jsonl

Ctrl-C once: running games are finished, no new ones begin. Twice: they are stopped, and
played when the tournament is resumed. Thrice: out at once. The results are in order after each.")]
pub struct RunArgs {
    /// The tournament's definition (TOML)
    pub file: PathBuf,
    /// How to run it
    #[command(flatten)]
    pub how: HowArgs,
}

/// What `run` and `match` have in common.
#[derive(Debug, Args)]
pub struct HowArgs {
    /// Where the results folder is made
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub results: PathBuf,
    /// Games at once [default: what fits the cores]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    pub concurrency: Option<usize>,
    /// Start over: an existing results folder is renamed, never deleted
    #[arg(long)]
    pub fresh: bool,
    /// Begin even if an engine fails to start: it loses its games until it is withdrawn
    #[arg(long)]
    pub play_anyway: bool,
    /// Go on although an engine's program has changed since its games were played
    #[arg(long, conflicts_with = "fresh")]
    pub accept: bool,
    /// Play the games of withdrawn engines that were not played
    #[arg(long)]
    pub retry_withdrawn: bool,
    /// Keep what was said in every game, not only in lost ones (in the results folder, under evidence/)
    #[arg(long)]
    pub log: bool,
    /// No progress, just the final table
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
    /// Events as JSON, one object a line
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 unless the sequential test accepted this hypothesis: h0 or h1
    #[arg(long, value_name = "H", value_parser = hypothesis)]
    pub expect: Option<SprtState>,
}

/// `referee match`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee match mcts positional --pairs 50
  referee match ./my-engine \"edax -gtp\" --time 60s+0.5s --openings openings.txt
  referee match --engine positional name=flat option.Corners=0 --engine positional --pairs 100 --seed 1
  referee match ./new ./old --sprt 0,5 --pairs 20000 --expect h1

An ENGINE is a command, split as a shell would; the words behind --engine belong to it until the
next --engine: name=N option.NAME=V time=TC threads=N protocol=P clock=C directory=D env.NAME=V
restart=true. A known engine stands for a command as engine=NAME, then also level=N.")]
pub struct MatchArgs {
    /// Engines, each as a command
    #[arg(value_name = "ENGINE")]
    pub engines: Vec<String>,
    /// One more engine: its command, then settings key=value
    #[arg(long = "engine", value_name = "WORD", num_args = 1.., action = clap::ArgAction::Append)]
    pub configured: Vec<String>,
    /// What is played
    #[command(flatten)]
    pub flags: DefinitionFlags,
    /// How to run it
    #[command(flatten)]
    pub how: HowArgs,
}

/// The keys of a definition that `match` takes as flags, as text: the reader of definitions checks them.
#[derive(Debug, Args, Serialize)]
pub struct DefinitionFlags {
    /// Names the results folder [default: the engines' names]
    #[arg(long)]
    pub name: Option<String>,
    /// Colour-swapped game pairs an encounter
    #[arg(long, value_name = "N", default_value = "1")]
    pairs: String,
    /// 60s+0.5s, 60s, movetime=100ms, nodes=2000 or depth=6
    #[arg(long, value_name = "TC", default_value = "movetime=50ms")]
    time: String,
    /// The reserve on clocks and move times
    #[arg(long, default_value = "20ms")]
    margin: String,
    /// random=PLIES, every=PLIES or FILE; :random behind the latter two, :plies=N behind FILE (the
    /// first N plies of each game), :balanced behind all
    #[arg(long, default_value = "random=8")]
    openings: String,
    /// Everything random derives from it [default: drawn]
    #[arg(long, value_name = "N")]
    seed: Option<String>,
    /// othello, reversed or historical
    #[arg(long, default_value = "othello")]
    variant: String,
    /// 4, 6 or 8
    #[arg(long, default_value = "8")]
    board: String,
    /// diagonal, parallel, empty, or a position: the squares row by row from a1 and the side
    /// [default: the variant's]
    #[arg(long, value_name = "START", allow_hyphen_values = true)]
    start: Option<String>,
    /// Whether empty squares count for the winner: winner or none
    #[arg(long, default_value = "winner")]
    empties: String,
    /// Stop when this is decided: is the first engine's gain over the second ELO0 or ELO1?
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// What the Elo of --sprt means: normalized or logistic
    #[arg(long, value_name = "MODEL", requires = "sprt")]
    sprt_model: Option<String>,
    /// Charge an engine the processor time of its processes, not the time on the wall
    #[arg(long)]
    cpu_clock: bool,
    /// Hold an engine's processes while it is not its turn
    #[arg(long)]
    freeze: bool,
    /// Let the system move games from core to core
    #[arg(long)]
    no_pin: bool,
    /// Withdraw an engine that loses so many games in a row by faults [default: only failed starts]
    #[arg(long, value_name = "N")]
    withdraw_after: Option<String>,
}

/// `referee check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee check ./my-engine
  referee check \"python3 my_engine.py\" --variant reversed
  referee check \"edax -gtp\" protocol=gtp directory=/opt/edax
  referee check ./my-engine --json > findings.jsonl

A line a check: ok, FAILED, or skipped and why. A failure shows what was said, > by the referee
and < by the engine, and how to mend it. docs/check.md explains every check.

Exit codes: 0 all is well; 1 something failed; 2 usage; 3 interrupted; 4 it was never greeted")]
pub struct CheckArgs {
    /// The engine: its command as a shell would split it, then settings key=value, as for `match`
    #[arg(required = true, value_name = "ENGINE", num_args = 1..)]
    pub engine: Vec<String>,
    /// What it speaks; auto tries those that can be told apart [default: auto]
    #[arg(long, value_name = "P")]
    pub protocol: Option<ProtocolChoice>,
    /// The game to check it by: othello, reversed or historical
    #[arg(long, value_name = "V", default_value = "othello")]
    pub variant: Variant,
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// `referee rate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee rate results/quick
  referee rate monday/games.jsonl tuesday/games.jsonl --anchor greedy
  referee rate league.csv --model bt-half --csv > ratings.csv
  referee rate league.csv --csv=ratings/ --pgn league.pgn

A FILE whose name ends in .csv is a table with the columns black, white and result: black, white or
draw, or 1-0, 0-1 or 1/2-1/2 with Black's points first. The columns pair, opening and transcript are
used where they are there (a games.csv is such a table); without them each game counts as evidence
by itself. Any other FILE is a games.jsonl; a folder stands for the games.jsonl in it. Several files
are rated together.

In the file of --pgn our Black stands under White: for the programs that read it, White moves first.")]
pub struct RateArgs {
    /// Records of games
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Elo 0 is this engine, not the mean
    #[arg(long, value_name = "NAME")]
    pub anchor: Option<String>,
    /// Moving first is worth nothing
    #[arg(long)]
    pub no_colour: bool,
    /// How draws enter
    #[arg(long, value_enum, default_value_t)]
    pub model: RateModel,
    /// CSV to standard output: standings, an empty line, pairings; with =DIR every table as a file in that folder
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = "-", conflicts_with = "json")]
    pub csv: Option<String>,
    /// One JSON object: summary, engines, pairings
    #[arg(long)]
    pub json: bool,
    /// Also write the results as Ordo and BayesElo read them
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
}

/// How draws enter a rating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RateModel {
    /// Draws have a probability of their own
    #[default]
    Davidson,
    /// A draw is half a win and half a loss, as Ordo has it
    BtHalf,
}

/// `referee plan`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee plan --elo 10
  referee plan --elo 5 --time 10s+0.1s --concurrency 8
  referee plan --elo 20 --draw-rate 0.3 --power 0.8

For the time a game of 60 moves is assumed in which both sides use all the time they have. Games that
end early and engines that save time make it shorter.")]
pub struct PlanArgs {
    /// The difference that is to be seen, in Elo
    #[arg(long, value_parser = positive, allow_negative_numbers = true)]
    pub elo: f64,
    /// The probability of seeing it, if it is there
    #[arg(long, default_value_t = 0.9, value_parser = more_than_half)]
    pub power: f64,
    /// The probability of a false alarm, if there is no difference
    #[arg(long, default_value_t = 0.05, value_parser = below_half)]
    pub alpha: f64,
    /// How many games are drawn, from 0 to 1
    #[arg(long, value_name = "RATE", default_value_t = 0.04, value_parser = rate)]
    pub draw_rate: f64,
    /// Correlation of the two games of a pair, from -1 to 1: below 0 where openings favour a side
    #[arg(long, value_name = "R", default_value_t = 0.0, value_parser = correlation, allow_negative_numbers = true)]
    pub correlation: f64,
    /// The time control, for how long it takes: 60s+0.5s, 60s or movetime=100ms
    #[arg(long, value_name = "TC")]
    pub time: Option<TimeControl>,
    /// Games at once [default: the cores]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    pub concurrency: Option<usize>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// `referee openings`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee openings generate --plies 8 --count 5000 --depth 8 --out balanced.txt
  referee openings verify balanced.txt --sample 50
  referee openings count --plies 7")]
pub struct OpeningsArgs {
    /// What to do
    #[command(subcommand)]
    pub command: OpeningsCommand,
}

/// The commands for openings.
#[derive(Debug, Subcommand)]
pub enum OpeningsCommand {
    /// Find openings that an engine holds for nearly even
    Generate(GenerateOpenings),
    /// Value a sample of such a file again
    Verify(VerifyOpenings),
    /// Count the positions after each number of plies, up to symmetry: a line `PLIES COUNT`
    Count(CountOpenings),
}

/// `referee openings generate`.
#[derive(Debug, Args)]
pub struct GenerateOpenings {
    /// Plies of each opening
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=9))]
    pub plies: u32,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub count: usize,
    /// The most that an opening may be worth to either side, in discs
    #[arg(long, value_name = "DISCS", default_value_t = 2.0, value_parser = positive)]
    pub within: f64,
    /// The engine that values them: a command, then settings key=value
    #[arg(long, value_name = "ENGINE", default_value = "positional")]
    pub engine: String,
    /// How deep it searches, in plies
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub depth: u32,
    /// Another engine that has to agree
    #[arg(long, value_name = "ENGINE")]
    pub second: Option<String>,
    /// How deep that one searches [default: as the first]
    #[arg(long, value_name = "N", requires = "second", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub second_depth: Option<u32>,
    /// Shuffles the positions before they are looked at
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where to write them [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// No progress
    #[arg(long)]
    pub quiet: bool,
}

/// `referee openings verify`.
#[derive(Debug, Args)]
pub struct VerifyOpenings {
    /// A file made by `generate`
    pub file: PathBuf,
    /// How many openings to value again
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub sample: usize,
    /// Without the second engine
    #[arg(long)]
    pub first_only: bool,
}

/// `referee openings count`.
#[derive(Debug, Args)]
pub struct CountOpenings {
    /// The most plies
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(0..=59))]
    pub plies: u32,
    /// 4, 6 or 8
    #[arg(long, default_value = "8", value_parser = board)]
    pub board: BoardSize,
    /// diagonal, parallel, empty, or a position
    #[arg(long, value_name = "START", default_value = "diagonal", allow_hyphen_values = true)]
    pub start: StartPosition,
}

/// `referee engines`.
#[derive(Debug, Args)]
pub struct EnginesArgs {
    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// `referee perft`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee perft --depth 9
  referee perft --board 6 --depth 8
  referee perft --depth 11 --bench
  referee perft --depth 5 --position \"---------------------------OX------XO--------------------------- X\"

A pass is one ply; a game that is over is one leaf.")]
pub struct PerftArgs {
    /// The greatest depth
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=60))]
    pub depth: u32,
    /// Where to start: the squares row by row from a1 (X black, O white, - empty) and the side
    #[arg(long, value_name = "BOARD SIDE", allow_hyphen_values = true)]
    pub position: Option<Position>,
    /// 4, 6 or 8 [default: 8, or that of the position]
    #[arg(long, value_parser = board)]
    pub board: Option<BoardSize>,
    /// othello, reversed (the same moves) or historical (begins on an empty board)
    #[arg(long, default_value = "othello")]
    pub variant: Variant,
    /// Also time it: leaves a second on one core, with each kind of vectors this processor has
    #[arg(long)]
    pub bench: bool,
}

/// `referee convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee convert WTH_1977.wtb games.ggf
  referee convert results/quick games.pgn
  referee convert games.ggf - --to transcripts | sort -u
  referee convert - out.jsonl --from ggf < games.ggf

Formats: transcripts (.txt), ggf, wthor (.wtb with .JOU and .TRN), sgf, obf, pgn, jsonl, csv. That of IN is seen from its
content, that of OUT from its name. A game that can't be read, or that OUT's format can't hold, is named on standard
error and left out; the counts come last. Exit codes: 0 all written, 1 some not, 2 usage, 4 could not go on.")]
pub struct ConvertArgs {
    /// The file to read, or a results folder; - is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; - is standard output
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// The format of IN [default: what its content or its name shows, or transcripts]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// The format of OUT [default: what its name shows]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// The board of transcripts: 4, 6 or 8
    #[arg(long, default_value = "8", value_parser = board)]
    pub board: BoardSize,
    /// WTHOR's players [default: the .JOU beside the .wtb]
    #[arg(long, value_name = "FILE")]
    pub jou: Option<PathBuf>,
    /// WTHOR's tournaments [default: the .TRN beside the .wtb]
    #[arg(long, value_name = "FILE")]
    pub trn: Option<PathBuf>,
}

/// `referee show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee show results/quick 17
  referee show games.ggf 3 --diagram
  referee show WTH_1977.wtb --svg first.svg

GAME is the game's number in the record (from 0) for a results folder or a games.jsonl; for any other file it counts its
games from 1. A diagram has every move's number on its square, as the federations print games.")]
pub struct ShowArgs {
    /// A results folder, or a file in any format; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which game [default: the first]
    #[arg(value_name = "GAME")]
    pub game: Option<u64>,
    /// One board with the number of every move
    #[arg(long)]
    pub diagram: bool,
    /// The diagram as SVG; - is standard output
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// The format of FILE [default: what its content or its name shows, or transcripts]
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// The board of transcripts: 4, 6 or 8
    #[arg(long, default_value = "8", value_parser = board)]
    pub board: BoardSize,
}

fn concurrency(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=10_000).contains(count));
    count.ok_or_else(|| "a whole number from 1 to 10000 is wanted".to_owned())
}

fn hypothesis(text: &str) -> Result<SprtState, String> {
    match text.to_ascii_lowercase().as_str() {
        "h0" => Ok(SprtState::H0),
        "h1" => Ok(SprtState::H1),
        _ => Err("h0 or h1 is wanted".to_owned()),
    }
}

fn number(text: &str, wanted: &str, fits: impl Fn(f64) -> bool) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number.is_finite() && fits(number));
    number.ok_or_else(|| format!("{wanted} is wanted"))
}

fn positive(text: &str) -> Result<f64, String> {
    number(text, "a number above 0, at most 1000", |number| number > 0.0 && number <= 1000.0)
}

fn more_than_half(text: &str) -> Result<f64, String> {
    number(text, "a number between 0.5 and 1", |number| number > 0.5 && number < 1.0)
}

fn below_half(text: &str) -> Result<f64, String> {
    number(text, "a number between 0 and 0.5", |number| number > 0.0 && number < 0.5)
}

fn rate(text: &str) -> Result<f64, String> {
    number(text, "a number from 0 to below 1", |number| (0.0..1.0).contains(&number))
}

fn correlation(text: &str) -> Result<f64, String> {
    number(text, "a number above -1, at most 1", |number| number > -1.0 && number <= 1.0)
}

fn board(text: &str) -> Result<BoardSize, String> {
    let size = text.parse::<u8>().ok().and_then(|side| BoardSize::try_from(side).ok());
    size.ok_or_else(|| "4, 6 or 8 is wanted".to_owned())
}
