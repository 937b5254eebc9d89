//! The generator that bots draw from: the same seed gives the same match, in any language.
//!
//! Each decision has a generator of its own, so that nothing a bot draws depends on what it drew
//! before or on other tables. With `enc(x1..xk)` = for each item its length as four bytes,
//! big-endian, then its bytes, and `u32be` = a number as four bytes, big-endian, texts in ASCII:
//!
//! ```text
//! block j = SHA-256(enc("fairdeal/1/bot", seed, match id, u32be(seat), u32be(decision id), u32be(j)))
//! ```
//!
//! The blocks j = 0, 1, ... make one row of bytes, used in order. `draw(n)` takes one byte where
//! n <= 256 and four, big-endian, above; it takes again until the number is below L, the greatest
//! multiple of n not above 256 or 2^32, and gives that number modulo n; n = 1 gives 0 and takes no
//! byte. All else is made of draws.

use std::cell::{Cell, RefCell};
use std::fmt;

use ring::digest;

const PARTS: usize = 1_000_000;

/// What a bot draws for one decision.
///
/// It draws through a shared reference, so that the rest of the decision can be looked at meanwhile.
pub struct Chance {
    prefix: Vec<u8>,
    blocks: Cell<u32>,
    left: RefCell<std::vec::IntoIter<u8>>,
}

impl Chance {
    /// Returns the generator of a decision; texts are ASCII, seats count from 0.
    #[must_use]
    pub fn new(seed: &str, match_id: &str, seat: u32, decision_id: u32) -> Self {
        let mut prefix = Vec::new();
        let (seat, decision_id) = (seat.to_be_bytes(), decision_id.to_be_bytes());
        for item in [b"fairdeal/1/bot", seed.as_bytes(), match_id.as_bytes(), &seat, &decision_id] {
            append(&mut prefix, item);
        }
        Self { prefix, blocks: Cell::new(0), left: RefCell::default() }
    }

    /// Returns one of 0 .. n-1, all equally likely.
    ///
    /// # Panics
    ///
    /// n is not 1 to 2^32.
    #[must_use]
    pub fn draw(&self, n: usize) -> usize {
        let wide = n as u64;
        assert!((1..=1 << 32).contains(&wide), "cannot draw one of {n}: must be one of 1 to 2^32");
        if n == 1 {
            return 0;
        }
        let size = if n <= 256 { 1 } else { 4 };
        let space = 1_u64 << (8 * size);
        // numbers from the limit on are skipped: with them the low results would come up too often
        let limit = space - space % wide;
        loop {
            let number = self.take(size);
            if number < limit {
                return (number % wide) as usize;
            }
        }
    }

    /// Returns one of the items.
    ///
    /// # Panics
    ///
    /// There are none.
    #[must_use]
    pub fn choice<'a, T>(&self, items: &'a [T]) -> &'a T {
        &items[self.draw(items.len())]
    }

    /// Returns `minimum` to `maximum` of the items: first the count is drawn, then one after the other.
    ///
    /// Each is taken out of what remains, which stays in its order.
    ///
    /// # Panics
    ///
    /// The bounds do not fit the number of items.
    #[must_use]
    pub fn choose<T: Clone>(&self, items: &[T], minimum: usize, maximum: usize) -> Vec<T> {
        assert!(
            minimum <= maximum && maximum <= items.len(),
            "cannot choose {minimum} to {maximum} of {} items",
            items.len()
        );
        let count = minimum + self.draw(maximum - minimum + 1);
        let mut remaining = items.to_vec();
        (0..count).map(|_| remaining.remove(self.draw(remaining.len()))).collect()
    }

    /// Returns whether something of this probability happens: draw(1,000,000) is below it in millionths.
    ///
    /// The millionths are rounded, halves to even.
    ///
    /// # Panics
    ///
    /// The probability is not 0 to 1.
    #[must_use]
    pub fn happens(&self, probability: f64) -> bool {
        assert!((0.0..=1.0).contains(&probability), "{probability} is not a probability: must be 0 to 1");
        self.draw(PARTS) < millionths(probability)
    }

    /// Takes the next bytes as one big-endian number.
    fn take(&self, size: usize) -> u64 {
        let mut left = self.left.borrow_mut();
        if left.len() < size {
            let mut bytes = left.as_slice().to_vec();
            let mut block = self.prefix.clone();
            append(&mut block, &self.blocks.get().to_be_bytes());
            bytes.extend(digest::digest(&digest::SHA256, &block).as_ref());
            self.blocks.set(self.blocks.get() + 1);
            *left = bytes.into_iter();
        }
        left.by_ref().take(size).fold(0, |number, byte| number << 8 | u64::from(byte))
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chance").finish_non_exhaustive()
    }
}

fn millionths(probability: f64) -> usize {
    (probability * PARTS as f64).round_ties_even() as usize
}

fn append(bytes: &mut Vec<u8>, item: &[u8]) {
    bytes.extend((item.len() as u32).to_be_bytes());
    bytes.extend(item);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const VECTORS: &str = include_str!("../../../tests/data/bot_vectors.json");

    fn number(value: &Value) -> usize {
        value.as_u64().expect("a number") as usize
    }

    #[test]
    fn draws_what_the_vectors_say() {
        let vectors: Value = serde_json::from_str(VECTORS).expect("JSON");
        let decisions = vectors["decisions"].as_array().expect("a list");
        assert!(!decisions.is_empty());
        for decision in decisions {
            let chance = Chance::new(
                decision["seed"].as_str().expect("a text"),
                decision["match_id"].as_str().expect("a text"),
                number(&decision["seat"]) as u32,
                number(&decision["decision_id"]) as u32,
            );
            for step in decision["steps"].as_array().expect("a list") {
                let gives = if let Some(n) = step.get("draw") {
                    Value::from(chance.draw(number(n)))
                } else if let Some(choose) = step.get("choose") {
                    let items: Vec<usize> = (0..number(&choose["of"])).collect();
                    chance.choose(&items, number(&choose["minimum"]), number(&choose["maximum"])).into()
                } else {
                    chance.happens(step["happens"].as_f64().expect("a probability")).into()
                };
                assert_eq!(gives, step["gives"], "{step} of {decision}");
            }
        }
    }

    #[test]
    fn choice_is_one_draw() {
        let (one, other) = (Chance::new("s", "m", 1, 2), Chance::new("s", "m", 1, 2));
        let items = ["a", "b", "c", "d", "e"];
        for _ in 0..40 {
            assert_eq!(*one.choice(&items), items[other.draw(5)]);
        }
    }

    #[test]
    fn halves_of_a_millionth_are_rounded_to_even() {
        let rounded = [0.000_000_5, 0.000_001_5, 0.000_002_5, 0.3, 0.999_999_6].map(millionths);
        assert_eq!(rounded, [0, 2, 2, 300_000, 1_000_000]);
    }

    #[test]
    #[should_panic(expected = "cannot draw one of 0")]
    fn draws_from_nothing_are_refused() {
        let _ = Chance::new("", "m", 0, 1).draw(0);
    }

    #[test]
    #[should_panic(expected = "cannot choose 3 to 4 of 3 items")]
    fn more_items_than_there_are_are_refused() {
        let _ = Chance::new("", "m", 0, 1).choose(&[1, 2, 3], 3, 4);
    }
}
