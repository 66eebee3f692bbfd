//! Where the tour is told: lines on standard output, with colours and moving pictures if that is a terminal.
//!
//! A **draft** is a picture that is not final yet, or a word about what goes on. The next draft or line takes
//! its place.
//!
//! # Invariants
//! I1 Without a terminal there is no escape code and no draft: what is printed stays.
//! I2 After every call the cursor is at the begin of a line, and no colour is on. So Ctrl-C may end the
//!    program at any time and the terminal is as it was.

use std::env;
use std::io::{self, Write};

/// No line is wider.
pub const COLUMNS: usize = 80;

/// What a text is, hence how it is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Heading,
    /// What counts.
    Strong,
    /// What may be skipped.
    Faint,
    /// Work of the worker that does it.
    Own,
    /// Work that was another worker's.
    Away,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Heading => "1;36",
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Own => "32",
            Style::Away => "33",
        }
    }
}

pub struct Screen<'s> {
    to: Box<dyn Write + 's>,
    live: bool,
    colours: bool,
    /// Lines of the draft that is shown.
    drafted: usize,
}

impl Screen<'static> {
    /// Standard output, as it is.
    pub fn stdout() -> Self {
        let term = console::Term::stdout();
        let is_capable = term.is_term() && env::var_os("TERM").is_none_or(|term| term != "dumb");
        // A line that wraps would be two, and a draft could not be taken back.
        let is_wide = term.size_checked().is_some_and(|(_, columns)| usize::from(columns) >= COLUMNS);
        let no_colour = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colours = is_capable && !no_colour && term.features().colors_supported();
        Self { to: Box::new(io::stdout()), live: is_capable && is_wide, colours, drafted: 0 }
    }
}

impl Screen<'_> {
    #[cfg(test)]
    pub fn new<'s>(to: impl Write + 's, live: bool, colours: bool) -> Screen<'s> {
        Screen { to: Box::new(to), live, colours, drafted: 0 }
    }

    pub fn paint(&self, style: Style, text: &str) -> String {
        if !self.colours || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", style.code())
    }

    /// Prints a line, or several.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        let drafted = std::mem::take(&mut self.drafted);
        let text = format!("{}{text}\n", back(drafted));
        self.to.write_all(text.as_bytes())?;
        self.to.flush()
    }

    pub fn heading(&mut self, text: &str) -> io::Result<()> {
        let text = self.paint(Style::Heading, text);
        self.print(&format!("\n{text}\n"))
    }

    /// Shows `text` until something else is printed or shown.
    pub fn draft(&mut self, text: &str) -> io::Result<()> {
        if !self.live {
            return Ok(());
        }
        self.print(text)?;
        self.drafted = text.lines().count();
        Ok(())
    }
}

/// Moves back over so many lines and wipes them.
fn back(lines: usize) -> String {
    if lines == 0 { String::new() } else { format!("\x1b[{lines}A\x1b[J") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(live: bool, colours: bool, tell: impl FnOnce(&mut Screen<'_>) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        tell(&mut Screen::new(&mut bytes, live, colours)).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_draft_is_wiped_by_what_comes_next() {
        let text = shown(true, false, |screen| {
            screen.draft("one\ntwo")?;
            screen.draft("three")?;
            screen.print("done")?;
            screen.print("end")
        });
        assert_eq!(text, "one\ntwo\n\x1b[2A\x1b[Jthree\n\x1b[1A\x1b[Jdone\nend\n");
    }

    #[test]
    fn without_a_terminal_nothing_but_text_is_printed() {
        let text = shown(false, false, |screen| {
            screen.draft("soon")?;
            let text = screen.paint(Style::Strong, "done");
            screen.print(&text)
        });
        assert_eq!(text, "done\n");
    }

    #[test]
    fn a_colour_ends_where_its_text_ends() {
        let text = shown(false, true, |screen| {
            let text = screen.paint(Style::Own, "mine");
            screen.print(&text)
        });
        assert_eq!(text, "\x1b[32mmine\x1b[0m\n");
    }
}
