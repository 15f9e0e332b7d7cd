//! The 64 bits of an mbarrier object.
//!
//! The manual calls them opaque. The positions of the counts are those that ptxas 13.5 shows for `sm_90` and `sm_107f`: `mbarrier.init`
//! becomes a store of these bits, and `mbarrier.pending_count` and the waits become tests of them. Counts of arrivals are stored as
//! negative numbers, so that the last arrival carries into the phase.
//!
//! | bits | original layout | `.layout::v1` |
//! |---|---|---|
//! | 0 | 0 | 1 |
//! | expected | 1 … 20: 2^20 − count | 4 … 12: 2^9 − count |
//! | 21 … 41 | transactions, two's complement | the same |
//! | pending | 43 … 62: 2^20 − count, 0 for none | 43 … 51: 2^9 − count, 0 for none |
//! | 63 | parity of the phase | the same |
//!
//! No instruction shows the position of the transactions, so it is chosen freely. In a state that an arrival returns, these bits hold the
//! lowest 21 bits of the phase number instead.

/// Width of the transaction count in bits, including its sign.
const TX_BITS: u32 = 21;
const TX_AT: u32 = 21;
const PENDING_AT: u32 = 43;
const PHASE_AT: u32 = 63;

/// The largest transaction count in either direction (manual, "Contents of the mbarrier object").
pub(crate) const TX_LIMIT: i64 = (1 << 20) - 1;

/// The rule that a change of an mbarrier breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProtocolViolation {
    /// More arrivals (first number) than are pending (second number).
    Arrivals(u32, u32),
    /// The arrival completes the phase, although it promises that it does not.
    Completes,
    /// The transaction count would become this number, which is out of range.
    Transactions(i64),
    /// The count of pending or expected arrivals would become this number, which is out of range.
    Count(i64),
}

/// An mbarrier object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object {
    /// The object has `.layout::v1`.
    pub reports: bool,
    /// The parity of the current phase.
    pub parity: bool,
    /// Arrivals that each phase expects.
    pub expected: u32,
    /// Arrivals that the current phase still waits for.
    pub pending: u32,
    /// Transactions that the current phase waits for.
    pub tx: i32,
}

impl Object {
    /// A new object that expects `count` arrivals in each phase.
    pub(crate) fn new(reports: bool, count: u32) -> Self {
        Self { reports, parity: false, expected: count, pending: count, tx: 0 }
    }

    /// The number of values that a count of arrivals can have.
    fn limit(&self) -> u32 {
        if self.reports { 1 << 9 } else { 1 << 20 }
    }

    /// The largest count of arrivals.
    pub(crate) fn most(&self) -> u32 {
        self.limit() - 1
    }

    /// Decodes an object.
    pub(crate) fn from_bits(bits: u64) -> Self {
        let reports = bits & 1 != 0;
        let limit = if reports { 1 << 9 } else { 1 << 20 };
        let count = |at: u32| limit - ((bits >> at) as u32 & (limit - 1));
        let tx = (bits << (64 - TX_AT - TX_BITS)) as i64 >> (64 - TX_BITS);
        Self {
            reports,
            parity: bits >> PHASE_AT != 0,
            expected: count(if reports { 4 } else { 1 }) & (limit - 1),
            pending: count(PENDING_AT) & (limit - 1),
            tx: tx as i32,
        }
    }

    /// Encodes the object.
    pub(crate) fn bits(&self) -> u64 {
        let limit = self.limit();
        let count = |count: u32| u64::from(limit.wrapping_sub(count) & (limit - 1));
        let tx = u64::from(self.tx as u32 & ((1 << TX_BITS) - 1));
        u64::from(self.reports)
            | count(self.expected) << if self.reports { 4 } else { 1 }
            | tx << TX_AT
            | count(self.pending) << PENDING_AT
            | u64::from(self.parity) << PHASE_AT
    }

    /// The state that an arrival in the phase with number `phase` returns.
    pub(crate) fn state(&self, phase: u64) -> u64 {
        let tx = ((1 << TX_BITS) - 1) << TX_AT;
        (self.bits() & !tx) | (phase << TX_AT & tx)
    }

    /// Counts arrivals. Arrivals beyond the pending ones have no effect.
    pub(crate) fn arrive(&mut self, count: u32) -> Result<(), ProtocolViolation> {
        let pending = self.pending;
        self.pending = pending.saturating_sub(count);
        if count > pending { Err(ProtocolViolation::Arrivals(count, pending)) } else { Ok(()) }
    }

    /// Adds pending arrivals to this phase.
    pub(crate) fn await_more(&mut self, count: u32) -> Result<(), ProtocolViolation> {
        let sum = u64::from(self.pending) + u64::from(count);
        self.pending = sum.min(self.most().into()) as u32;
        if sum > self.most().into() { Err(ProtocolViolation::Count(sum as i64)) } else { Ok(()) }
    }

