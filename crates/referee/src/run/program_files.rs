//! The files that engines are started from: each program, and the files named among its arguments. A file that changes
//! while a tournament runs, for example by a rebuild, means that its games were played by two different engines.
//!
//! A file counts as unchanged if its size and its time of change are as they were, else if its SHA-256 is. Files are
//! looked at and read in a thread of their own, never on a thread that plays games.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use play::engine::{EngineSpec, EngineStart, Launch};
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;
use tournament::resolved::{ProgramFile, Resolved, ResolvedEngine};

use engine_process::affinity;

/// The program of an engine, then the files that its arguments name: as `FILE` or as `NAME=FILE`. A `.log` is left out,
/// since an engine writes it.
fn paths(launch: &Launch) -> Vec<PathBuf> {
    let folder = launch.directory.clone().unwrap_or_default();
    let mut paths = vec![launch.program.clone()];
    for argument in &launch.arguments {
        let candidates = [Some(argument.as_str()), argument.split_once('=').map(|(_, file)| file)];
        let found =
            candidates.into_iter().flatten().map(|text| folder.join(text)).find(|path| path.is_file());
        if let Some(path) = found.and_then(|path| std::path::absolute(path).ok())
            && path.extension().is_none_or(|extension| extension != "log")
            && !paths.contains(&path)
        {
            paths.push(path);
        }
    }
    paths
}

/// Reads what is known of each engine's files. A file whose size and time are those of the earlier run is not read again. One
/// that can't be read is left out.
#[must_use]
pub fn read_programs(specs: &[EngineSpec], earlier: Option<&Resolved>) -> Vec<Vec<ProgramFile>> {
    let mut read: HashMap<PathBuf, Option<ProgramFile>> = HashMap::new();
    let mut of_engine = |index: usize, launch: &Launch| {
        let known = earlier.and_then(|earlier| earlier.engines.get(index));
        let known = known.map_or(&[][..], |engine| &engine.programs);
        let files = paths(launch).into_iter().filter_map(|path| {
            let file = read.entry(path.clone());
            file.or_insert_with(|| {
                let shown = path.to_string_lossy();
                look(&path, known.iter().find(|file| file.path == shown)).ok()
            })
            .clone()
        });
        files.collect()
    };
    specs.iter().enumerate().map(|(index, spec)| of_engine(index, &spec.launch)).collect()
}

/// What is to be known of a file. It is read only if its size or its time differ from what is known.
fn look(path: &Path, known: Option<&ProgramFile>) -> io::Result<ProgramFile> {
    let mut file = File::open(path)?;
    let data = file.metadata()?;
    let (size, modified) = (data.len(), time_of(&data)?);
    let sha256 = match known {
        Some(known) if known.size == size && known.modified == modified => known.sha256.clone(),
        _ => hash(&mut file)?,
    };
    Ok(ProgramFile { path: path.to_string_lossy().into_owned(), size, modified, sha256 })
}

fn time_of(data: &fs::Metadata) -> io::Result<String> {
    let time = jiff::Timestamp::try_from(data.modified()?).map_err(io::Error::other)?;
    Ok(time.to_string())
}

fn hash(file: &mut File) -> io::Result<String> {
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The first file of an engine that is not as it was when earlier games were played, in words. A file that can't be
/// found under its old path is compared with the one in its place in the list: the whole folder may have moved.
#[must_use]
pub fn change_since(earlier: &ResolvedEngine, now: &[ProgramFile]) -> Option<String> {
    earlier.programs.iter().enumerate().find_map(|(place, old)| {
        let file = now.iter().find(|file| file.path == old.path).or_else(|| now.get(place));
        match file {
            Some(file) if file.sha256 == old.sha256 => None,
            Some(file) => Some(format!(
                "{} has changed since its games were played (then {} bytes of {}, now {} bytes of {})",
                file.path, old.size, old.modified, file.size, file.modified
            )),
            None => Some(format!("{} is gone since its games were played", old.path)),
        }
    })
}

/// Looks at the files of an engine whenever it is started.
#[derive(Debug)]
pub struct ProgramWatch {
    starts: std::sync::mpsc::Sender<Option<EngineStart>>,
    thread: JoinHandle<()>,
}

impl ProgramWatch {
    /// Begins with what is known of each engine's files. Warnings go to `notices`.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn start(
        specs: Arc<[EngineSpec]>,
        mut known: Vec<Vec<ProgramFile>>,
        notices: mpsc::UnboundedSender<String>,
    ) -> io::Result<Self> {
        let (starts, inbox) = std::sync::mpsc::channel::<Option<EngineStart>>();
        let thread = std::thread::Builder::new().name("program-files".to_owned()).spawn(move || {
            affinity::keep_to(&affinity::allowed_cores());
            while let Ok(Some(start)) = inbox.recv() {
                let name = &specs[start.engine].name;
                for file in &mut known[start.engine] {
                    // A file that is gone for a moment is being replaced: the next start sees the new one.
                    let Ok(now) = look(Path::new(&file.path), Some(file)) else { continue };
                    if now.sha256 != file.sha256 {
                        let _ = notices.send(format!(
                            "{name}: {} has changed while the tournament runs; the new one plays from game {} on",
                            file.path, start.game
                        ));
                    }
                    *file = now;
                }
            }
        })?;
        Ok(Self { starts, thread })
    }

    /// To be told of each start of an engine.
    #[must_use]
    pub fn listener(&self) -> std::sync::mpsc::Sender<Option<EngineStart>> {
        self.starts.clone()
    }

    /// Waits until all starts so far were looked at.
    pub fn finish(self) {
        let _ = self.starts.send(None);
        let _ = self.thread.join();
    }
}
