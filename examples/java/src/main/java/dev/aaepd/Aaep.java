package dev.aaepd;

import com.google.gson.*;
import com.google.gson.stream.*;
import java.io.*;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
import jdk.net.ExtendedSocketOptions;

/**
 * Makes a Java program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
 *
 * <p>Copy this file into a project. It needs Java 17, Gson 2.12 ({@code com.google.code.gson:gson}) and a running {@code aaepd serve}. README.md says how
 * to run {@code BankingAgent}, an agent that uses it.
 *
 * <p>Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
 */
public final class Aaep implements AutoCloseable {
  private static final int LONGEST_TEXT = 4000; // UTF-16 units of one event
  private static final int LONGEST_LINE = 4 << 20; // bytes of one answer; after that the agent is silent
  private static final int MOST_CALLS = 16_384; // that wait for the daemon; what follows is dropped
  private static final int LONGEST_ANSWER_S = 20; // from the daemon, where no person is asked
  private static final int LONGEST_ABSENCE_MS = 10_000; // of a lost daemon, for those who wait for its answer
  private static final int LONGEST_WAIT_MS = 2000; // for the daemon at the end
  private static final int PAUSE_MS = 500; // between attempts to come back
  private static final String UNREADABLE = "The daemon's answer cannot be read.";
  private static final Gson GSON = new Gson();
  private static final Set<String> ENDS = Set.of("session.completed", "session.errored", "session.cancelled");
  private static final Set<String> DEFAULTS = Set.of("timeout", "no_subscriber", "subscription_ended", "cancelled"); // nobody has replied

  private final Consumer<String> onError;
  private final Map<String, Call> calls = new LinkedHashMap<>(); // those without an answer, in their order
  private final Map<String, Session> sessions = new HashMap<>(); // those whose end has no answer
  private final String manifest;
  private int made = 0;
  private SocketChannel channel;
  private BlockingQueue<String> out; // lines for the channel
  private long lostAt = millis() - LONGEST_ABSENCE_MS;
  private boolean isMet = false;
  private boolean isAway = false;
  private boolean isFull = false;
  private volatile boolean isOver = false;

  /** A task of an agent. */
  public interface Task<T> { T run(Session session) throws Exception; }

  private interface Work { void run() throws Exception; }

  /** A question to a person before a tool that cannot be undone. The facts help the person to decide. */
  public record Question(String action, String consequence, int timeoutSeconds, Map<String, ?> facts) {}

  private record Call(String id, String line, Map<String, ?> params, CompletableFuture<JsonObject> answered) {}

  /** A tool that cannot be undone was not called. */
  public static final class Declined extends Exception {
    /** "reply" if a person declined, "timeout", "no_subscriber", "subscription_ended", "cancelled", or "error" for a mistake that onError gets. */
    public final String resolvedBy;

    private Declined(String resolvedBy, String reason) {
      super("Nobody accepted the call: " + (reason == null ? resolvedBy : reason));
      this.resolvedBy = resolvedBy;
    }
  }

  /**
   * Connects to the daemon of {@code aaepd serve}, comes back to it after a loss, and repeats under the same ids what was not answered.
   *
   * @param id the stable name of the agent, without its version
   * @param onError receives a sentence for each thing that goes wrong, in any thread, and returns soon; null: lines on standard error
   */
  public Aaep(String id, String nameForPeople, Consumer<String> onError) {
    this.onError = onError == null ? System.err::println : onError;
    Map<String, String> type = Map.of("@context", "https://aaep-protocol.org/context/v1", "type", "aaep:producer.manifest");
    manifest = line("0", "aaep.set_manifest", join(type, Map.of("agent_id", id, "agent_name", nameForPeople == null ? id : nameForPeople)));
    start(this::live);
  }

  /**
   * Runs a task that people can follow, and returns its result. The session ends as completed, as errored if the task fails, and as cancelled if its
   * thread is interrupted.
   */
  public <T> T session(String description, Task<T> task) throws Exception {
    Session session = new Session(brief(description, "A task."));
    try {
      T result = task.run(session);
      session.complete(null);
      return result;
    } catch (Throwable error) {
      boolean isInterrupted = error instanceof InterruptedException || Thread.currentThread().isInterrupted();
      if (isInterrupted) session.end("session.cancelled", Map.of("summary_normal", "Ended.", "cancelled_by", "user"));
      else session.end("session.errored", Map.of("summary_normal", brief(error.getMessage(), error.toString()), "error_category", "unknown"));
      throw error;
    }
  }

  /** Waits until the daemon has everything, for 2 seconds at most, and ends the connection. */
  @Override
  public void close() {
    try {
      for (long until = millis() + LONGEST_WAIT_MS; isHeld() && millis() < until; ) Thread.sleep(5);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      end(isHeld() ? "The daemon has not taken the last " + calls.size() + " calls." : null);
    }
  }

