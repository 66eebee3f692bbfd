//! [`Ready`] and [`Interest`]: what a thing is ready for, and what somebody wants it to be ready for.

use std::{
    fmt,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign},
};

const READABLE: usize = 1;
const WRITABLE: usize = 1 << 1;
const READ_CLOSED: usize = 1 << 2;
const WRITE_CLOSED: usize = 1 << 3;
const PRIORITY: usize = 1 << 4;
const ERROR: usize = 1 << 5;
const ALL: usize = (1 << 6) - 1;

/// No more events will come.
pub(super) const ENDED: usize = 1 << 6;
/// One event, in the count of them.
pub(super) const TICK: usize = 1 << 7;
/// What is never cleared.
pub(super) const CLOSED: usize = READ_CLOSED | WRITE_CLOSED | ENDED;

/// What a socket, or something else that can be waited for, is ready for.
///
/// ```
/// use heist_rt::io::Ready;
///
/// let ready = Ready::READABLE | Ready::WRITE_CLOSED;
/// assert!(ready.is_readable());
/// // To write to what is closed does not block.
/// assert!(ready.is_writable() && ready.is_write_closed());
/// assert_eq!(ready - Ready::READABLE, Ready::WRITE_CLOSED);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ready(usize);

impl Ready {
    /// Nothing.
    pub const EMPTY: Ready = Ready(0);
    /// There is something to read, or to accept.
    pub const READABLE: Ready = Ready(READABLE);
    /// There is room to write.
    pub const WRITABLE: Ready = Ready(WRITABLE);
    /// The other side will send no more.
    pub const READ_CLOSED: Ready = Ready(READ_CLOSED);
    /// The other side will take no more.
    pub const WRITE_CLOSED: Ready = Ready(WRITE_CLOSED);
    /// There is something urgent.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const PRIORITY: Ready = Ready(PRIORITY);
    /// Something went wrong.
    pub const ERROR: Ready = Ready(ERROR);
    /// All of the above.
    pub const ALL: Ready = Ready(ALL);

    pub(super) const fn from_bits(bits: usize) -> Self {
        Ready(bits & ALL)
    }

    pub(super) const fn bits(self) -> usize {
        self.0
    }

    /// What an event says. Whatever is tried after an error returns at once, with that error.
    #[cfg(not(heist_loom))]
    pub(crate) fn of(event: &mio::event::Event) -> Self {
        let bits = [
            (event.is_readable(), READABLE),
            (event.is_writable(), WRITABLE),
            (event.is_read_closed(), READ_CLOSED),
            (event.is_write_closed(), WRITE_CLOSED),
            (event.is_priority(), PRIORITY),
            (event.is_error(), ERROR | READABLE | WRITABLE),
        ];
        Ready(bits.iter().filter(|(is_set, _)| *is_set).fold(0, |ready, (_, bit)| ready | bit))
    }

    /// Whether it is ready for nothing.
    pub fn is_empty(self) -> bool {
        self == Ready::EMPTY
    }

    /// Whether reading would not block: there is something, or there never will be.
    pub fn is_readable(self) -> bool {
        self.0 & (READABLE | READ_CLOSED) != 0
    }

    /// Whether writing would not block: there is room, or there never will be.
    pub fn is_writable(self) -> bool {
        self.0 & (WRITABLE | WRITE_CLOSED) != 0
    }

    /// Whether the other side will send no more.
    pub fn is_read_closed(self) -> bool {
        self.0 & READ_CLOSED != 0
    }

    /// Whether the other side will take no more.
    pub fn is_write_closed(self) -> bool {
        self.0 & WRITE_CLOSED != 0
    }

    /// Whether there is something urgent.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn is_priority(self) -> bool {
        self.0 & PRIORITY != 0
    }

    /// Whether something went wrong.
    pub fn is_error(self) -> bool {
        self.0 & ERROR != 0
    }
}

impl BitOr for Ready {
    type Output = Ready;

    fn bitor(self, other: Ready) -> Ready {
        Ready(self.0 | other.0)
    }
}

impl BitOrAssign for Ready {
    fn bitor_assign(&mut self, other: Ready) {
        *self = *self | other;
    }
}

