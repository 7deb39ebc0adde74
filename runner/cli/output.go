package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"
)

// output is a file in the making: buffered, under a temporary name.
type output struct{ *bufio.Writer }

// writeFile writes a file whole or not at all: temporary name in the same
// directory, sync, rename.
func writeFile(path string, write func(*output) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	t, err := renameio.TempFile(filepath.Dir(path), path)
	if err != nil {
		return err
	}
	defer t.Cleanup()
	if err := t.Chmod(0o644); err != nil {
		return err
	}
	w := &output{bufio.NewWriterSize(t, 1<<16)}
	if err := write(w); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return t.CloseAtomicallyReplace()
}

// writeJSON writes one value, indented.
func writeJSON(path string, v any) error {
	return writeFile(path, func(w *output) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// writeLines writes JSON Lines; next yields each value in turn.
func writeLines(path string, each func(yield func(any) error) error) error {
	return writeFile(path, func(w *output) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return each(enc.Encode)
	})
}

// writeCompressed is writeLines under zstd.
func writeCompressed(path string, each func(yield func(any) error) error) error {
	return writeFile(path, func(w *output) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		enc := json.NewEncoder(z)
		enc.SetEscapeHTML(false)
		if err := each(enc.Encode); err != nil {
			return err
		}
		return z.Close()
	})
}
