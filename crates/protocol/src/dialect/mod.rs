//! The referee's side of each protocol. A dialect is text to and from the same few messages, in
//! one file; adding one takes that file and its place in the list below. Nothing else names it.

mod cassio;
mod gtp;
mod line;
mod nboard;
mod sent_position;
mod uci;
mod uci_like;
mod uci_like_probes;
mod ugi;

use std::fmt;
use std::str::FromStr;

use clock::TimeControl;
use rules::{BoardSize, Ply, Position, Variant};

use crate::framing::quote;
use crate::message::{ExpectsReply, Identity, Request, Response};
use crate::probe::ProtocolChecks;

/// The protocols there are, in the order in which they are named to the user and tried when none
/// is named.
static PROTOCOLS: &[&Protocol] =
    &[&ugi::PROTOCOL, &gtp::PROTOCOL, &nboard::PROTOCOL, &line::PROTOCOL, &cassio::PROTOCOL, &uci::PROTOCOL];

/// One engine's dialogue in one protocol. It holds what the dialogue has come to, but no pipe and
/// no clock: questions go in, text comes out; lines go in, their meaning comes out.
pub trait Dialect: fmt::Debug + Send {
    /// Appends what is to be sent to the engine, and says whether an answer is to be waited for.
    /// Until it has come, nothing else is asked but [`Request::Stop`] and [`Request::Quit`].
    fn write_request(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> ExpectsReply;

    /// Takes one line from the engine. May append what has to be sent at once.
    fn parse_line(&mut self, line: &str, out: &mut Vec<u8>) -> Response;

    /// Who the engine said it is; complete once the greeting is answered.
    fn identity(&self) -> &Identity;

    /// Why the engine, by its protocol or by what it declared, can't play this variant from this
    /// position; `None` if it can.
    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String>;

    /// Why the engine, by its protocol or by what it declared, is not told of this limit on its
    /// thinking, and what limits it instead; `None` if it is told.
    fn unsupported_time_control(&self, time: TimeControl) -> Option<String>;

    /// Whether this line, in answer to the greeting, shows that the engine speaks something else.
    fn shows_other_protocol(&self, _line: &str) -> bool {
        false
    }
}

/// The reply that an engine owes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Awaiting {
    #[default]
    Nothing,
    /// The end of its answer to the handshake.
    Handshake,
    /// That it has done what it was told, and is ready.
    Ready,
    /// Its move.
    Move,
}

/// A square in either case, or the word `pass`. [`Ply`]'s own parser knows more words for a pass.
fn parse_ply(word: &str) -> Option<Ply> {
    if word.eq_ignore_ascii_case("pass") { Some(Ply::Pass) } else { word.parse().ok().map(Ply::Place) }
}

/// The response where a move was wanted and `text` came.
fn unreadable_move(text: &str) -> Response {
    Response::Unreadable(format!("cannot read {} as a move", quote(text)))
}

/// [`Dialect::cannot_play`] for protocols that know one variant and one board, but any position.
fn only_othello_8x8(protocol: &str, variant: Variant, start: &Position) -> Option<String> {
    let fits = variant == Variant::Othello && start.size() == BoardSize::Eight;
    (!fits).then(|| format!("its protocol, {protocol}, knows only Othello on 8x8"))
}

/// What there is to know of a protocol before a dialogue begins. Each dialect's file holds its own.
pub struct Protocol {
    /// The word for it in definitions.
    name: &'static str,
    /// What it is, in a few words.
    about: &'static str,
    /// Whether options can be set in it.
    has_options: bool,
    /// Whether an engine that speaks it can be told from others by its answer to the greeting.
    is_detectable: bool,
    /// The ways in which an engine may be told its time, the default first.
    clock_styles: &'static [ClockStyle],
    /// What an engine that speaks it can be tried with.
    checks: ProtocolChecks,
    /// A fresh dialogue.
    new_dialect: fn(ClockStyle) -> Box<dyn Dialect>,
}

