//! The definition as it was played: with every default, the drawn seed, and the name and version that each
//! engine gave. It is kept with the results as `definition.json`; a resumed run is compared with it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use protocol::dialect::{ProtocolChoice, ProtocolId};

use crate::definition::{Definition, EngineDefinition, Format, SprtDefinition};
use crate::openings::BALANCE;
use crate::schedule::Schedule;

/// The keys of a definition with their values, as in a definition file.
type Keys = Map<String, Value>;

/// The resolved definition. The fields are what the program reads back; all other keys are kept as they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// The version of this program that began the tournament.
    pub outflank: String,
    /// Everything random derives from it.
    pub seed: u64,
    /// A definition's other keys.
    #[serde(flatten)]
    pub keys: Keys,
    /// The sequential test, its pair filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtDefinition>,
    /// The entrants.
    pub engines: Vec<ResolvedEngine>,
}

/// One entrant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResolvedEngine {
    /// Its name in reports.
    pub name: String,
    /// The name that the engine gave.
    pub calls_itself: Option<String>,
    /// The version that it gave.
    pub version: Option<String>,
    /// The author that it gave.
    pub author: Option<String>,
    /// Its program and the files that its arguments name, as they were when its games were played. Empty in folders of
    /// older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramFile>,
    /// A definition's other keys.
    #[serde(flatten)]
    pub keys: Keys,
}

/// A file that an engine is started from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFile {
    /// Its absolute path.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// The time of its last change, as in `2026-11-29T21:00:00.123456789Z`.
    pub modified: String,
    /// The SHA-256 of its content, in 64 hexadecimal digits.
    pub sha256: String,
}

/// The names that an engine gave in its handshake, and its protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredIdentity {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// The protocol that was used.
    pub protocol: Option<ProtocolId>,
}

/// Keys that change no game, or that are compared elsewhere: `time` with each engine, `pairs` by which is more.
const CHANGE_NO_GAME: [&str; 6] = ["name", "time", "pairs", "limits.start", "limits.ready", "limits.quit"];

impl Resolved {
    /// The definition with its seed and with its engines' names, which are given in the order of
    /// the definition.
    #[must_use]
    pub fn new(definition: &Definition, seed: u64, names: &[String], said: &[DeclaredIdentity]) -> Self {
        let mut whole = definition.clone();
        whole.start = Some(definition.start());
        if whole.openings.random.is_none() {
            whole.openings.order.get_or_insert_default();
        }
        let mut keys = keys_of(&whole);
        if whole.openings.balanced {
            keys.insert("balanced".to_owned(), BALANCE.into());
        }
        keys.extend(keys_of(&whole.faults));
        let engines = definition.engines.iter().enumerate().map(|(index, engine)| {
            let said = said.get(index).cloned().unwrap_or_default();
            let engine = EngineDefinition {
                protocol: Some(said.protocol.map_or(engine.protocol(), ProtocolChoice::Named)),
                threads: Some(engine.threads()),
                time: Some(definition.time_of(index)),
                restart: Some(definition.restarts(index)),
                limits: definition.resources_of(index),
                sandbox: Some(definition.is_in_sandbox(index)),
                ..engine.clone()
            };
            ResolvedEngine {
                name: names[index].clone(),
                calls_itself: said.name,
                version: said.version,
                author: said.author,
                programs: Vec::new(),
                keys: keys_of(&engine),
            }
        });
        let sprt = definition.sprt.clone().map(|mut sprt| {
            sprt.pair.get_or_insert_with(|| (names[0].clone(), names[1].clone()));
            sprt
        });
        Self { outflank: env!("CARGO_PKG_VERSION").to_owned(), seed, keys, sprt, engines: engines.collect() }
    }

    /// The schedule; `None` if this version does not know the format.
    #[must_use]
    pub fn schedule(&self) -> Option<Schedule> {
        let format = self.keys.get("format")?.as_str()?;
        let format = match format.strip_prefix("gauntlet of ") {
            Some(seeds) => Format::Gauntlet { seeds: seeds.parse().ok()? },
            None => format.parse().ok()?,
        };
        let pairs = self.keys.get("pairs")?.as_u64().filter(|pairs| (1..=1_000_000_000).contains(pairs))?;
        Some(format.schedule(self.engines.len(), pairs))
    }

