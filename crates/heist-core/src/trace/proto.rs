//! As much of the encoding of protocol buffers as an export takes.
//!
//! A message is a sequence of fields, each a number and a type in one varint, then the value. A message in
//! another has its length before it; so it is written on its own first.

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const BYTES: u32 = 2;

/// A message, in bytes.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn uint(mut self, field: u32, value: u64) -> Self {
        self.tag(field, VARINT);
        self.varint(value);
        self
    }

    pub(super) fn fixed64(mut self, field: u32, value: u64) -> Self {
        self.tag(field, FIXED64);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(super) fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub(super) fn message(self, field: u32, value: &Message) -> Self {
        self.bytes(field, &value.0)
    }

    /// What `add` makes of it, if there is a value.
    pub(super) fn maybe<T>(self, value: Option<T>, add: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => add(self, value),
            None => self,
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        self.tag(field, BYTES);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    fn tag(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    /// Seven bits a byte, the lowest first; the eighth says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_a_byte_for_each_seven_bits() {
        assert_eq!(Message::default().uint(1, 0).as_bytes(), [0x08, 0]);
        assert_eq!(Message::default().uint(1, 127).as_bytes(), [0x08, 0x7f]);
        assert_eq!(Message::default().uint(1, 300).as_bytes(), [0x08, 0xac, 0x02]);
        let longest = Message::default().uint(1, u64::MAX);
        assert_eq!(longest.as_bytes(), [&[0x08][..], &[0xff; 9], &[0x01]].concat());
    }

    #[test]
    fn a_field_with_a_high_number_has_a_longer_tag() {
        assert_eq!(Message::default().uint(60, 1).as_bytes(), [0xe0, 0x03, 1]);
    }

    #[test]
    fn messages_and_texts_have_their_length_before_them() {
        let inner = Message::default().text(2, "van");
        let outer = Message::default().message(3, &inner).fixed64(1, 258);
        assert_eq!(outer.as_bytes(), b"\x1a\x05\x12\x03van\x09\x02\x01\0\0\0\0\0\0");
    }
}
