//go:build linux || darwin || freebsd

package aaep

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// DialOwn connects to a socket at which a process of this user or of root listens; the kernel says who. The socket and its folder are this user's or root's,
// and nobody else can change them. A link to the folder is followed first. path is by default that of `aaepd serve`, whose folder has to be this user's
// alone.
func DialOwn(path string) (net.Conn, error) {
	isUsual, me, folder := path == "", uint32(os.Getuid()), fmt.Sprintf("/tmp/aaep-%d", os.Getuid())
	if runtime.GOOS == "darwin" {
		folder = filepath.Join(os.Getenv("HOME"), "Library", "Application Support", "AAEP")
	} else if runtime := os.Getenv("XDG_RUNTIME_DIR"); runtime != "" {
		folder = filepath.Join(runtime, "aaep")
	}
	if !isUsual {
		folder, _ = filepath.EvalSymlinks(filepath.Dir(path))
	}
	path = filepath.Join(folder, filepath.Base(cmp.Or(path, "aaepd.sock")))
	var around, found syscall.Stat_t
	if err := cmp.Or(syscall.Lstat(folder, &around), syscall.Lstat(path, &found)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	isPrivate := around.Mode&(syscall.S_IFMT|0o077) == syscall.S_IFDIR && around.Uid == me
	isOpen := around.Mode&0o022 != 0 && around.Mode&syscall.S_ISVTX == 0 || found.Mode&0o022 != 0 && found.Uid == me
	isOurs := (around.Uid == me || around.Uid == 0) && (found.Uid == me || found.Uid == 0)
	if found.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return nil, fmt.Errorf("%s is no socket", path)
	}
	if !isOurs || !isPrivate && (isUsual || isOpen) {
		told := "%s is not yours alone: user %d, mode %o, in a folder of user %d, mode %o"
		return nil, fmt.Errorf(told, path, found.Uid, found.Mode&0o7777, around.Uid, around.Mode&0o7777)
	}
	connection, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	peer, err := peerOf(connection.(*net.UnixConn))
	if err == nil && (peer == me || peer == 0) {
		return connection, nil
	}
	connection.Close()
	return nil, cmp.Or(err, fmt.Errorf("user %d listens at %s", peer, path))
}

// peerOf asks the kernel for the user at the other end: the second number of its answer, for which IPv6Mreq has room on every system.
func peerOf(connection *net.UnixConn) (peer uint32, err error) {
	level, option := 0, 1 // SOL_LOCAL, LOCAL_PEERCRED
	if runtime.GOOS == "linux" {
		level, option = syscall.SOL_SOCKET, 17 // SO_PEERCRED
	}
	raw, err := connection.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(file uintptr) {
		var told *syscall.IPv6Mreq
		if told, err = syscall.GetsockoptIPv6Mreq(int(file), level, option); err == nil {
			peer = binary.NativeEndian.Uint32(told.Multiaddr[4:])
		}
	})
	return peer, cmp.Or(err, failed)
}
