package limit

import (
	"strconv"
	"strings"
	"time"
)

// longestHold bounds how long an answer without anything remaining holds a
// model back. Beyond it the server is asked again, which says so itself.
const longestHold = time.Minute

// reading is what one answer says of one limit.
type reading struct {
	limit     int           // 0: nothing
	remaining int           // -1: nothing
	reset     time.Duration // until there is room again; -1: nothing
}

// perMinute reports whether the limit can be one of a minute: those of a day
// take longer to reset.
func (r reading) perMinute() bool { return r.reset <= time.Minute+time.Second }

// names are the headers of one limit in one dialect, lower case.
type names struct{ limit, remaining, reset string }

// The dialects: OpenAI's (Azure, Groq, Together, vLLM's gateways), the same
// with the minute named (Mistral, Cerebras), Anthropic's, and the plain one of
// OpenRouter and of the IETF draft, which has no tokens.
var (
	requestNames = []names{
		{"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
		{"x-ratelimit-limit-requests-minute", "x-ratelimit-remaining-requests-minute", "x-ratelimit-reset-requests-minute"},
		{"x-ratelimit-limit-req-minute", "x-ratelimit-remaining-req-minute", "x-ratelimit-reset-req-minute"},
		{"anthropic-ratelimit-requests-limit", "anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
		{"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"},
		{"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"},
	}
	tokenNames = []names{
		{"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
		{"x-ratelimit-limit-tokens-minute", "x-ratelimit-remaining-tokens-minute", "x-ratelimit-reset-tokens-minute"},
		{"anthropic-ratelimit-tokens-limit", "anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
	}
)

// Announced is what the headers of an answer say of the limits of a minute; a
// limit of which they say nothing is 0.
func Announced(now time.Time, headers map[string]string) Limits {
	said := func(dialects []names) int {
		if r, ok := read(now, headers, dialects); ok && r.perMinute() {
			return r.limit
		}
		return 0
	}
	return Limits{RequestsPerMinute: said(requestNames), TokensPerMinute: said(tokenNames)}
}

// learn takes in what an answer of a lane's model says of its limits.
func (q *lane) learn(now time.Time, headers map[string]string) {
	if len(headers) == 0 {
		return
	}
	q.learnOne(now, headers, requestNames, q.own.requests)
	q.learnOne(now, headers, tokenNames, q.own.tokens)
}

func (q *lane) learnOne(now time.Time, headers map[string]string, dialects []names, b *bucket) {
	r, ok := read(now, headers, dialects)
	if !ok {
		return
	}
	switch {
	case !r.perMinute():
		b.learn(now, 0)
	case r.limit > 0:
		b.learn(now, r.limit)
	}
	if r.remaining == 0 && r.reset > 0 {
		q.hold = now.Add(min(r.reset, longestHold))
	}
}

// read finds the first dialect that an answer speaks.
func read(now time.Time, headers map[string]string, dialects []names) (reading, bool) {
	for _, d := range dialects {
		limit, said := headers[d.limit]
		remaining, left := headers[d.remaining]
		if !said && !left {
			continue
		}
		return reading{max(whole(limit), 0), whole(remaining), untilReset(now, headers, headers[d.reset])}, true
	}
	return reading{}, false
}

// whole is a number at the start of a header's value ("500, 500;w=60" is 500),
// or -1.
func whole(s string) int {
	s, _, _ = strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, ";")
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f < 0 || f > 1<<40 {
		return -1
	}
	return int(f)
}

// untilReset reads a reset: a duration ("1m2.5s"), seconds, the seconds or
// milliseconds of an epoch, or a time. Times are relative to the server's Date.
func untilReset(now time.Time, headers map[string]string, s string) time.Duration {
	if s == "" {
		return -1
	}
	if date, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", headers["date"]); err == nil {
		now = date
	}
	var at time.Time
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case n >= 0 && n < 1e8:
			return time.Duration(n * float64(time.Second))
		case n >= 1e11 && n < 1e15:
			at = time.UnixMilli(int64(n))
		case n >= 1e8 && n < 1e11:
			at = time.Unix(int64(n), 0)
		default:
			return -1
		}
	} else if d, err := time.ParseDuration(s); err == nil {
		return max(d, 0)
	} else if at, err = time.Parse(time.RFC3339, s); err != nil {
		return -1
	}
	return max(at.Sub(now), 0)
}
