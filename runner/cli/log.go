package cli

import (
	"io"
	"os"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// logger writes events to stderr: for people, or as JSON lines.
type logger struct {
	zerolog.Logger
	format, level string
}

func (l *logger) flags(f *pflag.FlagSet) {
	f.StringVar(&l.format, "log-format", "console", "format of log lines on stderr: console or json")
	f.StringVar(&l.level, "log-level", "info", "least level that is logged: debug, info, warn or error")
}

func (l *logger) start(w io.Writer, env func(string) (string, bool)) error {
	level, err := zerolog.ParseLevel(l.level)
	if err != nil || l.level == "" {
		return usage("--log-level %q is none of debug, info, warn, error", l.level)
	}
	whole := zerolog.SyncWriter(w) // endpoints and progress log at the same time
	switch l.format {
	case "json":
		l.Logger = zerolog.New(whole).Level(level).With().Timestamp().Logger()
	case "console":
		console := zerolog.ConsoleWriter{Out: whole, NoColor: !colour(w, env), PartsExclude: []string{zerolog.TimestampFieldName}}
		l.Logger = zerolog.New(console).Level(level)
	default:
		return usage("--log-format %q is none of console, json", l.format)
	}
	return nil
}

// terminal is the file behind w where that is a terminal.
func terminal(w any) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// colour says whether w is a terminal that wants colours.
func colour(w io.Writer, env func(string) (string, bool)) bool {
	if no, set := env("NO_COLOR"); set && no != "" {
		return false
	}
	_, ok := terminal(w)
	return ok
}
