//! Known engines: ready-made settings for engines of other people. Command, protocol, clock style, and the
//! arguments for level and threads. They are data: one TOML file an engine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use protocol::dialect::{ClockStyle, ProtocolChoice};

use serde::Deserialize;

use crate::definition::fields::{self, NUMBER};
use crate::definition::{Definition, DefinitionError, EngineDefinition, check_clock, reader};

/// The files that come with this program.
const SHIPPED: &[(&str, &str)] = &[
    ("ai-othello", include_str!("../known-engines/ai-othello.toml")),
    ("edax", include_str!("../known-engines/edax.toml")),
    ("edax-cassio", include_str!("../known-engines/edax-cassio.toml")),
    ("edax-nboard", include_str!("../known-engines/edax-nboard.toml")),
    ("egaroucid", include_str!("../known-engines/egaroucid.toml")),
    ("fairy-stockfish", include_str!("../known-engines/fairy-stockfish.toml")),
    ("grhino", include_str!("../known-engines/grhino.toml")),
    ("kalmia", include_str!("../known-engines/kalmia.toml")),
    ("neural-reversi", include_str!("../known-engines/neural-reversi.toml")),
    ("ntest", include_str!("../known-engines/ntest.toml")),
    ("vibe-othello", include_str!("../known-engines/vibe-othello.toml")),
];

/// One known engine. A field is the key of the same name in its file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct KnownEngine {
    /// The name in definitions: that of its file, without `.toml`.
    #[serde(skip)]
    pub name: String,
    /// Name, version and author, for the list of engines.
    pub about: String,
    /// The program and its arguments.
    #[serde(deserialize_with = "fields::command")]
    pub command: Vec<String>,
    /// Its protocol.
    #[serde(deserialize_with = "fields::word")]
    pub protocol: ProtocolChoice,
    /// The commands that tell it its clock.
    #[serde(default, deserialize_with = "fields::word")]
    pub clock: ClockStyle,
    /// The arguments for a level, with `{}` for the number; empty if it has no levels.
    #[serde(default, deserialize_with = "fields::arguments")]
    pub level: Vec<String>,
    /// The arguments for a number of threads, with `{}` for the number; empty if it has no such arguments.
    #[serde(default, deserialize_with = "fields::arguments")]
    pub threads: Vec<String>,
    /// Its working directory.
    pub directory: Option<PathBuf>,
    /// What limits its thinking if it gets no clock.
    pub limited_by: Option<String>,
    /// The beginning of the name that it gives itself; recognises it when it is started by a command.
    pub calls_itself: Option<String>,
    /// Further advice for the user.
    pub note: Option<String>,
    /// The file with these settings; `None` if it comes with this program.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// The known engines, by name.
#[derive(Clone, Debug, Default)]
pub struct KnownEngines {
    engines: Vec<KnownEngine>,
    broken: Vec<(String, DefinitionError)>,
}

impl KnownEngines {
    /// The engines that come with this program.
    ///
    /// # Errors
    /// [`DefinitionError`] if one of the shipped files is wrong; a test rules that out.
    pub fn shipped() -> Result<Self, DefinitionError> {
        let read = |(name, text): &(&str, &str)| {
            let file = PathBuf::from(format!("known-engines/{name}.toml"));
            Ok(KnownEngine { file: None, ..parse(name, &file, text)? })
        };
        let engines = SHIPPED.iter().map(read).collect::<Result<_, DefinitionError>>()?;
        Ok(Self { engines, broken: Vec::new() })
    }

