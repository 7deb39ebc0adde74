package retry

import "memform/runner/llm"

// streak finds attempts that failed one after another in the order in which
// they were sent. The order of answers would not do: a fast failure overtakes
// the slow answers that were sent before it, so a server that fails one call
// in five would look like one that is gone.
type streak struct {
	next   uint64
	sent   map[*llm.Call]uint64 // attempts on their way
	failed map[uint64]struct{}
}

// kept is how many attempts back a failure is remembered.
const kept = 1024

func newStreak() streak {
	return streak{sent: map[*llm.Call]uint64{}, failed: map[uint64]struct{}{}}
}

// admit notes that an attempt is sent.
func (s *streak) admit(call *llm.Call) {
	s.sent[call] = s.next
	s.next++
}

// done notes how it went and returns how many attempts around it, itself
// included, failed without a gap; 0 where it did not fail.
func (s *streak) done(call *llm.Call, failed bool) int {
	at, known := s.sent[call]
	if !known {
		at = s.next
		s.next++
	}
	delete(s.sent, call)
	if !failed {
		return 0
	}
	s.failed[at] = struct{}{}
	n := 1
	for i := at; i > 0 && s.has(i-1); i-- {
		n++
	}
	for i := at + 1; s.has(i); i++ {
		n++
	}
	if len(s.failed) > 2*kept {
		for i := range s.failed {
			if i+kept < s.next {
				delete(s.failed, i)
			}
		}
	}
	return n
}

func (s *streak) has(i uint64) bool {
	_, ok := s.failed[i]
	return ok
}

// forget starts anew.
func (s *streak) forget() { clear(s.failed) }
