package simulated

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// coins are the random choices of one answer: a function of the version, the
// purpose, the request's bytes and the draw. Parameters do not enter, so a
// higher probability keeps every coin that already fell its way. Different
// prompts have independent coins, so joint rates are products.
type coins struct{ digest [sha256.Size]byte }

func newCoins(body []byte, draw int) *coins {
	head := make([]byte, 0, 32)
	head = append(head, version...)
	head = append(head, '\n')
	head = strconv.AppendInt(head, int64(draw), 10)
	head = append(head, '\n')
	h := sha256.New()
	h.Write(head)
	h.Write(body)
	c := &coins{}
	h.Sum(c.digest[:0])
	return c
}

// id names the answer in the completion.
func (c *coins) id() string { return "sim-" + hex.EncodeToString(c.digest[:12]) }

// unit is the coin for a purpose, uniform in [0, 1).
func (c *coins) unit(purpose string) float64 {
	buf := make([]byte, 0, 64)
	buf = append(buf, c.digest[:]...)
	buf = append(buf, purpose...)
	sum := sha256.Sum256(buf)
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// pick is uniform in 0 … n−1, n ≥ 1.
func (c *coins) pick(purpose string, n int) int { return int(c.unit(purpose) * float64(n)) }
