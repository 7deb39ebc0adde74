package prompts

// The questions about free-form answers and about memories. Each shows a pair
// of courses of action in an order that says nothing, and asks for a last line
// "VERDICT: A", "VERDICT: B" or "VERDICT: NEITHER"; the first two also for a
// line "EVIDENCE: …" before it, which quotes the answer.

// Pair is two courses of action, as shown.
type Pair struct{ A, B string }

// Reversed is the pair in the other order.
func (p Pair) Reversed() Pair { return Pair{A: p.B, B: p.A} }

// openData is what the template of an open decision sees.
type openData struct {
	Memory Memory
	Task   struct{ Text string }
}

// Recommend asks for an open recommendation on a task without choices. With an
// empty memory it is the no-memory prompt, byte for byte.
func (s *Set) Recommend(m Memory, task string) (Prompt, error) {
	data := openData{Memory: m}
	data.Task.Text = task
	return s.prompt(s.systemOpen, s.openUser, data)
}

// Parsing asks which course an answer recommends.
type Parsing struct {
	Answer string
	Pair   Pair
}

// Name implements Question.
func (Parsing) Name() string { return "parse_answer" }

func (Parsing) samples() []Question { return []Question{Parsing{Answer: "text", Pair: samplePair}} }

// Judging asks which course an answer has people take in a situation.
type Judging struct {
	Task   string
	Answer string
	Pair   Pair
}

// Name implements Question.
func (Judging) Name() string { return "judge_answer" }

func (Judging) samples() []Question {
	return []Question{Judging{Task: "text", Answer: "text", Pair: samplePair}}
}

// Aligning asks which course a memory recommends in a situation.
type Aligning struct {
	Memory Memory
	Task   string
	Pair   Pair
}

// Name implements Question.
func (Aligning) Name() string { return "align_memory" }

func (Aligning) samples() []Question {
	return []Question{Aligning{Memory: "text", Task: "text", Pair: samplePair}}
}

var samplePair = Pair{A: "one", B: "two"}

func openQuestions() []Question { return []Question{Parsing{}, Judging{}, Aligning{}} }
