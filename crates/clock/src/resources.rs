//! Resource limits of an engine's processes, as a definition writes them.

use std::time::Duration;

/// Resource limits of an engine. `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Address space of each process, in bytes.
    pub memory: Option<u64>,
    /// CPU time of each process, in whole seconds, at least 1.
    pub cpu: Option<u64>,
    /// Processes and threads at the same time, the engine itself included.
    pub processes: Option<u64>,
    /// Open files of each process.
    pub files: Option<u64>,
    /// The largest file that the engine may write, in bytes.
    pub file_size: Option<u64>,
}

impl Resources {
    /// The keys in definitions.
    pub const KEYS: [&'static str; 5] = ["memory", "cpu", "processes", "files", "file_size"];

    fn place(&mut self, key: &str) -> Option<&mut Option<u64>> {
        match key {
            "memory" => Some(&mut self.memory),
            "cpu" => Some(&mut self.cpu),
            "processes" => Some(&mut self.processes),
            "files" => Some(&mut self.files),
            "file_size" => Some(&mut self.file_size),
            _ => None,
        }
    }

    /// Sets the limit `key` from text.
    ///
    /// # Errors
    /// A message if there is no such key or the text does not fit it.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), String> {
        let value = match key {
            "memory" | "file_size" => parse_size(text)?,
            "cpu" => parse_seconds(text)?,
            _ => {
                let count = text.parse().ok().filter(|count| (1..=MOST_COUNT).contains(count));
                count.ok_or_else(|| format!("`{text}` is not a whole number from 1 to {MOST_COUNT}"))?
            }
        };
        match self.place(key) {
            Some(place) => *place = Some(value),
            None => return Err(format!("no limit is called `{key}`; there is {}", Self::KEYS.join(", "))),
        }
        Ok(())
    }

    /// These limits; where one is not set, that of `others`.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            memory: self.memory.or(others.memory),
            cpu: self.cpu.or(others.cpu),
            processes: self.processes.or(others.processes),
            files: self.files.or(others.files),
            file_size: self.file_size.or(others.file_size),
        }
    }

    /// Key and value of each limit that is set, as a definition writes them.
    #[must_use]
    pub fn words(&self) -> Vec<(&'static str, String)> {
        let mut copy = *self;
        let word = |key: &'static str| {
            let value = (*copy.place(key)?)?;
            let text = match key {
                "memory" | "file_size" => format_size(value),
                "cpu" => format!("{value}s"),
                _ => value.to_string(),
            };
            Some((key, text))
        };
        Self::KEYS.into_iter().filter_map(word).collect()
    }
}

const MOST_COUNT: u64 = 1_000_000;

const UNITS: [(&str, u32); 4] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim_start() {
        "" | "B" => Some(0),
        unit => UNITS
            .iter()
            .find(|(name, _)| *name == unit || name.strip_suffix("iB") == Some(unit))
            .map(|(_, shift)| *shift),
    };
    let size = number.parse::<u64>().ok().zip(shift);
    let size = size.and_then(|(number, shift)| number.checked_mul(1 << shift)).filter(|&size| size > 0);
    size.ok_or_else(|| format!("`{text}` is not a size such as \"512MiB\" (KiB, MiB, GiB, TiB)"))
}

fn format_size(size: u64) -> String {
    let whole = UNITS.iter().rev().find(|(_, shift)| size.trailing_zeros() >= *shift);
    whole.map_or_else(|| size.to_string(), |(unit, shift)| format!("{}{unit}", size >> shift))
}

/// A time in whole seconds, rounded up, since the operating system (`RLIMIT_CPU`) counts seconds.
fn parse_seconds(text: &str) -> Result<u64, String> {
    let time = crate::parse_duration(text).map_err(|error| error.to_string())?;
    match time {
        Duration::ZERO => Err("must be more than zero".to_owned()),
        time => Ok(time.as_secs() + u64::from(time.subsec_nanos() > 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut resources = Resources::default();
        for (key, text) in
            [("memory", "1536 MiB"), ("cpu", "90.5s"), ("processes", "4"), ("file_size", "1000")]
        {
            assert_eq!(resources.set(key, text), Ok(()), "{key}");
        }
        assert_eq!((resources.memory, resources.cpu, resources.files), (Some(1536 << 20), Some(91), None));
        let words = resources.words();
        let shown: Vec<String> = words.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(shown, ["memory=1536MiB", "cpu=91s", "processes=4", "file_size=1000"]);
        let mut again = Resources::default();
        words.iter().for_each(|(key, value)| again.set(key, value).expect("its own words"));
        assert_eq!(again, resources);
    }

    #[test]
    fn an_engines_own_limits_go_before() {
        let all = Resources { memory: Some(1), files: Some(2), ..Resources::default() };
        let own = Resources { memory: Some(3), cpu: Some(4), ..Resources::default() };
        let both = Resources { memory: Some(3), cpu: Some(4), files: Some(2), ..Resources::default() };
        assert_eq!(own.or(all), both);
    }

    #[test]
    fn what_is_no_limit_is_refused() {
        let mut resources = Resources::default();
        for (key, text) in [
            ("memory", "many"),
            ("memory", "0"),
            ("memory", "1.5GiB"),
            ("memory", "99999999TiB"),
            ("memory", "5MB"),
            ("cpu", "0"),
            ("processes", "0"),
            ("files", "-1"),
            ("disks", "1"),
        ] {
            assert!(resources.set(key, text).is_err(), "{key} {text}");
        }
        assert_eq!(resources, Resources::default());
    }
}
