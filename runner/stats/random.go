package stats

import (
	"crypto/sha256"
	"math/rand/v2"
	"strconv"
)

// Generator names what every resample and every sampled sign comes from.
const Generator = "ChaCha8 (Go math/rand/v2)"

// generator is a ChaCha8 keyed by SHA-256 over the purpose and the integers
// that name the draw, each in decimal and ended by a line feed: equal names
// give equal draws, on every machine and in every order of asking
// (docs/protocol.md, "Statistics").
func generator(purpose string, name ...int64) *rand.ChaCha8 {
	text := append([]byte(purpose), '\n')
	for _, n := range name {
		text = append(strconv.AppendInt(text, n, 10), '\n')
	}
	return rand.NewChaCha8(sha256.Sum256(text))
}