    /// Adds the engines of a folder, one from each file `NAME.toml`. They replace those of the same name. A folder
    /// that does not exist adds none. A folder without permission, and a file that is wrong or can't be read, are
    /// [`broken`](Self::broken): such a file affects only its own engine.
    ///
    /// # Errors
    /// [`DefinitionError`] if the folder can't be read.
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), DefinitionError> {
        let unreadable = |path: &Path, error: io::Error| DefinitionError::in_file(path, error.to_string());
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // For example the home folder of another user, under `sudo -u`.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.broken.push((folder.display().to_string(), unreadable(folder, error)));
                return Ok(());
            }
            entries => entries.map_err(|error| unreadable(folder, error))?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| unreadable(folder, error))?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
        files.sort();
        for path in files {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, error));
            self.engines.retain(|known| known.name != name);
            match text.and_then(|text| parse(&name, &path, &text)) {
                Ok(engine) => self.engines.push(engine),
                Err(error) => self.broken.push((name, error)),
            }
        }
        self.engines.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }

    /// The errors of the files that could not be added.
    pub fn broken(&self) -> impl Iterator<Item = &DefinitionError> {
        self.broken.iter().map(|(_, error)| error)
    }

    /// All engines, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &KnownEngine> {
        self.engines.iter()
    }

    /// The engine of this name.
    ///
    /// # Errors
    /// A sentence with the most similar name, or with the error of the engine's file.
    pub fn get(&self, name: &str) -> Result<&KnownEngine, String> {
        if let Some((_, error)) = self.broken.iter().find(|(broken, _)| broken == name) {
            return Err(error.to_string());
        }
        self.engines.iter().find(|known| known.name == name).ok_or_else(|| {
            let distance = |known: &&KnownEngine| strsim::damerau_levenshtein(&known.name, name);
            let hint = match self.engines.iter().min_by_key(distance) {
                Some(nearest) if distance(&nearest) <= 3 => format!("did you mean `{}`?", nearest.name),
                _ => "`referee engines` lists them".to_owned(),
            };
            format!("no known engine is called `{name}`; {hint}")
        })
    }

    /// The engine that gives itself this name.
    #[must_use]
    pub fn recognise(&self, own_name: &str) -> Option<&KnownEngine> {
        let begins = |known: &&KnownEngine| {
            let beginning = known.calls_itself.as_ref();
            beginning.is_some_and(|beginning| {
                own_name.get(..beginning.len()).is_some_and(|head| head.eq_ignore_ascii_case(beginning))
            })
        };
        self.engines.iter().find(begins)
    }
}

impl KnownEngine {
    /// Fills in the keys that a definition leaves open.
    ///
    /// # Errors
    /// The key that is wrong, and why: such as a level for an engine without levels.
    pub fn complete(&self, engine: &mut EngineDefinition) -> Result<(), (&'static str, String)> {
        engine.protocol.get_or_insert(self.protocol);
        engine.clock.get_or_insert(self.clock);
        if engine.directory.is_none() {
            engine.directory.clone_from(&self.directory);
        }
        if engine.command.is_empty() {
            engine.command.clone_from(&self.command);
        }
        let with = |arguments: &[String], number: u32| -> Vec<String> {
            arguments.iter().map(|word| word.replace(NUMBER, &number.to_string())).collect()
        };
        if let Some(level) = engine.level {
            if self.level.is_empty() {
                return Err(("level", format!("{} has no levels", self.name)));
            }
            engine.command.extend(with(&self.level, level));
        }
        engine.command.extend(with(&self.threads, engine.threads()));
        check_clock(engine.protocol(), engine.clock()).map_err(|message| ("clock", message))
    }
}

fn parse(name: &str, file: &Path, text: &str) -> Result<KnownEngine, DefinitionError> {
    let (engine, lines) = reader::read_file::<KnownEngine>(file, text)?;
    check_clock(engine.protocol, engine.clock).map_err(|message| DefinitionError {
        line: lines.get("protocol").copied(),
        key: Some("protocol".to_owned()),
        ..DefinitionError::in_file(file, message)
    })?;
    Ok(KnownEngine { name: name.to_owned(), file: Some(file.to_owned()), ..engine })
}

