package experiment

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	"golang.org/x/text/unicode/norm"
)

// sharedFunctions are the functions that mean the same in every file.
func sharedFunctions(env func(string) (string, bool)) map[string]function.Function {
	return map[string]function.Function{
		"env":        envFunction(env),
		"jsondecode": stdlib.JSONDecodeFunc,
		"format":     stdlib.FormatFunc,
		"join":       stdlib.JoinFunc,
		"split":      stdlib.SplitFunc,
		"lower":      stdlib.LowerFunc,
		"replace":    stdlib.ReplaceFunc,
		"range":      stdlib.RangeFunc,
		"concat":     stdlib.ConcatFunc,
		"distinct":   stdlib.DistinctFunc,
		"flatten":    stdlib.FlattenFunc,
		"merge":      stdlib.MergeFunc,
		"keys":       stdlib.KeysFunc,
		"values":     stdlib.ValuesFunc,
		"lookup":     stdlib.LookupFunc,
		"length":     stdlib.LengthFunc,
		"contains":   stdlib.ContainsFunc,
		"min":        stdlib.MinFunc,
		"max":        stdlib.MaxFunc,
		"setproduct": stdlib.SetProductFunc,
		"slice":      stdlib.SliceFunc,
		"sort":       stdlib.SortFunc,
		"zipmap":     stdlib.ZipmapFunc,
		"try":        tryfunc.TryFunc,
		"can":        tryfunc.CanFunc,
	}
}

// functionNames lists the functions of a file, sorted.
func functionNames(shared map[string]function.Function) []string {
	return append(slices.Sorted(maps.Keys(shared)), "file")
}

// context gives a file its functions; file() is relative to it.
func (l *loader) context(f *file) *hcl.EvalContext {
	if f.ctx == nil {
		f.ctx = l.root.NewChild()
		f.ctx.Functions = maps.Clone(l.functions)
		f.ctx.Functions["file"] = l.fileFunction(f.name)
	}
	return f.ctx
}

// envFunction is env(name) and env(name, default). An empty variable counts
// as unset, as in the shell's ${NAME:-default}.
func envFunction(env func(string) (string, bool)) function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "name", Type: cty.String}},
		VarParam: &function.Parameter{Name: "default", Type: cty.String},
		Type:     function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if len(args) > 2 {
				return cty.NilVal, function.NewArgErrorf(2, "env takes a name and at most one default")
			}
			name := args[0].AsString()
			if text, ok := env(name); ok && text != "" {
				return cty.StringVal(text), nil
			}
			if len(args) == 2 {
				return args[1], nil
			}
			return cty.NilVal, function.NewArgErrorf(0, "the environment variable %s is not set; set it, add it to .env, or give a default: env(%q, \"…\")", name, name)
		},
	})
}

// noEnv stands for env where its value would be written into results.
var noEnv = function.New(&function.Spec{
	VarParam: &function.Parameter{Name: "args", Type: cty.DynamicPseudoType},
	Type:     function.StaticReturnType(cty.String),
	Impl: func([]cty.Value, cty.Type) (cty.Value, error) {
		return cty.NilVal, errors.New("the value of a variable is written into results, the environment must not be; call env where the value is used")
	},
})

// fileFunction is file(path): the text of a file beside the declaring one.
func (l *loader) fileFunction(declaring string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := beside(declaring, args[0].AsString())
			src, err := l.disk.read(name)
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "cannot read %s: %s", name, reason(err))
			}
			if at := firstInvalid(src); at >= 0 {
				return cty.NilVal, function.NewArgErrorf(0, "%s is not UTF-8: byte 0x%02x at offset %d", name, src[at], at)
			}
			if !norm.NFC.IsNormal(src) {
				l.warn(*l.current, fmt.Sprintf("the text of %s is changed to Unicode NFC", name), nfcAdvice)
			}
			l.addRead(name, src)
			return cty.StringVal(string(src)), nil
		},
	})
}
