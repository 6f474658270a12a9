//! The options that an engine declares, and their values.

use std::ops::RangeInclusive;

use protocol::option::{OptionDecl, OptionError, OptionKind};
use rules::{BoardSize, Position, Variant};

/// The options that an engine declares, in order.
///
/// ```
/// use engine_kit::Options;
/// let options = Options::new().seed().spin("Depth", 4, 1..=60).check("Book", true);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<OptionDecl>);

/// The greatest seed: whole numbers up to 2^53 - 1 are exact in a double.
const MAX_SEED: i64 = (1 << 53) - 1;

const SEED: &str = "Seed";
const VARIANT: &str = "Variant";
const BOARD_SIZE: &str = "BoardSize";
const HASH: &str = "Hash";

impl Options {
    /// No options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `Seed`, for a player that chooses at random: the referee sets it before each game. Read it with
    /// [`Settings::seed`].
    #[must_use]
    pub fn seed(self) -> Self {
        self.spin(SEED, 0, 0..=MAX_SEED)
    }

    /// `Variant`, for a player that knows all of them. Read it with [`Settings::variant`].
    #[must_use]
    pub fn variant(self) -> Self {
        self.variants(&Variant::ALL)
    }

    /// `Variant`, for a player that knows these; the first one is the default. In the historical game a
    /// player that searches on [`Board`](rules::Board)s must use
    /// [`Board::placements`](rules::Board::placements) until the centre is full.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn variants(self, known: &[Variant]) -> Self {
        let names: Vec<String> = known.iter().map(Variant::to_string).collect();
        let words: Vec<&str> = names.iter().map(String::as_str).collect();
        self.combo(VARIANT, words[0], &words)
    }

    /// `BoardSize`, for a player that knows small boards too. Without it the kit refuses them. Read it with
    /// [`Settings::board_size`].
    #[must_use]
    pub fn board_size(self) -> Self {
        self.spin(BOARD_SIZE, 8, 4..=8)
    }

    /// `Hash`, the size limit of the player's tables in MiB. Read it with [`Settings::hash`].
    #[must_use]
    pub fn hash(self, default: i64, range: RangeInclusive<i64>) -> Self {
        self.spin(HASH, default, range)
    }

    /// A whole number (type spin). Read it with [`Settings::spin`].
    #[must_use]
    pub fn spin(self, name: &str, default: i64, range: RangeInclusive<i64>) -> Self {
        let (min, max) = range.into_inner();
        self.with(name, OptionKind::Spin { default: Some(default), min: Some(min), max: Some(max) })
    }

    /// Yes or no (type check). Read it with [`Settings::check`].
    #[must_use]
    pub fn check(self, name: &str, default: bool) -> Self {
        self.with(name, OptionKind::Check { default: Some(default) })
    }

    /// One of several words (type combo). Read it with [`Settings::text`].
    #[must_use]
    pub fn combo(self, name: &str, default: &str, values: &[&str]) -> Self {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        self.with(name, OptionKind::Combo { default: Some(default.to_owned()), values })
    }

    /// Any text on one line (type string). Read it with [`Settings::text`].
    #[must_use]
    pub fn string(self, name: &str, default: &str) -> Self {
        self.with(name, OptionKind::String { default: Some(default.to_owned()) })
    }

    /// An option of any kind.
    #[must_use]
    pub fn with(mut self, name: &str, kind: OptionKind) -> Self {
        self.0.push(OptionDecl { name: name.to_owned(), kind });
        self
    }
}

/// The values of the options: their defaults, or the values that the referee set.
#[derive(Clone, Debug)]
pub struct Settings {
    options: Vec<(OptionDecl, String)>,
}

