//go:build !(linux || darwin || freebsd)

package aaep

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"
)

// dialOwn connects to nothing, because nothing here says who listens at a socket: a daemon is started for the agent alone.
func dialOwn(path string, _ bool) (net.Conn, error) {
	if _, err := os.Lstat(path); err != nil {
		return nil, fs.ErrNotExist
	}
	return nil, fmt.Errorf("%w: %s does not say who listens at %s", fs.ErrPermission, runtime.GOOS, path)
}
