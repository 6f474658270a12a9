//! From a definition to a tournament that can begin: programs found, engines asked who they are,
//! options checked, openings read. Nothing is written here, and every complaint comes before the
//! first game.

pub mod evaluator;
pub mod find_program;
mod openings;
pub(crate) mod spec;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;

use clock::TimeControl;
use protocol::dialect::{ProtocolChoice, ProtocolId};
use protocol::message::Identity;
use rules::Position;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tournament::definition::{Definition, DefinitionError, EngineDefinition, Origin, StartFault};
use tournament::known::KnownEngines;
use tournament::openings::Openings;
use tournament::repeated_games::RepeatDetector;
use tournament::resolved::{DeclaredIdentity, Resolved};
use tournament::schedule::Schedule;
use tournament::seeds::SEED_LIMIT;
use tournament::sprt::PairTest;

use engine_process::process_tree;
use play::engine::{
    CancelToken, CpuPolicy, EngineError, EngineSpec, Failure, Launch, Refusal, Remedy, Spawner, Starts,
    StopMode,
};
use play::game_log::LogFolder;

use spec::{launch, settings};

/// A tournament that can begin.
#[derive(Debug)]
pub struct Prepared {
    /// What is to be played.
    pub definition: Definition,
    /// The same with everything filled in.
    pub resolved: Resolved,
    /// How each engine is started.
    pub specs: Arc<[EngineSpec]>,
    /// Who plays whom.
    pub schedule: Schedule,
    /// What the games start from.
    pub openings: Openings,
    /// The sequential test that is to be decided, of which no pair is played.
    pub test: Option<PairTest>,
    /// Whether games are played again; none is known yet.
    pub repeats: RepeatDetector,
    /// What the user should know before the first game.
    pub warnings: Vec<String>,
    /// Where it is kept what was said in lost games; nowhere until there is a results folder.
    pub evidence: Option<Arc<LogFolder>>,
}

impl Prepared {
    /// Whether any engine has a clock.
    #[must_use]
    pub fn has_clocks(&self) -> bool {
        (0..self.definition.engines.len()).any(|engine| self.definition.time_of(engine).has_clock())
    }
}

/// Why a tournament can't begin.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// Something is wrong with the definition.
    #[error("{0}")]
    Definition(DefinitionError),
    /// Engines failed their handshake.
    #[error("{0}")]
    NotStarted(String),
    /// The system refuses what the start of an engine needs.
    #[error("{engine}: {refusal} ({}), for a minute; nothing was recorded", refusal.lack())]
    Refused {
        /// The engine's program.
        engine: String,
        /// What was refused.
        refusal: Refusal,
    },
}

impl From<DefinitionError> for PrepareError {
    fn from(error: DefinitionError) -> Self {
        Self::Definition(error)
    }
}

/// Prepares a tournament. `earlier_seed` is the seed that was drawn by an earlier run, and `starts` is what the starts of
/// this run share.
///
/// # Errors
/// [`PrepareError`]; nothing was written, and no engine is left running.
pub async fn prepare(
    definition: Definition,
    known: &KnownEngines,
    earlier_seed: Option<u64>,
    started: &Arc<Starts>,
) -> Result<Prepared, PrepareError> {
    if definition.cpu_clock && !process_tree::is_processor_time_known() {
        let message = "this system does not tell what processor time another process uses";
        return Err(definition.error("cpu_clock", message.to_owned()).into());
    }
    let seed = definition.seed.or(earlier_seed).unwrap_or_else(draw_seed);
    let launches = (0..definition.engines.len())
        .map(|engine| launch(&definition, engine))
        .collect::<Result<Vec<_>, _>>()?;
    let (mut openings, mut warnings) = openings::read_openings(&definition, seed)?;
    let starts = match &openings {
        Openings::File(openings) => openings.starts(),
        Openings::Random(_) => vec![definition.start_position()],
    };
    if starts.iter().any(|start| !definition.variant.allows(*start)) {
        let message = "an opening starts with an open centre, as the historical game alone does: variant = \"historical\"";
        return Err(definition.error("openings.file", message.to_owned()).into());
    }

    let introductions = introduce(&definition, &launches, &starts, started).await?;
    let failed: Vec<_> = introductions.iter().enumerate().filter(|(_, said)| said.is_err()).collect();
    let plays_anyway = definition.faults.start == StartFault::Forfeit && failed.len() < introductions.len();
    if !failed.is_empty() && !plays_anyway {
        return Err(PrepareError::NotStarted(not_started(&definition, &introductions)));
    }
    let names = names(&definition, &introductions)?;
    let mut specs = Vec::new();
    let mut said_of_themselves = Vec::new();
    for (engine, (launch, said)) in launches.into_iter().zip(introductions).enumerate() {
        let entry = &definition.engines[engine];
        let (settings, of_itself) = match said {
            Ok(Handshake { cannot_play: Some(why), .. }) => {
                let message = format!("cannot play this game: {why}");
                return Err(definition.engine_error(engine, "command", message).into());
            }
            Ok(Handshake { identity, protocol, untold, .. }) => {
                let settings = settings(&definition, engine, &identity, protocol)?;
                if entry.protocol() == ProtocolChoice::Auto {
                    warnings.push(format!("{} speaks {protocol}", names[engine]));
                }
                let familiar = match &entry.known {
                    Some(name) => known.get(name).ok(),
                    None => identity.name.as_ref().and_then(|name| known.recognise(name)),
                };
                let limited_by = familiar.and_then(|known| known.limited_by.as_deref());
                warnings.extend(not_told(&names[engine], definition.time_of(engine), untold, limited_by));
                let Identity { name, version, author, .. } = identity;
                (settings, DeclaredIdentity { name, version, author, protocol: Some(protocol) })
            }
            // What it would be sent does not matter: it says nothing that can be checked.
            Err(failure) => {
                warnings.push(format!(
                    "{} does not start: {} ({})",
                    names[engine], failure.detail, failure.termination
                ));
                (Vec::new(), DeclaredIdentity::default())
            }
        };
        // An engine that does not start loses its games in whichever protocol.
        let spoken = of_itself.protocol.unwrap_or_else(|| entry.protocol().candidates()[0]);
        said_of_themselves.push(of_itself);
        let spec = EngineSpec {
            name: names[engine].clone(),
            launch,
            protocol: spoken,
            clock: entry.clock(),
            settings,
            restart: definition.restarts(engine),
            cpu_policy: CpuPolicy { freeze: definition.freeze, cpu_clock: definition.cpu_clock },
            pipelined: entry.pipelined.unwrap_or(true),
        };
        specs.push(spec);
    }
    if definition.openings.balanced {
        let (found, told) = openings::balance(&definition, openings, &CancelToken::default()).await?;
        openings = found;
        warnings.extend(told);
    }
    let resolved = Resolved::new(&definition, seed, &names, &said_of_themselves);
    let schedule = definition.format.schedule(definition.engines.len(), definition.pairs);
    let test = test(&definition, &names, &schedule, &mut openings)?;
    Ok(Prepared {
        resolved,
        specs: specs.into(),
        schedule,
        openings,
        test,
        repeats: RepeatDetector::default(),
        warnings,
        definition,
        evidence: None,
    })
}

