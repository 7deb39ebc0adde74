package conformance

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// shiftedClock is Python's sitecustomize: it puts every clock of the standard
// library more than a year ahead.
//
//go:embed sitecustomize.py
var shiftedClock []byte

// anotherTime is the time zone of the shifted clock, for adapters in any
// language.
const anotherTime = "TZ=MEM-13:30"

// shifted compares what is asked now with what is asked on another date.
func shifted(ctx context.Context, t *trial) error {
	if _, err := t.do(ctx, "clock", story("north", 4)...); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "memform-clock-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"), shiftedClock, 0o600); err != nil {
		return err
	}
	cfg := t.cfg
	path := dir
	if cfg.Stack.Dir != "" {
		path += string(os.PathListSeparator) + cfg.Stack.Dir
	}
	cfg.Stack.Env = append([]string{"PYTHONPATH=" + path, anotherTime}, cfg.Stack.Env...)
	later := newTrial(cfg)
	defer later.bridge.Close()
	if _, err := later.do(ctx, "clock", story("north", 4)...); err != nil {
		return fmt.Errorf("under a shifted clock: %w", err)
	}
	if d := difference(t.model.requests("clock"), later.model.requests("clock")); d != "" {
		return fmt.Errorf("on another date it asks otherwise, so its calls would be bought again: %s", d)
	}
	return nil
}
