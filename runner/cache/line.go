package cache

import (
	"encoding/hex"
	"errors"
	"hash/crc32"
)

// A line is {"k":"<64 hex>","c":"<8 hex>","e":{…}} and a newline
// (docs/protocol.md, "Cache"). The prefix has a fixed length, so its parts are
// found by position.
const (
	openKey = `{"k":"`
	openSum = `","c":"`
	openE   = `","e":`

	keyAt   = len(openKey)
	sumAt   = keyAt + 64 + len(openSum)
	entryAt = sumAt + 8 + len(openE)
	lineEnd = 2 // the closing brace and the newline

	maxLine = 16 << 20 // bytes of a line, newline included
)

// What can be wrong with a line.
var (
	errShape    = errors.New("not the shape of an entry")
	errChecksum = errors.New("its checksum differs")
	errContent  = errors.New("its key does not belong to its content")
	errLong     = errors.New("longer than 16 MiB")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers the key's hex digits and the raw bytes of e.
func checksum(keyHex, e []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, keyHex), castagnoli, e)
}

// appendLine appends the line of key and e, where write appends e's bytes.
func appendLine(dst []byte, key Key, write func([]byte) []byte) []byte {
	start := len(dst)
	dst = append(dst, openKey...)
	dst = hex.AppendEncode(dst, key[:])
	dst = append(dst, openSum+"00000000"+openE...)
	dst = write(dst)
	line := dst[start:]
	sum := checksum(line[keyAt:keyAt+64], line[entryAt:])
	putHex32(line[sumAt:sumAt+8], sum)
	return append(dst, "}\n"...)
}

func putHex32(dst []byte, v uint32) {
	b := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
	hex.Encode(dst, b[:])
}

// hasPrefixShape reports whether b begins as a line does. It looks at nothing
// beyond the prefix.
func hasPrefixShape(b []byte) bool {
	return len(b) > entryAt && b[entryAt] == '{' &&
		string(b[:keyAt]) == openKey &&
		string(b[keyAt+64:sumAt]) == openSum &&
		string(b[sumAt+8:entryAt]) == openE &&
		isHex(b[keyAt:keyAt+64]) && isHex(b[sumAt:sumAt+8])
}

func isHex(b []byte) bool {
	bad := byte(0)
	for _, c := range b {
		bad |= hexBad[c]
	}
	return bad == 0
}

// hexBad is 1 for every byte that is not a lower-case hex digit.
var hexBad = func() (t [256]byte) {
	for i := range t {
		if c := byte(i); (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			t[i] = 1
		}
	}
	return t
}()

// openLine checks a whole line, newline included, up to its checksum and
// returns its key and the bytes of e.
func openLine(line []byte) (Key, []byte, error) {
	var key Key
	n := len(line)
	if n < entryAt+1+lineEnd || line[n-1] != '\n' || line[n-2] != '}' || !hasPrefixShape(line) {
		return key, nil, errShape
	}
	keyHex, e := line[keyAt:keyAt+64], line[entryAt:n-lineEnd]
	var sum [8]byte
	putHex32(sum[:], checksum(keyHex, e))
	if string(sum[:]) != string(line[sumAt:sumAt+8]) {
		return key, nil, errChecksum
	}
	_, _ = hex.Decode(key[:], keyHex)
	return key, e, nil
}

// tagOf is the first eight bytes of the key in a line's prefix, and of a Key:
// what the index holds of a key.
func tagOf(keyHex []byte) uint64 {
	var tag uint64
	for _, c := range keyHex[:16] {
		d := c - '0'
		if c >= 'a' {
			d = c - 'a' + 10
		}
		tag = tag<<4 | uint64(d)
	}
	return tag
}
