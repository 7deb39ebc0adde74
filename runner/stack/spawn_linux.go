package stack

import "syscall"

// ownGroup puts the process into a group of its own, and has the kernel kill
// it when memform dies: more precisely the thread that started it, which is
// why start keeps that thread.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // gone is as good
