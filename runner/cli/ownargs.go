package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/experiment"
)

// listFlags is an annotation of commands: the flags that take the words that
// follow them, as in --interfaces P1 P2, separated by spaces.
const listFlags = "list-flags"

// spread repeats a list flag before each of its words, for a parser that
// gives a flag one word. Other commands' arguments stay as they are.
func spread(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Annotations[listFlags] == "" {
		return args
	}
	lists := strings.Fields(cmd.Annotations[listFlags])
	out := make([]string, 0, len(args))
	flag := "" // a list flag whose words may follow
	for i, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "--")
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case flag != "" && !strings.HasPrefix(arg, "-"):
			if out[len(out)-1] != flag {
				out = append(out, flag)
			}
			out = append(out, arg)
			continue
		case isFlag && slices.Contains(lists, name):
			flag = arg
		default:
			flag = ""
		}
		out = append(out, arg)
	}
	return out
}

// names are the words of a list flag, commas taken apart; "all" stands for
// all there are. What is none of them is a mistake.
func (m *mistakes) names(flag string, words, known []string) []string {
	var list []string
	for _, word := range strings.Split(strings.Join(words, ","), ",") {
		switch {
		case word == "" || slices.Contains(list, word):
		case word == "all":
			list = slices.Clone(known)
		case !slices.Contains(known, word):
			m.add("--%s %q: %s", flag, word, strings.Replace(experiment.Suggest(word, known), "Possible: ", "Possible: all, ", 1))
		default:
			list = append(list, word)
		}
	}
	return list
}
