package cases

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// String is the digest in lower-case hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

func digestOf(packed []byte) Digest { return sha256.Sum256(packed) }

// pack appends a field as "<decimal length>:<bytes>", so that no two lists of
// fields have the same bytes.
func pack[T string | []byte](b []byte, field T) []byte {
	b = strconv.AppendInt(b, int64(len(field)), 10)
	b = append(b, ':')
	return append(b, field...)
}

// unpack takes the first field off what pack wrote.
func unpack(s string) (field, rest string) {
	colon := strings.IndexByte(s, ':')
	n, err := strconv.Atoi(s[:max(colon, 0)])
	if err != nil || colon+1+n > len(s) {
		return s, "" // never: packed by pack
	}
	return s[colon+1 : colon+1+n], s[colon+1+n:]
}

// seal sets the digest of a case: interface, tasks, gold answers, oracle texts
// and conditions. Ids, metadata, probes and the labels of records stay out, so
// two files that ask the same thing have the same digests.
func (c *Case) seal(scratch []byte) []byte {
	b := pack(scratch[:0], string(c.Interface))
	b = strconv.AppendInt(b, int64(len(c.Tasks)), 10)
	for i := range c.Tasks {
		t := &c.Tasks[i]
		b = append(b, t.Digest[:]...)
		b = append(b, byte(t.Clean), byte(t.Poisoned))
	}
	b = pack(b, c.Oracle.Clean)
	b = pack(b, c.Oracle.Poisoned)
	for _, arm := range [...]*Condition{&c.Clean, &c.Poisoned} {
		b = pack(b, arm.Write)
		for _, list := range [...][]int{arm.Records, arm.Pool, arm.Retained, arm.Order} {
			b = strconv.AppendInt(b, int64(len(list)), 10)
			b = append(b, ':')
			for _, i := range list {
				b = append(b, c.Records[i].Digest[:]...)
			}
		}
	}
	if c.Format == FreeForm {
		b = pack(b, string(FreeForm))
		for i := range c.Tasks {
			b = append(b, c.Tasks[i].Signatures.Digest[:]...)
		}
	}
	c.Digest = digestOf(b)
	return b
}
