use super::{CopySpan, Index, SharedFlights};
use std::cell::Cell;

fn span(start: u64, bytes: u64) -> CopySpan {
    CopySpan { rank: None, start, bytes }
}

#[test]
fn spans_are_found_by_any_of_their_bytes() {
    let mut index = Index::default();
    let spans = [(0u64, 4u64), (4, 4), (100, 16), (1000, 4096), (5000, 1 << 20), (2_000_000, 1 << 27)];
    for (id, (start, bytes)) in spans.into_iter().enumerate() {
        index.insert(span(start, bytes), id as u64);
    }
    for at in (0..9000).chain([1_053_575, 1_053_576, 2_000_000, 130_000_000, 136_217_727, 136_217_728]) {
        let found: Vec<u64> = index.overlapping(at, 2, &Cell::new(0)).collect();
        let near = spans.iter().enumerate().filter(|(_, (s, b))| *s < at + 2 && s + b > at).map(|(i, _)| i as u64);
        let mut near: Vec<u64> = near.collect();
        let mut found = found;
        near.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, near, "at {at}");
    }
    index.remove(span(4, 4), 1);
    assert_eq!((index.overlapping(5, 1, &Cell::new(0)).count(), index.count), (0, 5));
}

#[test]
fn counters_say_where_to_look() {
    let mut flights = SharedFlights::default();
    for (id, start) in [(0, 16), (1, 20)] {
        flights.writes.insert(span(start, 4), id);
        flights.count(span(start, 4), true);
    }
    assert!(flights.touches(28, 4) && !flights.touches(32, 4) && !flights.touches(0, 16) && flights.touches(0, 17));
    flights.writes.remove(span(16, 4), 0);
    flights.count(span(16, 4), false);
    assert!(flights.touches(24, 1));
    flights.writes.remove(span(20, 4), 1);
    flights.count(span(20, 4), false);
    assert!(!flights.touches(16, 16) && flights.counters.is_empty());
}
