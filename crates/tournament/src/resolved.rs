//! The definition as it was played: every default filled in, the seed drawn, the engines' own words
//! about themselves added. It is kept with the results, and a resumed run is held against it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use protocol::dialect::{ClockStyle, ProtocolChoice, ProtocolId};
use ratings::Sprt;

use crate::definition::{Definition, OpeningSource, StartPosition};
use crate::openings::BALANCE;
use crate::sprt::{SprtPlan, model_by_name, model_name};

/// The definition of a tournament as resolved. Written to the results folder as JSON; times and
/// words stand as in a definition file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in a definition file")]
pub struct Resolved {
    /// The version of this program that began the tournament.
    pub outflank: String,
    pub name: String,
    pub format: String,
    pub pairs: u64,
    pub seed: u64,
    pub variant: String,
    pub board: u8,
    pub empties: String,
    pub time: String,
    pub margin: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cpu_clock: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub freeze: bool,
    pub openings: ResolvedOpenings,
    /// By what openings were found balanced, if they had to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced: Option<String>,
    #[serde(default = "usual_start", skip_serializing_if = "is_usual_start")]
    pub start: String,
    pub limits: ResolvedLimits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdraw_after: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<ResolvedSprt>,
    pub engines: Vec<ResolvedEngine>,
}

fn usual_start() -> String {
    StartPosition::Diagonal.to_string()
}

fn is_usual_start(start: &String) -> bool {
    *start == usual_start()
}

/// Where openings came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "each field is the key of the same name in a definition file")]
pub enum ResolvedOpenings {
    /// Random play.
    Random { random: u32 },
    /// Every position.
    Every { every: u32, order: String },
    /// A file, as it was named.
    File {
        file: String,
        order: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plies: Option<u32>,
    },
}

/// A sequential test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in a definition file")]
pub struct ResolvedSprt {
    pub elo0: f64,
    pub elo1: f64,
    pub alpha: f64,
    pub beta: f64,
    pub model: String,
    pub overshoot: bool,
    /// The tested engine and its opponent, by name.
    pub pair: (String, String),
}

impl ResolvedSprt {
    /// The test that this describes; `None` if it describes none.
    #[must_use]
    pub fn plan(&self) -> Option<SprtPlan> {
        let model = model_by_name(&self.model).ok()?;
        let test = Sprt::new(self.elo0, self.elo1, self.alpha, self.beta, model).ok()?;
        Some(SprtPlan { test, overshoot: self.overshoot, pair: Some(self.pair.clone()) })
    }
}

/// The limits that are not the game clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in a definition file")]
pub struct ResolvedLimits {
    pub start: String,
    pub ready: String,
    #[serde(rename = "move")]
    pub move_: String,
    pub quit: String,
}

/// One entrant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in a definition file")]
pub struct ResolvedEngine {
    pub name: String,
    /// What the engine calls itself.
    pub calls_itself: Option<String>,
    /// Its own word for its version.
    pub version: Option<String>,
    /// Its own word for its author.
    pub author: Option<String>,
    pub command: Vec<String>,
    pub protocol: String,
    /// How it is told its time, where that is not as its protocol has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clock: String,
    /// In the order in which they are sent.
    pub options: Vec<(String, String)>,
    pub threads: u32,
    pub directory: Option<String>,
    pub env: BTreeMap<String, String>,
    pub time: String,
    pub restart: bool,
    /// What its processes may take from the machine, where that is limited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sandbox: bool,
}

/// What an engine said of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaidOfItself {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// The protocol that it was found to speak.
    pub protocol: Option<ProtocolId>,
}