  private synchronized boolean isHeld() {
    return !calls.isEmpty() && !isAway && !isOver;
  }

  /** One task of the agent. Its calls may come from any thread, and are heard in their order. */
  public final class Session {
    private final String id = "sess_" + random();
    private final String token = random() + random(); // proves that the session is this one's, over the next connection too
    private String output; // the open one
    private boolean isKnown = false;
    private volatile boolean isOver = false;

    private Session(String description) {
      synchronized (Aaep.this) {
        sessions.put(id, this);
        publish("session.started", Map.of("summary_normal", description, "extensions", Map.of("aaepd", Map.of("resume_token", token))));
      }
    }

    /** Appends a token to the session's text. It returns at once. */
    public void text(String token) {
      synchronized (Aaep.this) {
        if (output == null) output = "out_" + random();
        for (int start = 0, end; token != null && start < token.length(); start = end) {
          end = Math.min(start + LONGEST_TEXT, token.length());
          if (end < token.length() && Character.isHighSurrogate(token.charAt(end - 1))) end--;
          publish("output.streaming", Map.of("output_id", output, "chunk", token.substring(start, end), "complete", false));
        }
      }
    }

    /** Publishes an event that has no call of its own, such as "progress.updated". */
    public void publish(String kind, Map<String, ?> members) {
      synchronized (Aaep.this) {
        if (!isOver) send("aaep.publish", event(kind, members), null);
      }
    }

    /** Ends the session with a summary of its result. */
    public void complete(String summary) {
      end("session.completed", Map.of("summary_normal", brief(summary, "Ended.")));
    }

    /**
     * Runs a tool, and returns its result, or throws its error.
     *
     * @param summary a sentence for people while the tool runs
     * @param completed a sentence for people about its end, or null
     */
    public <T> T tool(String name, String summary, Callable<T> run, String completed) throws Exception {
      Map<String, Object> tool = Map.of("tool", toolName(name), "tool_call_id", "call_" + random());
      endOutput();
      publish("tool.invoked", join(tool, Map.of("summary_normal", brief(summary, name), "risk_level", "low")));
      return finish(tool, run, completed);
    }

    /**
     * Runs a tool that cannot be undone. A person is asked first, and the tool runs only after the person has accepted.
     *
     * @throws Declined if nobody accepted
     */
    public <T> T irreversible(String name, String summary, Question question, Callable<T> run, String completed) throws Exception {
      Map<String, Object> tool = Map.of("tool", toolName(name), "tool_call_id", "call_" + random());
      Map<String, Object> risk = Map.of("risk_level", "high", "irreversible", true);
      String token = "rpl_" + random();
      Map<String, Object> asked = event("awaiting.confirmation", risk);
      asked.put("action", either(question.action(), either(summary, name))); // whole: nobody decides about what was not heard
      asked.put("consequence", either(question.consequence(), "It cannot be undone."));
      asked.putAll(Map.of("reply_token", token, "default_decision", "reject", "timeout_seconds", question.timeoutSeconds()));
      asked.put("extra_context", join(question.facts() == null ? Map.of() : question.facts(), tool));
      endOutput();
      JsonObject outcome;
      try {
        if (isOver) throw new Declined("cancelled", "The session is over.");
        outcome = ask("aaep.confirm", asked, question.timeoutSeconds() + LONGEST_ANSWER_S);
      } catch (Declined declined) { // nobody waits for an answer any more
        send("aaep.cancel", Map.of("reply_token", token), null);
        throw declined;
      }
      String decision = textIn(outcome, "decision");
      String resolvedBy = textIn(outcome, "resolved_by");
      boolean isReply = resolvedBy.equals("reply") && Set.of("accept", "reject").contains(decision);
      boolean isWhole = textIn(outcome, "reply_token").equals(token) && (isReply || DEFAULTS.contains(resolvedBy));
      if (!isWhole || !isReply || !decision.equals("accept")) throw new Declined(isWhole ? resolvedBy : "error", null); // a default never counts
      // The daemon takes the call only after an accepting reply.
      Map<String, Object> invoked = event("tool.invoked", join(join(tool, risk), Map.of("summary_normal", brief(summary, name))));
      try {
        JsonElement taken = ask("aaep.publish", invoked, LONGEST_ANSWER_S).get("events");
        boolean isTaken = taken instanceof JsonArray events && events.size() == 1 && textIn(events.get(0), "event_id").equals(invoked.get("event_id"));
        if (!isTaken) throw new Declined("error", UNREADABLE);
      } catch (Declined declined) {
        publish("tool.completed", join(tool, Map.of("status", "timeout")));
        throw declined;
      }
      return finish(tool, run, completed);
    }

