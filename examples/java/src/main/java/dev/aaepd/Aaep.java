package dev.aaepd;

import com.google.gson.Gson;
import com.google.gson.annotations.SerializedName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Makes a Java program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
 *
 * <p>Copy this file into a project. It needs Java 17, Gson ({@code com.google.code.gson:gson}) and the program aaepd on the machine. README.md says how
 * to run {@code BankingAgent}, an agent that uses it.
 *
 * <p>Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
 */
public final class Aaep implements AutoCloseable {
  private static final int LONGEST_TEXT = 4000; // UTF-16 units of one event
  private static final int LONGEST_QUEUE = 16_384; // calls that wait for the daemon
  private static final int LONGEST_ANSWER_S = 20; // from the daemon, where no person is asked
  private static final int LONGEST_CLOSE_S = 2;
  private static final String SYSTEM = System.getProperty("os.name");
  private static final List<String> PROGRAM = List.of(SYSTEM.startsWith("Windows") ? "npx.cmd" : "npx", "--no", "--", "aaepd");
  private static final Gson GSON = new Gson();

  private final Consumer<String> onError;
  private final BlockingQueue<Map<String, Object>> queue = new ArrayBlockingQueue<>(LONGEST_QUEUE);
  private final Map<String, CompletableFuture<Reply>> asked = new HashMap<>();
  private volatile boolean isOver = false;
  private Work hangUp = () -> {};
  private Thread hangingUp;

  /** A task of an agent. */
  public interface Task<T> {
    T run(Session session) throws Exception;
  }

  /** A question to a person before a tool that cannot be undone. The facts help the person to decide. */
  public record Question(String action, String consequence, int timeoutSeconds, Map<String, ?> facts) {}

  /** A tool that cannot be undone was not called. */
  public static final class Declined extends Exception {
    /** "reply" if a person declined, otherwise "timeout", "no_subscriber", "subscription_ended" or "cancelled". */
    public final String resolvedBy;

    private Declined(String resolvedBy) {
      super("Nobody accepted the call: " + resolvedBy);
      this.resolvedBy = resolvedBy;
    }
  }

  private interface Work { void run() throws Exception; }

  private record Message(String id, String method, Reply result, Reply error, Reply params) {}

  /** Of a question the outcome, of a fault the message. */
  private record Reply(String decision, @SerializedName("resolved_by") String resolvedBy, String message) {
    static Reply fault(String resolvedBy) { return new Reply(null, resolvedBy, ""); }
  }

  /**
   * Connects to the daemon of {@code aaepd serve}, otherwise starts one for this agent alone, otherwise is silent. If the connection is lost, the agent
   * is silent too. Make another one then.
   *
   * @param id the stable name of the agent, without its version
   * @param onError receives sentences about what goes wrong with aaepd, in any thread, and returns soon
   * @param arguments further options of {@code aaepd stdio}
   */
  public Aaep(String id, String nameForPeople, Consumer<String> onError, String... arguments) {
    this.onError = onError;
    List<String> command = new ArrayList<>(PROGRAM);
    command.addAll(List.of("stdio", "--producer-id", id));
    command.addAll(List.of(arguments));
    Map<String, String> type = Map.of("@context", "https://aaep-protocol.org/context/v1", "type", "aaep:producer.manifest");
    Map<String, Object> manifest = join(type, Map.of("agent_id", id, "agent_name", nameForPeople));
    try {
      connect(command);
      if (ask("aaep.set_manifest", manifest, LONGEST_ANSWER_S).message() != null)
        end("The daemon does not answer, so the agent is silent.");
    } catch (IOException error) {
      end("There is no daemon, so the agent is silent: " + error.getMessage());
    }
  }

  /**
   * Runs a task that people can follow, and returns its result. The session ends as completed, as errored if the task fails, and as cancelled if its
   * thread is interrupted.
   */
  public <T> T session(String description, Task<T> task) throws Exception {
    Session session = new Session(description);
    try {
      T result = task.run(session);
      session.complete(description);
      return result;
    } catch (InterruptedException error) {
      session.end("session.cancelled", Map.of("summary_normal", description, "cancelled_by", "user"));
      throw error;
    } catch (Throwable error) {
      session.end("session.errored", Map.of("summary_normal", brief(error), "error_category", "unknown"));
      throw error;
    }
  }

