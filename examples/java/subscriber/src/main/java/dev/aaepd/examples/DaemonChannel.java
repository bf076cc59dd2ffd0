package dev.aaepd.examples;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.aaepd.OwnSocket;
import dev.aaepd.examples.aaep.v1.AaepdError;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Connects to aaepd, and puts into words what it says when a call fails. {@link Subscriber} says how to run it. */
final class DaemonChannel implements AutoCloseable {
  private static final String GONE = "There is no daemon there, or it has gone: ";

  // It warns that the sockets of one machine have no SO_KEEPALIVE, which gRPC sets on all.
  private static final Logger BOOTSTRAP = Logger.getLogger("io.grpc.netty.shaded.io.netty.bootstrap.Bootstrap");

  static {
    BOOTSTRAP.setLevel(Level.SEVERE);
  }

  private final ManagedChannel channel;
  private final MultiThreadIoEventLoopGroup threads = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  private DaemonChannel(Options options) throws IOException {
    String address = options.get("address", "");
    NettyChannelBuilder builder;
    if (address.startsWith("unix:")) {
      String path = address.substring("unix:".length());
      try {
        OwnSocket.assertOwnSocket(path, false);
      } catch (NoSuchFileException error) {
        throw new IOException(GONE + path, error);
      }
      builder =
          NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(path))
              .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
              .channelFactory(() -> own(path))
              // Else the path would be sent as the host's name, which is none.
              .overrideAuthority("localhost");
    } else if (address.contains(":")) {
      builder =
          NettyChannelBuilder.forTarget("dns:///" + address)
              .channelType(NioSocketChannel.class)
              // It is on this machine: no proxy of the environment may see it.
              .proxyDetector(target -> null);
    } else {
      throw new IllegalArgumentException("give --address unix:/path/to.sock or --address 127.0.0.1:PORT");
    }
    if (options.has("token-file")) {
      builder.intercept(bearer(Files.readString(Path.of(options.get("token-file", ""))).strip()));
    }
    channel =
        builder
            .eventLoopGroup(threads)
            .usePlaintext()
            // A stream that is tried again would keep all that it sent in memory, and repeat it.
            .disableRetry()
            // A connection that has died is noticed, also while nothing is said. The daemon allows a ping every 10 seconds.
            .keepAliveTime(20, TimeUnit.SECONDS)
            .keepAliveTimeout(10, TimeUnit.SECONDS)
            .build();
  }

  /** By the options {@code --address} and {@code --token-file}. It connects with the first call. */
  static DaemonChannel open(Options options) throws IOException {
    return new DaemonChannel(options);
  }

  ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** A channel that sends nothing before it knows that the socket is this user's own. */
  private static Channel own(String path) {
    SocketChannel socket;
    try {
      socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    NioDomainSocketChannel channel = new NioDomainSocketChannel(socket);
    channel
        .pipeline()
        .addFirst(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelActive(ChannelHandlerContext context) throws IOException {
                OwnSocket.assertOwnPeer(socket, path); // an exception ends the channel
                context.fireChannelActive();
              }
            });
    return channel;
  }

  /** Sends the token with each call. */
  private static ClientInterceptor bearer(String token) {
    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return MetadataUtils.newAttachHeadersInterceptor(metadata);
  }

  /** What the daemon says of a call that failed. */
  static String sentence(StatusException error) {
    com.google.rpc.Status details = StatusProto.fromThrowable(error);
    if (details != null) {
      for (Any detail : details.getDetailsList()) {
        if (detail.is(AaepdError.class)) {
          try {
            return sentence(detail.unpack(AaepdError.class));
          } catch (InvalidProtocolBufferException e) {
            break; // then the status alone has to say it
          }
        }
      }
    }
    Status status = error.getStatus();
    if (status.getCode() == Status.Code.UNAVAILABLE) {
      String why = status.getCause() == null ? status.getDescription() : status.getCause().getMessage();
      return GONE + why;
    }
    return status.getCode() + ": " + status.getDescription();
  }

  /** An AaepdError in words. */
  static String sentence(AaepdError fault) {
    if (fault.getCode().equals("shutting_down")) {
      return "The daemon is shutting down. Connect again when it is back.";
    }
    String where = fault.getPointer().isEmpty() ? "" : " at " + fault.getPointer();
    String rule = fault.getRule().isEmpty() ? "" : ", " + fault.getRule();
    return "%s (%s%s%s)".formatted(fault.getMessage(), fault.getCode(), where, rule);
  }
}
