package experiment

import (
	"io/fs"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Options are what a load takes from outside.
type Options struct {
	// Vars are the --var name=text of the command line.
	Vars map[string]string
	// Env looks up environment variables for env(); nil means none is set.
	Env func(name string) (string, bool)
	// Stacks are those that runs may name beside native; nil: those that come
	// with the program.
	Stacks []Stack
	// FS is read instead of the machine's files. Paths are then relative to
	// its root.
	FS fs.FS
}

// Load reads the files and directories at paths and all they include, and
// resolves them (docs/experiment-language.md). It returns every mistake at
// once, in the order of files and lines, each with its place and what to do.
// The experiment is nil exactly when a diagnostic is an error. Source is
// never nil and prints the diagnostics.
func Load(paths []string, opt Options) (*Experiment, *Source, hcl.Diagnostics) {
	l := newLoader(opt)
	for _, p := range paths {
		l.open(p, nil, nil)
	}
	if len(paths) == 0 {
		l.lossy = true
		l.add(problem(nil, "no experiment file given", "Name a file or a directory, such as experiments/quickstart.hcl."))
	}
	for _, f := range l.files {
		l.structure(f)
	}
	l.variables()
	for _, name := range dynamicKinds {
		l.expand(name)
	}
	exp := l.resolve()
	diags := tidy(l.diags, l.fileOrder)
	if len(diags) > 0 {
		for _, f := range l.files {
			l.secrets = append(l.secrets, secretAttributes(f.body)...)
		}
		l.source.mask(l.secrets)
	}
	if diags.HasErrors() {
		return nil, l.source, diags
	}
	exp.Files = l.reads
	return exp, l.source, diags
}

// loader holds the state of one load. Its phases run in order: read files,
// structure, variables, expand (dynamic blocks, labels), resolve.
type loader struct {
	report
	opt    Options
	disk   disk
	source *Source

	files     []*file
	seen      map[string]string // file id → name it was read under
	fileOrder map[string]int
	reads     []File
	secrets   []hcl.Range

	raws  map[string][]*raw           // block type → what was written, in order
	decls map[string][]*decl          // block type → blocks, in order
	named map[string]map[string]*decl // block type → label → block

	root      *hcl.EvalContext // variables and references; files add functions
	functions map[string]function.Function
	current   *hcl.Range // what is being evaluated

	foreign map[string]bool // files of a second experiment

	// What could not be read is not to be called absent.
	lossy      bool            // of anything
	torn       map[string]bool // of a file with a syntax error
	lossyKind  map[string]bool // of a block type
	lossyLabel map[string]bool // of a label, whatever its type
	unsure     map[string]bool // of an attribute of runs, in some run
}

func newLoader(opt Options) *loader {
	l := &loader{
		opt:        opt,
		disk:       disk{opt.FS},
		source:     &Source{files: map[string]*hcl.File{}},
		seen:       map[string]string{},
		fileOrder:  map[string]int{},
		raws:       map[string][]*raw{},
		decls:      map[string][]*decl{},
		named:      map[string]map[string]*decl{},
		root:       &hcl.EvalContext{Variables: map[string]cty.Value{}},
		torn:       map[string]bool{},
		foreign:    map[string]bool{},
		lossyKind:  map[string]bool{},
		lossyLabel: map[string]bool{},
		unsure:     map[string]bool{},
	}
	if l.opt.Env == nil {
		l.opt.Env = func(string) (string, bool) { return "", false }
	}
	l.functions = sharedFunctions(l.opt.Env)
	return l
}

// dynamicKinds are the block types that others refer to or that cross them,
// in the order of their references: each may use those before it.
var dynamicKinds = []string{"endpoint", "model", "cases", "defense", "run"}