impl Resolved {
    /// The definition with its seed and with its engines' names, which are given in the order of
    /// the definition.
    #[must_use]
    pub fn new(definition: &Definition, seed: u64, names: &[String], said: &[SaidOfItself]) -> Self {
        let duration = clock::format_duration;
        let engines = definition.engines.iter().enumerate().map(|(index, engine)| {
            let said = said.get(index).cloned().unwrap_or_default();
            ResolvedEngine {
                name: names[index].clone(),
                calls_itself: said.name,
                version: said.version,
                author: said.author,
                command: engine.command.clone(),
                protocol: said.protocol.map_or(engine.protocol, ProtocolChoice::Named).to_string(),
                clock: match engine.clock {
                    ClockStyle::Protocol => String::new(),
                    other => other.to_string(),
                },
                options: engine.options.clone(),
                threads: engine.threads,
                directory: engine.directory.as_ref().map(|path| path.display().to_string()),
                env: engine.env.clone(),
                time: definition.time_of(index).to_string(),
                restart: engine.restart,
                limits: definition
                    .resources_of(index)
                    .words()
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect(),
                sandbox: definition.is_in_sandbox(index),
            }
        });
        Self {
            outflank: env!("CARGO_PKG_VERSION").to_owned(),
            name: definition.name.clone(),
            format: definition.format.to_string(),
            pairs: definition.pairs,
            seed,
            variant: definition.variant.to_string(),
            board: definition.board.side(),
            empties: definition.empties.to_string(),
            time: definition.time.to_string(),
            margin: duration(definition.margin),
            cpu_clock: definition.cpu_clock,
            freeze: definition.freeze,
            openings: match &definition.openings {
                OpeningSource::Random(plies) => ResolvedOpenings::Random { random: *plies },
                OpeningSource::Every { plies, order } => {
                    ResolvedOpenings::Every { every: *plies, order: order.to_string() }
                }
                OpeningSource::File { path, order, plies } => ResolvedOpenings::File {
                    file: path.display().to_string(),
                    order: order.to_string(),
                    plies: *plies,
                },
            },
            balanced: definition.balanced.then(|| BALANCE.to_owned()),
            start: definition.start().to_string(),
            limits: ResolvedLimits {
                start: duration(definition.limits.start),
                ready: duration(definition.limits.ready),
                move_: duration(definition.limits.move_),
                quit: duration(definition.limits.quit),
            },
            withdraw_after: definition.withdraw_after,
            sprt: definition.sprt.as_ref().map(|plan| {
                let test = plan.test;
                ResolvedSprt {
                    elo0: test.elo0(),
                    elo1: test.elo1(),
                    alpha: test.alpha(),
                    beta: test.beta(),
                    model: model_name(test.model()).to_owned(),
                    overshoot: plan.overshoot,
                    pair: plan.pair.clone().unwrap_or_else(|| (names[0].clone(), names[1].clone())),
                }
            }),
            engines: engines.collect(),
        }
    }

    /// What differs from an earlier definition so that the games already played would have come
    /// out otherwise; `None` if nothing does. More pairs is no such change; fewer pairs is, and so
    /// is any change of the engines. Concurrency, pinning and the limits on start, `isready` and
    /// `quit` change no game.
    #[must_use]
    pub fn change_since(&self, old: &Self) -> Option<String> {
        let changed = |what: &str, old: &str, new: &str| {
            (old != new).then(|| format!("{what} was {old}, is now {new}"))
        };
        let whole = [
            ("format", &old.format, &self.format),
            ("variant", &old.variant, &self.variant),
            ("start", &old.start, &self.start),
            ("empties", &old.empties, &self.empties),
            ("margin", &old.margin, &self.margin),
            ("limits.move", &old.limits.move_, &self.limits.move_),
        ];
        let words = |openings: &ResolvedOpenings| match openings {
            ResolvedOpenings::Random { random } => format!("random = {random}"),
            ResolvedOpenings::Every { every, order } => format!("every = {every}, {order}"),
            ResolvedOpenings::File { file, order, plies: None } => format!("file {file}, {order}"),
            ResolvedOpenings::File { file, order, plies: Some(plies) } => {
                format!("the first {plies} plies of file {file}, {order}")
            }
        };
        whole
            .into_iter()
            .find_map(|(what, old, new)| changed(what, old, new))
            .or_else(|| changed("board", &old.board.to_string(), &self.board.to_string()))
            .or_else(|| changed("cpu_clock", &old.cpu_clock.to_string(), &self.cpu_clock.to_string()))
            .or_else(|| changed("freeze", &old.freeze.to_string(), &self.freeze.to_string()))
            .or_else(|| changed("seed", &old.seed.to_string(), &self.seed.to_string()))
            .or_else(|| changed("openings", &words(&old.openings), &words(&self.openings)))
            .or_else(|| {
                let words = |balanced: &Option<String>| balanced.clone().unwrap_or_else(|| "any".to_owned());
                changed("the balance of openings", &words(&old.balanced), &words(&self.balanced))
            })
            .or_else(|| {
                let words = |sprt: &Option<ResolvedSprt>| {
                    sprt.as_ref().map_or_else(|| "none".to_owned(), |sprt| format!("{sprt:?}"))
                };
                changed("sprt", &words(&old.sprt), &words(&self.sprt))
            })
            .or_else(|| {
                let words = |faults: Option<u32>| faults.map_or("never".to_owned(), |most| most.to_string());
                changed("faults.withdraw_after", &words(old.withdraw_after), &words(self.withdraw_after))
            })
            .or_else(|| {
                (self.pairs < old.pairs)
                    .then(|| format!("pairs was {}, is now {}, which is fewer", old.pairs, self.pairs))
            })
            .or_else(|| {
                changed(
                    "the number of engines",
                    &old.engines.len().to_string(),
                    &self.engines.len().to_string(),
                )
            })
            .or_else(|| {
                let both = old.engines.iter().zip(&self.engines).enumerate();
                both.into_iter().find_map(|(index, (old, new))| new.change_since(old, index + 1))
            })
    }
}