/// A seed that nobody can foresee, from the randomness that the standard library's maps are keyed by.
fn draw_seed() -> u64 {
    RandomState::new().build_hasher().finish() % SEED_LIMIT
}

/// What an engine said when it was greeted.
#[derive(Debug)]
struct Handshake {
    identity: Identity,
    protocol: ProtocolId,
    /// Why it is not told how long it may think, if so.
    untold: Option<String>,
    /// Why it can't play this tournament's game, by what it declared.
    cannot_play: Option<String>,
}

/// Starts every engine once to hear its name and options, several at a time, and stops it again. Dropping this
/// ends those that are running.
async fn introduce(
    definition: &Definition,
    launches: &[Launch],
    starts: &[Position],
    started: &Arc<Starts>,
) -> Result<Vec<Result<Handshake, Failure>>, PrepareError> {
    const AT_ONCE: usize = 8;
    let gate = Arc::new(Semaphore::new(AT_ONCE));
    let spawner = Spawner {
        starts: Arc::clone(started),
        ..Spawner::new(definition.limits.timeouts, &CancelToken::default())
    };
    let mut greeted = JoinSet::new();
    for (index, launch) in launches.iter().enumerate() {
        let (launch, gate, spawner) = (launch.clone(), Arc::clone(&gate), spawner.clone());
        let entry = &definition.engines[index];
        let (protocol, clock) = (entry.protocol(), entry.clock());
        let (variant, starts, time) = (definition.variant, starts.to_vec(), definition.time_of(index));
        greeted.spawn(async move {
            let _turn = gate.acquire().await;
            let (engine, protocol) = match spawner.recognise(&launch, protocol, clock).await {
                Ok(met) => met,
                Err(error) => return (index, Err(error)),
            };
            let identity = engine.identity().clone();
            let dialect = engine.dialect();
            let cannot_play = starts.iter().find_map(|start| dialect.cannot_play(variant, start));
            let untold = dialect.unsupported_time_control(time);
            engine.stop(StopMode::Polite).await;
            (index, Ok(Handshake { identity, protocol, untold, cannot_play }))
        });
    }
    let mut answers = greeted.join_all().await;
    answers.sort_by_key(|(index, _)| *index);
    let outcome = |(index, met): (usize, Result<Handshake, EngineError>)| match met {
        Ok(handshake) => Ok(Ok(handshake)),
        Err(EngineError::Failed(failure)) => Ok(Err(failure)),
        Err(EngineError::Refused(refusal)) => {
            Err(refused(definition, &launches[index], index, refusal, started))
        }
        Err(EngineError::Cancelled) => {
            let detail = "it was cancelled".to_owned();
            Ok(Err(Failure { termination: records::Termination::Stall, detail }))
        }
    };
    answers.into_iter().map(outcome).collect()
}

