//go:build unix && !linux

package stack

import "syscall"

// ownGroup puts the process into a group of its own. Where memform dies, the
// end of stdin tells the process to.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // gone is as good
