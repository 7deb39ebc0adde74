package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"memform/runner/cases/casestest"
)

// TestScripts runs testdata/script: what a user types and what comes of it.
// Each script has a server of its own at $SERVER, the shipped experiments and
// cases, and cases.jsonl with two generated families. The command "sent N"
// checks how many requests have arrived.
func TestScripts(t *testing.T) {
	type server struct{} // the key of a script's server
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			s := newChatServer(t)
			env.Values[server{}] = s
			env.Setenv("SERVER", s.URL)
			for _, dir := range []string{"experiments", "outputs"} {
				if err := copyTree(filepath.Join(repository, dir), filepath.Join(env.WorkDir, dir)); err != nil {
					return err
				}
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "cases.jsonl"), casestest.JSONL(2, 7), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sent": func(ts *testscript.TestScript, neg bool, args []string) {
				if len(args) != 1 {
					ts.Fatalf("usage: sent N")
				}
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				if got := ts.Value(server{}).(*chatServer).sent(); (got == want) == neg {
					ts.Fatalf("%d requests arrived", got)
				}
			},
		},
	})
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
}
