//go:build !(linux || darwin || freebsd)

package aaep

import (
	"fmt"
	"io/fs"
	"net"
)

// DialOwn connects to nothing.
func DialOwn(string) (net.Conn, error) {
	return nil, fmt.Errorf("%w: nothing here says who listens at a socket", fs.ErrPermission)
}