impl ResolvedEngine {
    fn change_since(&self, old: &Self, number: usize) -> Option<String> {
        let words = |engine: &Self| {
            [
                ("name", engine.name.clone()),
                ("command", engine.command.join(" ")),
                ("protocol", engine.protocol.clone()),
                (
                    "clock",
                    if engine.clock.is_empty() {
                        ClockStyle::Protocol.to_string()
                    } else {
                        engine.clock.clone()
                    },
                ),
                ("options", joined(engine.options.iter().map(|(name, value)| (name, value)))),
                ("threads", engine.threads.to_string()),
                ("directory", engine.directory.clone().unwrap_or_else(|| "the working directory".to_owned())),
                ("env", joined(engine.env.iter())),
                ("time", engine.time.clone()),
                ("restart", engine.restart.to_string()),
                ("limits", joined(engine.limits.iter())),
                ("sandbox", engine.sandbox.to_string()),
            ]
        };
        words(old).into_iter().zip(words(self)).find_map(|((key, old), (_, new))| {
            (old != new).then(|| format!("engine {number}'s {key} was {old}, is now {new}"))
        })
    }
}

/// Settings as people write them: `Depth=3 Mobility=0`, or `none`.
fn joined<'a>(settings: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    let words: Vec<String> = settings.map(|(name, value)| format!("{name}={value}")).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn resolved(text: &str) -> Resolved {
        let definition = Definition::parse(Path::new("t.toml"), text).expect(text);
        let names = definition.engines.iter().map(|engine| engine.program_name()).collect::<Vec<_>>();
        Resolved::new(&definition, 7, &names, &[])
    }

    const BASE: &str = "name = 't'\npairs = 5\n[[engine]]\ncommand = 'a'\n[[engine]]\ncommand = 'b'\n";

    #[test]
    fn it_is_read_back() {
        let old = resolved(BASE);
        let text = serde_json::to_string(&old).expect("plain values");
        assert_eq!(serde_json::from_str::<Resolved>(&text).expect("its own text"), old);
    }

    #[test]
    fn how_much_of_a_game_is_its_opening_is_part_of_it() {
        let with = |openings: &str| resolved(&BASE.replacen("pairs", &format!("{openings}\npairs"), 1));
        let whole = with("openings = { file = 'x' }");
        let eight = with("openings = { file = 'x', plies = 8 }");
        let text = serde_json::to_string(&eight).expect("plain values");
        assert_eq!(serde_json::from_str::<Resolved>(&text).expect("its own text"), eight);
        // What was written before there was such a key is read as it was meant.
        assert!(!serde_json::to_string(&whole).expect("plain values").contains("plies"));
        let told = eight.change_since(&whole).expect("a change");
        assert!(told.contains("is now the first 8 plies of file x"), "{told}");
        assert!(eight.change_since(&with("openings = { file = 'x', plies = 9 }")).is_some());
    }

    #[test]
    fn changes_that_alter_games_are_named() {
        let old = resolved(BASE);
        for (change, named) in [
            ("pairs = 4\n", Some("pairs was 5")),
            ("pairs = 6\n", None),
            ("pairs = 5\nconcurrency = 9\npin = false\n[limits]\nstart = '1m'\nquit = 0\n", None),
            ("pairs = 5\n[limits]\nmove = '1m'\n", None),
            ("pairs = 5\n[limits]\nmove = '2m'\n", Some("limits.move was 60s, is now 120s")),
            ("pairs = 5\ntime = '60+1'\n", Some("time was movetime=50ms, is now 60s+1s")),
            ("pairs = 5\n[faults]\nwithdraw_after = 4\n", Some("faults.withdraw_after was never, is now 4")),
            ("pairs = 5\nboard = 6\n", Some("board was 8")),
            ("pairs = 5\nvariant = 'reversed'\n", Some("variant was othello")),
            ("pairs = 5\nempties = 'none'\n", Some("empties was winner")),
            ("pairs = 5\nopenings = { random = 6 }\n", Some("openings was random = 8, is now random = 6")),
            ("pairs = 5\ncpu_clock = true\n", Some("cpu_clock was false, is now true")),
            ("pairs = 5\nfreeze = true\n", Some("freeze was false, is now true")),
            ("pairs = 5\nmargin = 0\n", Some("margin was 20ms, is now 0s")),
        ] {
            let new = resolved(&BASE.replacen("pairs = 5\n", change, 1));
            let found = new.change_since(&old);
            match (named, found) {
                (Some(named), Some(found)) => assert!(found.contains(named), "{change}: {found}"),
                (None, None) => {}
                (_, found) => panic!("{change}: {found:?}"),
            }
        }
        for (from, to, named) in [
            ("'b'", "'c'", "engine 2's name"),
            ("'b'", "'x/b'", "engine 2's command"),
            ("'b'", "'b'\noptions = { Depth = 3 }", "engine 2's options"),
            ("'b'", "'b'\ntime = 'nodes=5'", "engine 2's time"),
            ("'b'", "'b'\nlimits = { memory = '1GiB' }", "engine 2's limits was none, is now memory=1GiB"),
            ("'b'", "'b'\nsandbox = true", "engine 2's sandbox was false"),
            ("'b'", "'b'\n[[engine]]\ncommand = 'c'", "number of engines"),
        ] {
            let found = resolved(&BASE.replacen(from, to, 1)).change_since(&old).expect(to);
            assert!(found.contains(named), "{to}: {found}");
        }
    }
}