/// How an engine is told its time, where its protocol leaves a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClockStyle {
    /// As its protocol has it.
    #[default]
    Protocol,
    /// Clocks for the whole game only, without their increments.
    SuddenDeath,
    /// Main time and increment, in the places of main time and overtime.
    Fischer,
    /// Not at all: its own arguments limit it.
    None,
}

impl ClockStyle {
    const ALL: [Self; 4] = [Self::Protocol, Self::SuddenDeath, Self::Fischer, Self::None];

    /// The word for it in definitions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::SuddenDeath => "sudden-death",
            Self::Fischer => "fischer",
            Self::None => "none",
        }
    }
}

impl fmt::Display for ClockStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ClockStyle {
    type Err = String;

    /// # Errors
    /// A sentence that names the ways there are.
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, Self::ALL, Self::name, "a way to tell the clock")
    }
}

/// A protocol, by its place in the list of them.
#[derive(Clone, Copy)]
pub struct ProtocolId(&'static Protocol);

impl ProtocolId {
    /// All protocols, in the order in which they are named to the user.
    pub fn all() -> impl Iterator<Item = Self> {
        PROTOCOLS.iter().map(|&protocol| Self(protocol))
    }

    /// Those that are tried, in this order, with an engine of which it is not said what it speaks.
    pub fn detectable() -> impl Iterator<Item = Self> {
        Self::all().filter(|kind| kind.0.is_detectable)
    }

    /// A fresh dialogue in this protocol.
    #[must_use]
    pub fn new_dialect(self, clock_style: ClockStyle) -> Box<dyn Dialect> {
        (self.0.new_dialect)(clock_style)
    }

    /// Whether options can be set in this protocol.
    #[must_use]
    pub fn has_options(self) -> bool {
        self.0.has_options
    }

    /// The ways in which an engine may be told its time, the default first.
    #[must_use]
    pub fn clock_styles(self) -> &'static [ClockStyle] {
        self.0.clock_styles
    }

    /// What an engine that speaks it can be tried with.
    #[must_use]
    pub fn checks(self) -> &'static ProtocolChecks {
        &self.0.checks
    }

    /// The word for it in definitions.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is, in a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.0.about
    }
}

impl Default for ProtocolId {
    fn default() -> Self {
        Self(PROTOCOLS[0])
    }
}

impl PartialEq for ProtocolId {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for ProtocolId {}

impl fmt::Debug for ProtocolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProtocolId({})", self.name())
    }
}

impl fmt::Display for ProtocolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ProtocolId {
    type Err = String;

    /// # Errors
    /// A sentence that names the protocols there are.
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, Self::all(), Self::name, "a protocol")
    }
}

/// What a definition says of an engine's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolChoice {
    /// This one.
    Named(ProtocolId),
    /// Whichever it is found to speak.
    Auto,
}

impl ProtocolChoice {
    const AUTO: &'static str = "auto";

    /// Whether options can be set, as far as is known.
    #[must_use]
    pub fn may_have_options(self) -> bool {
        match self {
            Self::Named(kind) => kind.has_options(),
            Self::Auto => true,
        }
    }

    /// Whether an engine can be told its time in this way, as far as is known.
    #[must_use]
    pub fn allows_clock_style(self, clock_style: ClockStyle) -> bool {
        match self {
            Self::Named(kind) => kind.clock_styles().contains(&clock_style),
            Self::Auto => true,
        }
    }

    /// The protocols to try, in this order.
    #[must_use]
    pub fn candidates(self) -> Vec<ProtocolId> {
        match self {
            Self::Named(kind) => vec![kind],
            Self::Auto => ProtocolId::detectable().collect(),
        }
    }
}

impl Default for ProtocolChoice {
    fn default() -> Self {
        Self::Named(ProtocolId::default())
    }
}

impl fmt::Display for ProtocolChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(kind) => kind.fmt(f),
            Self::Auto => f.write_str(Self::AUTO),
        }
    }
}

impl FromStr for ProtocolChoice {
    type Err = String;

