//! `referee check`: does an engine keep to its protocol and to the rules?

mod report;

use std::time::Instant;

use protocol::dialect::ProtocolChoice;
use tournament::definition::{EngineDefinition, engine_from_words};

use self::report::Report;
use super::{CommandError, engines, no_output};
use crate::cli::CheckArgs;
use crate::exit_code::Exit;
use crate::machine::signals::Interrupts;
use crate::prepare::find_program::{absolute, locate};
use engine_check::{End, EngineUnderTest, Target, run};
use engine_process::sandbox::SandboxPolicy;
use engine_process::supervisor;
use engine_process::{procfs, sandbox};
use play::engine::{CancelToken, Launch};

pub(super) fn check(args: &CheckArgs) -> Result<Exit, CommandError> {
    let target = target(args).map_err(|message| CommandError::new(Exit::Usage, message))?;
    procfs::become_subreaper();
    let failed = |error: std::io::Error| CommandError::new(Exit::Failed, error);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let cancel = CancelToken::default();
    let report = Report::new(args.engine[0].clone(), args.json);
    let exit = runtime.block_on(async {
        let mut interrupts = Interrupts::listen().map_err(failed)?;
        let within = cancel.clone();
        let mut work = tokio::task::spawn_blocking(move || {
            let subject = EngineUnderTest::new(target, within.clone()).map_err(failed)?;
            carry_out(subject, report, &within)
        });
        // A single interruption ends it; all findings so far are printed.
        tokio::select! {
            done = &mut work => return done.map_err(|error| CommandError::new(Exit::Failed, error))?,
            () = supervisor::supervisor_gone() => {
                // The supervisor is gone, so nothing waits for engines to quit.
                cancel.cancel();
                procfs::kill_all_children();
            }
            _ = interrupts.next() => cancel.cancel(),
        }
        // Every wait for an engine ends at once.
        let _ = work.await;
        Ok(Exit::Interrupted)
    });
    procfs::kill_all_children();
    exit
}

fn carry_out(
    mut subject: EngineUnderTest,
    mut report: Report,
    cancel: &CancelToken,
) -> Result<Exit, CommandError> {
    let begun = Instant::now();
    let mut told = Ok(());
    let end = run(&mut subject, |subject, finding| {
        if told.is_ok() {
            told = report.tell(subject, finding);
            if told.is_err() {
                // No finding can be printed any more.
                cancel.cancel();
            }
        }
    });
    told.map_err(|error| no_output(&error))?;
    let exit = match end {
        End::Refused(why) => return Err(CommandError::new(Exit::Usage, why)),
        End::Cancelled => return Ok(Exit::Interrupted),
        End::NeverGreeted => Exit::Failed,
        End::Done if report.has_failures() => Exit::False,
        End::Done => Exit::Done,
    };
    report.end(begun.elapsed(), exit.code()).map_err(|error| no_output(&error))?;
    Ok(exit)
}

fn target(args: &CheckArgs) -> Result<Target, String> {
    let mut engine = engine_from_words(&args.engine).map_err(|error| error.to_string())?;
    let known = engines::known().map_err(|error| error.to_string())?;
    let called = engine.known.clone();
    if let Some(name) = &called {
        let completed = known.get(name).and_then(|settings| {
            settings.complete(&mut engine).map_err(|(key, message)| format!("{key}: {message}"))
        });
        completed.map_err(|message| format!("engine `{}`: {message}", args.engine[0]))?;
    }
    let protocol = match (args.protocol, engine.protocol) {
        (Some(_), Some(_)) => return Err("the protocol is named twice; leave --protocol out".to_owned()),
        (asked, own) => asked.or(own).unwrap_or(ProtocolChoice::Auto),
    };
    let clock = engine.clock();
    let program = engine.program_name();
    let EngineDefinition { command, options, directory, env, limits: resources, sandbox, .. } = engine;
    let directory = directory.map(|written| absolute(&written));
    if let Some(missing) = directory.as_ref().filter(|path| !path.is_dir()) {
        return Err(format!("directory: {} is not a folder", missing.display()));
    }
    if !protocol.allows_clock_style(clock) {
        return Err(format!("clock: an engine that speaks {protocol} is not told it by `{clock}`"));
    }
    let confinement = SandboxPolicy { resources, sandbox: sandbox.unwrap_or(false) };
    sandbox::probe(&confinement).map_err(|why| format!("this system cannot confine the engine so: {why}"))?;
    let launch = Launch {
        program: locate(&command[0], None).map_err(|error| error.to_string())?,
        arguments: command[1..].to_vec(),
        directory,
        env: env.into_iter().collect(),
        confinement,
        keep: false,
    };
    let (protocols, variant) = (protocol.candidates(), args.variant);
    let limited_by = move |own_name: Option<&str>| {
        let engine = match &called {
            Some(name) => known.get(name).ok(),
            None => own_name.and_then(|name| known.recognise(name)),
        };
        engine.and_then(|engine| engine.limited_by.clone())
    };
    Ok(Target { launch, program, protocols, clock, options, variant, limited_by: Box::new(limited_by) })
}