  /** Waits until the daemon has everything, and ends the connection. It takes a few seconds at most. */
  @Override
  public void close() {
    ask("aaep.ping", Map.of(), LONGEST_CLOSE_S);
    end(null);
    try {
      hangingUp.join(3000L * LONGEST_CLOSE_S);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  /** One task of the agent. Its calls may come from any thread, and are heard in their order. */
  public final class Session {
    private final String id = "sess_" + random();
    private String state = "idle";
    private String output; // the open one
    private int asking = 0; // open questions
    private int underway = 0; // open tools
    private boolean isOver = false;

    private Session(String description) {
      publish("session.started", Map.of("summary_normal", description));
      change("thinking");
    }

    /** Appends a token to the session's text: whole characters. It returns at once. */
    public void text(String chunk) {
      synchronized (Aaep.this) {
        change("writing_output");
        if (output == null) output = "out_" + random();
        for (int start = 0, end; start < chunk.length(); start = end) {
          end = Math.min(start + LONGEST_TEXT, chunk.length());
          if (end < chunk.length() && Character.isHighSurrogate(chunk.charAt(end - 1))) end--;
          publish("output.streaming", Map.of("output_id", output, "chunk", chunk.substring(start, end), "complete", false));
        }
      }
    }

    /** Publishes an event that has no call of its own, such as "progress.updated". */
    public void publish(String kind, Map<String, ?> members) {
      if (!isOver) send("aaep.publish", event(kind, members), null);
    }

    /** Ends the session with a summary of its result. Without this call it ends with its description. */
    public void complete(String summary) {
      end("session.completed", Map.of("summary_normal", summary));
    }

    /**
     * Runs a tool, and returns its result, or throws its error.
     *
     * @param summary a sentence for people while the tool runs
     * @param completed makes a sentence for people about the result, or null
     */
    public <T> T tool(String name, String summary, Callable<T> run, Function<T, String> completed) throws Exception {
      Map<String, Object> tool = Map.of("tool", name, "tool_call_id", "call_" + random());
      synchronized (Aaep.this) {
        begin();
        publish("tool.invoked", join(tool, Map.of("summary_normal", summary, "risk_level", "low")));
      }
      return finish(tool, run, completed);
    }

    /**
     * Runs a tool that cannot be undone. A person is asked first, and the tool runs only after the person has accepted.
     *
     * @throws Declined if nobody accepted
     */
    public <T> T irreversible(String name, String summary, Question question, Callable<T> run, Function<T, String> completed)
        throws Exception {
      Map<String, Object> tool = Map.of("tool", name, "tool_call_id", "call_" + random());
      Map<String, Object> risk = Map.of("risk_level", "high", "irreversible", true);
      Map<String, Object> asked = join(risk, Map.of("session_id", id, "action", question.action(), "consequence", question.consequence()));
      asked.putAll(Map.of("default_decision", "reject", "timeout_seconds", question.timeoutSeconds()));
      asked.put("extra_context", join(question.facts(), tool));
      synchronized (Aaep.this) {
        endOutput();
        asking++;
      }
      Reply outcome = ask("aaep.confirm", asked, question.timeoutSeconds() + LONGEST_ANSWER_S);
      synchronized (Aaep.this) {
        asking--;
        // A default never counts.
        if (!"accept".equals(outcome.decision()) || !"reply".equals(outcome.resolvedBy())) throw new Declined(outcome.resolvedBy());
        begin();
      }
      // The daemon takes the call only after an accepting reply.
      Map<String, Object> invoked = event("tool.invoked", join(join(tool, risk), Map.of("summary_normal", summary)));
      if (ask("aaep.publish", invoked, LONGEST_ANSWER_S).message() != null) {
        end(tool, Map.of("status", "timeout"));
        throw new Declined("cancelled");
      }
      return finish(tool, run, completed);
    }

    private <T> T finish(Map<String, Object> tool, Callable<T> run, Function<T, String> completed) throws Exception {
      try {
        T result = run.call();
        String told = completed.apply(result);
        end(tool, told == null ? Map.of("status", "success") : Map.of("status", "success", "summary_normal", told));
        return result;
      } catch (Exception error) {
        end(tool, Map.of("status", "error", "error_message", brief(error)));
        throw error;
      }
    }

    private void begin() {
      endOutput();
      change("calling_tool");
      underway++;
    }

    private void end(Map<String, Object> tool, Map<String, ?> result) {
      synchronized (Aaep.this) {
        publish("tool.completed", join(tool, result));
        if (--underway == 0) change("thinking");
      }
    }

    private void end(String kind, Map<String, ?> members) {
      synchronized (Aaep.this) {
        endOutput();
        publish(kind, members);
        isOver = true;
      }
    }

    private void endOutput() {
      if (output != null) publish("output.streaming", Map.of("output_id", output, "chunk", "", "complete", true));
      output = null;
    }

    private Map<String, Object> event(String kind, Map<String, ?> members) {
      return join(members, Map.of("type", "aaep:agent." + kind, "session_id", id));
    }

    /** Tells another state of the agent. While a question is open, the state is the question's. */
    private void change(String next) {
      if (state.equals(next) || asking > 0) return;
      publish("state.changed", Map.of("from_state", state, "to_state", next));
      state = next;
    }
  }

  /** Lets a call wait for its turn. Without a future for its answer it is a notification. */
  private synchronized void send(String method, Map<String, ?> params, CompletableFuture<Reply> answered) {
    Map<String, Object> call = join(Map.of("jsonrpc", "2.0", "method", method), Map.of("params", params));
    if (answered != null && isOver) answered.complete(Reply.fault("no_subscriber"));
    if (isOver) return;
    if (answered != null) {
      call.put("id", random());
      asked.put((String) call.get("id"), answered);
    }
    if (!queue.offer(call)) end("The daemon takes nothing, so the agent is silent.");
  }

  /** Sends a request, and waits for its answer. */
  private Reply ask(String method, Map<String, ?> params, int patienceSeconds) {
    CompletableFuture<Reply> answered = new CompletableFuture<>();
    send(method, params, answered);
    try {
      return answered.completeOnTimeout(Reply.fault("timeout"), patienceSeconds, TimeUnit.SECONDS).get();
    } catch (Exception error) {
      Thread.currentThread().interrupt(); // no other exception is possible
      return Reply.fault("cancelled");
    }
  }

  /** Makes the agent silent: nothing that was asked is answered any more. */
  private synchronized void end(String fault) {
    if (isOver) return;
    isOver = true;
    queue.clear();
    queue.add(Map.of()); // wakes the thread that writes
    hangingUp = start(hangUp);
    if (fault != null) tell(fault);
    asked.values().forEach(answered -> answered.complete(Reply.fault("cancelled")));
    asked.clear();
  }

  private void tell(String fault) {
    try {
      onError.accept(fault);
    } catch (RuntimeException error) {
      // A mistake in onError is no reason to stop.
    }
  }

  /** The next line for the daemon; null: there is none any more. */
  private ByteBuffer next() throws InterruptedException {
    Map<String, Object> call = queue.take();
    return isOver ? null : StandardCharsets.UTF_8.encode(GSON.toJson(call) + "\n");
  }

  private void read(InputStream in) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Message message = GSON.fromJson(line, Message.class);
      Reply fault = "aaep.error".equals(message.method()) ? message.params() : message.error();
      if (fault != null) tell(fault.message());
      CompletableFuture<Reply> answered;
      synchronized (this) {
        answered = asked.remove(message.id());
      }
      if (answered != null) answered.complete(fault == null ? message.result() : Reply.fault("cancelled"));
    }
    throw new IOException("its output has ended");
  }

