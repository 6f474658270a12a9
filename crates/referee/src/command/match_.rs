//! `referee match`: a definition from the command line.

use ratings::{EloModel, Sprt};
use tournament::definition::{
    Definition, DefinitionError, EngineDefinition, Origin, derived_name, engine_from_words,
    openings_from_words,
};
use tournament::sprt::SprtPlan;

use super::{CommandError, run};
use crate::cli::MatchArgs;
use crate::exit_code::Exit;

pub(super) fn run_match(args: MatchArgs) -> Result<Exit, CommandError> {
    let definition = definition(&args).map_err(|error| CommandError::new(Exit::Usage, error))?;
    run::run(definition, &args.how)
}

fn definition(args: &MatchArgs) -> Result<Definition, DefinitionError> {
    let plain = args.engines.iter().map(|command| engine_from_words(std::slice::from_ref(command)));
    let mut engines = plain.collect::<Result<Vec<EngineDefinition>, _>>()?;
    for words in occurrences() {
        engines.push(engine_from_words(&words)?);
    }
    let name = args.name.clone().unwrap_or_else(|| derived_name(&engines));
    let sprt = args.sprt.clone().map(|plan| with_model(plan, args.sprt_model)).transpose()?;
    let (openings, balanced) = openings_from_words(&args.openings)?;
    let definition = Definition {
        sprt,
        pairs: args.pairs,
        seed: args.seed,
        variant: args.variant,
        board: args.board,
        empties: args.empties,
        time: args.time,
        margin: args.margin,
        cpu_clock: args.cpu_clock,
        freeze: args.freeze,
        pin: !args.no_pin,
        withdraw_after: args.withdraw_after,
        openings,
        balanced,
        start: args.start,
        ..Definition::new(name, engines, Origin::CommandLine)
    };
    definition.check()?;
    Ok(definition)
}

fn with_model(plan: SprtPlan, model: Option<EloModel>) -> Result<SprtPlan, DefinitionError> {
    let Some(model) = model else { return Ok(plan) };
    let test = plan.test;
    let test = Sprt::new(test.elo0(), test.elo1(), test.alpha(), test.beta(), model)
        .map_err(|error| DefinitionError::on_command_line("--sprt", error.to_string()))?;
    Ok(SprtPlan { test, ..plan })
}

/// The words behind each `--engine`, kept apart, which the derived type does not do.
fn occurrences() -> Vec<Vec<String>> {
    use clap::CommandFactory as _;
    let matches = crate::cli::Cli::command().get_matches();
    let Some(("match", matches)) = matches.subcommand() else { return Vec::new() };
    let found = matches.get_occurrences::<String>("configured");
    found.map(|each| each.map(|words| words.cloned().collect()).collect()).unwrap_or_default()
}
