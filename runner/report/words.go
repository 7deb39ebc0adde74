package report

import (
	"strconv"

	"memform/runner/score"
)

// absent stands for a rate whose predictions were not planned.
const absent = "-"

// percent is a share in per cent with one decimal, n/a without a value.
func percent(v *float64) string {
	if v == nil {
		return "n/a"
	}
	switch *v {
	case 0:
		return "0"
	case 1:
		return "100"
	}
	return strconv.FormatFloat(100**v, 'f', 1, 64)
}

func signed(v *float64) string {
	if v != nil && *v > 0 {
		return "+" + percent(v)
	}
	return percent(v)
}

func value(r *score.Rate) string {
	if r == nil {
		return absent
	}
	return percent(r.Value)
}

func share(rates []score.Rate, name string) string {
	r, has := score.Find(rates, name)
	if !has {
		return absent
	}
	return percent(r.Value)
}

func interval(rates []score.Rate, name string) string {
	r, _ := score.Find(rates, name)
	return withInterval(r)
}

func withInterval(r *score.Rate) string {
	if r == nil || r.Wilson == nil {
		return value(r)
	}
	return percent(r.Value) + " " + pair(r.Wilson)
}

func pair(p *[2]float64) string {
	if p == nil {
		return "n/a"
	}
	return "[" + percent(&p[0]) + ", " + percent(&p[1]) + "]"
}

// items is the number of items of the first of the rates that there is.
func items(rates []score.Rate, names ...string) string {
	for _, name := range names {
		if r, has := score.Find(rates, name); has {
			return strconv.Itoa(r.N)
		}
	}
	return absent
}

// count leaves zeros out, so that what is there stands out.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
