//go:build !(linux || darwin || freebsd)

package aaep

import (
	"fmt"
	"io/fs"
	"net"
	"runtime"
)

// DialOwn connects to nothing, because nothing here says who listens at a socket.
func DialOwn(path string) (net.Conn, error) {
	return nil, fmt.Errorf("%w: %s does not say who listens at a socket", fs.ErrPermission, runtime.GOOS)
}
