package fairdeal

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

const (
	chanceLabel = "fairdeal/1/bot"
	draws       = 1 << 32 // the most that a draw tells apart
	parts       = 1_000_000
)

// Chance is what a bot draws for one decision: the same seed gives the same match, in any language.
//
// Each decision has a generator of its own, so that nothing a bot draws depends on what it drew before or on other
// tables. With enc(x1..xk) = for each item its length as four bytes, big-endian, then its bytes, and u32be = a number as
// four bytes, big-endian, texts in ASCII:
//
//	block j = SHA-256(enc("fairdeal/1/bot", seed, match id, u32be(seat), u32be(decision id), u32be(j)))
//
// The blocks j = 0, 1, ... make one row of bytes, used in order.
type Chance struct {
	prefix []byte
	blocks uint32
	left   []byte

	problem error // why nothing can be drawn
}

// NewChance returns the generator of a decision; seat counts from 0, decisionID is the referee's.
//
// It fails when seed or match id is not ASCII or the seat is negative.
func NewChance(seed, matchID string, seat int, decisionID uint32) (*Chance, error) {
	if !isASCII(seed) || !isASCII(matchID) {
		return nil, fmt.Errorf("seed %q, match id %q: must be ASCII", seed, matchID)
	}
	if seat < 0 || int64(seat) > math.MaxUint32 {
		return nil, fmt.Errorf("seat %d: must be 0 to %d", seat, uint32(math.MaxUint32))
	}
	var prefix []byte
	for _, item := range []string{chanceLabel, seed, matchID, u32be(uint32(seat)), u32be(decisionID)} {
		prefix = append(prefix, u32be(uint32(len(item)))...)
		prefix = append(prefix, item...)
	}
	return &Chance{prefix: prefix}, nil
}

// Draw returns one of 0 .. n-1, all equally likely. It panics when n is not 1 to 2**32, or nothing can be drawn since the
// match's id is not ASCII or the bot's seat is unknown.
//
// It takes one byte where n <= 256 and four, big-endian, above; it takes again until the number is below the greatest
// multiple of n not above 256 or 2**32, and gives that number modulo n. n = 1 takes no byte.
func (c *Chance) Draw(n int) int {
	if c.problem != nil {
		panic(fmt.Sprintf("fairdeal: cannot draw: %v", c.problem))
	}
	if n < 1 || uint64(n) > draws {
		panic(fmt.Sprintf("fairdeal: cannot draw one of %d: must be one of 1 to 2**32", n))
	}
	if n == 1 {
		return 0
	}
	size, space := 1, uint64(256)
	if n > 256 {
		size, space = 4, draws
	}
	// numbers from the limit on are skipped: with them the low results would come up too often
	limit := space - space%uint64(n)
	number := c.take(size)
	for number >= limit {
		number = c.take(size)
	}
	return int(number % uint64(n))
}

// Happens reports whether something of this probability happens. It panics when that is not 0 to 1.
//
// Draw(1,000,000) is below the probability in millionths, which are rounded, halves to even.
func (c *Chance) Happens(probability float64) bool {
	if !(probability >= 0 && probability <= 1) {
		panic(fmt.Sprintf("fairdeal: %g is not a probability: must be 0 to 1", probability))
	}
	return c.Draw(parts) < millionths(probability)
}

func millionths(probability float64) int { return int(math.RoundToEven(probability * parts)) }

// Choice returns one of the items. It panics when there are none.
func Choice[T any](chance *Chance, items []T) T { return items[chance.Draw(len(items))] }

// Choose returns minimum to maximum of the items: first the count is drawn, then one after the other, each out of what
// remains, which stays in its order. It panics when the bounds do not fit the number of items.
func Choose[T any](chance *Chance, items []T, minimum, maximum int) []T {
	if minimum < 0 || minimum > maximum || maximum > len(items) {
		panic(fmt.Sprintf("fairdeal: cannot choose %d to %d of %d items", minimum, maximum, len(items)))
	}
	chosen := make([]T, minimum+chance.Draw(maximum-minimum+1))
	remaining := append([]T(nil), items...)
	for i := range chosen {
		drawn := chance.Draw(len(remaining))
		chosen[i] = remaining[drawn]
		remaining = append(remaining[:drawn], remaining[drawn+1:]...)
	}
	return chosen
}

func (c *Chance) take(size int) uint64 {
	for len(c.left) < size {
		block := append(c.prefix[:len(c.prefix):len(c.prefix)], u32be(4)+u32be(c.blocks)...)
		digest := sha256.Sum256(block)
		c.left = append(c.left, digest[:]...)
		c.blocks++
	}
	var number uint64
	for _, each := range c.left[:size] {
		number = number<<8 | uint64(each)
	}
	c.left = c.left[size:]
	return number
}

func u32be(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

func isASCII(text string) bool {
	for _, each := range []byte(text) {
		if each > 127 {
			return false
		}
	}
	return true
}