    /// # Errors
    /// A sentence that names the protocols there are.
    fn from_str(text: &str) -> Result<Self, String> {
        let all = ProtocolId::all().map(Self::Named).chain([Self::Auto]);
        let name = |choice: Self| match choice {
            Self::Named(kind) => kind.name(),
            Self::Auto => Self::AUTO,
        };
        named(text, all, name, "a protocol")
    }
}

/// The one of these that has this name.
fn named<T: Copy>(
    text: &str,
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'static str,
    what: &str,
) -> Result<T, String> {
    let all: Vec<T> = all.into_iter().collect();
    let found = all.iter().find(|&&each| name(each) == text);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&each| name(each)).collect();
        format!("`{text}` is not {what}; there is {}", names.join(", "))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use rules::{BoardSize, ByColor, Color};

    use super::*;
    use crate::message::{Go, NewGame, PlayedPly};

    /// What a dialect sends when asked this.
    pub(crate) fn asked(dialect: &mut dyn Dialect, request: &Request<'_>) -> String {
        let mut out = Vec::new();
        dialect.write_request(request, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    /// What a dialect makes of a line, and what it sends at once.
    pub(crate) fn heard(dialect: &mut dyn Dialect, line: &str) -> (Response, String) {
        let mut out = Vec::new();
        let heard = dialect.parse_line(line, &mut out);
        (heard, String::from_utf8(out).expect("UTF-8"))
    }

    /// A game of Othello on eight by eight, the engine being this colour, both sides limited so.
    pub(crate) fn game(color: Color, time: &str) -> NewGame<'static> {
        let time: TimeControl = time.parse().expect("a time control");
        NewGame {
            variant: Variant::Othello,
            start: Position::start(BoardSize::Eight),
            seed: 7,
            color,
            names: ByColor::new("a", "b"),
            time: ByColor::new(time, time),
        }
    }

    /// Plies, each of which took a second and a half.
    pub(crate) fn played(text: &str) -> Vec<PlayedPly> {
        let spent = |ply| if ply == rules::Ply::Pass { Duration::ZERO } else { Duration::from_millis(1500) };
        let read = |word: &str| word.parse().expect(word);
        text.split_whitespace().map(read).map(|ply| PlayedPly { ply, spent: spent(ply) }).collect()
    }

    /// A clock of this many seconds for each side, without increment.
    pub(crate) fn clocks(black: f64, white: f64) -> Go {
        let time = ByColor::new(black, white).map(Duration::from_secs_f64);
        Go::Clock { time, increment: ByColor::new(Duration::ZERO, Duration::ZERO) }
    }

    #[test]
    fn names_are_unlike_and_read_back() {
        for kind in ProtocolId::all() {
            assert_eq!(kind.name().parse::<ProtocolId>(), Ok(kind));
            assert_eq!(kind.to_string().parse::<ProtocolChoice>(), Ok(ProtocolChoice::Named(kind)));
            assert!(
                !kind.about().is_empty() && kind.clock_styles().first() == Some(&ClockStyle::Protocol),
                "{kind}"
            );
            assert_eq!(ProtocolId::all().filter(|other| other.name() == kind.name()).count(), 1, "{kind}");
        }
        assert_eq!("auto".parse::<ProtocolChoice>(), Ok(ProtocolChoice::Auto));
        let refused = "uugi".parse::<ProtocolChoice>().expect_err("no such protocol");
        assert!(refused.starts_with("`uugi` is not a protocol; there is ugi, gtp"), "{refused}");
        for clock_style in ClockStyle::ALL {
            assert_eq!(clock_style.to_string().parse::<ClockStyle>(), Ok(clock_style));
        }
    }

    #[test]
    fn probes_are_whole_lines_and_wait_for_an_answer() {
        for kind in ProtocolId::all() {
            for probe in kind.checks().probes {
                assert!(probe.send.ends_with('\n'), "{kind}: {}", probe.name);
                assert_eq!((probe.expect)(&[]), None, "{kind}: {}", probe.name);
                assert_eq!((probe.expect)(&[String::new()]), None, "{kind}: {}", probe.name);
            }
        }
    }
}