impl Definition {
    /// Fills in the settings of the known engines that it names.
    ///
    /// # Errors
    /// [`DefinitionError`] if there is no such engine, or a key does not fit it.
    pub fn complete(&mut self, known: &KnownEngines) -> Result<(), DefinitionError> {
        for index in 0..self.engines.len() {
            let Some(name) = self.engines[index].known.clone() else { continue };
            let completed = known
                .get(&name)
                .map_err(|message| ("engine", message))
                .and_then(|settings| settings.complete(&mut self.engines[index]));
            completed.map_err(|(key, message)| self.engine_error(index, key, message))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_ones_are_sound() {
        let known = KnownEngines::shipped().expect("the files are right");
        let names: Vec<&str> = known.iter().map(|engine| engine.name.as_str()).collect();
        assert!(names.is_sorted() && names.contains(&"edax"), "{names:?}");
        for engine in known.iter() {
            let untold = engine.clock == ClockStyle::None;
            assert_eq!(untold, engine.limited_by.is_some(), "{}: told, or limited by something", engine.name);
        }
        assert_eq!(known.recognise("GTP GRhino").map(|engine| engine.name.as_str()), Some("grhino"));
        assert_eq!(known.recognise("Ñ"), None);
        assert!(known.get("edx").expect_err("none").ends_with("did you mean `edax`?"));
        assert!(known.get("something").expect_err("none").contains("referee engines"));
    }

    #[test]
    fn what_is_given_stays() {
        let known = KnownEngines::shipped().expect("the files are right");
        let edax = known.get("edax").expect("edax");
        let mut engine = EngineDefinition::new(Vec::new());
        (engine.level, engine.threads) = (Some(10), Some(2));
        assert_eq!(edax.complete(&mut engine), Ok(()));
        assert_eq!(engine.command.join(" "), "edax -gtp -book-usage off -l 10 -n 2");
        assert_eq!(
            (engine.protocol().to_string().as_str(), engine.clock()),
            ("gtp", ClockStyle::SuddenDeath)
        );

        let mut engine = EngineDefinition::new(vec!["./my-edax".to_owned(), "-nboard".to_owned()]);
        engine.protocol = Some("nboard".parse().expect("a protocol"));
        let (key, message) = edax.complete(&mut engine).expect_err("NBoard knows no sudden death");
        assert!(key == "clock" && message.contains("nboard"), "{message}");
        assert_eq!(engine.command.join(" "), "./my-edax -nboard -n 1");

        let mut engine = EngineDefinition::new(Vec::new());
        engine.level = Some(3);
        let refused = known.get("ntest").expect("ntest").complete(&mut engine);
        assert_eq!(refused, Err(("level", "ntest has no levels".to_owned())));
    }

    #[test]
    fn files_of_ones_own_are_added() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
        write("edax.toml", "about = 'mine'\ncommand = 'myedax'\nprotocol = 'gtp'\n");
        write(
            "new.toml",
            "about = 'new'\ncommand = ['a b', 'c']\nprotocol = 'auto'\nlevel = ['--depth={}']\n",
        );
        write("notes.txt", "not an engine");
        let mut known = KnownEngines::shipped().expect("the files are right");
        let shipped = known.iter().count();
        known.add_folder(folder.path()).expect("sound files");
        known.add_folder(Path::new("/no/such/folder")).expect("no folder holds none");
        assert_eq!(known.iter().count(), shipped + 1);
        assert_eq!(known.get("edax").expect("edax").about, "mine");
        assert_eq!(known.get("new").expect("new").command, ["a b", "c"]);
        for (text, word) in [
            ("about = 'x'\ncommand = 'x'\n", "protocol: is missing"),
            ("about = 'x'\ncommand = 'x'\nprotocol = 'x'\n", "bad.toml:3: protocol: `x` is not a protocol"),
            ("about = 'x'\ncommand = 'x'\nprotocol = 'gtp'\nlevel = ['-l']\n", "bad.toml:4: level: must be"),
            ("about = 'x'\ncomand = 'x'\nprotocol = 'gtp'\n", "did you mean `command`?"),
            ("about = 'x'\ncommand = 'x'\nprotocol = 'ugi'\nclock = 'fischer'\n", "does not tell the clock"),
            ("about = ", "bad.toml:1: not TOML"),
        ] {
            write("bad.toml", text);
            let mut known = KnownEngines::shipped().expect("the files are right");
            known.add_folder(folder.path()).expect("a folder");
            let told: Vec<String> = known.broken().map(DefinitionError::to_string).collect();
            assert!(told.len() == 1 && told[0].contains(word), "{told:?}");
            assert_eq!(known.get("bad").expect_err("it is broken"), told[0]);
            assert!(known.get("new").is_ok(), "the others are there");
        }
        // A broken file stands for the engine of its name, not for the one that is shipped.
        write("edax.toml", "about = 1\n");
        fs::create_dir(folder.path().join("folder.toml")).expect("a folder");
        let mut known = KnownEngines::shipped().expect("the files are right");
        known.add_folder(folder.path()).expect("a folder");
        assert_eq!(known.broken().count(), 3);
        assert!(known.get("edax").is_err_and(|message| message.contains("edax.toml")));
    }
}