    /// Games in a row lost by faults after which an engine is withdrawn, if there is such a number.
    #[must_use]
    pub fn withdraw_after(&self) -> Option<u32> {
        let games = self.keys.get("withdraw_after")?.as_u64()?;
        u32::try_from(games).ok()
    }

    /// The first change since an earlier definition that would change games already played; `None` if there is
    /// none. More pairs change nothing; fewer pairs do, and so does any change of the engines. Concurrency,
    /// pinning and the timeouts for start, `isready` and `quit` change no game.
    #[must_use]
    pub fn change_since(&self, old: &Self) -> Option<String> {
        let fewer = |(old, new): (u64, u64)| {
            (new < old).then(|| format!("pairs was {old}, is now {new}, which is fewer"))
        };
        let pairs = |resolved: &Self| resolved.keys.get("pairs").and_then(Value::as_u64);
        let compared = |what: &str, of: fn(&Self) -> Value| change(what, Some(&of(old)), Some(&of(self)));
        let engines = old.engines.iter().zip(&self.engines).enumerate();
        compared("seed", |whole| whole.seed.into())
            .or_else(|| change_of_keys("", &old.keys, &self.keys))
            .or_else(|| compared("sprt", |whole| value_of(&whole.sprt)))
            .or_else(|| pairs(old).zip(pairs(self)).and_then(fewer))
            .or_else(|| compared("the number of engines", |whole| whole.engines.len().into()))
            .or_else(|| {
                engines.into_iter().find_map(|(index, (old, new))| {
                    let of = format!("engine {}'s ", index + 1);
                    let names = [&old.name, &new.name].map(|name| Value::from(name.as_str()));
                    change(&format!("{of}name"), Some(&names[0]), Some(&names[1]))
                        .or_else(|| change_of_keys(&of, &old.keys, &new.keys))
                })
            })
    }
}

fn value_of(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("a definition is plain values under keys")
}

fn keys_of(value: &impl Serialize) -> Keys {
    match value_of(value) {
        Value::Object(keys) => keys,
        _ => Keys::new(),
    }
}

/// The first key that differs. A missing key has its default: some keys are written only if they differ from it,
/// and older programs did not know all keys.
fn change_of_keys(of: &str, old: &Keys, new: &Keys) -> Option<String> {
    let keys = new.keys().chain(old.keys().filter(|key| !new.contains_key(*key)));
    keys.into_iter().find_map(|key| change(&format!("{of}{key}"), old.get(key), new.get(key)))
}

/// The change of a value; of two tables with the same keys, the first change inside.
fn change(what: &str, old: Option<&Value>, new: Option<&Value>) -> Option<String> {
    if old == new || CHANGE_NO_GAME.contains(&what) {
        return None;
    }
    if let (Some(Value::Object(old)), Some(Value::Object(new))) = (old, new)
        && old.keys().eq(new.keys())
    {
        return change_of_keys(&format!("{what}."), old, new);
    }
    let or_default = |value: Option<&Value>, other: Option<&Value>| match (value, other) {
        (Some(value), _) => shown(value),
        (None, Some(Value::Bool(flag))) => (!flag).to_string(),
        (None, _) => "the default".to_owned(),
    };
    Some(format!("{what} was {}, is now {}", or_default(old, new), or_default(new, old)))
}

/// A value as people write it: `none`, `60s`, `Depth=3 Mobility=0`.
fn shown(value: &Value) -> String {
    let none_if_empty =
        |words: Vec<String>| if words.is_empty() { "none".to_owned() } else { words.join(" ") };
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => none_if_empty(items.iter().map(shown_item).collect()),
        Value::Object(keys) => {
            none_if_empty(keys.iter().map(|(key, value)| format!("{key}={}", shown(value))).collect())
        }
        other => other.to_string(),
    }
}

