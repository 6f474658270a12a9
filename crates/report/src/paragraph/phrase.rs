//! Numbers and lists as they stand in a sentence.

use crate::number::{fixed, signed};

/// Names in a list; further ones are counted.
const MAX_NAMES: usize = 5;

/// `a`, `a and b`, `a, b and c`.
pub(super) fn join_and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The names as a list, at most five of them: `a, b, c, d, e and 12 others`.
pub(super) fn name_list(names: &[String]) -> String {
    if names.len() <= MAX_NAMES + 1 {
        return join_and(names);
    }
    let others = names.len() - MAX_NAMES;
    let mut shown = names[..MAX_NAMES].to_vec();
    shown.push(format!("{} others", thousands(others as u64)));
    join_and(&shown)
}

/// A count with separators: `19,900`.
pub(super) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Elo with its sign: `+12`, `-3`, `0`.
pub(super) fn elo(value: f64) -> String {
    signed(value, 0)
}

/// `p = 0.032`, `p < 0.0001`.
pub(super) fn p_value(p: f64) -> String {
    match p {
        _ if p < 0.0001 => "p < 0.0001".to_owned(),
        _ if p < 0.1 => format!("p = {}", fixed(p, 4)),
        _ => format!("p = {}", fixed(p, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_bounded() {
        let names: Vec<String> = (0..200).map(|number| format!("e{number}")).collect();
        assert_eq!(name_list(&names[..2]), "e0 and e1");
        assert_eq!(name_list(&names[..6]), "e0, e1, e2, e3, e4 and e5");
        assert_eq!(name_list(&names), "e0, e1, e2, e3, e4 and 195 others");
        assert_eq!((name_list(&[]), join_and(&names[..1])), (String::new(), "e0".to_owned()));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [thousands(0), thousands(999), thousands(19_900), thousands(1_000_000)],
            ["0", "999", "19,900", "1,000,000"]
        );
        assert_eq!([elo(0.2), elo(-0.4), elo(12.0), elo(-3.4)], ["0", "0", "+12", "-3"]);
        assert_eq!([p_value(1e-9), p_value(0.0321), p_value(0.5)], ["p < 0.0001", "p = 0.0321", "p = 0.50"]);
    }
}
