//! The checks, a table a group. What only one protocol has stands in its dialect ([`protocol::probe`]).

mod input;
mod options;
mod passes;
mod positions;
mod rules_knowledge;
mod search;
mod shutdown;
pub(crate) mod start;

use protocol::dialect::ProtocolId;

use crate::check::{Check, Group};

const TABLES: [(Group, &[Check]); 8] = [
    (Group::Start, start::CHECKS),
    (Group::Options, options::CHECKS),
    (Group::Positions, positions::CHECKS),
    (Group::Passes, passes::CHECKS),
    (Group::Search, search::CHECKS),
    (Group::Rules, rules_knowledge::CHECKS),
    (Group::Input, input::CHECKS),
    (Group::Leave, shutdown::CHECKS),
];

/// All checks of an engine that speaks this protocol, in their order, but for the greeting that comes before.
#[must_use]
pub fn checks(protocol: ProtocolId) -> Vec<(Group, Check)> {
    let mut all = Vec::new();
    for (group, own) in TABLES {
        let probes = protocol.checks().probes.iter().filter(|probe| Group::from(probe.group) == group);
        let mut of_group: Vec<(Group, Check)> =
            own.iter().copied().chain(probes.map(Check::from)).map(|check| (group, check)).collect();
        if group == Group::Rules {
            // A probe finds out first whether the engine answers questions about a position.
            of_group.rotate_left(own.len());
        }
        all.append(&mut of_group);
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::check::Action;

    fn with_greeting(protocol: ProtocolId) -> Vec<Check> {
        let all = checks(protocol).into_iter().map(|(_, check)| check);
        all.chain([start::GREETING]).collect()
    }

    #[test]
    fn there_are_enough_checks_and_each_has_its_name() {
        for kind in ProtocolId::all() {
            let all = with_greeting(kind);
            assert!(all.len() > 46, "{kind}: {}", all.len());
            let names: HashSet<&str> = all.iter().map(|check| check.name).collect();
            assert_eq!(names.len(), all.len(), "{kind}: a name comes twice");
            for check in all {
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                assert!(check.name.chars().all(plain), "{}", check.name);
                assert!(!matches!(check.action, Action::Nothing), "{}", check.name);
                assert!(!check.about.is_empty() && !check.hint.is_empty(), "{}", check.name);
                assert!(!check.about.ends_with('.') && !check.hint.ends_with('.'), "{}", check.name);
            }
        }
    }

    #[test]
    fn each_check_is_explained() {
        let page = include_str!("../../../../docs/check.md");
        for kind in ProtocolId::all() {
            for Check { name, .. } in with_greeting(kind) {
                assert!(page.contains(&format!("| `{name}` |")), "docs/check.md lacks {kind}'s {name}");
            }
        }
    }
}
