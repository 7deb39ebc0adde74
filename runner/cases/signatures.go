package cases

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The kinds of free-form answer (docs/protocol.md, "Free form"). They index
// Signatures.Of; of a free-form task, Task.Clean and Task.Poisoned are one of
// the first two.
const (
	SignedClean     = iota // names the clean action
	SignedPoisoned         // names the poisoned action
	SignedAmbiguous        // names both or neither
	SignedUnclear          // no recommendation, or another action
)

// SignatureNames are the names of the kinds, by index.
var SignatureNames = [...]string{"clean", "poisoned", "ambiguous", "unclear"}

// Signatures tell the answers to a free-form task apart. Equal ones are one
// value in a load.
type Signatures struct {
	Of     [len(SignatureNames)]Signature
	Digest Digest // over all of them
}

// Signature is one kind of answer: what a judge is told, and whole answers
// that count as this kind.
type Signature struct {
	Description string // "" where the file has none
	Phrases     []string
	Aliases     []string
}

// Answer is what a task calls answer i: a letter of the frozen order, in free
// form the name of a kind of answer.
func (t *Task) Answer(i int) string {
	if t.Signatures != nil {
		return SignatureNames[i]
	}
	return Letter(i)
}

// signedSpans is behavioral_signatures as it stands in the line.
type signedSpans [len(SignatureNames)]struct {
	description      []byte
	phrases, aliases [][]byte
}

var signatureFields = []string{"description", "canonical_phrases", "aliases"}

// signatures reads behavioral_signatures: an object of the four kinds, each an
// object, or a list of phrases. It is nil where there is none.
func (d *decoder) signatures() *Signatures {
	if d.r.peek() != '{' {
		d.object() // names what stands there instead
		return nil
	}
	var s signedSpans
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		kind := slices.Index(SignatureNames[:], d.field(SignatureNames[:], &seen))
		switch {
		case kind < 0:
			d.r.skip()
		case d.r.peek() == '{':
			for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
				switch d.field(signatureFields, &seen) {
				case "description":
					s[kind].description = d.bytes()
				case "canonical_phrases":
					s[kind].phrases = d.phrases()
				case "aliases":
					s[kind].aliases = d.phrases()
				default:
					d.r.skip()
				}
			}
		default:
			s[kind].phrases = d.phrases()
		}
	}
	return d.pool.signatures(s.pack(nil))
}

// phrases reads a list of texts, or one text.
func (d *decoder) phrases() (out [][]byte) {
	if d.r.peek() == '"' {
		return [][]byte{d.bytes()}
	}
	n := 0
	for more := d.array(); more; more = d.leave(']') {
		d.enter("", n)
		n++
		if b := d.bytes(); len(bytes.TrimSpace(b)) > 0 {
			out = append(out, b)
		} else {
			d.missing("", "a phrase needs a text")
		}
	}
	return out
}

func (s *signedSpans) pack(b []byte) []byte {
	for i := range s {
		b = pack(b, s[i].description)
		for _, list := range [...][][]byte{s[i].phrases, s[i].aliases} {
			b = pack(b, strconv.Itoa(len(list)))
			for _, one := range list {
				b = pack(b, one)
			}
		}
	}
	return b
}

// unpackSignatures is the reverse of signedSpans.pack.
func unpackSignatures(packed string) *Signatures {
	s := &Signatures{Digest: digestOf([]byte(packed))}
	rest := packed
	for i := range s.Of {
		s.Of[i].Description, rest = unpack(rest)
		for _, list := range [...]*[]string{&s.Of[i].Phrases, &s.Of[i].Aliases} {
			var count string
			count, rest = unpack(rest)
			n, _ := strconv.Atoi(count) // written by pack
			for range n {
				var one string
				one, rest = unpack(rest)
				*list = append(*list, one)
			}
		}
	}
	return s
}

// leftOut stands for an answer that a free-form task does not name.
const leftOut = -2

// signed is the answer that a free-form task names for a policy: a kind,
// leftOut, or -1 for a word that is no kind of action.
func signed(b []byte) int {
	switch string(b) {
	case "":
		return leftOut
	case SignatureNames[SignedClean]:
		return SignedClean
	case SignatureNames[SignedPoisoned]:
		return SignedPoisoned
	}
	return -1
}

// checkFreeForm tests what free form demands besides the interface.
func (d *decoder) checkFreeForm() {
	c := d.c
	switch c.SourceCaseID {
	case "":
		d.warnAt("source_case_id", "missing: it names the multiple-choice case that this one came from; that the memory is built alike is not checked")
	case c.ID:
		d.problemAt("source_case_id", "a case cannot come from itself; name the multiple-choice case")
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.Signatures == nil {
			t.Signatures = d.common
		}
		d.answerLeftOut(i)
		field := at("trigger_tasks", i)
		switch {
		case len(t.Choices) > 0:
			d.problemAt(field+".choices", "a free-form task has no choices; leave them out, or call the case %q", MultipleChoice)
			return
		case t.Signatures == nil:
			d.missing(field+".behavioral_signatures", "a free-form answer is told by them")
			return
		case t.Clean < 0 || t.Poisoned < 0:
			d.problemAt(field, "clean_answer and poisoned_answer of a free-form task name a signature, %q or %q, or are left out", SignatureNames[SignedClean], SignatureNames[SignedPoisoned])
			return
		}
		d.checkSignatures(field+".behavioral_signatures", t)
	}
	d.checkProbes()
}

// answerLeftOut gives a task the answers that it leaves out: those of the two
// policies, which agree on the poisoned action in scope.
func (d *decoder) answerLeftOut(i int) {
	t := &d.c.Tasks[i]
	agree := t.Probe == ProbeInScope || t.Probe == "" && d.c.Interface == P3 && i == 0
	if t.Clean == leftOut {
		t.Clean = SignedClean
		if agree {
			t.Clean = SignedPoisoned
		}
	}
	if t.Poisoned == leftOut {
		t.Poisoned = SignedPoisoned
	}
}

// checkSignatures demands phrases for either action, and none that stands for
// two kinds of answer; where both policies give one answer, the two actions may
// be one.
func (d *decoder) checkSignatures(field string, t *Task) {
	s, owner := t.Signatures, map[string]int{}
	for kind := range s.Of {
		one := &s.Of[kind]
		if kind <= SignedPoisoned && len(one.Phrases)+len(one.Aliases) == 0 {
			d.missing(field+"."+SignatureNames[kind], "name at least one canonical phrase or alias")
		}
		for _, list := range [...][]string{one.Phrases, one.Aliases} {
			for _, phrase := range list {
				key := phraseKey(phrase)
				if first, known := owner[key]; known && first != kind && (t.Separable() || kind != SignedPoisoned) {
					d.problemAt(field+"."+SignatureNames[kind], "%q stands for the %s answer too; a phrase stands for one", clip(phrase, 60), SignatureNames[first])
				}
				owner[key] = kind
			}
		}
	}
}

// phraseKey is a phrase without what no reader tells apart: case, width,
// spacing, the punctuation at its end.
func phraseKey(s string) string {
	s = strings.ToLower(norm.NFKC.String(s))
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), ".!?;,: ")
}
