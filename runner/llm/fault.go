package llm

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// fault is an error body, whatever its dialect.
type fault struct {
	message string
	code    string   // what Failure.Code shows
	names   []string // every code and type it carries, lower case
	status  int      // an HTTP status given inside the body, else 0
	flagged bool     // says that moderation flagged the input
}

// fault reads the error dialects: {"error": {…} or text}, {"detail": …} and
// the flat {"object": "error", "message": …}. Where none is there it shows
// the beginning of the body.
func (b *reply) fault(body []byte, decodeErr error) fault {
	var f fault
	switch {
	case decodeErr != nil:
	case present(b.Error):
		f = faultOf(b.Error)
	case present(b.Message):
		f = faultOf(map[string]any{"message": b.Message, "code": b.Code, "type": b.Type})
	case present(b.Detail):
		f = faultOf(b.Detail)
	}
	if f.message == "" {
		f.message = excerpt(body)
	}
	return f
}

func faultOf(v any) fault {
	switch t := v.(type) {
	case string:
		return fault{message: t}
	case []any: // FastAPI lists what it found wrong
		if len(t) > 0 {
			return faultOf(t[0])
		}
	case map[string]any:
		return faultOfObject(t)
	}
	return fault{}
}

func faultOfObject(m map[string]any) fault {
	f := fault{message: firstText(m["message"], m["msg"], m["detail"])}
	if inner, ok := m["message"].(map[string]any); ok && f.message == "" {
		f.message = firstText(inner["message"], inner["detail"])
	}
	f.name(m["code"])
	f.name(m["type"])
	f.name(m["status"])
	if inner, ok := m["innererror"].(map[string]any); ok {
		f.name(inner["code"])
	}
	if meta, ok := m["metadata"].(map[string]any); ok {
		f.flagged = present(meta["flagged_input"]) || present(meta["reasons"])
		if raw, ok := meta["raw"].(string); ok && strings.HasPrefix(f.message, "Provider returned error") {
			f.message += ": " + raw
		}
	}
	return f
}

// name takes in one code, type or status: a text, a number, or a number in
// quotes. The first text is shown; a number only where there is no text.
func (f *fault) name(v any) {
	switch t := v.(type) {
	case float64:
		if t == math.Trunc(t) && math.Abs(t) < 1e9 {
			f.number(int(t))
		}
	case string:
		if n, err := strconv.Atoi(t); err == nil {
			f.number(n)
		} else if t != "" {
			if len(f.names) == 0 {
				f.code = cut(clean(t), 64)
			}
			f.names = append(f.names, strings.ToLower(t))
		}
	}
}

func (f *fault) number(n int) {
	if f.code == "" {
		f.code = strconv.Itoa(n)
	}
	if f.status == 0 && n >= 400 && n <= 599 {
		f.status = n
	}
}

// fail turns a fault into the response's outcome: filtered where a content
// filter spoke, else an error of the class that status and fault call for.
func (r *Response) fail(f fault) {
	status := r.Status
	if status >= 200 && status <= 299 {
		status = f.status
	}
	if f.filtered(status) {
		r.Outcome = OutcomeFiltered
		return
	}
	class, hint := f.class(status)
	r.Outcome = OutcomeError
	r.Err = &Failure{
		Class:      class,
		Status:     r.Status,
		Code:       f.code,
		Message:    cleanWith(f.message, hint),
		RetryAfter: retryAfter(r.Headers),
	}
}

// retryAfter reads how many seconds the server asked to wait: a number, or a
// date relative to the server's own Date. Not given, past or absurd: 0.
func retryAfter(headers map[string]string) float64 {
	if s, err := strconv.ParseFloat(headers["retry-after-ms"], 64); err == nil && s > 0 && s < 1e12 {
		return s / 1000
	}
	v := headers["retry-after"]
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e9 {
			return s
		}
		return 0
	}
	at, ok := httpDate(v)
	now, known := httpDate(headers["date"])
	if !ok || !known {
		return 0
	}
	return max(at.Sub(now).Seconds(), 0)
}

// httpDate reads the three date forms that HTTP allows (RFC 9110, 5.6.7).
func httpDate(s string) (time.Time, bool) {
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
