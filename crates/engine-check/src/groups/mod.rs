//! The checks, a table a group.

mod input;
mod options;
mod passes;
mod positions;
mod rules_knowledge;
mod search;
mod shutdown;
pub(crate) mod start;

use protocol::probe::Probe;

use crate::check::{Check, Group, Work};

/// All checks of an engine that speaks this protocol, by groups.
#[must_use]
pub fn checks(probes: &'static [Probe]) -> Vec<Check> {
    let own = [
        start::CHECKS,
        options::CHECKS,
        positions::CHECKS,
        passes::CHECKS,
        search::CHECKS,
        rules_knowledge::CHECKS,
        input::CHECKS,
        shutdown::CHECKS,
    ];
    let probes = probes.iter().map(|probe| Check {
        name: probe.name,
        group: Group::of(probe.group),
        about: probe.about,
        hint: probe.hint,
        work: Work::Probe(probe),
    });
    let mut all: Vec<Check> = own.into_iter().flatten().copied().chain(probes).collect();
    // Whether it answers questions about a position has to be known before many are asked.
    let last = |check: &Check| check.group == Group::Rules && matches!(check.work, Work::Own(_));
    all.sort_by_key(|check| (check.group, last(check)));
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use protocol::dialect::ProtocolId;

    use super::*;

    #[test]
    fn there_are_enough_checks_and_each_has_its_name() {
        for kind in ProtocolId::all() {
            let all = checks(kind.checks().probes);
            assert!(all.len() > 45, "{kind}: {}", all.len());
            let names: HashSet<&str> = all.iter().map(|check| check.name).chain(["greeting"]).collect();
            assert_eq!(names.len(), all.len() + 1, "{kind}: a name comes twice");
            for check in all {
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                assert!(check.name.chars().all(plain), "{}", check.name);
                assert!(!check.about.is_empty() && !check.hint.is_empty(), "{}", check.name);
                assert!(!check.about.ends_with('.') && !check.hint.ends_with('.'), "{}", check.name);
            }
        }
    }

    #[test]
    fn each_check_is_explained() {
        let page = include_str!("../../../../docs/check.md");
        for kind in ProtocolId::all() {
            for name in checks(kind.checks().probes).iter().map(|check| check.name).chain(["greeting"]) {
                assert!(page.contains(&format!("| `{name}` |")), "docs/check.md lacks {kind}'s {name}");
            }
        }
    }
}