/// An item of a list: an option is a list of its name and its value.
fn shown_item(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join("="),
        other => shown(other),
    }
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
    fn what_an_older_program_kept_is_the_same_definition() {
        let old: Resolved = serde_json::from_str(
            r#"{
            "outflank": "0.1.0", "name": "t", "format": "round-robin", "pairs": 5, "seed": 7, "variant": "othello",
            "board": 8, "empties": "winner", "time": "movetime=50ms", "margin": "20ms", "openings": {"random": 8},
            "limits": {"start": "10s", "ready": "10s", "move": "60s", "quit": "2s"},
            "engines": [
                {"name": "a", "calls_itself": "a", "version": null, "author": null, "command": ["a"],
                 "protocol": "ugi", "options": [], "threads": 1, "directory": null, "env": {},
                 "time": "movetime=50ms", "restart": false},
                {"name": "b", "calls_itself": "b", "version": null, "author": null, "command": ["b"],
                 "protocol": "ugi", "options": [["Depth", "3"]], "threads": 1, "directory": null, "env": {},
                 "time": "movetime=50ms", "restart": false}
            ]}"#,
        )
        .expect("a definition");
        let same = resolved(&format!("{BASE}options = {{ Depth = 3 }}\n"));
        assert_eq!(same.change_since(&old), None);
        let told = resolved(BASE).change_since(&old).expect("a change");
        assert_eq!(told, "engine 2's options was Depth=3, is now none");
    }

    #[test]
    fn how_much_of_a_game_is_its_opening_is_part_of_it() {
        let with = |openings: &str| resolved(&BASE.replacen("pairs", &format!("{openings}\npairs"), 1));
        let whole = with("openings = { file = 'x' }");
        let eight = with("openings = { file = 'x', plies = 8 }");
        let text = serde_json::to_string(&eight).expect("plain values");
        assert_eq!(serde_json::from_str::<Resolved>(&text).expect("its own text"), eight);
        // Without the key nothing is written, as before there was one.
        assert!(!serde_json::to_string(&whole).expect("plain values").contains("plies"));
        let told = eight.change_since(&whole).expect("a change");
        assert!(told.contains("is now file=x order=sequential plies=8"), "{told}");
        assert!(eight.change_since(&with("openings = { file = 'x', plies = 9 }")).is_some());
    }

    #[test]
    fn the_schedule_is_that_of_the_definition() {
        let third = format!("{BASE}[[engine]]\ncommand = 'c'\n");
        let with = |keys: &str| resolved(&third.replacen("pairs", &format!("{keys}\npairs"), 1));
        for (keys, expected) in [
            ("", Schedule::round_robin(3, 5)),
            ("format = 'gauntlet'", Schedule::gauntlet(3, 1, 5)),
            ("format = 'gauntlet'\nseeds = 2", Schedule::gauntlet(3, 2, 5)),
        ] {
            assert_eq!(with(keys).schedule(), Some(expected), "{keys}");
        }
        let mut other = with("");
        other.keys.insert("format".to_owned(), "swiss".into());
        assert_eq!((other.schedule(), other.withdraw_after()), (None, None));
        let faults = resolved(&BASE.replacen("[[", "[faults]\nwithdraw_after = 4\n[[", 1));
        assert_eq!(faults.withdraw_after(), Some(4));
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
            ("pairs = 5\ntime = '60+1'\n", Some("engine 1's time was movetime=50ms, is now 60s+1s")),
            ("pairs = 5\n[faults]\nwithdraw_after = 4\n", Some("withdraw_after was the default, is now 4")),
            ("pairs = 5\nboard = 6\n", Some("board was 8")),
            ("pairs = 5\nvariant = 'reversed'\n", Some("variant was othello")),
            ("pairs = 5\nempties = 'none'\n", Some("empties was winner")),
            ("pairs = 5\nopenings = { random = 6 }\n", Some("openings.random was 8, is now 6")),
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
            (
                "'b'",
                "'b'\nlimits = { memory = '1GiB' }",
                "engine 2's limits was the default, is now memory=1GiB",
            ),
            ("'b'", "'b'\nsandbox = true", "engine 2's sandbox was false"),
            ("'b'", "'b'\n[[engine]]\ncommand = 'c'", "number of engines"),
        ] {
            let found = resolved(&BASE.replacen(from, to, 1)).change_since(&old).expect(to);
            assert!(found.contains(named), "{to}: {found}");
        }
    }
}
