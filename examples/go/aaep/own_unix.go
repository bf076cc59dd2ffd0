//go:build linux || darwin || freebsd

package aaep

import (
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

const isLinux = runtime.GOOS == "linux"

// dialOwn connects as DialOwn does. isUsual: the folder is this user's alone. Linux with /proc: it connects to the file that was looked at, whatever
// stands at the path later. Elsewhere only the question who listens covers a folder above that somebody else has replaced meanwhile.
func dialOwn(path string, isUsual bool) (net.Conn, error) {
	looking := syscall.O_NOFOLLOW | syscall.O_CLOEXEC
	if isLinux {
		looking |= 0x200000 // O_PATH
	}
	var around, found syscall.Stat_t
	var err error
	place := filepath.Dir(path)
	if !isUsual { // a link to a folder that was named is followed first
		if place, err = filepath.EvalSymlinks(place); err != nil {
			return nil, err
		}
	}
	folder, err := open(place, looking|syscall.O_DIRECTORY, &around)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(folder)
	me, address := uint32(os.Getuid()), filepath.Join(place, filepath.Base(path))
	isPrivate := around.Uid == me && around.Mode&0o077 == 0
	isOpen := isWritableForOthers(around) && around.Mode&syscall.S_ISVTX == 0
	if !isPrivate && (isUsual || isOpen || (around.Uid != me && around.Uid != 0)) {
		return nil, refusal(place, around)
	}
	at := fmt.Sprintf("/proc/self/fd/%d", folder)
	if _, failed := os.Lstat(at); isLinux && failed == nil {
		held, err := open(at+"/"+filepath.Base(path), looking, &found)
		if err != nil {
			return nil, err
		}
		defer syscall.Close(held)
		address = fmt.Sprintf("/proc/self/fd/%d", held)
	} else if err := syscall.Lstat(address, &found); err != nil {
		return nil, err
	}
	if found.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return nil, fmt.Errorf("%w: %s is no socket", fs.ErrPermission, path)
	}
	if (found.Uid != me && found.Uid != 0) || (found.Uid == me && !isPrivate && isWritableForOthers(found)) {
		return nil, refusal(path, found)
	}
	return dialPeer(address, path, me)
}

// isWritableForOthers tells that others can write to a file. The user's own group, which has the user's number, has no other member. Group 0 has
// others on some systems.
func isWritableForOthers(found syscall.Stat_t) bool {
	me := os.Getuid()
	if me != 0 && int(found.Gid) == me && os.Getgid() == me {
		return found.Mode&0o002 != 0
	}
	return found.Mode&0o022 != 0
}

// open opens a file, and looks at what it has opened.
func open(path string, flags int, found *syscall.Stat_t) (int, error) {
	file, err := syscall.Open(path, flags, 0)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENOTDIR) {
		return -1, fmt.Errorf("%w: %s is a link, or no folder", fs.ErrPermission, path)
	}
	if err == nil {
		if err = syscall.Fstat(file, found); err != nil {
			syscall.Close(file)
		}
	}
	return file, err
}

// dialPeer connects, and asks the kernel who listens.
func dialPeer(address, path string, me uint32) (net.Conn, error) {
	connection, err := net.Dial("unix", address)
	if err != nil {
		return nil, err
	}
	level, option := 0, 1 // SOL_LOCAL, LOCAL_PEERCRED
	if isLinux {
		level, option = syscall.SOL_SOCKET, 17 // SO_PEERCRED
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
		if peer := binary.NativeEndian.Uint32(told.Multiaddr[4:]); peer != me && peer != 0 {
			err = fmt.Errorf("%w: user %d listens at %s", fs.ErrPermission, peer, path)
		}
	}
	if err != nil {
		connection.Close()
		return nil, err
	}
	return connection, nil
}

func refusal(path string, found syscall.Stat_t) error {
	return fmt.Errorf("%w: %s is not yours alone: user %d, mode %o", fs.ErrPermission, path, found.Uid, found.Mode&0o7777)
}
