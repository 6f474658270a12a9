//! Reading cases and comparing numbers with them.

use serde_json::Value;

/// One reference case.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) function: String,
    pub(crate) input: Value,
    output: Value,
    abs: f64,
    rel: f64,
}

/// All cases of the file.
pub(crate) fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../data/statistics.json")).unwrap();
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let case = |c: &Value| Case {
        id: text(&c["id"]),
        function: text(&c["fn"]),
        input: c["in"].clone(),
        output: c["out"].clone(),
        abs: c["tol"]["abs"].as_f64().unwrap(),
        rel: c["tol"]["rel"].as_f64().unwrap(),
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

impl Case {
    /// The expected value at a JSON pointer without its first slash.
    pub(crate) fn expected(&self, path: &str) -> &Value {
        let found = self.output.pointer(&format!("/{path}"));
        found.unwrap_or_else(|| panic!("{}: the case has no {path}", self.id))
    }

    /// Compares a number, `None` with null.
    pub(crate) fn number(&self, path: &str, got: impl Into<Option<f64>>) {
        let (expected, got) = (self.expected(path), got.into());
        let agrees = match (expected.as_f64(), got) {
            (None, None) => expected.is_null(),
            (Some(e), Some(g)) => (g - e).abs() <= self.abs + self.rel * e.abs(),
            _ => false,
        };
        assert!(agrees, "{} {path}: expected {expected}, got {got:?}", self.id);
    }

    /// Compares a whole number, `None` with null.
    pub(crate) fn count(&self, path: &str, got: impl Into<Option<u64>>) {
        let (expected, got) = (self.expected(path), got.into());
        assert_eq!(expected.as_u64(), got, "{} {path}: expected {expected}", self.id);
    }

    /// Compares a truth value, `None` with null.
    pub(crate) fn flag(&self, path: &str, got: impl Into<Option<bool>>) {
        let (expected, got) = (self.expected(path), got.into());
        assert_eq!(expected.as_bool(), got, "{} {path}: expected {expected}", self.id);
    }

    /// Compares a word.
    pub(crate) fn word(&self, path: &str, got: &str) {
        assert_eq!(self.expected(path).as_str(), Some(got), "{} {path}", self.id);
    }
}

/// A list of counts.
pub(crate) fn counts<const M: usize>(v: &Value) -> [u64; M] {
    let list: Vec<u64> = v.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    list.try_into().unwrap()
}

/// Twice a number that is a multiple of one half.
pub(crate) fn doubled(v: &Value) -> i64 {
    let twice = 2.0 * v.as_f64().unwrap();
    assert_eq!(twice.fract(), 0.0);
    twice as i64
}
