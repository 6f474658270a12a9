//! Prints findings, as text or as JSON lines.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use crate::display::write_line;
use engine_check::{EngineUnderTest, Fault, Finding, Group, Line, NEVER_GREETED, NotPassed};
use play::engine::Sender;

/// Prints findings as they come, and counts them.
#[derive(Debug)]
pub(super) struct Report {
    json: bool,
    command: String,
    group: Option<Group>,
    passed: usize,
    failed: Vec<&'static str>,
    skipped: usize,
    checks: usize,
    /// What limits the engine if it is not told its clock.
    untold: Option<String>,
}

impl Report {
    /// `command` is the engine on the command line.
    #[must_use]
    pub(super) fn new(command: String, json: bool) -> Self {
        Self {
            json,
            command,
            group: None,
            passed: 0,
            failed: Vec::new(),
            skipped: 0,
            checks: 0,
            untold: None,
        }
    }

    /// True if a check failed.
    #[must_use]
    pub(super) fn has_failures(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Prints a finding.
    ///
    /// # Errors
    /// If standard output can't be written to, unless its reader has gone away.
    pub(super) fn tell(&mut self, subject: &EngineUnderTest, finding: &Finding) -> io::Result<()> {
        if self.checks == 0 {
            self.begin(subject, finding)?;
        }
        self.checks += 1;
        match &finding.verdict {
            Ok(_) => self.passed += 1,
            Err(NotPassed::Failed(_)) => self.failed.push(finding.check.name),
            Err(_) => self.skipped += 1,
        }
        if self.json {
            return write_line(&as_json(finding).to_string());
        }
        if finding.check.name == "told-its-time"
            && let Err(NotPassed::Skipped(why)) = &finding.verdict
        {
            self.untold = Some(why.clone());
        }
        if finding.verdict == Err(NotPassed::Skipped(NEVER_GREETED.to_owned())) {
            // Its count in the last line is enough.
            return Ok(());
        }
        if self.group != Some(finding.group) {
            self.group = Some(finding.group);
            write_line("")?;
            write_line(finding.group.title())?;
        }
        as_text(finding).iter().try_for_each(|line| write_line(line))
    }

    fn begin(&self, subject: &EngineUnderTest, greeted: &Finding) -> io::Result<()> {
        let protocol = greeted.verdict.is_ok().then(|| subject.protocol());
        let variant = subject.variant();
        if self.json {
            let engine = json!({
                "event": "engine",
                "command": self.command,
                "name": subject.name(),
                "protocol": protocol.map(|protocol| protocol.name()),
                "variant": variant.to_string(),
            });
            return write_line(&engine.to_string());
        }
        write_line(&match protocol {
            Some(protocol) => {
                format!("{}: {}, {variant} ({})", subject.name(), protocol.name(), protocol.about())
            }
            None => format!("{}: not greeted", self.command),
        })
    }

    /// Prints the totals.
    ///
    /// # Errors
    /// As [`Self::tell`].
    pub(super) fn end(&self, took: Duration, exit: u8) -> io::Result<()> {
        if self.json {
            let end = json!({
                "event": "end",
                "passed": self.passed,
                "failed": self.failed.len(),
                "skipped": self.skipped,
                "seconds": seconds(took),
                "exit": exit,
            });
            return write_line(&end.to_string());
        }
        write_line("")?;
        let Self { passed, failed, skipped, .. } = self;
        write_line(&format!(
            "{} checks in {:.0} s: {passed} ok, {} failed, {skipped} skipped",
            self.checks,
            took.as_secs_f64().ceil(),
            failed.len()
        ))?;
        if let Some(why) = self.untold.as_ref().filter(|_| *passed > 0) {
            write_line(&format!("told of its time: {why}"))?;
        }
        if !failed.is_empty() {
            write_line(&format!("failed: {}", failed.join(", ")))?;
        }
        Ok(())
    }
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

fn as_json(finding: &Finding) -> Value {
    let Finding { group, check, verdict, exchange, left_out, took } = finding;
    let (status, note) = match verdict {
        Ok(note) => ("ok", note.as_str()),
        Err(NotPassed::Failed(fault)) => ("failed", fault.why.as_str()),
        Err(NotPassed::Skipped(why)) => ("skipped", why.as_str()),
        Err(NotPassed::Cancelled) => ("skipped", "called back"),
    };
    let mut line = json!({
        "event": "check",
        "group": group.name(),
        "check": check.name,
        "about": check.about,
        "status": status,
        "note": note,
        "seconds": seconds(*took),
    });
    if let Err(NotPassed::Failed(Fault { hint, position, .. })) = verdict {
        let said = |line: &Line| {
            let by = if line.by == Sender::Referee { "referee" } else { "engine" };
            json!({ "by": by, "ms": seconds(line.at * 1000), "line": line.text })
        };
        line["position"] = json!(position.map(|position| position.to_string()));
        line["exchange"] = exchange.iter().map(said).collect();
        line["lines_left_out"] = json!(left_out);
        line["hint"] = json!(check.hint);
        line["more"] = json!(hint);
    }
    line
}

/// The width at which text is broken, in characters.
const WIDTH: usize = 100;

/// The width of the column of names.
const NAME: usize = 24;

fn as_text(finding: &Finding) -> Vec<String> {
    let Finding { check, verdict, exchange, left_out, .. } = finding;
    let with = |note: &str| if note.is_empty() { String::new() } else { format!(" ({note})") };
    match verdict {
        Ok(note) => vec![format!("  ok       {:<NAME$} {}{}", check.name, check.about, with(note))],
        Err(NotPassed::Failed(fault)) => {
            let mut lines = vec![format!("  FAILED   {:<NAME$} {}", check.name, check.about)];
            lines.extend(wrapped("what", &fault.why));
            if let Some(position) = fault.position {
                let diagram = position.diagram().to_string();
                let mover = position.side_to_move();
                let side = if position.is_over() {
                    "the game is over".to_owned()
                } else {
                    format!("{mover} ({}) to move", mover.letter())
                };
                let rows = diagram.lines().enumerate();
                lines.extend(rows.map(|(row, text)| {
                    let label = if row == 0 { "board" } else { "" };
                    let remark = if row == 0 { format!("   {side}") } else { String::new() };
                    format!("           {label:<6}{text}{remark}")
                }));
            }
            if *left_out > 0 {
                lines.push(format!("           said  ({left_out} lines before)"));
            }
            lines.extend(exchange.iter().enumerate().map(|(number, line)| {
                let label = if number == 0 && *left_out == 0 { "said" } else { "" };
                let arrow = if line.by == Sender::Referee { '>' } else { '<' };
                format!("           {label:<6}{arrow} {}", line.text)
            }));
            lines.extend(wrapped("hint", check.hint));
            lines.extend(fault.hint.iter().flat_map(|hint| wrapped("", hint)));
            lines
        }
        Err(NotPassed::Skipped(why)) => vec![format!("  skipped  {:<NAME$} {}", check.name, why)],
        Err(NotPassed::Cancelled) => Vec::new(),
    }
}

/// Text after a label, broken between words.
fn wrapped(label: &str, text: &str) -> Vec<String> {
    let mut lines = vec![format!("           {label:<6}")];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last + 1 + word.chars().count() > WIDTH && last > 17 {
            lines.push(" ".repeat(17));
        }
        if let Some(line) = lines.last_mut() {
            if !line.ends_with(' ') {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
