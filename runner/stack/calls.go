package stack

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Calls says how many model calls a form over n records makes.
type Calls struct{ Low, Expected, High Count }

// Count is Per × n + Fixed.
type Count struct{ Per, Fixed int }

// Of is the count for n records.
func (c Count) Of(n int) int { return c.Per*n + c.Fixed }

var countForm = regexp.MustCompile(`^(?:(?:(\d{1,4})\*)?(n)(?:\+(\d{1,6}))?|(\d{1,6}))$`)

// countOf reads a number, "n", "a*n" or "a*n+b".
func countOf(raw json.RawMessage) (Count, error) {
	text := strings.ReplaceAll(strings.Trim(string(raw), `"`), " ", "")
	m := countForm.FindStringSubmatch(text)
	if m == nil {
		return Count{}, fmt.Errorf("%s is no number of calls: write a number, \"n\", or \"a*n+b\"", raw)
	}
	number := func(s string, without int) int {
		if s == "" {
			return without
		}
		v, _ := strconv.Atoi(s) // digits, by the form
		return v
	}
	if m[2] == "" {
		return Count{Fixed: number(m[4], 0)}, nil
	}
	return Count{Per: number(m[1], 1), Fixed: number(m[3], 0)}, nil
}

func callsOf(low, expected, high json.RawMessage) (c Calls, err error) {
	for _, part := range []struct {
		raw json.RawMessage
		to  *Count
	}{{low, &c.Low}, {expected, &c.Expected}, {high, &c.High}} {
		if *part.to, err = countOf(part.raw); err != nil {
			return c, err
		}
	}
	for _, n := range []int{0, 1, 1000} { // straight lines: the ends tell
		if c.Low.Of(n) > c.Expected.Of(n) || c.Expected.Of(n) > c.High.Of(n) {
			return c, fmt.Errorf("calls: low ≤ expected ≤ high does not hold for %d records", n)
		}
	}
	return c, nil
}
