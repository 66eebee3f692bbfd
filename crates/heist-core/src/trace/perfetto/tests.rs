//! What was written, read back: fields by name, messages by indentation.

use super::*;
use crate::trace::made_up::{example, trace};
use std::fmt::Write as _;

/// The fields of a message, each with its name, and with the message that it holds if it does.
type Schema = &'static [(u32, &'static str, Option<&'static Fields>)];

struct Fields(Schema);

const TRACE: Fields = Fields(&[(1, "packet", Some(&PACKET))]);
const PACKET: Fields = Fields(&[
    (8, "timestamp", None),
    (10, "trusted_packet_sequence_id", None),
    (11, "track_event", Some(&EVENT)),
    (13, "sequence_flags", None),
    (60, "track_descriptor", Some(&TRACK)),
]);
const TRACK: Fields = Fields(&[
    (1, "uuid", None),
    (2, "name", None),
    (3, "process", Some(&Fields(&[(1, "pid", None), (6, "process_name", None)]))),
    (4, "thread", Some(&Fields(&[(1, "pid", None), (2, "tid", None), (5, "thread_name", None)]))),
    (5, "parent_uuid", None),
    (8, "counter", Some(&Fields(&[(3, "unit", None)]))),
]);
const EVENT: Fields = Fields(&[
    (4, "debug_annotations", Some(&Fields(&[(3, "uint_value", None), (10, "name", None)]))),
    (9, "type", None),
    (11, "track_uuid", None),
    (22, "categories", None),
    (23, "name", None),
    (30, "counter_value", None),
    (47, "flow_ids", None),
]);

fn varint(bytes: &mut &[u8]) -> u64 {
    let length = 1 + bytes.iter().position(|byte| byte & 0x80 == 0).expect("a last byte");
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    number.iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f))
}

/// Lists the fields of a message, those of the messages in it in the same line.
fn decode(mut bytes: &[u8], fields: &Fields, listing: &mut String) {
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let known = fields.0.iter().find(|field| u64::from(field.0) == tag >> 3);
        let (_, name, inner) = known.unwrap_or_else(|| panic!("field {} is not known", tag >> 3));
        write!(listing, " {name}").unwrap();
        match (tag & 7, inner) {
            (0, None) => write!(listing, "={}", varint(&mut bytes)).unwrap(),
            (1, None) => {
                let (value, rest) = bytes.split_first_chunk().expect("eight bytes");
                write!(listing, "={}", u64::from_le_bytes(*value)).unwrap();
                bytes = rest;
            }
            (2, inner) => {
                let length = usize::try_from(varint(&mut bytes)).expect("a length");
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                match inner {
                    None => write!(listing, "={:?}", std::str::from_utf8(value).expect("text")).unwrap(),
                    Some(inner) => {
                        listing.push_str(" {");
                        decode(value, inner, listing);
                        listing.push_str(" }");
                    }
                }
            }
            (wire_type, _) => panic!("{name} has type {wire_type}"),
        }
    }
}

/// A line for each packet.
fn listed(trace: &Trace) -> String {
    let mut file = Vec::new();
    trace.write_perfetto(&mut file).expect("a vector takes everything");
    let mut listing = String::new();
    decode(&file, &TRACE, &mut listing);
    listing.trim_start().replace(" packet {", "\npacket {") + "\n"
}

#[test]
fn the_example_is_written_as_it_was() {
    let listed = listed(&example());
    assert_eq!(listed, include_str!("../golden/example.pftrace.txt"), "\n{listed}");
}

#[test]
fn nothing_is_a_process_with_its_workers() {
    let listed = listed(&trace(&[&[], &[]]));
    assert_eq!(listed.lines().count(), 1 + 2 * 2, "{listed}");
    assert!(listed.contains("worker 1"), "{listed}");
}

#[test]
fn a_file_that_takes_no_more_is_an_error() {
    let mut full = [0; 100];
    let error = example().write_perfetto(&mut full[..]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WriteZero);
}
