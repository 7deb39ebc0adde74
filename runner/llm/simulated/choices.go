package simulated

import (
	"cmp"
	"slices"
	"strings"
)

// shown is where a prompt shows the choices of a task. Choices may stand in
// any order and under any usual mark.
type shown struct {
	letters []byte // by index in the frozen order; 0 where a choice is not shown
	spans   []span // of the choices found; text is the frozen index
}

// choices finds the choices in the prompt. The letter of a choice is the one
// before it; where not every choice has its own, they count by order of
// appearance.
func (p *prompt) choices(texts []string) shown {
	sh := shown{letters: make([]byte, len(texts))}
	labelled := true
	for i, text := range texts {
		sp, letter, ok := p.choice(strings.TrimSpace(text))
		if !ok {
			continue
		}
		sp.text = i
		sh.spans = append(sh.spans, sp)
		labelled = labelled && letter != 0 && !slices.Contains(sh.letters, letter)
		sh.letters[i] = letter
	}
	slices.SortFunc(sh.spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	if !labelled {
		for i, sp := range sh.spans {
			sh.letters[sp.text] = byte('A' + i)
		}
	}
	return sh
}

// choice is the likeliest place of one choice's text: best under a letter,
// then outside tasks and records, then as the end of a line, then the last.
func (p *prompt) choice(text string) (best span, letter byte, ok bool) {
	if text == "" {
		return span{}, 0, false
	}
	top := -1
	for from := 0; ; {
		i := strings.Index(p.text[from:], text)
		if i < 0 {
			return best, letter, top >= 0
		}
		start := from + i
		end := start + len(text)
		from = start + 1
		if !wordEnds(p.text, start) || !wordEnds(p.text, end) {
			continue
		}
		score, l := 0, label(p.text, start)
		if l != 0 {
			score += 4
		}
		if !p.within(start, end) {
			score += 2
		}
		if end == len(p.text) || p.text[end] == '\n' {
			score++
		}
		if score >= top {
			top, best, letter = score, span{start: start, end: end}, l
		}
	}
}

// within reports whether a place lies inside a task or a record.
func (p *prompt) within(start, end int) bool {
	for _, s := range p.spans {
		if s.start <= start && end <= s.end && s.end-s.start > end-start {
			k := p.crib.refsOf(s.text)[0].kind
			return k == kindTask || k == kindRecord
		}
	}
	return false
}

// label is the letter that marks what begins at a place, as in "B) ", "(B) ",
// "B. ", "B: ", "**B.** " or "\"B\": \"", in upper case; 0 if there is none.
func label(s string, at int) byte {
	const dressing = " \t\"'`*_"
	s = strings.TrimRight(s[:at], dressing)
	if s == "" || !strings.ContainsRune(").:]", rune(s[len(s)-1])) {
		return 0
	}
	s = strings.TrimRight(s[:len(s)-1], dressing)
	if s == "" {
		return 0
	}
	l := s[len(s)-1]
	if len(s) > 1 && isWord[s[len(s)-2]] {
		return 0
	}
	switch {
	case 'A' <= l && l <= 'Z':
		return l
	case 'a' <= l && l <= 'z':
		return l - 'a' + 'A'
	}
	return 0
}

// marked lists the letters that open the lines of a prompt, each once.
func marked(s string) []byte {
	var letters []byte
	for line := range strings.Lines(s) {
		line = strings.TrimLeft(line, " \t-*(")
		if len(line) > 2 && 'A' <= line[0] && line[0] <= 'Z' && strings.IndexByte(").:", line[1]) >= 0 &&
			!slices.Contains(letters, line[0]) {
			letters = append(letters, line[0])
		}
	}
	slices.Sort(letters)
	return letters
}
