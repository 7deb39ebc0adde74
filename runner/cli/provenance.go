package cli

import (
	"context"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"memform/runner/experiment"
)

// gitHead asks git for the commit of the working directory. It is dirty where
// a tracked file has changed, or where one that was read is not tracked.
func gitHead(read []experiment.File) *gitState {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return nil
	}
	status, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output()
	if err != nil {
		return nil
	}
	args := []string{"status", "--porcelain", "--untracked-files=all", "--"}
	for _, f := range read {
		args = append(args, f.Path)
	}
	if len(read) > 0 && len(status) == 0 { // a file outside the repository is an error, and no change of it
		status, _ = exec.CommandContext(ctx, "git", args...).Output()
	}
	return &gitState{Commit: strings.TrimSpace(string(head)), Dirty: len(strings.TrimSpace(string(status))) > 0}
}

// Version is the version of this program.
const Version = "0.1.0"

func buildVersion() (version, goVersion string) {
	version = Version
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			version += "+" + s.Value[:12]
		}
	}
	return version, info.GoVersion
}