    /// Reduces the number of arrivals that phases from the next one on expect.
    pub(crate) fn drop_expected(&mut self, count: u32) -> Result<(), ProtocolViolation> {
        let left = i64::from(self.expected) - i64::from(count);
        self.expected = left.max(0) as u32;
        if left < 0 { Err(ProtocolViolation::Count(left)) } else { Ok(()) }
    }

    /// Changes the transaction count, which stays in its range.
    pub(crate) fn transact(&mut self, change: i64) -> Result<(), ProtocolViolation> {
        let sum = i64::from(self.tx) + change;
        self.tx = sum.clamp(-TX_LIMIT, TX_LIMIT) as i32;
        if sum.abs() > TX_LIMIT { Err(ProtocolViolation::Transactions(sum)) } else { Ok(()) }
    }

    /// Starts the next phase if nothing is pending, and returns whether it did.
    pub(crate) fn turn(&mut self) -> bool {
        let over = self.pending == 0 && self.tx == 0;
        if over {
            self.pending = self.expected;
            self.parity = !self.parity;
        }
        over
    }
}

/// The lowest 21 bits of the phase number in a state.
pub(crate) fn phase_of_state(state: u64) -> u64 {
    state >> TX_AT & ((1 << TX_BITS) - 1)
}

/// The number of phases by which a state is older than a phase, modulo 2^21.
pub(crate) fn age(state: u64, phase: u64) -> u64 {
    phase.wrapping_sub(phase_of_state(state)) & ((1 << TX_BITS) - 1)
}

/// The parity of the phase that a state names.
pub(crate) fn parity_of_state(state: u64) -> bool {
    state >> PHASE_AT != 0
}

/// `mbarrier.pending_count`, as ptxas expands it for `sm_90`.
pub(crate) fn pending_of_state(state: u64) -> u32 {
    (1 << 20) - ((state >> PENDING_AT) as u32 & 0xf_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_that_the_assembler_stores() {
        // ptxas 13.5: low word (0x100000 - n) << 1, high word (0x100000 - n) << 11; of `.layout::v1` (0x200 - n) << 4 | 1, (0x200 - n) << 11.
        for n in [1u32, 5, 32, 1000, 0xf_ffff] {
            let word = 0x10_0000 - n;
            assert_eq!(Object::new(false, n).bits(), u64::from(word << 1) | u64::from(word << 11) << 32);
        }
        for n in [1u32, 5, 511] {
            let word = 0x200 - n;
            assert_eq!(Object::new(true, n).bits(), u64::from(word << 4 | 1) | u64::from(word << 11) << 32);
        }
    }

    #[test]
    fn every_object_survives_its_bits() {
        for reports in [false, true] {
            for expected in [0u32, 1, 2, 300, 511] {
                for pending in [0u32, 1, 77, 511] {
                    for tx in [0, 1, -1, 4096, -(TX_LIMIT as i32), TX_LIMIT as i32] {
                        for parity in [false, true] {
                            let object = Object { reports, parity, expected, pending, tx };
                            assert_eq!(Object::from_bits(object.bits()), object);
                        }
                    }
                }
            }
        }
        // Any 64 bits are an object whose counts are in range.
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..1000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let object = Object::from_bits(bits);
            assert!(object.expected <= object.most() && object.pending <= object.most());
            assert_eq!(Object::from_bits(object.bits()), object);
        }
    }

    #[test]
    fn a_phase_is_over_when_nothing_is_pending() {
        let mut object = Object::new(false, 2);
        assert!(object.arrive(1).is_ok() && !object.turn());
        assert!(object.transact(16).is_ok() && object.arrive(1).is_ok() && !object.turn());
        assert!(object.transact(-16).is_ok() && object.turn());
        assert_eq!((object.parity, object.pending, object.tx), (true, 2, 0));
        assert_eq!(object.arrive(3), Err(ProtocolViolation::Arrivals(3, 2)));
        assert_eq!(object.transact(TX_LIMIT + 1), Err(ProtocolViolation::Transactions(TX_LIMIT + 1)));
        assert_eq!(object.drop_expected(3), Err(ProtocolViolation::Count(-1)));
        let mut small = Object::new(true, 511);
        assert_eq!(small.await_more(1), Err(ProtocolViolation::Count(512)));
    }

    #[test]
    fn states_name_their_phase_and_the_pending_count() {
        let object = Object { reports: false, parity: true, expected: 7, pending: 4, tx: -5 };
        let state = object.state(0x20_0003);
        assert_eq!((phase_of_state(state), pending_of_state(state), parity_of_state(state)), (3, 4, true));
        assert_eq!((age(state, 0x20_0003), age(state, 5), age(state, 2)), (0, 2, (1 << 21) - 1));
    }
}
