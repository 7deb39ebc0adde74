//go:build !race

package audit

const step = 1
