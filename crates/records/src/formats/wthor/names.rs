//! The tables of names of players and tournaments. Games refer to them by number.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::super::error::{ParseError, Place, ReadError};
use super::super::lines::latin1;
use super::{HEADER, Header};

/// Bytes of a player's name, including a zero at the end.
const PLAYER: usize = 20;
/// Bytes of a tournament's name, including a zero at the end.
const TOURNAMENT: usize = 26;

/// Names with their numbers. Names that were read are kept byte for byte; new ones are added at the end.
#[derive(Clone, Debug)]
pub struct Names {
    header: Header,
    width: usize,
    bytes: Vec<u8>,
    /// The lowest number of each name.
    numbers: HashMap<Vec<u8>, u16>,
}

impl Names {
    fn new(width: usize, unknown: &str) -> Self {
        let mut names = Self { header: Header::default(), width, bytes: Vec::new(), numbers: HashMap::new() };
        let unknown = names.encode(unknown);
        names.push(&unknown);
        names
    }

    /// A table of players with the unknown player only, number 0.
    #[must_use]
    pub fn players() -> Self {
        Self::new(PLAYER, "???")
    }

    /// A table of tournaments with the unnamed one only, number 0.
    #[must_use]
    pub fn tournaments() -> Self {
        Self::new(TOURNAMENT, "Diverses parties")
    }

    fn read(file: &mut impl Read, width: usize) -> Result<Self, ReadError> {
        let useless = |byte: usize, what: String| {
            ReadError::BadFile(ParseError { place: Place::Record { number: 0, byte: byte as u64 }, what })
        };
        let mut head = [0; HEADER];
        let mut bytes = Vec::new();
        file.read_exact(&mut head).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => useless(0, "expected 16 bytes of header".into()),
            _ => ReadError::Io(error),
        })?;
        let header = Header::parse(&head);
        let expected = usize::from(header.names) * width;
        file.take(expected as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() != expected {
            let what =
                format!("expected {} names of {width} bytes, found {} bytes", header.names, bytes.len());
            return Err(useless(8, what));
        }
        let mut names = Self { header, width, bytes, numbers: HashMap::new() };
        for number in (0..names.len()).rev() {
            if let Some(name) = names.raw(number) {
                let name = name.to_vec();
                names.numbers.insert(name, number);
            }
        }
        Ok(names)
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> u16 {
        u16::try_from(self.bytes.len() / self.width).unwrap_or(u16::MAX)
    }

    /// True if there is no name, as after reading an empty file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A name without the zeros at its end.
    fn raw(&self, number: u16) -> Option<&[u8]> {
        let begin = usize::from(number) * self.width;
        let field = self.bytes.get(begin..begin + self.width)?;
        let end = field.iter().position(|&byte| byte == 0).unwrap_or(self.width);
        Some(&field[..end])
    }

    /// The name with this number.
    #[must_use]
    pub fn get(&self, number: u16) -> Option<String> {
        self.raw(number).map(latin1)
    }

    /// The number of a name. A new name is added, cut if it is too long. An empty name has number 0.
    ///
    /// # Errors
    /// A message, if there is no free number.
    pub fn number(&mut self, name: &str) -> Result<u16, String> {
        if name.is_empty() {
            return Ok(0);
        }
        let name = self.encode(name);
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        if self.len() == u16::MAX {
            return Err(format!("WTHOR has room for {} names only", u16::MAX));
        }
        Ok(self.push(&name))
    }

    /// `known` if this number still has this name, so that a game keeps its number even if a name stands twice in the
    /// table; else [`number`](Self::number).
    ///
    /// # Errors
    /// A message, if there is no free number.
    pub(super) fn number_for(&mut self, known: Option<u16>, name: &str) -> Result<u16, String> {
        match known {
            Some(number) if self.get(number).is_none_or(|found| name.is_empty() || found == name) => {
                Ok(number)
            }
            _ => self.number(name),
        }
    }

    fn push(&mut self, name: &[u8]) -> u16 {
        let number = self.len();
        self.bytes.extend_from_slice(name);
        self.bytes.resize(self.bytes.len() + self.width - name.len(), 0);
        self.numbers.entry(name.to_vec()).or_insert(number);
        number
    }

    /// The name in Latin-1, with room for a zero at the end.
    fn encode(&self, name: &str) -> Vec<u8> {
        let byte = |character: char| match u8::try_from(character) {
            Ok(byte) if !character.is_control() => byte,
            _ => b'?',
        };
        name.chars().map(byte).take(self.width - 1).collect()
    }

    /// Writes the file. Without new names it is the same as the file that was read; else it gets this date.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, out: &mut impl Write, date: [u8; 4]) -> io::Result<()> {
        let date = if self.header.names == self.len() { self.header.date } else { date };
        let mut header = self.header;
        (header.names, header.date) = (self.len(), date);
        out.write_all(&header.bytes())?;
        out.write_all(&self.bytes)
    }
}

/// The tables of names that the games of a file refer to.
#[derive(Clone, Debug)]
pub struct Tables {
    pub players: Names,
    pub tournaments: Names,
}

impl Default for Tables {
    fn default() -> Self {
        Self { players: Names::players(), tournaments: Names::tournaments() }
    }
}

impl Tables {
    /// The files of names (players, tournaments) that belong to a `.wtb` file. They are in its folder and have the same
    /// name with another extension, or are named as the federation does: `WTH.JOU` beside `WTH_1977.wtb`. Letter case does
    /// not matter.
    #[must_use]
    pub fn beside(games: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
        let stem =
            games.file_stem().map(|stem| stem.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let family = stem.split('_').next().unwrap_or("").to_owned();
        let folder = games.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Ok(entries) = fs::read_dir(folder) else { return (None, None) };
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        let find = |ending: &str| {
            [&stem, &family].into_iter().find_map(|stem| {
                let wanted = format!("{stem}.{ending}");
                let is_it = |file: &&PathBuf| {
                    file.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase() == wanted)
                };
                files.iter().find(is_it).cloned()
            })
        };
        (find("jou"), find("trn"))
    }

    /// Reads the names of players and tournaments. Without a file only number 0 has a name.
    ///
    /// # Errors
    /// [`ReadError`], with the path of the file.
    pub fn open(players: Option<&Path>, tournaments: Option<&Path>) -> Result<Self, (PathBuf, ReadError)> {
        let read = |path: Option<&Path>, width: usize| {
            let Some(path) = path else { return Ok(None) };
            let names =
                File::open(path).map_err(ReadError::Io).and_then(|mut file| Names::read(&mut file, width));
            names.map(Some).map_err(|error| (path.to_owned(), error))
        };
        Ok(Self {
            players: read(players, PLAYER)?.unwrap_or_else(Names::players),
            tournaments: read(tournaments, TOURNAMENT)?.unwrap_or_else(Names::tournaments),
        })
    }
}
