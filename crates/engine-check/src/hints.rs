//! Hints for faults that may happen in any check.

pub(crate) const SILENT: &str = "start it in a terminal and type the lines marked > yourself. If the answer comes there, flush standard output \
         after each line (a pipe holds lines back, a terminal does not) and end each line with a newline";
pub(crate) const GONE: &str =
    "start it in a terminal and type the lines marked > yourself to see where it ends, and with what message";
pub(crate) const ILLEGAL: &str = "its board differs from the real one. Print it after the moves above and find the first that it gets \
         wrong: discs turned in all eight directions? passes counted as plies? rows counted from the top?";
pub(crate) const UNREADABLE: &str =
    "answer by a column a-h and a row 1-8, as in `d3`, in the way its protocol has it and nothing else";
