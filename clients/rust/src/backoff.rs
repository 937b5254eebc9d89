//! When a bot dials again: a schedule, without a clock of its own.

pub(crate) const FIRST_DELAY: f64 = 0.1;
pub(crate) const LONGEST_DELAY: f64 = 5.0;

/// A session that lasted this long restarts the schedule; one that breaks at once keeps it slow.
pub(crate) const LASTING: f64 = 10.0;

/// The delays between attempts, doubling up to `longest`; all times are seconds.
///
/// Each is shortened by up to a half, so that bots that were cut off together do not come back together.
pub(crate) struct Backoff {
    until: f64,
    longest: f64,
    delay: f64,
}

impl Backoff {
    pub(crate) fn new(now: f64, timeout: f64, longest: f64) -> Self {
        Self { until: now + timeout, longest, delay: FIRST_DELAY }
    }

    /// Records the loss of a session that lasted so long; the time for dialling again begins now.
    pub(crate) fn restart(&mut self, now: f64, timeout: f64, lasted: f64) {
        self.until = now + timeout;
        if lasted >= LASTING {
            self.delay = FIRST_DELAY;
        }
    }

    /// Returns how long to wait until the next attempt, `None` when the time for attempts is over.
    ///
    /// `drawn` is a random number from 0 to 1.
    pub(crate) fn next_delay(&mut self, now: f64, drawn: f64) -> Option<f64> {
        let delay = self.delay * (1.0 - drawn / 2.0);
        if now + delay >= self.until {
            return None;
        }
        self.delay = (2.0 * self.delay).min(self.longest);
        Some(delay)
    }

    /// Returns how much time is left for attempts.
    pub(crate) fn left(&self, now: f64) -> f64 {
        (self.until - now).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(backoff: &mut Backoff, count: usize) -> Vec<Option<f64>> {
        (0..count).map(|_| backoff.next_delay(0.0, 0.0)).collect()
    }

    #[test]
    fn delays_double_up_to_the_longest() {
        let mut backoff = Backoff::new(0.0, 60.0, LONGEST_DELAY);
        let doubled = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0].map(Some);
        assert_eq!(delays(&mut backoff, 8), doubled);
    }

    #[test]
    fn a_delay_is_shortened_by_up_to_a_half() {
        let mut backoff = Backoff::new(0.0, 60.0, LONGEST_DELAY);
        assert_eq!(backoff.next_delay(0.0, 1.0), Some(0.05));
        assert_eq!(backoff.next_delay(0.0, 0.5), Some(0.15000000000000002));
    }

    #[test]
    fn there_is_no_attempt_after_the_time_is_over() {
        let mut backoff = Backoff::new(10.0, 1.0, LONGEST_DELAY);
        assert_eq!(backoff.left(10.25), 0.75);
        assert_eq!(backoff.next_delay(10.95, 0.0), None);
        assert_eq!(backoff.next_delay(10.85, 0.0), Some(0.1));
        assert_eq!(backoff.left(12.0), 0.0);
    }

    #[test]
    fn only_a_session_that_lasted_starts_afresh() {
        let mut backoff = Backoff::new(0.0, 60.0, LONGEST_DELAY);
        delays(&mut backoff, 4);
        backoff.restart(100.0, 60.0, LASTING - 0.1);
        assert_eq!(backoff.next_delay(100.0, 0.0), Some(1.6));
        backoff.restart(200.0, 60.0, LASTING);
        assert_eq!(backoff.next_delay(200.0, 0.0), Some(0.1));
    }
}
