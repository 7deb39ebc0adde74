package stack

import (
	"os"
	"path/filepath"
)

// home is the temporary folder of a process.
type home struct{ root, work string }

func newHome() (home, error) {
	root, err := os.MkdirTemp("", "memform-stack-")
	if err != nil {
		return home{}, err
	}
	h := home{root, filepath.Join(root, "work")}
	for _, name := range []string{"work", "home", "tmp", "cache", "config", "data"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			h.remove()
			return home{}, err
		}
	}
	return h, nil
}

func (h home) remove() { _ = os.RemoveAll(h.root) } // a leftover in the temporary folder harms nobody

// environment is all that a process sees (adapters/PROTOCOL.md, "Start").
func (h home) environment(c *Config) []string {
	in := func(name string) string { return filepath.Join(h.root, name) }
	env := []string{
		"PATH=" + c.Path, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC",
		"HOME=" + in("home"), "TMPDIR=" + in("tmp"),
		"XDG_CACHE_HOME=" + in("cache"), "XDG_CONFIG_HOME=" + in("config"), "XDG_DATA_HOME=" + in("data"),
		"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONNOUSERSITE=1", "PYTHONUNBUFFERED=1", "PYTHONUTF8=1",
		"NO_PROXY=*", "no_proxy=*",
		"OPENAI_API_KEY=" + c.Token, "OPENAI_BASE_URL=" + c.Gateway, "OPENAI_API_BASE=" + c.Gateway,
		"LANGSMITH_TRACING=false", "LANGCHAIN_TRACING_V2=false", "OTEL_SDK_DISABLED=true", "DO_NOT_TRACK=1",
		"ANONYMIZED_TELEMETRY=False", "MEM0_TELEMETRY=False", "MEM0_DIR=" + in("data"), "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1",
	}
	if c.Dir != "" {
		env = append(env, "PYTHONPATH="+c.Dir)
	}
	return append(env, c.Env...)
}
