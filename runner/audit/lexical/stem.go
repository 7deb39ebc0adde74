package lexical

import "strings"

// Stem takes off what an English word gets by plural and tense: -s, -es, -ed,
// -ing, -ly, a final e. It is light on purpose: it joins "fill", "fills",
// "filled" and "filling", and leaves derivations apart.
func Stem(w string) string {
	w = singular(w)
	for _, suffix := range [...]string{"ing", "ed"} {
		if stem, ok := strings.CutSuffix(w, suffix); ok && len(stem) >= 3 && strings.ContainsAny(stem, "aeiouy") {
			w = undouble(stem)
			break
		}
	}
	if stem, ok := strings.CutSuffix(w, "ly"); ok && len(stem) >= 4 {
		w = stem
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	if n := len(w); n > 2 && w[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(w[n-2])) {
		w = w[:n-1] + "i"
	}
	return w
}

func singular(w string) string {
	switch n := len(w); {
	case n < 4 || w[n-1] != 's':
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
	case strings.HasSuffix(w, "ies") && n > 4:
		return w[:n-2]
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "zes"):
		return w[:n-2]
	default:
		return w[:n-1]
	}
	return w
}

// undouble turns "stopp" into "stop"; l, s and z are doubled in their own right.
func undouble(w string) string {
	n := len(w)
	if n < 3 || w[n-1] != w[n-2] || strings.ContainsRune("aeioulsz", rune(w[n-1])) {
		return w
	}
	return w[:n-1]
}
