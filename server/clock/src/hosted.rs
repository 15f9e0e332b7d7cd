//! An instant of a clock that the host installs.

use std::ops::{Add, Sub};
use std::sync::OnceLock;
use std::time::Duration;

/// Returns the time since any fixed point. It never goes backwards.
type Clock = fn() -> Duration;

static CLOCK: OnceLock<Clock> = OnceLock::new();

/// Installs the clock; only the first call has an effect. Until then no time passes.
pub fn install(clock: Clock) {
    let _ = CLOCK.set(clock);
}

/// A point in time, with the part of the interface of `std::time::Instant` that this project uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    /// Returns the current time.
    pub fn now() -> Self {
        Self(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
    }

    /// Returns the time that has passed since this instant.
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// Returns the time from another instant to this one; zero if the other one is later.
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    static MILLISECONDS: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn time_is_what_the_host_says() {
        let before = Instant::now();
        assert_eq!(before.elapsed(), Duration::ZERO);
        install(|| Duration::from_millis(MILLISECONDS.load(Ordering::Relaxed)));
        MILLISECONDS.store(30, Ordering::Relaxed);
        let later = Instant::now();
        assert_eq!(later - before, Duration::from_millis(30));
        assert_eq!(before - later, Duration::ZERO);
        assert!(before + Duration::from_millis(31) > later);
        install(|| Duration::ZERO);
        assert_eq!(Instant::now(), later);
    }
}