    private <T> T finish(Map<String, Object> tool, Callable<T> run, String completed) throws Exception {
      try {
        T result = run.call();
        Map<String, String> told = completed == null || completed.isEmpty() ? Map.of() : Map.of("summary_normal", brief(completed, ""));
        publish("tool.completed", join(join(tool, told), Map.of("status", "success")));
        return result;
      } catch (Exception error) {
        publish("tool.completed", join(tool, Map.of("status", "error", "error_message", brief(error.getMessage(), error.toString()))));
        throw error;
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
      synchronized (Aaep.this) {
        if (output != null) publish("output.streaming", Map.of("output_id", output, "chunk", "", "complete", true));
        output = null;
      }
    }

    private Map<String, Object> event(String kind, Map<String, ?> members) {
      return join(join(Map.of("event_id", "evt_" + random()), members), Map.of("type", "aaep:agent." + kind, "session_id", id));
    }
  }

  /** Makes a call. While there is no connection it waits. */
  private synchronized void send(String method, Map<String, ?> params, CompletableFuture<JsonObject> answered) {
    String id = String.valueOf(++made);
    if (isOver || (isAway && answered != null) || calls.size() >= MOST_CALLS) {
      if (answered != null) answered.completeExceptionally(new Declined("no_subscriber", "The agent is silent."));
      if (!isOver && !isAway && !isFull) tell("The daemon takes nothing: what follows is dropped.");
      isFull = true;
      return;
    }
    try {
      Call call = new Call(id, line(id, method, params), params, answered);
      calls.put(id, call);
      if (out != null) out.add(call.line());
    } catch (RuntimeException error) { // what JSON cannot hold
      settle(new Call(id, null, params, answered), null, "This was not published: " + error.getMessage(), null);
    }
  }

  /** Makes a call, and waits for its result. */
  private JsonObject ask(String method, Map<String, ?> params, int patienceSeconds) throws Declined {
    CompletableFuture<JsonObject> answered = new CompletableFuture<>();
    send(method, params, answered);
    try {
      return answered.get(Math.max(0, patienceSeconds), TimeUnit.SECONDS);
    } catch (ExecutionException error) {
      throw (Declined) error.getCause(); // no other exception is possible
    } catch (TimeoutException error) {
      throw new Declined("timeout", "The daemon does not answer.");
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new Declined("cancelled", "The thread was interrupted.");
    }
  }

  /** Talks with the daemon, and comes back to it. */
  private void live() throws Exception {
    for (; !isOver; Thread.sleep(PAUSE_MS)) {
      String remedy = "Run `aaepd serve`.";
      try (SocketChannel connected = connect()) {
        talk(connected);
      } catch (AccessDeniedException error) {
        remedy = error.getMessage();
      } catch (IOException | UnsupportedOperationException error) {
        // Nobody listens there any more.
      }
      synchronized (this) {
        if (isAway || isOver || millis() - lostAt < LONGEST_ABSENCE_MS) continue;
        isAway = true;
        giveUp("There is no daemon: the agent is silent until there is one. " + remedy, call -> call.answered() != null);
      }
    }
  }

  /** Uses a connection until its end: takes the sessions over, and sends what has no answer yet. */
  private void talk(SocketChannel connected) throws IOException {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>(List.of(manifest));
    synchronized (this) {
      sessions.forEach((id, session) -> lines.add(line(id, "aaep.resume_session", Map.of("session_id", id, "resume_token", session.token))));
      calls.values().forEach(call -> lines.add(call.line()));
      channel = connected;
      out = lines;
    }
    Thread writing = start(() -> {
      while (true) for (ByteBuffer line = StandardCharsets.UTF_8.encode(lines.take()); line.hasRemaining(); ) connected.write(line);
    });
    try {
      InputStream answers = new BufferedInputStream(Channels.newInputStream(connected));
      for (String line; (line = readLine(answers)) != null && take(messageOf(line)); ) {}
    } catch (MalformedJsonException | RuntimeException | StackOverflowError error) {
      end("The agent is silent: " + UNREADABLE);
    } finally {
      writing.interrupt();
      synchronized (this) {
        channel = null;
        out = null;
        lostAt = millis();
      }
    }
  }

