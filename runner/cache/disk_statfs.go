//go:build linux || darwin

package cache

import "golang.org/x/sys/unix"

func freeBytes(path string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

func mayCreate(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
