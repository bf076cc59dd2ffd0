package dev.aaepd;

import com.google.gson.*;
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.Consumer;

/**
 * Makes a Java program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
 *
 * <p>Copy this file and OwnSocket.java into a project. They need Java 17, Gson 2.12 ({@code com.google.code.gson:gson}) and a running {@code aaepd serve}.
 * README.md says how to run {@code BankingAgent}, an agent that uses them.
 *
 * <p>Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
 */
public final class Aaep implements AutoCloseable {
  private static final int LONGEST_TEXT = 4000; // UTF-16 units of one event
  private static final int LONGEST_LINE = 4 << 20; // bytes of one answer; after that the agent is silent
  private static final int MOST_CALLS = 16_384; // that wait for the daemon; what follows is dropped
  private static final int LONGEST_ANSWER_S = 20; // from the daemon, where no person is asked
  private static final int PAUSE_MS = 500; // between attempts to come back
  private static final Gson GSON = new GsonBuilder().setStrictness(Strictness.STRICT).create(); // otherwise much passes that is no JSON
  private static final Set<String> ENDS = Set.of("aaep:agent.session.completed", "aaep:agent.session.errored", "aaep:agent.session.cancelled");
  private static final Set<String> DEFAULTS = Set.of("timeout", "no_subscriber", "subscription_ended", "cancelled"); // nobody has replied
  private static final ExecutorService THREADS = Executors.newCachedThreadPool(work -> {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  });

  private final Consumer<String> onError;
  private final String manifest;
  private final Map<Integer, Call> calls = new TreeMap<>(); // those without an answer
  private final Map<Object, String> sessions = new ConcurrentHashMap<>(); // the resume tokens of those whose end has no answer
  private int made = 0;
  private BlockingQueue<String> out; // lines for the connection, or for the last one
  private Future<?> writing; // ends the connection with itself
  private boolean isMet, isAway, isFull;
  private volatile boolean isOver = false;

  /** A task of an agent. The text that it returns is the summary of its result; null: none. */
  public interface Task {
    String run(Session session) throws Exception;
  }

  /** Is asked before a tool that cannot be undone. The facts help the person who decides. No member is null. */
  public record Question(String action, String consequence, int timeoutSeconds, Map<String, ?> facts) {}

  /** A tool was not called. */
  public static final class Declined extends Exception {
    /** "reply" if a person declined, "timeout", "no_subscriber", "subscription_ended", "cancelled", or "error" for a mistake that onError gets. */
    public final String resolvedBy;

    private Declined(String resolvedBy) {
      super("Nobody accepted the call: " + resolvedBy);
      this.resolvedBy = resolvedBy;
    }
  }

  /** Waits for the daemon's answer. Its line stays, so that it can be repeated under the same ids. */
  private record Call(String line, Map<String, ?> about, CompletableFuture<JsonObject> answered) {}

  private record Message(Integer id, String method, JsonObject result, JsonObject error) {}

  /**
   * Connects to the daemon of {@code aaepd serve}, and comes back to it after a loss.
   *
   * @param id the stable name of the agent, without its version
   * @param onError receives a sentence for each thing that goes wrong, in any thread, and returns soon
   */
  public Aaep(String id, String nameForPeople, Consumer<String> onError) {
    this.onError = onError;
    Map<String, String> type = Map.of("@context", "https://aaep-protocol.org/context/v1", "type", "aaep:producer.manifest");
    manifest = line(0, "aaep.set_manifest", join(type, Map.of("agent_id", id, "agent_name", nameForPeople)));
    SocketChannel first = connect(); // so that a question is asked, or is over at once
    THREADS.submit(() -> {
      for (SocketChannel connected = first; !isOver; connected = connect()) {
        if (connected != null) talk(connected);
        Thread.sleep(PAUSE_MS);
      }
      return null;
    });
  }

