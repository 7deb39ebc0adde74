package llm

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// splitThink parts a text from its <think>…</think> blocks. A closing tag
// without an opening one ends reasoning that began before the text (the
// template opened it). An unclosed leading block is reasoning only where the
// answer was cut off; otherwise nothing says where it ends and it stays.
// Where a block was split off, the text loses its leading white space.
func splitThink(s string, cutOff bool) (text, thought string) {
	closing := strings.Index(s, thinkClose)
	if closing < 0 {
		lead := strings.TrimLeft(s, " \t\r\n")
		if cutOff && strings.HasPrefix(lead, thinkOpen) {
			return "", strings.TrimSpace(lead[len(thinkOpen):])
		}
		return s, ""
	}
	var out, thoughts strings.Builder
	note := func(s string) {
		if s = strings.TrimSpace(s); s == "" {
			return
		}
		if thoughts.Len() > 0 {
			thoughts.WriteByte('\n')
		}
		thoughts.WriteString(s)
	}
	for ; closing >= 0; closing = strings.Index(s, thinkClose) {
		if opening := strings.Index(s[:closing], thinkOpen); opening >= 0 {
			out.WriteString(s[:opening])
			note(s[opening+len(thinkOpen) : closing])
		} else {
			note(out.String() + s[:closing])
			out.Reset()
		}
		s = s[closing+len(thinkClose):]
	}
	if rest, more := splitThink(s, cutOff && blank(out.String())); more != "" {
		note(more)
		s = rest
	}
	return strings.TrimLeft(out.String()+s, " \t\r\n"), thoughts.String()
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func joinLines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