/// Why there is no tournament if engines failed their handshake, and what to do.
fn not_started(definition: &Definition, introductions: &[Result<Handshake, Failure>]) -> String {
    let engines = definition.engines.iter().zip(introductions);
    let failed: Vec<_> = engines.filter_map(|(engine, said)| Some((engine, said.as_ref().err()?))).collect();
    let reason = |(engine, failure): &(&EngineDefinition, &Failure)| {
        let name = engine.name.clone().unwrap_or_else(|| engine.program_name());
        format!("{name} does not start: {} ({})", failure.detail, failure.termination)
    };
    let reasons: Vec<_> = failed.iter().map(reason).collect();
    let command: Vec<String> = failed.first().map(|(engine, _)| engine.command.clone()).unwrap_or_default();
    let anyway = match failed.len() == introductions.len() {
        true => "",
        false => ", or play the others with --play-anyway ([faults] start = \"forfeit\")",
    };
    format!("{}; nothing was recorded; try: referee check {}{anyway}", reasons.join("; "), command.join(" "))
}

/// Why there is no tournament if the system refuses what an engine's start needs.
fn refused(
    definition: &Definition,
    launch: &Launch,
    index: usize,
    refusal: Refusal,
    started: &Starts,
) -> PrepareError {
    match refusal.remedy(started.has_started(&launch.program), &launch.confinement.resources) {
        Remedy::Retry => PrepareError::Refused { engine: definition.engines[index].program_name(), refusal },
        Remedy::RaiseLimit(key) => {
            let message = format!("{refusal}; the limit `{key}` is too small for its start");
            definition.engine_error(index, "limits", message).into()
        }
        Remedy::MendCommand => definition.engine_error(index, "command", refusal.to_string()).into(),
    }
}

/// What each engine is called: the definition's name, else its own, else its program's. On the
/// command line, names that come twice are numbered; in a file that is an error.
fn names(
    definition: &Definition,
    introductions: &[Result<Handshake, Failure>],
) -> Result<Vec<String>, DefinitionError> {
    let mut names: Vec<String> = Vec::new();
    for (index, entry) in definition.engines.iter().enumerate() {
        let own = introductions[index].as_ref().ok().and_then(|said| said.identity.name.clone());
        let given = entry.name.clone();
        let name = given.clone().or(own).unwrap_or_else(|| entry.program_name());
        let taken = |name: &String, names: &[String]| names.contains(name);
        if !taken(&name, &names) {
            names.push(name);
            continue;
        }
        if let Origin::File(_) = definition.origin {
            let first = names.iter().position(|other| *other == name).unwrap_or(0) + 1;
            let message = format!(
                "engine[{first}] and engine[{}] are both called {name:?}; give one a name",
                index + 1
            );
            return Err(definition.engine_error(
                index,
                if given.is_some() { "name" } else { "command" },
                message,
            ));
        }
        let numbered = (2..).map(|number: u64| format!("{name}#{number}")).find(|name| !taken(name, &names));
        names.push(numbered.unwrap_or(name));
    }
    Ok(names)
}

/// The sequential test, if there is to be one: of two engines that meet, on openings that do not
/// repeat, since a pair that is played again is no new evidence.
fn test(
    definition: &Definition,
    names: &[String],
    schedule: &Schedule,
    openings: &mut Openings,
) -> Result<Option<PairTest>, DefinitionError> {
    let Some(plan) = definition.sprt_plan()? else { return Ok(None) };
    let (tested, opponent) = match &plan.pair {
        None => (0, 1),
        Some((tested, opponent)) => {
            let place = |name: &String| {
                names.iter().position(|known| known == name).ok_or_else(|| {
                    definition.error(
                        "sprt.pair",
                        format!("no engine is called {name:?}; there is {}", names.join(", ")),
                    )
                })
            };
            (place(tested)?, place(opponent)?)
        }
    };
    let meet = (tested.min(opponent), tested.max(opponent));
    if !schedule.encounters().contains(&meet) {
        let message = format!("{} and {} do not meet in this tournament", names[tested], names[opponent]);
        return Err(definition.error("sprt.pair", message));
    }
    let last = openings.get(definition.pairs - 1);
    if last.is_ok_and(|opening| opening.repeated) {
        let message = format!(
            "the openings run out before {} pairs and would repeat, which a sequential test does not allow; take longer ones, or fewer pairs",
            definition.pairs
        );
        return Err(definition.error("sprt", message));
    }
    Ok(Some(PairTest::new(&plan, tested, opponent)))
}

/// What the user is told of an engine that does not know how long it may think, or is known to take
/// no notice of it.
fn not_told(
    name: &str,
    time: TimeControl,
    untold: Option<String>,
    limited_by: Option<&str>,
) -> Option<String> {
    let timed = matches!(time, TimeControl::Game { .. } | TimeControl::MoveTime(_));
    match (untold, limited_by) {
        (_, Some(by)) if timed => {
            Some(format!("{name} takes no notice of its time, {time}: it is limited by {by}"))
        }
        (Some(why), _) => Some(format!("{name} is not told its limit, {time}: {why}")),
        (None, _) => None,
    }
}