impl BitAnd for Ready {
    type Output = Ready;

    fn bitand(self, other: Ready) -> Ready {
        Ready(self.0 & other.0)
    }
}

impl BitAndAssign for Ready {
    fn bitand_assign(&mut self, other: Ready) {
        *self = *self & other;
    }
}

impl Sub for Ready {
    type Output = Ready;

    fn sub(self, other: Ready) -> Ready {
        Ready(self.0 & !other.0)
    }
}

impl SubAssign for Ready {
    fn sub_assign(&mut self, other: Ready) {
        *self = *self - other;
    }
}

/// What somebody waits for. Never nothing.
///
/// ```
/// use heist_rt::io::Interest;
///
/// let both = Interest::READABLE | Interest::WRITABLE;
/// assert!(both.is_readable() && both.is_writable());
/// assert_eq!(both.remove(Interest::WRITABLE), Some(Interest::READABLE));
/// assert_eq!(Interest::READABLE.remove(Interest::READABLE), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Interest(usize);

impl Interest {
    /// To read, or to accept; that includes the end of what there is to read.
    pub const READABLE: Interest = Interest(READABLE);
    /// To write; that includes that nobody takes it any more.
    pub const WRITABLE: Interest = Interest(WRITABLE);
    /// To read what is urgent.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const PRIORITY: Interest = Interest(PRIORITY);
    /// To hear of errors.
    pub const ERROR: Interest = Interest(ERROR);

    /// The bits of readiness that satisfy it.
    pub(super) const fn bits(self) -> usize {
        let mut bits = self.0;
        if bits & (READABLE | PRIORITY) != 0 {
            bits |= READ_CLOSED;
        }
        if bits & WRITABLE != 0 {
            bits |= WRITE_CLOSED;
        }
        bits
    }

    /// What to ask the system for. It reports errors unasked, but has to be asked for something.
    #[cfg(not(heist_loom))]
    pub(crate) fn to_mio(self) -> mio::Interest {
        let kinds = [
            (self.is_readable(), mio::Interest::READABLE),
            (self.is_writable(), mio::Interest::WRITABLE),
            #[cfg(any(target_os = "linux", target_os = "android"))]
            (self.is_priority(), mio::Interest::PRIORITY),
        ];
        let wanted = kinds.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, kind)| kind);
        wanted.reduce(mio::Interest::add).unwrap_or(mio::Interest::READABLE)
    }

    /// Whether it includes reading.
    pub const fn is_readable(self) -> bool {
        self.0 & READABLE != 0
    }

    /// Whether it includes writing.
    pub const fn is_writable(self) -> bool {
        self.0 & WRITABLE != 0
    }

    /// Whether it includes what is urgent.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub const fn is_priority(self) -> bool {
        self.0 & PRIORITY != 0
    }

    /// Whether it includes errors.
    pub const fn is_error(self) -> bool {
        self.0 & ERROR != 0
    }

    /// Both.
    #[must_use]
    pub const fn add(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }

    /// This without the other, if that leaves something.
    pub const fn remove(self, other: Interest) -> Option<Interest> {
        match self.0 & !other.0 {
            0 => None,
            left => Some(Interest(left)),
        }
    }
}

impl BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        self.add(other)
    }
}

impl BitOrAssign for Interest {
    fn bitor_assign(&mut self, other: Interest) {
        *self = *self | other;
    }
}

const NAMES: [(usize, &str); 6] = [
    (READABLE, "READABLE"),
    (WRITABLE, "WRITABLE"),
    (READ_CLOSED, "READ_CLOSED"),
    (WRITE_CLOSED, "WRITE_CLOSED"),
    (PRIORITY, "PRIORITY"),
    (ERROR, "ERROR"),
];

fn names(bits: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut separator = "";
    for (bit, name) in NAMES {
        if bits & bit != 0 {
            write!(f, "{separator}{name}")?;
            separator = " | ";
        }
    }
    if bits == 0 { f.write_str("EMPTY") } else { Ok(()) }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        names(self.0, f)
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        names(self.0, f)
    }
}