  /** Waits until the daemon has everything, for 2 seconds at most, and ends the connection. */
  @Override
  public synchronized void close() {
    long began = System.nanoTime();
    try {
      while (!calls.isEmpty() && isMet && System.nanoTime() - began < 2_000_000_000L) wait(5);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    end();
  }

  /** Runs a task that people can follow. The session ends as completed, as errored by an exception, and as cancelled if its thread is interrupted. */
  public void session(String description, Task task) throws Exception {
    Session session = new Session(brief(description, "A task."));
    try {
      session.publish("session.completed", Map.of("summary_normal", brief(task.run(session), "Ended.")));
    } catch (Throwable error) {
      if (error instanceof InterruptedException || Thread.currentThread().isInterrupted()) {
        session.publish("session.cancelled", Map.of("summary_normal", "Ended.", "cancelled_by", "user"));
      } else {
        session.publish("session.errored", Map.of("summary_normal", brief(error.getMessage(), error.toString()), "error_category", "unknown"));
      }
      throw error;
    }
  }

  /** One task of the agent. Its calls may come from any thread, and are heard in their order. */
  public final class Session {
    private final String id = "sess_" + random();
    private String output; // the open one, of text

    private Session(String description) {
      String token = random() + random(); // proves that the session is this agent's, over the next connection too
      sessions.put(id, token);
      publish("session.started", Map.of("summary_normal", description, "extensions", Map.of("aaepd", Map.of("resume_token", token))));
    }

    /** Appends a token to the session's text. It returns at once. */
    public synchronized void text(String token) {
      output = output == null ? "out_" + random() : output;
      for (int start = 0, end; start < token.length(); start = end) {
        end = Math.min(start + LONGEST_TEXT, token.length());
        if (end < token.length() && Character.isHighSurrogate(token.charAt(end - 1))) end--;
        publish("output.streaming", Map.of("output_id", output, "chunk", token.substring(start, end), "complete", false));
      }
    }

    private synchronized void endOutput() {
      if (output != null) {
        publish("output.streaming", Map.of("output_id", output, "chunk", "", "complete", true));
        output = null;
      }
    }

    /** Publishes an event that has no call of its own, such as "progress.updated". */
    public void publish(String kind, Map<String, ?> members) {
      if (kind.startsWith("session.")) endOutput();
      send("aaep.publish", event(kind, members));
    }

    /**
     * Runs a tool, and returns its result: a sentence for people, or null.
     *
     * @param name begins with a letter, and has letters, digits, "_", "-" and "."
     * @param summary a sentence for people while the tool runs
     * @param question the tool runs only after a person has accepted; null: nobody is asked
     * @throws Declined if nobody accepted
     */
    public String tool(String name, String summary, Question question, Callable<String> run) throws Exception {
      Map<String, Object> tool = Map.of("tool", name, "tool_call_id", "call_" + random());
      Map<String, Object> invoked = join(tool, Map.of("summary_normal", brief(summary, name), "risk_level", question == null ? "low" : "high"));
      endOutput();
      if (question == null) {
        publish("tool.invoked", invoked);
      } else {
        consent(tool, event("tool.invoked", join(invoked, Map.of("irreversible", true))), question);
      }
      try {
        String told = run.call();
        Map<String, String> summed = told == null ? Map.of() : Map.of("summary_normal", brief(told, name));
        publish("tool.completed", join(join(tool, summed), Map.of("status", "success")));
        return told;
      } catch (Exception error) {
        publish("tool.completed", join(tool, Map.of("status", "error", "error_message", brief(error.getMessage(), error.toString()))));
        throw error;
      }
    }

    /** Asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts. */
    private void consent(Map<String, Object> tool, Map<String, Object> invoked, Question question) throws Declined {
      String token = "rpl_" + random();
      Map<String, Object> asked = event("awaiting.confirmation", Map.of("risk_level", "high", "irreversible", true, "default_decision", "reject"));
      asked.putAll(Map.of("action", question.action(), "consequence", question.consequence(), "timeout_seconds", question.timeoutSeconds()));
      asked.putAll(Map.of("reply_token", token, "extra_context", join(question.facts(), tool)));
      JsonObject outcome = ask("aaep.confirm", asked, question.timeoutSeconds() + LONGEST_ANSWER_S);
      String decision = textIn(outcome, "decision");
      String resolvedBy = textIn(outcome, "resolved_by");
      boolean isMine = textIn(outcome, "reply_token").equals(token);
      if (!isMine) send("aaep.cancel", Map.of("reply_token", token)); // nobody waits for the answer any more
      boolean isReply = isMine && resolvedBy.equals("reply");
      if (DEFAULTS.contains(resolvedBy) || (isReply && decision.equals("reject"))) throw new Declined(resolvedBy);
      if (!isReply || !decision.equals("accept")) {
        throw new Declined("error");
      }
      JsonElement taken = ask("aaep.publish", invoked, LONGEST_ANSWER_S).get("events");
      if (!(taken instanceof JsonArray events) || events.size() != 1 || !textIn(events.get(0), "event_id").equals(invoked.get("event_id"))) {
        publish("tool.completed", join(tool, Map.of("status", "timeout")));
        throw new Declined("error");
      }
    }

    private Map<String, Object> event(String kind, Map<String, ?> members) {
      return join(members, Map.of("event_id", "evt_" + random(), "type", "aaep:agent." + kind, "session_id", id));
    }
  }

  /** Makes a call, and waits for its result, or for what has ended the question in its place. */
  private JsonObject ask(String method, Map<String, ?> params, int patienceSeconds) {
    try {
      return send(method, params).get(patienceSeconds, TimeUnit.SECONDS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return ended("cancelled");
    } catch (ExecutionException | TimeoutException error) {
      return ended("timeout");
    }
  }

  /** Makes a call. While there is no connection it waits. Where there never was a daemon, a question is over at once. */
  private synchronized Future<JsonObject> send(String method, Map<String, ?> params) {
    CompletableFuture<JsonObject> answered = new CompletableFuture<>();
    if (isOver || isFull || (!isMet && method.equals("aaep.confirm"))) {
      answered.complete(ended("no_subscriber"));
      return answered;
    }
    try {
      Call call = new Call(line(++made, method, params), params, answered);
      calls.put(made, call);
      if (out != null) out.add(call.line());
      isFull = calls.size() >= MOST_CALLS;
      if (isFull && !isAway) onError.accept("The daemon takes nothing: what follows is dropped.");
    } catch (JsonParseException | IllegalArgumentException error) { // what JSON cannot hold
      onError.accept(error.getMessage());
      answered.complete(ended("error"));
    }
    return answered;
  }

  /** Connects, or tells once that it cannot. */
  private synchronized SocketChannel connect() {
    try {
      SocketChannel connected = OwnSocket.connect(System.getenv("AAEPD_SOCKET"));
      isMet = true;
      isAway = false;
      return connected;
    } catch (IOException | UnsupportedOperationException error) {
      if (!isAway && !isOver) onError.accept("Not connected: the agent is silent until `aaepd serve` runs: " + error);
      isAway = true;
      return null;
    }
  }

  /** Uses a connection until its end: takes the sessions over, and sends what has no answer yet. */
  private void talk(SocketChannel connected) {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    synchronized (this) {
      sessions.forEach((id, token) -> lines.add(line(-1, "aaep.resume_session", Map.of("session_id", id, "resume_token", token))));
      calls.put(0, new Call(manifest, Map.of(), new CompletableFuture<>()));
      calls.values().forEach(call -> lines.add(call.line()));
      out = lines;
      writing = THREADS.submit(() -> {
        try (connected) {
          while (true) {
            ByteBuffer line = StandardCharsets.UTF_8.encode(lines.take());
            while (line.hasRemaining()) connected.write(line);
          }
        }
      });
    }
    try (InputStream answers = new BufferedInputStream(Channels.newInputStream(connected))) {
      while (take(readLine(answers))) {}
    } catch (IOException error) {
      // The connection has ended.
    } catch (RuntimeException error) {
      onError.accept("The agent is silent: the daemon's answer cannot be read.");
      end();
    } finally {
      writing.cancel(true);
    }
  }

  /** The next whole line. Throws an exception at the end, which may cut the last one. */
  private static String readLine(InputStream from) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next; (next = from.read()) != '\n'; line.write(next)) {
      if (next < 0) throw new EOFException();
      if (line.size() == LONGEST_LINE) throw new IllegalStateException("The line is too long.");
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Takes an answer of the daemon. False: the next connection has to repeat the call. */
  private synchronized boolean take(String line) {
    Message message = GSON.fromJson(line, Message.class);
    if (message.method() != null) return true; // a notification
    Call call = calls.get(message.id());
    JsonElement data = message.error() == null ? null : message.error().get("data");
    String code = textIn(data, "code");
    if (code.equals("shutting_down") || (code.equals("storage_unavailable") && call == null)) return false;
    if (call == null) return true; // of a claim, which may come before its session
    calls.remove(message.id());
    isFull = isFull && calls.size() > MOST_CALLS / 2;
    Object kind = call.about().get("type");
    if (kind != null && ENDS.contains(kind)) sessions.remove(call.about().get("session_id"));
    if (message.error() != null) {
      onError.accept("%s (%s, %s, %s)".formatted(textIn(message.error(), "message"), kind, code, textIn(data, "pointer")));
    }
    call.answered().complete(message.error() == null && message.result() != null ? message.result() : ended("error"));
    return true;
  }

  /** Makes the agent silent for good. */
  private synchronized void end() {
    isOver = true;
    calls.values().forEach(call -> call.answered().complete(ended("cancelled")));
    calls.clear();
    if (writing != null) writing.cancel(true);
  }

  /** What ends a question in the place of the daemon's outcome. */
  private static JsonObject ended(String resolvedBy) {
    JsonObject outcome = new JsonObject();
    outcome.addProperty("resolved_by", resolvedBy);
    return outcome;
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

  private static String line(int id, String method, Map<String, ?> params) {
    return GSON.toJson(Map.of("jsonrpc", "2.0", "id", id, "method", method, "params", params)) + "\n";
  }

  private static String brief(String text, String otherwise) {
    String whole = text == null || text.isEmpty() ? otherwise : text;
    return whole.substring(0, Math.min(whole.length(), LONGEST_TEXT));
  }

  private static String random() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
