package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// Key is the content address of a call: equal keys mean equal calls.
type Key [sha256.Size]byte

// String is the key in lower-case hex.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey reads what String printed.
func ParseKey(s string) (Key, error) {
	var k Key
	if len(s) != hex.EncodedLen(len(k)) {
		return k, fmt.Errorf("a key is %d hex digits, this has %d", hex.EncodedLen(len(k)), len(s))
	}
	if _, err := hex.Decode(k[:], []byte(s)); err != nil {
		return k, fmt.Errorf("a key is %d hex digits: %w", hex.EncodedLen(len(k)), err)
	}
	return k, nil
}

// keyVersion opens every hashed key; it changes only with the key's own form.
const keyVersion = "memform-key/1\n"

// KeyOf is SHA-256 over the version line and, each length-prefixed as
// "<decimal length>:<bytes>", the endpoint identity, the draw in decimal and
// the canonical request (docs/protocol.md, "Cache key").
func KeyOf(identity string, draw int, request []byte) Key {
	head := make([]byte, 0, 128)
	head = append(head, keyVersion...)
	head = appendPrefixed(head, identity)
	head = appendPrefixed(head, strconv.Itoa(draw))
	head = strconv.AppendInt(head, int64(len(request)), 10)
	head = append(head, ':')
	h := sha256.New()
	h.Write(head)
	h.Write(request)
	var k Key
	h.Sum(k[:0])
	return k
}

func appendPrefixed(b []byte, s string) []byte {
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, ':')
	return append(b, s...)
}
