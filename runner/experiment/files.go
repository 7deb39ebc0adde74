package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// disk reads from a file system, or from the machine where there is none.
type disk struct{ fsys fs.FS }

func (d disk) read(name string) ([]byte, error) {
	if d.fsys == nil {
		return os.ReadFile(name)
	}
	return fs.ReadFile(d.fsys, path.Clean(filepath.ToSlash(name)))
}

func (d disk) stat(name string) (fs.FileInfo, error) {
	if d.fsys == nil {
		return os.Stat(name)
	}
	return fs.Stat(d.fsys, path.Clean(filepath.ToSlash(name)))
}

// list gives the names of the *.hcl files in a directory, sorted.
func (d disk) list(dir string) ([]string, error) {
	var entries []fs.DirEntry
	var err error
	if d.fsys == nil {
		entries, err = os.ReadDir(dir)
	} else {
		entries, err = fs.ReadDir(d.fsys, path.Clean(filepath.ToSlash(dir)))
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name := e.Name(); filepath.Ext(name) == ".hcl" && !strings.HasPrefix(name, ".") && !e.IsDir() {
			names = append(names, filepath.Join(dir, name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// id tells whether two paths are one file.
func (d disk) id(name string) string {
	if d.fsys != nil {
		return path.Clean(filepath.ToSlash(name))
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.Clean(name)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

// beside resolves a path that stands in a file.
func beside(file, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(file), name)
}

// reason says why a path could not be read, without repeating the path.
func reason(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "no such file or directory"
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// file is one parsed experiment file.
type file struct {
	name string
	body *hclsyntax.Body
	ctx  *hcl.EvalContext
}

// open reads a path that the command line or an include names: a file, or
// every *.hcl of a directory. stack holds the files whose include led here.
func (l *loader) open(name string, at *hcl.Range, stack []string) {
	info, err := l.disk.stat(name)
	if err != nil {
		l.unreadable(name, at, err)
		return
	}
	if !info.IsDir() {
		l.read(name, at, stack)
		return
	}
	names, err := l.disk.list(name)
	if err != nil {
		l.unreadable(name, at, err)
		return
	}
	if len(names) == 0 {
		l.lossy = true
		l.add(problem(at, fmt.Sprintf("no experiment file in %s", name), "A directory is read as all its *.hcl files; this one has none."))
	}
	for _, n := range names {
		l.read(n, at, stack)
	}
}

func (l *loader) unreadable(name string, at *hcl.Range, err error) {
	l.lossy = true
	advice := "Check the path; paths in a file are relative to that file."
	if at == nil {
		advice = "Check the path."
	}
	if _, e := l.disk.stat(name + ".hcl"); e == nil {
		advice = fmt.Sprintf("Did you mean %q?", name+".hcl")
	}
	l.add(problem(at, fmt.Sprintf("cannot read %s: %s", name, reason(err)), advice))
}

// read parses one file, once, and then what it includes.
func (l *loader) read(name string, at *hcl.Range, stack []string) {
	id := l.disk.id(name)
	if i := slices.Index(stack, id); i >= 0 {
		l.cycle(name, at, stack[i:])
		return
	}
	if l.seen[id] != "" {
		return
	}
	src, err := l.disk.read(name)
	if err != nil {
		l.unreadable(name, at, err)
		return
	}
	l.seen[id] = name
	l.fileOrder[name] = len(l.fileOrder)
	l.addRead(name, src)
	if bad := firstInvalid(src); bad >= 0 {
		l.source.files[name] = &hcl.File{Bytes: bytes.ToValidUTF8(src, []byte("?"))}
		l.notUTF8(name, src, bad)
		return
	}
	parsed, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos)
	l.source.files[name] = parsed
	l.syntax(name, diags)
	f := &file{name: name, body: parsed.Body.(*hclsyntax.Body)}
	l.files = append(l.files, f)
	l.warnNFC(name, src)
	l.includes(f, append(slices.Clone(stack), id))
}

// addRead records a file and its digest.
func (l *loader) addRead(name string, src []byte) {
	if slices.ContainsFunc(l.reads, func(f File) bool { return f.Path == name }) {
		return
	}
	sum := sha256.Sum256(src)
	l.reads = append(l.reads, File{Path: name, Digest: hex.EncodeToString(sum[:])})
}

// syntax reports what the parser said. After a syntax error parts of the file
// are missing, so nothing may be called absent.
func (l *loader) syntax(name string, diags hcl.Diagnostics) {
	for _, d := range diags {
		if d.Severity == hcl.DiagError && d.Summary != "Attribute redefined" {
			l.lossy, l.torn[name] = true, true
		}
	}
	l.add(outermost(diags)...)
}

// cycle names the files of an include cycle, in order.
func (l *loader) cycle(name string, at *hcl.Range, ids []string) {
	names := make([]string, 0, len(ids)+1)
	for _, id := range ids {
		names = append(names, l.seen[id])
	}
	names = append(names, names[0])
	l.add(problem(at, fmt.Sprintf("include of %s closes a cycle", name),
		fmt.Sprintf("The cycle: %s. Remove one of these includes; a file reached twice is read once anyway.", strings.Join(names, " → "))))
}

// includes reads the include attribute of a file.
func (l *loader) includes(f *file, stack []string) {
	attr := f.body.Attributes["include"]
	if attr == nil {
		return
	}
	exprs, diags := hcl.ExprList(attr.Expr)
	if diags.HasErrors() {
		l.lossy = true
		l.fail(attr.Expr.Range(), "include must be a list of paths", `Write include = ["models.hcl"].`)
		return
	}
	for _, expr := range exprs {
		rng := expr.Range()
		text, ok := literal(expr)
		if !ok || text == "" {
			l.lossy = true
			l.fail(rng, "an include must be a plain text", "Includes are read before variables and functions exist; write the path in quotes.")
			continue
		}
		l.open(beside(f.name, text), &rng, stack)
	}
}

// literal is the value of an expression that is a plain quoted text.
func literal(expr hcl.Expression) (string, bool) {
	val, diags := expr.Value(nil)
	if diags.HasErrors() || !isText(val) {
		return "", false
	}
	return val.AsString(), true
}

func firstInvalid(src []byte) int {
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// notUTF8 reports the first byte of a file that is not UTF-8.
func (l *loader) notUTF8(name string, src []byte, at int) {
	l.lossy = true
	line := bytes.Count(src[:at], []byte("\n")) + 1
	column := utf8.RuneCount(src[bytes.LastIndexByte(src[:at], '\n')+1:at]) + 1
	start := hcl.Pos{Line: line, Column: column, Byte: at}
	end := hcl.Pos{Line: line, Column: column + 1, Byte: at + 1}
	l.fail(hcl.Range{Filename: name, Start: start, End: end}, "invalid UTF-8",
		"The byte 0x%02x does not belong here; experiment files are UTF-8. Save the file as UTF-8. Nothing of it was read.", src[at])
}
