package dev.aaepd;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;
import jdk.net.ExtendedSocketOptions;

/** Sockets at which a daemon of this user or of root listens, and nobody else. */
public final class OwnSocket {
  private OwnSocket() {}

  /**
   * Connects to a daemon of this user or of root.
   *
   * @param named the path of its socket; null or empty: that of {@code aaepd serve}, whose folder has to be this user's alone
   * @throws AccessDeniedException if it is not so
   */
  static SocketChannel connect(String named) throws IOException {
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    boolean isUsual = named == null || named.isEmpty();
    String folder = runtime == null || runtime.isEmpty() ? "/tmp/aaep-" + Integer.toUnsignedString(uid()) : runtime + "/aaep";
    if (System.getProperty("os.name").startsWith("Mac")) folder = System.getProperty("user.home") + "/Library/Application Support/AAEP";
    String path = isUsual ? folder + "/aaepd.sock" : named;
    assertOwnSocket(path, isUsual);
    SocketChannel connected = SocketChannel.open(UnixDomainSocketAddress.of(path));
    try {
      assertOwnPeer(connected, path);
      return connected;
    } catch (IOException error) {
      connected.close();
      throw error;
    }
  }

  /**
   * Ensures that a socket and its folder belong to this user or to root, and that nobody else can change them. A link to a folder that was named is
   * followed first.
   *
   * @param isUsual the folder has to be this user's alone
   * @throws AccessDeniedException otherwise
   */
  public static void assertOwnSocket(String path, boolean isUsual) throws IOException {
    Path socket = Path.of(path).toAbsolutePath();
    Path place = isUsual ? socket.getParent() : socket.getParent().toRealPath();
    int me = uid();
    Map<String, Object> folder = Files.readAttributes(place, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
    Map<String, Object> file = Files.readAttributes(place.resolve(socket.getFileName()), "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
    int around = (int) folder.get("mode");
    int mode = (int) file.get("mode");
    if ((mode & 0170000) != 0140000) throw new AccessDeniedException(path, null, "it is no socket");
    boolean isPrivate = (around & 0170000) == 0040000 && folder.get("uid").equals(me) && (around & 077) == 0;
    boolean isOpen = ((around & 022) != 0 && (around & 01000) == 0) || (file.get("uid").equals(me) && (mode & 022) != 0);
    boolean isOurs = List.of(me, 0).containsAll(List.of(folder.get("uid"), file.get("uid")));
    String told = "it is not yours alone: user %d, mode %o, in a folder of user %d, mode %o";
    if (!isOurs || (!isPrivate && (isUsual || isOpen)))
      throw new AccessDeniedException(path, null, told.formatted(file.get("uid"), mode & 07777, folder.get("uid"), around & 07777));
  }

  /**
   * Ensures that a process of this user or of root listens at a socket, before anything is sent there. The kernel says who.
   *
   * @throws AccessDeniedException otherwise, and where the system or this Java, which may lack the module jdk.net, does not say it
   */
  public static void assertOwnPeer(SocketChannel connected, String path) throws IOException {
    UserPrincipal peer;
    try {
      peer = connected.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    } catch (LinkageError | UnsupportedOperationException error) {
      throw new AccessDeniedException(path, null, "this Java cannot ask who listens there: " + error);
    }
    UserPrincipalLookupService users = Path.of(path).getFileSystem().getUserPrincipalLookupService();
    for (int own : new int[] {uid(), 0}) if (peer.equals(users.lookupPrincipalByName(String.valueOf(own)))) return;
    throw new AccessDeniedException(path, null, "user " + peer.getName() + " listens there");
  }

  /** The number of this process's user, who may have no name: that of a file which it makes. */
  private static int uid() throws IOException {
    Path file = Files.createTempFile("aaep", null);
    try {
      return (int) Files.getAttribute(file, "unix:uid");
    } finally {
      Files.delete(file);
    }
  }
}
