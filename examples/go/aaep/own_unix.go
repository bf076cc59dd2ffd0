//go:build linux || darwin || freebsd

package aaep

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// DialOwn connects to a socket at which a process of this user or of root listens; the kernel says who. The socket and its folder are this user's or root's,
// and nobody else can change them. A link to the folder is followed first. path is by default that of `aaepd serve`, whose folder has to be this user's
// alone. The error is fs.ErrPermission if it is not so, and fs.ErrNotExist if there is no socket.
func DialOwn(path string) (net.Conn, error) {
	folder := fmt.Sprintf("/tmp/aaep-%d", os.Getuid())
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS == "darwin" {
		folder = filepath.Join(home, "Library", "Application Support", "AAEP")
	} else if runtime := os.Getenv("XDG_RUNTIME_DIR"); runtime != "" {
		folder = filepath.Join(runtime, "aaep")
	}
	if path != "" {
		var err error
		if folder, err = filepath.EvalSymlinks(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	address := filepath.Join(folder, filepath.Base(cmp.Or(path, "aaepd.sock")))
	around, err := os.Lstat(folder)
	found, failed := os.Lstat(address)
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	me, owner, holder := uint32(os.Getuid()), found.Sys().(*syscall.Stat_t).Uid, around.Sys().(*syscall.Stat_t).Uid
	isPrivate := around.IsDir() && holder == me && around.Mode().Perm()&0o077 == 0
	isOpen := (around.Mode().Perm()&0o022 != 0 && around.Mode()&fs.ModeSticky == 0) || (owner == me && found.Mode().Perm()&0o022 != 0)
	isOurs := (owner == me || owner == 0) && (holder == me || holder == 0)
	if found.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%w: %s is no socket", fs.ErrPermission, address)
	}
	if !isOurs || (!isPrivate && (path == "" || isOpen)) {
		told := "%w: %s is not yours alone: user %d, mode %o, in a folder of user %d, mode %o"
		return nil, fmt.Errorf(told, fs.ErrPermission, address, owner, found.Mode().Perm(), holder, around.Mode().Perm())
	}
	level, option := 0, 1 // SOL_LOCAL, LOCAL_PEERCRED
	if runtime.GOOS == "linux" {
		level, option = syscall.SOL_SOCKET, 17 // SO_PEERCRED
	}
	connection, err := net.Dial("unix", address)
	if err != nil {
		return nil, err
	}
	// The second number of either answer is the user's. IPv6Mreq has room for it on every system.
	var told *syscall.IPv6Mreq
	raw, err := connection.(*net.UnixConn).SyscallConn()
	if err == nil {
		var failed error
		err = raw.Control(func(file uintptr) { told, failed = syscall.GetsockoptIPv6Mreq(int(file), level, option) })
		err = errors.Join(err, failed)
	}
	if err == nil {
		if peer := binary.NativeEndian.Uint32(told.Multiaddr[4:]); peer == me || peer == 0 {
			return connection, nil
		}
		err = fmt.Errorf("%w: another user listens at %s", fs.ErrPermission, address)
	}
	connection.Close()
	return nil, err
}