  /** Finds the daemon of this user, or starts one. */
  private void connect(List<String> command) throws IOException {
    try {
      SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socketPath()));
      hangUp = channel::close;
      start(() -> read(Channels.newInputStream(channel)));
      // Without a stream of `Channels`: before Java 19 it would wait for the one that reads.
      start(() -> { for (ByteBuffer line; (line = next()) != null; ) while (line.hasRemaining()) channel.write(line); });
    } catch (IOException | UnsupportedOperationException nobodyThere) {
      Process daemon = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      OutputStream in = daemon.getOutputStream();
      hangUp = () -> {
        CompletableFuture.delayedExecutor(2 * LONGEST_CLOSE_S, TimeUnit.SECONDS).execute(daemon::destroyForcibly);
        in.close(); // the orderly end of a daemon
        daemon.waitFor();
      };
      start(() -> read(daemon.getInputStream()));
      start(() -> {
        for (ByteBuffer line; (line = next()) != null; in.flush()) in.write(line.array(), 0, line.limit());
      });
    }
  }

  /** Starts a thread. If its work fails, the daemon has gone. */
  private Thread start(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception error) {
        end("The daemon did not start, or has gone, so the agent is silent: " + error.getMessage());
      }
    });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Where {@code aaepd serve} listens. */
  private static String socketPath() throws IOException {
    String path = System.getenv("AAEPD_SOCKET");
    if (path != null && !path.isEmpty()) return path;
    String home = System.getProperty("user.home");
    if (SYSTEM.startsWith("Mac")) return home + "/Library/Application Support/AAEP/aaepd.sock";
    String folder = System.getenv("XDG_RUNTIME_DIR");
    return folder == null || folder.isEmpty()
        ? "/tmp/aaep-" + Files.getAttribute(Path.of(home), "unix:uid") + "/aaepd.sock"
        : folder + "/aaep/aaepd.sock";
  }

  private static Map<String, Object> join(Map<String, ?> some, Map<String, ?> others) {
    Map<String, Object> joined = new HashMap<>(some);
    joined.putAll(others);
    return joined;
  }

  private static String brief(Throwable error) {
    String text = error.getMessage() == null ? error.toString() : error.getMessage();
    return text.substring(0, Math.min(text.length(), LONGEST_TEXT));
  }

  private static String random() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
