package experiment

import (
	"strconv"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Text writes an experiment as one file that loads as the same experiment:
// what is set, and of defaults nothing. Values stand in place of variables and
// functions, but for what the writing says otherwise. Defenses of one name
// must be one: two blocks of the method "all" have no other names in it.
func Text(e *Experiment, how Writing) []byte {
	w := &textWriter{file: hclwrite.NewEmptyFile(), how: how}
	b := w.block("experiment", e.Name)
	b.set("description", textValue(e.Description))
	b.set("seed", cty.NumberIntVal(e.Seed))
	for _, x := range e.Endpoints {
		w.endpoint(x)
	}
	for _, m := range e.Models {
		w.model(m)
	}
	for _, c := range e.Cases {
		b := w.block("cases", c.Name)
		b.set("path", textValue(how.place(c.Path)))
		b.set("interfaces", textValues(c.Interfaces))
		b.set("families", wholeValue(c.Families))
		b.set("half", textValue(c.Half))
	}
	for _, d := range e.Defenses {
		w.defense(d)
	}
	for _, r := range e.Runs {
		w.run(r)
	}
	for _, c := range e.Comparisons {
		b := w.block("comparison", c.Name)
		b.set("metric", textValue(c.Metric))
		b.set("baseline", textValue(c.Baseline))
		b.set("over", textValue(c.Over))
	}
	return hclwrite.Format(w.file.Bytes())
}

// Writing says how a text names what lies outside it.
type Writing struct {
	// Place writes a path, so that it leads where it should from where the
	// file will lie; nil: as it is.
	Place func(path string) string
	// Address names the variable that the address of an endpoint is taken
	// from, and what stands where that is not set; "" or nil: it is written out.
	Address func(e *Endpoint) (variable, otherwise string)
}

func (h Writing) place(path string) string {
	if h.Place == nil {
		return path
	}
	return h.Place(path)
}

// textWriter writes blocks, each after an empty line.
type textWriter struct {
	file *hclwrite.File
	how  Writing
	any  bool
}

// textBlock is a block in the making; its row knows the defaults.
type textBlock struct {
	row  *block
	body *hclwrite.Body
}

func (w *textWriter) block(kind, label string) textBlock {
	if w.any {
		w.file.Body().AppendNewline()
	}
	w.any = true
	return textBlock{findBlock(kind, ""), w.file.Body().AppendNewBlock(kind, []string{label}).Body()}
}

// set writes a value that is neither absent (NilVal) nor the default.
func (b textBlock) set(name string, val cty.Value) {
	if val != cty.NilVal && !isDefault(b.row.attr(name), val) {
		b.body.SetAttributeValue(name, val)
	}
}

func isDefault(row *attribute, val cty.Value) bool {
	if row.def == "" {
		return false
	}
	expr, _ := hclsyntax.ParseExpression([]byte(row.def), "default", hcl.InitialPos)
	def, _ := expr.Value(nil)
	return def.RawEquals(val)
}

// number writes a number in the form it is kept in.
func (b textBlock) number(name string, n *Number) {
	if n != nil {
		b.body.SetAttributeRaw(name, hclwrite.Tokens{{Type: hclsyntax.TokenNumberLit, Bytes: []byte(*n)}})
	}
}

// refer writes a reference to a block.
func (b textBlock) refer(name, kind, label string) {
	b.body.SetAttributeTraversal(name, traversal(kind, label))
}

// referAll writes a list of references.
func (b textBlock) referAll(name, kind string, labels []string) {
	elements := make([]hclwrite.Tokens, len(labels))
	for i, l := range labels {
		elements[i] = hclwrite.TokensForTraversal(traversal(kind, l))
	}
	b.body.SetAttributeRaw(name, hclwrite.TokensForTuple(elements))
}

func traversal(kind, label string) hcl.Traversal {
	return hcl.Traversal{hcl.TraverseRoot{Name: kind}, hcl.TraverseAttr{Name: label}}
}

// object writes an object of numbers, members that have their default left out.
func (b textBlock) object(name string, members map[string]float64) {
	row := b.row.attr(name)
	object := map[string]cty.Value{}
	for i := range row.fields {
		x, given := members[row.fields[i].name]
		if val := floatValue(x); given && !isDefault(&row.fields[i], val) {
			object[row.fields[i].name] = val
		}
	}
	b.body.SetAttributeValue(name, cty.ObjectVal(object))
}

func (w *textWriter) endpoint(e *Endpoint) {
	b := w.block("endpoint", e.Name)
	w.address(b, e)
	b.set("kind", textValue(e.Kind))
	b.set("api_version", textValue(e.APIVersion))
	b.set("api_key_env", textValue(e.APIKeyEnv))
	if !e.IdentityIsURL {
		b.set("identity", textValue(e.declaredIdentity()))
	}
	b.set("requests_per_minute", wholeValue(e.RequestsPerMinute))
	b.set("tokens_per_minute", wholeValue(e.TokensPerMinute))
	b.set("requests_per_day", wholeValue(e.RequestsPerDay))
	b.set("max_in_flight", wholeValue(e.MaxInFlight))
	if e.Timeout != defaultTimeout {
		b.set("timeout", durationValue(e.Timeout))
	}
	b.set("headers", textMap(e.Headers))
	b.set("key_headers", cty.BoolVal(e.KeyHeaders))
}

// address writes an endpoint's address, or where it is taken from.
func (w *textWriter) address(b textBlock, e *Endpoint) {
	variable, otherwise := "", ""
	if w.how.Address != nil {
		variable, otherwise = w.how.Address(e)
	}
	if variable == "" {
		b.set("base_url", textValue(e.BaseURL))
		return
	}
	b.body.SetAttributeRaw("base_url", hclwrite.TokensForFunctionCall("env",
		hclwrite.TokensForValue(cty.StringVal(variable)), hclwrite.TokensForValue(cty.StringVal(otherwise))))
}

// defaultTimeout is the default of an endpoint's timeout, as it is kept.
var defaultTimeout = func() time.Duration {
	text, _ := strconv.Unquote(findBlock("endpoint", "").attr("timeout").def)
	d, _ := time.ParseDuration(text)
	return d
}()

func (w *textWriter) model(m *Model) {
	b := w.block("model", m.Name)
	if s := m.Simulated; s != nil {
		b.object("simulated", map[string]float64{"competence": s.Competence, "susceptibility": s.Susceptibility, "detection": s.Detection, "false_alarm": s.FalseAlarm})
	} else {
		b.refer("endpoint", "endpoint", m.Endpoint.Name)
		b.set("id", textValue(m.ID))
	}
	b.number("temperature", m.Temperature)
	b.number("top_p", m.TopP)
	if m.MaxTokens != nil {
		b.set("max_tokens", wholeValue(*m.MaxTokens))
	}
	b.set("max_tokens_field", textValue(m.MaxTokensField))
	if m.Seed != nil {
		b.set("seed", cty.NumberIntVal(*m.Seed))
	}
	if m.ReasoningEffort != nil {
		b.set("reasoning_effort", textValue(*m.ReasoningEffort))
	}
	b.set("stop", textValues(m.Stop))
	if m.ExtraBody != nil {
		b.set("extra_body", jsonValue(m.ExtraBody))
	}
	if p := m.Price; p != nil && (m.Simulated == nil || *p != Price{}) {
		members := map[string]float64{"input": p.Input, "output": p.Output}
		if p.CachedInput != p.Input {
			members["cached_input"] = p.CachedInput
		}
		b.object("price", members)
	}
	b.set("requests_per_minute", wholeValue(m.RequestsPerMinute))
	b.set("tokens_per_minute", wholeValue(m.TokensPerMinute))
}

func (w *textWriter) defense(d *Defense) {
	b := w.block("defense", d.Name)
	b.set("method", textValue(d.Method))
	if d.Model != nil {
		b.refer("model", "model", d.Model.Name)
	}
	if uses(d.Method, "keep_from") {
		b.set("keep_from", floatValue(d.KeepFrom))
		b.set("reject_below", floatValue(d.RejectBelow))
	}
	if uses(d.Method, "epsilon") {
		b.set("epsilon", floatValue(d.Epsilon))
	}
}

func (w *textWriter) run(r *Run) {
	b := w.block("run", r.Name)
	b.referAll("models", "model", labelsOf(r.Models, func(m *Model) string { return m.Name }))
	b.referAll("cases", "cases", labelsOf(r.Cases, func(c *Cases) string { return c.Name }))
	b.set("phases", textValues(r.Phases))
	if !r.Memory { // it has its own
		b.set("p5_updaters", textValues(r.P5Updaters))
	}
	b.set("p5_random_orders", wholeValue(r.P5RandomOrders))
	b.set("replicates", wholeValue(r.Replicates))
	b.set("replicate_conditions", textValues(r.ReplicateConditions))
	b.set("choice_order", textValue(r.ChoiceOrder))
	b.set("p1_write", textValue(r.P1Write))
	files := make(map[string]string, len(r.Prompts))
	for name, path := range r.Prompts {
		files[name] = w.how.place(path)
	}
	b.set("prompts", textMap(files))
	if r.MaxCost != nil {
		b.set("max_cost", floatValue(*r.MaxCost))
	}
	b.set("stack", textValue(r.Stack))
	if len(r.Defenses) > 0 {
		b.referAll("defenses", "defense", labelsOf(r.Defenses, func(d *Defense) string { return d.Name }))
	}
	b.set("defense_conditions", textValues(r.DefenseConditions))
	if r.Undefended != "" {
		b.set("undefended", textValue(w.how.place(r.Undefended)))
	}
	if r.TargetAlignment != nil {
		b.refer("target_alignment", "model", r.TargetAlignment.Name)
	}
	if r.FreeForm.Parser == nil && r.FreeForm.Judge == nil {
		return
	}
	inner := textBlock{findBlock("freeform", "run"), b.body.AppendNewBlock("freeform", nil).Body()}
	if m := r.FreeForm.Parser; m != nil {
		inner.refer("parser", "model", m.Name)
	}
	if m := r.FreeForm.Judge; m != nil {
		inner.refer("judge", "model", m.Name)
	}
}

func labelsOf[T any](list []T, name func(T) string) []string {
	labels := make([]string, len(list))
	for i, x := range list {
		labels[i] = name(x)
	}
	return labels
}

// The values below are NilVal where nothing is set.

func textValue(s string) cty.Value {
	if s == "" {
		return cty.NilVal
	}
	return cty.StringVal(s)
}

func wholeValue(n int) cty.Value {
	if n == 0 {
		return cty.NilVal
	}
	return cty.NumberIntVal(int64(n))
}

// floatValue is the number that x is the nearest float64 to, as it is written.
func floatValue(x float64) cty.Value {
	return cty.MustParseNumberVal(strconv.FormatFloat(x, 'g', -1, 64))
}

func durationValue(d time.Duration) cty.Value {
	if d == 0 {
		return cty.NilVal
	}
	return cty.StringVal(d.String())
}

func textValues(list []string) cty.Value {
	if len(list) == 0 {
		return cty.NilVal
	}
	values := make([]cty.Value, len(list))
	for i, s := range list {
		values[i] = cty.StringVal(s)
	}
	return cty.TupleVal(values)
}

func textMap(m map[string]string) cty.Value {
	if len(m) == 0 {
		return cty.NilVal
	}
	values := make(map[string]cty.Value, len(m))
	for name, s := range m {
		values[name] = cty.StringVal(s)
	}
	return cty.ObjectVal(values)
}

// jsonValue is the value of canonical JSON.
func jsonValue(text []byte) cty.Value {
	var v ctyjson.SimpleJSONValue
	if v.UnmarshalJSON(text) != nil {
		return cty.NilVal // nothing but canonical JSON is kept
	}
	return v.Value
}