  /** The next whole line; null at the end, which may cut the last one. */
  private static String readLine(InputStream from) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next; (next = from.read()) != '\n'; line.write(next)) {
      if (next < 0) return null;
      if (line.size() == LONGEST_LINE) throw new IllegalStateException("The line is too long.");
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static JsonObject messageOf(String line) throws IOException {
    JsonReader reader = new JsonReader(new StringReader(line));
    reader.setStrictness(Strictness.STRICT); // otherwise much passes that is no JSON
    JsonObject message = GSON.fromJson(reader, JsonObject.class);
    if (reader.peek() != JsonToken.END_DOCUMENT) throw new IllegalStateException("More follows the message.");
    return message;
  }

  /** Takes an answer of the daemon. False: the next connection has to repeat the call. One that cannot be read makes the agent silent. */
  private synchronized boolean take(JsonObject message) {
    if (!textIn(message, "method").isEmpty()) return true; // a notification
    String id = textIn(message, "id");
    JsonElement refusal = message.has("error") && !message.get("error").isJsonNull() ? message.get("error") : null;
    JsonElement data = refusal instanceof JsonObject object ? object.get("data") : null;
    JsonObject result = message.get("result") instanceof JsonObject object ? object : null;
    String fault = refusal == null && result != null ? null : brief(textIn(refusal, "message"), UNREADABLE);
    Session session = sessions.get(id);
    if (textIn(data, "code").equals("shutting_down") || (!calls.containsKey(id) && textIn(data, "code").equals("storage_unavailable"))) return false;
    if (calls.containsKey(id)) {
      settle(calls.remove(id), result, fault, data);
    } else if (id.isEmpty() || (id.equals("0") && fault != null)) {
      end("The agent is silent: " + (fault == null ? UNREADABLE : fault));
    } else if (id.equals("0")) {
      isMet = true;
      isAway = false;
      isFull = false;
    } else if (fault != null && session != null && session.isKnown && !session.isOver) {
      session.isOver = true;
      sessions.remove(id);
      giveUp("The daemon has lost a session: " + fault, call -> id.equals(call.params().get("session_id")));
    }
    return true;
  }

  /** Gives a call its answer. */
  private void settle(Call call, JsonObject result, String fault, JsonElement data) {
    String kind = String.valueOf(call.params().get("type")).replace("aaep:agent.", "");
    Session session = sessions.get(String.valueOf(call.params().get("session_id")));
    if (session != null) session.isKnown = session.isKnown || fault == null;
    if (session != null && ENDS.contains(kind)) sessions.remove(session.id);
    if (fault != null) tell((fault + " (" + kind + ", " + textIn(data, "code") + ", " + textIn(data, "pointer") + ")").replaceAll("(, )+\\)", ")"));
    if (call.answered() != null && fault == null) call.answered().complete(result);
    if (call.answered() != null && fault != null) call.answered().completeExceptionally(new Declined("error", fault));
  }

  /** Tells a fault, also to those who wait for an answer. */
  private void giveUp(String fault, Predicate<Call> isMeant) {
    calls.values().removeIf(call -> {
      boolean isGivenUp = isMeant.test(call);
      if (isGivenUp && call.answered() != null) call.answered().completeExceptionally(new Declined(isMet ? "cancelled" : "no_subscriber", fault));
      return isGivenUp;
    });
    tell(fault);
  }

  /** Makes the agent silent for good. */
  private synchronized void end(String fault) {
    if (isOver) return;
    isOver = true;
    giveUp(fault, call -> true);
    if (channel != null) start(channel::close);
  }

  private void tell(String fault) {
    try {
      if (fault != null) onError.accept(fault);
    } catch (RuntimeException error) {
      // A mistake in onError is no reason to stop.
    }
  }

  /** Connects to the daemon of this user. */
  private static SocketChannel connect() throws IOException {
    String named = System.getenv("AAEPD_SOCKET");
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

  private static Thread start(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception error) {
        // The connection has ended, and whoever reads it notices.
      }
    });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Milliseconds of a clock that nobody sets. */
  private static long millis() {
    return System.nanoTime() / 1_000_000;
  }

  /** A text of what the daemon said; empty for anything else. */
  private static String textIn(JsonElement of, String name) {
    JsonElement found = of instanceof JsonObject object ? object.get(name) : null;
    return found instanceof JsonPrimitive primitive && primitive.isString() ? primitive.getAsString() : "";
  }

  private static Map<String, Object> join(Map<String, ?> some, Map<String, ?> others) {
    Map<String, Object> joined = new HashMap<>(some);
    joined.putAll(others);
    return joined;
  }

  private static String line(String id, String method, Map<String, ?> params) {
    return GSON.toJson(Map.of("jsonrpc", "2.0", "id", id, "method", method, "params", params)) + "\n";
  }

  /** The name as events can have it: it begins with a letter, and has letters, digits, underscores, dots and hyphens. */
  private static String toolName(String name) {
    String plain = name.replace('/', '.').replaceAll("^(?![A-Za-z_])|[^A-Za-z0-9_.-]", "_");
    return plain.substring(0, Math.min(plain.length(), 256));
  }

  /** The beginning of a text, as long as an event may have. */
  private static String brief(String text, String otherwise) {
    String whole = either(text, otherwise);
    return whole.substring(0, Math.min(whole.length(), LONGEST_TEXT));
  }

  private static String either(String text, String otherwise) {
    return text == null || text.isEmpty() ? otherwise : text;
  }

  private static String random() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