impl Settings {
    /// The defaults of these options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let options = options.0.into_iter().map(|option| {
            let default = match &option.kind {
                OptionKind::Check { default } => default.unwrap_or_default().to_string(),
                OptionKind::Spin { default, .. } => default.unwrap_or_default().to_string(),
                OptionKind::Combo { default, .. } | OptionKind::String { default } => {
                    default.clone().unwrap_or_default()
                }
                OptionKind::Button | OptionKind::Other(_) => String::new(),
            };
            (option, default)
        });
        Self { options: options.collect() }
    }

    /// Sets the option `name`; upper and lower case are the same.
    ///
    /// # Errors
    /// [`OptionError`] if the engine declares no such option or the value does not fit; the settings stay
    /// unchanged.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let found = self.options.iter_mut().find(|(option, _)| option.name.eq_ignore_ascii_case(name));
        let Some((option, current)) = found else {
            let known = self.options.iter().map(|(option, _)| option.name.clone()).collect();
            return Err(OptionError::Undeclared { name: name.to_owned(), known });
        };
        let setting = option.setting(value)?;
        if option.name == BOARD_SIZE && size(value).is_none() {
            let wants = "4, 6 or 8".to_owned();
            return Err(OptionError::WrongType { name: setting.name, value: value.to_owned(), wants });
        }
        *current = setting.value.unwrap_or_default();
        Ok(())
    }

    /// The value of `Seed`; 0 if the engine declares none.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.find(SEED).and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    /// The variant; [`Variant::Othello`] if the engine declares no `Variant`.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.find(VARIANT).and_then(|value| value.parse().ok()).unwrap_or_default()
    }

    /// The position that `startpos` means: the start of the variant on the board size. In the historical
    /// game the board is empty.
    #[must_use]
    pub fn start(&self) -> Position {
        self.variant().start(self.board_size())
    }

    /// The board size of `startpos`: 8x8 if the engine declares no `BoardSize`. A position that is given
    /// square by square may have another size; use [`Position::size`].
    #[must_use]
    pub fn board_size(&self) -> BoardSize {
        self.find(BOARD_SIZE).and_then(size).unwrap_or_default()
    }

    /// True if the engine can play on this board size.
    pub(crate) fn plays_on(&self, size: BoardSize) -> bool {
        size == BoardSize::Eight || self.find(BOARD_SIZE).is_some()
    }

    /// The value of `Hash` in bytes; 0 if the engine declares none.
    #[must_use]
    pub fn hash(&self) -> usize {
        self.find(HASH).and_then(|value| value.parse::<usize>().ok()).unwrap_or(0) << 20
    }

    /// The value of a spin option.
    ///
    /// # Panics
    /// If the engine declares no such spin option.
    #[must_use]
    pub fn spin(&self, name: &str) -> i64 {
        self.declared(name).parse().expect("a spin option holds a number")
    }

    /// The value of a check option.
    ///
    /// # Panics
    /// If the engine declares no such option.
    #[must_use]
    pub fn check(&self, name: &str) -> bool {
        self.declared(name) == "true"
    }

    /// The value of a string or combo option.
    ///
    /// # Panics
    /// If the engine declares no such option.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.declared(name)
    }

    /// The declarations, in order.
    pub fn options(&self) -> impl Iterator<Item = &OptionDecl> {
        self.options.iter().map(|(option, _)| option)
    }

    fn find(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(option, _)| option.name == name).map(|(_, value)| value.as_str())
    }

    fn declared(&self, name: &str) -> &str {
        self.find(name)
            .unwrap_or_else(|| panic!("the engine reads option `{name}`, which it does not declare"))
    }
}

fn size(value: &str) -> Option<BoardSize> {
    BoardSize::try_from(value.parse::<u8>().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Settings {
        let options = Options::new().seed().variant().board_size().hash(4, 1..=64);
        let options = options.spin("Depth", 4, 1..=60).check("Book", true);
        Settings::new(options.combo("Style", "solid", &["solid", "wild"]).string("Log", ""))
    }

    #[test]
    fn defaults_hold_until_something_is_set() {
        let mut settings = all();
        assert_eq!((settings.seed(), settings.hash()), (0, 4 << 20));
        assert_eq!((settings.variant(), settings.board_size()), (Variant::Othello, BoardSize::Eight));
        assert_eq!((settings.spin("Depth"), settings.check("Book")), (4, true));
        assert_eq!((settings.text("Style"), settings.text("Log")), ("solid", ""));
        for (name, value) in [
            ("seed", "9007199254740991"),
            ("Variant", "Reversed"),
            ("BOARDSIZE", "6"),
            ("Depth", "12"),
            ("Book", "false"),
            ("Style", "wild"),
            ("Log", "a b"),
        ] {
            settings.set(name, value).unwrap();
        }
        assert_eq!(settings.seed(), (1 << 53) - 1);
        assert_eq!((settings.variant(), settings.board_size()), (Variant::Reversed, BoardSize::Six));
        assert_eq!((settings.spin("Depth"), settings.check("Book")), (12, false));
        assert_eq!((settings.text("Style"), settings.text("Log")), ("wild", "a b"));
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        let mut settings = all();
        for (name, value) in
            [("Depth", "0"), ("Depth", "x"), ("Style", "odd"), ("Threads", "2"), ("BoardSize", "9")]
        {
            assert!(settings.set(name, value).is_err(), "{name} {value}");
        }
        let error = settings.set("BoardSize", "5").unwrap_err().to_string();
        assert!(error.contains("4, 6 or 8"), "{error}");
        assert_eq!((settings.spin("Depth"), settings.board_size()), (4, BoardSize::Eight));
    }

    #[test]
    fn standard_options_need_not_be_declared() {
        let bare = Settings::new(Options::new());
        assert_eq!((bare.seed(), bare.variant(), bare.board_size()), (0, Variant::Othello, BoardSize::Eight));
        assert!(bare.plays_on(BoardSize::Eight) && !bare.plays_on(BoardSize::Six));
        assert!(all().plays_on(BoardSize::Six));
    }
}
