package dev.aaepd;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;

/**
 * Makes a Java program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
 *
 * <p>Copy this file into a project. It needs Java 17, Gson 2.12 ({@code com.google.code.gson:gson}) and the program aaepd on the machine. README.md says how
 * to run {@code BankingAgent}, an agent that uses it.
 *
 * <p>Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
 */
public final class Aaep implements AutoCloseable {
  private static final int LONGEST_TEXT = 4000; // UTF-16 units of one event
  private static final int MOST_QUEUED = 1024; // calls that wait for the daemon; further text is dropped
  private static final int LONGEST_QUEUE = 16_384; // calls that wait; after that the agent is silent
  private static final int LONGEST_LINE = 4 << 20; // bytes of one answer; after that the agent is silent
  private static final int LONGEST_ANSWER_S = 20; // from the daemon, where no person is asked
  private static final int LONGEST_ABSENCE_MS = 10_000; // of a lost daemon, for those who wait for its answer
  private static final int LONGEST_WAIT_S = 2; // for the daemon at the beginning and at the end
  private static final int PAUSE_MS = 500; // between attempts to come back
  private static final String REMEDY = "Install the package aaepd, or run `aaepd serve`.";
  private static final String SYSTEM = System.getProperty("os.name");
  private static final List<String> PROGRAM =
      List.of(SYSTEM.startsWith("Windows") ? "npx.cmd" : "npx", "--no", "--offline", "--loglevel=silent", "--", "aaepd");
  private static final String UNREADABLE = "The daemon's answer cannot be read.";
  private static final Gson GSON = new Gson();
  /** Ways in which a question ends without a reply. */
  private static final Set<String> DEFAULTS = Set.of("timeout", "no_subscriber", "subscription_ended", "cancelled");

  private final Consumer<? super Fault> onError;
  private final Map<String, Call> calls = new LinkedHashMap<>(); // those without an answer, in their order
  private final Deque<Call> unsent = new ArrayDeque<>();
  private final Map<String, Session> sessions = new HashMap<>(); // those whose end has no answer
  private final String manifest;
  private final Thread life;
  private final Thread exit = new Thread(this::close);
  private int ids = 0;
  private Link link;
  private boolean isMet = false;
  private boolean isAway = false;
  private volatile boolean isOver = false;

  /** A task of an agent. */
  public interface Task<T> {
    T run(Session session) throws Exception;
  }

  /** A question to a person before a tool that cannot be undone. The facts help the person to decide. */
  public record Question(String action, String consequence, int timeoutSeconds, Map<String, ?> facts) {}

  /** A tool that cannot be undone was not called. */
  public static final class Declined extends Exception {
    /**
     * "reply" if a person declined, and "error" if the daemon refused the question: no one decided. Otherwise "timeout", "no_subscriber",
     * "subscription_ended" or "cancelled".
     */
    public final String resolvedBy;

    private Declined(String resolvedBy, String reason) {
      super("Nobody accepted the call: " + (reason == null ? resolvedBy : reason));
      this.resolvedBy = resolvedBy;
    }
  }

  /** What went wrong. If the daemon refused something, code, pointer and rule say why, and event, sessionId and tool what; empty otherwise. */
  public record Fault(String sentence, String code, String pointer, String rule, String event, String sessionId, String tool) {
    @Override
    public String toString() {
      String names = Stream.of(event, tool, code, pointer).filter(name -> !name.isEmpty()).collect(Collectors.joining(", "));
      return names.isEmpty() ? sentence : sentence + " (" + names + ")";
    }
  }

  private interface Work { void run() throws Exception; }

  private interface Sink { void write(ByteBuffer line) throws Exception; }

  /** A connection to a daemon. */
  private record Link(Sink sink, InputStream lines, Work hangUp, boolean isOwn) {}

  /** A call without an answer. Text grows until its line is made, and the line stays, so that it can be repeated. */
  private static final class Call {
    final String number;
    final Map<String, ?> params;
    final CompletableFuture<JsonObject> answered;
    final StringBuilder text;
    String line;

    Call(String number, Map<String, ?> params, CompletableFuture<JsonObject> answered, StringBuilder text) {
      this.number = number;
      this.params = params;
      this.answered = answered;
      this.text = text;
    }
  }

  /**
   * Connects to the daemon of {@code aaepd serve}, otherwise starts one for this agent alone, otherwise is silent. The agent comes back to a lost
   * {@code aaepd serve}, continues its sessions, and repeats what was not answered. A lost daemon of its own makes it silent.
   *
   * @param id the stable name of the agent, without its version
   * @param onError receives what goes wrong with aaepd, in any thread, and returns soon; null: lines on standard error
   * @param arguments further options of {@code aaepd stdio}
   */
  public Aaep(String id, String nameForPeople, Consumer<? super Fault> onError, String... arguments) {
    this.onError = onError == null ? System.err::println : onError;
    List<String> command = new ArrayList<>(PROGRAM);
    command.addAll(List.of("stdio", "--producer-id", id));
    command.addAll(List.of(arguments));
    Map<String, String> type = Map.of("@context", "https://aaep-protocol.org/context/v1", "type", "aaep:producer.manifest");
    manifest = line("0", "aaep.set_manifest", join(type, Map.of("agent_id", id, "agent_name", nameForPeople == null ? id : nameForPeople)));
    life = start(() -> {
      try {
        live(command);
      } finally {
        end(null);
      }
    });
    Runtime.getRuntime().addShutdownHook(exit);
    await(() -> isMet || isOver);
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
    } catch (InterruptedException error) {
      session.end("session.cancelled", Map.of("summary_normal", session.ended(), "cancelled_by", "user"));
      throw error;
    } catch (Throwable error) {
      session.end("session.errored", Map.of("summary_normal", brief(error), "error_category", "unknown"));
      throw error;
    }
  }

  /** Waits until the daemon has everything, and ends the connection. It takes a few seconds at most. The exit of the program does the same. */
  @Override
  public void close() {
    if (Thread.currentThread() != exit) {
      try {
        Runtime.getRuntime().removeShutdownHook(exit);
      } catch (IllegalStateException exiting) {
        // It does the same now.
      }
    }
    await(() -> calls.isEmpty() || isAway || isOver);
    int left = calls.size();
    end(left == 0 ? null : "The daemon has not taken the last " + left + " calls.");
    try {
      if (Thread.currentThread() != life) life.join(3000L * LONGEST_WAIT_S);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  /** One task of the agent. Its calls may come from any thread, and are heard in their order. */
  public final class Session {
    private final String id = "sess_" + random();
    private final String token = random() + random(); // proves that the session is this one's, over the next connection too
    private final Call first;
    private String state = "idle";
    private String output; // the open one
    private int asking = 0; // open questions
    private int underway = 0; // open tools
    private int undone = 0; // irreversible tools that were not called
    private String half = ""; // of a character, the end of the text so far
    private Call growing; // text that waits
    private int dropped = 0;
    private boolean isOver = false;

    private Session(String description) {
      synchronized (Aaep.this) {
        sessions.put(id, this);
        Map<String, ?> extensions = Map.of("aaepd", Map.of("resume_token", token));
        first = emit("session.started", Map.of("summary_normal", description, "extensions", extensions), null);
        change("thinking");
      }
    }

    /** Appends a token to the session's text. It returns at once. While too much waits for the daemon, text is dropped. */
    public void text(String token) {
      synchronized (Aaep.this) {
        change("writing_output");
        if (output == null) output = "out_" + random();
        String chunk = half + (token == null ? "" : token);
        int whole = chunk.length() - (!chunk.isEmpty() && Character.isHighSurrogate(chunk.charAt(chunk.length() - 1)) ? 1 : 0);
        half = chunk.substring(whole);
        chunk = chunk.substring(0, whole);
        for (int start = 0, end; start < chunk.length(); start = end) {
          end = Math.min(start + LONGEST_TEXT, chunk.length());
          if (end < chunk.length() && Character.isHighSurrogate(chunk.charAt(end - 1))) end--;
          append(chunk.substring(start, end));
        }
      }
    }

    private void append(String piece) {
      if (growing != null && growing.line == null && growing.text.length() + piece.length() <= LONGEST_TEXT) {
        growing.text.append(piece);
      } else if (calls.size() < MOST_QUEUED) {
        growing = emit("output.streaming", Map.of("output_id", output, "complete", false), new StringBuilder(piece));
      } else {
        if (dropped == 0) tell("The daemon takes nothing: text is dropped.", event("output.streaming", Map.of()), null);
        dropped += piece.length();
      }
    }

    /** The UTF-16 units of text that the daemon did not take in time. */
    public int dropped() {
      synchronized (Aaep.this) {
        return dropped;
      }
    }

    /** Publishes an event that has no call of its own, such as "progress.updated". */
    public void publish(String kind, Map<String, ?> members) {
      emit(kind, members, null);
    }

    private Call emit(String kind, Map<String, ?> members, StringBuilder text) {
      synchronized (Aaep.this) {
        growing = null;
        return isOver ? null : send("aaep.publish", event(kind, members), null, text);
      }
    }

    /** Ends the session with a summary of its result. Without one, people hear "Ended.", and how many irreversible tools were not called. */
    public void complete(String summary) {
      end("session.completed", Map.of("summary_normal", brief(summary, ended())));
    }

    private String ended() {
      synchronized (Aaep.this) {
        if (undone == 0) return "Ended.";
        return "Ended. " + (undone == 1 ? "One action was" : undone + " actions were") + " not carried out.";
      }
    }

    /**
     * Runs a tool, and returns its result, or throws its error.
     *
     * @param summary a sentence for people while the tool runs
     * @param completed makes a sentence for people about the result, or null
     */
    public <T> T tool(String name, String summary, Callable<T> run, Function<T, String> completed) throws Exception {
      Map<String, Object> tool = Map.of("tool", toolName(name), "tool_call_id", "call_" + random());
      synchronized (Aaep.this) {
        begin();
        publish("tool.invoked", join(tool, Map.of("summary_normal", brief(summary, name), "risk_level", "low")));
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
      Map<String, Object> tool = Map.of("tool", toolName(name), "tool_call_id", "call_" + random());
      Map<String, Object> risk = Map.of("risk_level", "high", "irreversible", true);
      Map<String, String> ids = Map.of("session_id", id, "event_id", "evt_" + random(), "reply_token", "rpl_" + random());
      Map<String, Object> asked = join(risk, ids);
      asked.put("action", brief(question.action(), brief(summary, name)));
      asked.put("consequence", brief(question.consequence(), "It cannot be undone."));
      asked.putAll(Map.of("default_decision", "reject", "timeout_seconds", question.timeoutSeconds()));
      asked.put("extra_context", join(question.facts() == null ? Map.of() : question.facts(), tool));
      synchronized (Aaep.this) {
        if (isOver) throw new Declined("cancelled", "The session is over.");
        endOutput();
        asking++;
        undone++;
      }
      JsonObject outcome = null;
      try {
        outcome = ask("aaep.confirm", asked, question.timeoutSeconds() + LONGEST_ANSWER_S);
        assertAccepted(outcome, ids.get("reply_token"));
      } catch (Declined declined) {
        synchronized (Aaep.this) {
          asking--;
          // Nobody waits for an answer any more.
          if (!isDecision(textIn(outcome, "decision"))) send("aaep.cancel", Map.of("reply_token", ids.get("reply_token")), null, null);
          if (underway == 0) change("thinking");
        }
        throw declined;
      }
      synchronized (Aaep.this) {
        asking--;
        begin();
      }
      // The daemon takes the call only after an accepting reply.
      Map<String, Object> invoked = event("tool.invoked", join(join(tool, risk), Map.of("summary_normal", brief(summary, name))));
      try {
        JsonObject taken = ask("aaep.publish", invoked, LONGEST_ANSWER_S);
        boolean isTaken = taken.get("events") instanceof JsonArray events && events.size() == 1 && textIn(events.get(0), "event_id").equals(invoked.get("event_id"));
        if (!isTaken) throw new Declined("error", UNREADABLE);
      } catch (Declined declined) {
        end(tool, Map.of("status", "timeout"));
        throw declined;
      }
      synchronized (Aaep.this) {
        undone--;
      }
      return finish(tool, run, completed);
    }

    /** A default never counts. */
    private static void assertAccepted(JsonObject outcome, String token) throws Declined {
      String decision = textIn(outcome, "decision");
      String resolvedBy = textIn(outcome, "resolved_by");
      boolean isReply = resolvedBy.equals("reply") && isDecision(decision);
      if (!token.equals(textIn(outcome, "reply_token")) || !(isReply || DEFAULTS.contains(resolvedBy))) throw new Declined("error", UNREADABLE);
      if (!isReply || !decision.equals("accept")) throw new Declined(resolvedBy, null);
    }

    private static boolean isDecision(String text) {
      return text.equals("accept") || text.equals("reject");
    }

    private <T> T finish(Map<String, Object> tool, Callable<T> run, Function<T, String> completed) throws Exception {
      T result;
      try {
        result = run.call();
      } catch (Exception error) {
        end(tool, Map.of("status", "error", "error_message", brief(error)));
        throw error;
      }
      String told = null;
      try {
        told = completed == null ? null : completed.apply(result);
      } catch (RuntimeException error) { // the tool has run, whatever there is to say about it
        tell("completed of " + tool.get("tool") + " failed: " + error, Map.of(), null);
      }
      Map<String, String> success = Map.of("status", "success");
      end(tool, told == null || told.isEmpty() ? success : join(success, Map.of("summary_normal", brief(told, ""))));
      return result;
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
      half = "";
    }

    private Map<String, Object> event(String kind, Map<String, ?> members) {
      return join(join(Map.of("event_id", "evt_" + random()), members), Map.of("type", "aaep:agent." + kind, "session_id", id));
    }

    /** Tells another state of the agent. While a question is open, the state is the question's. */
    private void change(String next) {
      if (state.equals(next) || asking > 0) return;
      publish("state.changed", Map.of("from_state", state, "to_state", next));
      state = next;
    }
  }

  /** Lets a call wait for its turn. Text grows until then. */
  private synchronized Call send(String method, Map<String, ?> params, CompletableFuture<JsonObject> answered, StringBuilder text) {
    if (isOver || (isAway && answered != null)) {
      if (answered != null) answered.completeExceptionally(new Declined("no_subscriber", "The agent is silent."));
      return null;
    }
    Call call = new Call(String.valueOf(++ids), params, answered, text);
    try {
      if (text == null) call.line = line(call.number, method, params);
    } catch (RuntimeException error) { // what JSON cannot hold
      tell("This was not published: " + error.getMessage(), params, null);
      if (answered != null) answered.completeExceptionally(new Declined("error", error.getMessage()));
      return null;
    }
    calls.put(call.number, call);
    unsent.add(call);
    if (calls.size() > LONGEST_QUEUE) end("The daemon takes nothing: the agent is silent.");
    notifyAll();
    return call;
  }

  /** Makes a call, and waits for its result. */
  private JsonObject ask(String method, Map<String, ?> params, int patienceSeconds) throws Declined {
    CompletableFuture<JsonObject> answered = new CompletableFuture<>();
    Call call = send(method, params, answered, null);
    try {
      return answered.get(Math.max(0, patienceSeconds), TimeUnit.SECONDS);
    } catch (ExecutionException error) {
      throw (Declined) error.getCause(); // no other exception is possible
    } catch (TimeoutException error) {
      throw new Declined("timeout", "The daemon does not answer.");
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new Declined("cancelled", "The thread was interrupted.");
    } finally {
      synchronized (this) {
        if (call != null) calls.remove(call.number);
      }
    }
  }

  /** Talks with a daemon, and comes back to that of {@code aaepd serve}. */
  private void live(List<String> command) throws Exception {
    Link served = null;
    try {
      served = toServe();
    } catch (AccessDeniedException error) {
      tell("`aaepd serve` is not asked: " + error.getMessage() + ".", Map.of(), null);
    }
    if (served == null) {
      StringBuffer last = new StringBuffer();
      try {
        talk(toOwn(command, last));
        String words = last.toString().strip(); // a sentence of aaepd says what to do
        end("The daemon did not start, or has gone: the agent is silent. " + (words.startsWith("Error: ") ? words : (words + " " + REMEDY).strip()));
      } catch (IOException error) {
        end("There is no daemon: the agent is silent. " + error.getMessage() + ". " + REMEDY);
      }
    }
    for (; served != null; served = comeBack()) talk(served);
  }

  private Link comeBack() throws InterruptedException {
    for (long lost = millis(); !isOver; Thread.sleep(PAUSE_MS)) {
      try {
        Link back = toServe();
        if (back != null) return back;
      } catch (AccessDeniedException error) {
        // The socket is somebody else's now.
      }
      synchronized (this) {
        if (isOver || isAway || millis() - lost < LONGEST_ABSENCE_MS) continue;
        isAway = true;
        tell("The daemon has gone: the agent is silent until it is back.", Map.of(), null);
        giveUp("cancelled");
      }
    }
    return null;
  }

  /** Uses a connection until its end: takes the sessions over, and sends what has no answer yet. */
  private void talk(Link next) throws Exception {
    List<String> greeting = new ArrayList<>(List.of(manifest));
    synchronized (this) {
      if (!isOver) link = next;
      unsent.clear();
      unsent.addAll(calls.values());
      sessions.forEach((id, session) -> {
        greeting.add(line(id, "aaep.resume_session", Map.of("session_id", id, "resume_token", session.token)));
      });
    }
    start(() -> {
      for (String line : greeting) next.sink().write(StandardCharsets.UTF_8.encode(line));
      if (next.isOwn()) {
        await(() -> isMet || link != next);
        Thread.sleep(PAUSE_MS); // meanwhile listeners find the daemon
      }
      for (String line; (line = waitFor(next)) != null; ) next.sink().write(StandardCharsets.UTF_8.encode(line));
    });
    try {
      InputStream lines = new BufferedInputStream(next.lines());
      for (String line; !isOver && (line = readLine(lines)) != null && take(messageOf(line)); ) {}
    } catch (MalformedJsonException | RuntimeException | StackOverflowError error) {
      end("The agent is silent: " + UNREADABLE);
    } catch (IOException error) {
      // The connection has ended.
    }
    synchronized (this) {
      link = null;
      notifyAll();
    }
    next.hangUp().run();
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

  /** The next line for a connection; null at its end. */
  private synchronized String waitFor(Link over) throws InterruptedException {
    while (link == over) {
      Call call = unsent.poll();
      if (call == null) wait();
      else if (calls.containsKey(call.number)) {
        if (call.line == null) call.line = line(call.number, "aaep.publish", join(call.params, Map.of("chunk", call.text.toString())));
        return call.line;
      }
    }
    return null;
  }

  /** Takes an answer of the daemon. False: the next connection has to repeat the call. One that cannot be read makes the agent silent. */
  private synchronized boolean take(JsonObject message) {
    if (!textIn(message, "method").isEmpty()) return true;
    String id = textIn(message, "id");
    Call call = calls.get(id);
    JsonElement refusal = message.has("error") && !message.get("error").isJsonNull() ? message.get("error") : null;
    JsonElement data = refusal instanceof JsonObject object ? object.get("data") : null;
    JsonObject result = message.get("result") instanceof JsonObject object ? object : null;
    String fault = refusal == null && result != null ? null : brief(textIn(refusal, "message"), UNREADABLE);
    String code = textIn(data, "code");
    if (code.equals("shutting_down") || (call == null && code.equals("storage_unavailable"))) return false;
    calls.remove(id);
    notifyAll();
    if (id.isEmpty()) {
      end("The agent is silent: " + (fault == null ? UNREADABLE : fault));
    } else if (id.equals("0")) {
      if (fault != null) end(fault);
      isMet = true;
      isAway = false;
    } else if (call == null) {
      if (fault != null) lose(id, fault);
    } else {
      if (textOf(call.params.get("type")).matches("aaep:agent\\.session\\.(completed|errored|cancelled)"))
        sessions.remove(textOf(call.params.get("session_id")));
      if (fault != null) tell(fault, call.params, data);
      if (call.answered != null && fault == null) call.answered.complete(result);
      if (call.answered != null && fault != null) call.answered.completeExceptionally(new Declined("error", fault));
    }
    return true;
  }

  /** Gives a session up that the daemon does not know any more, unless its start or its end is repeated. */
  private void lose(String id, String reason) {
    Session session = sessions.get(id);
    if (session == null || session.isOver || (session.first != null && calls.containsKey(session.first.number))) return;
    session.isOver = true;
    sessions.remove(id);
    calls.values().removeIf(call -> {
      boolean isOf = id.equals(call.params.get("session_id"));
      if (isOf && call.answered != null) call.answered.completeExceptionally(new Declined("cancelled", "The session is lost."));
      return isOf;
    });
    tell("The daemon has lost a session: " + reason, Map.of("session_id", id), null);
  }

  /** Makes the agent silent: nothing that was asked is answered any more. */
  private synchronized void end(String fault) {
    if (isOver) return;
    isOver = true;
    if (link != null) start(link.hangUp());
    link = null;
    if (fault != null) tell(fault, Map.of(), null);
    giveUp(isMet ? "cancelled" : "no_subscriber");
    calls.clear();
  }

  /** Answers all that wait for an answer. */
  private void giveUp(String resolvedBy) {
    calls.values().removeIf(call -> call.answered != null && call.answered.completeExceptionally(new Declined(resolvedBy, "The agent is silent.")));
    notifyAll();
  }

  private void tell(String sentence, Map<String, ?> about, JsonElement why) {
    String event = textOf(about.get("type")).replace("aaep:agent.", "");
    String sessionId = textOf(about.get("session_id"));
    try {
      onError.accept(new Fault(sentence, textIn(why, "code"), textIn(why, "pointer"), textIn(why, "rule"), event, sessionId, textOf(about.get("tool"))));
    } catch (RuntimeException error) {
      // A mistake in onError is no reason to stop.
    }
  }

  /** A text of what the daemon said; empty for anything else. */
  private static String textIn(JsonElement of, String name) {
    JsonElement found = of instanceof JsonObject object ? object.get(name) : null;
    return found instanceof JsonPrimitive primitive && primitive.isString() ? primitive.getAsString() : "";
  }

  private static String textOf(Object said) {
    return said instanceof String text ? text : "";
  }

  /** Milliseconds of a clock that nobody sets. */
  private static long millis() {
    return System.nanoTime() / 1_000_000;
  }

  /** Waits for something, for a short while at most. */
  private synchronized void await(BooleanSupplier something) {
    long until = millis() + 1000 * LONGEST_WAIT_S;
    try {
      for (long left; !something.getAsBoolean() && (left = until - millis()) > 0; ) wait(left);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
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
    Map<String, Object> folder = Files.readAttributes(place, "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
    Map<String, Object> file = Files.readAttributes(place.resolve(socket.getFileName()), "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
    int around = (int) folder.get("mode");
    int mode = (int) file.get("mode");
    if ((around & 0170000) != 0040000) throw new AccessDeniedException(path, null, "its folder is a link, or no folder");
    if ((mode & 0170000) != 0140000) throw new AccessDeniedException(path, null, "it is no socket");
    boolean isPrivate = folder.get("uid").equals(me) && (around & 077) == 0;
    boolean isOpen = isWritableForOthers(folder) && (around & 01000) == 0;
    boolean isOurs = List.of(me, 0).containsAll(List.of(folder.get("uid"), file.get("uid")));
    boolean isWritable = file.get("uid").equals(me) && isWritableForOthers(file);
    if (!isOurs || (!isPrivate && (isUsual || isOpen || isWritable)))
      throw new AccessDeniedException(
          path,
          null,
          "it is not yours alone: user %d, mode %o, in a folder of user %d, mode %o"
              .formatted(file.get("uid"), mode & 07777, folder.get("uid"), around & 07777));
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

  /** The user's own group, which has the user's number, has no other member. Group 0 has others on some systems. */
  private static boolean isWritableForOthers(Map<String, Object> file) throws IOException {
    int me = uid();
    boolean isOwnGroup = me != 0 && file.get("gid").equals(me) && idOf("gid") == me;
    return ((int) file.get("mode") & (isOwnGroup ? 002 : 022)) != 0;
  }

  /** The number of this process's user, who may have no name. */
  private static int uid() throws IOException {
    return idOf("uid");
  }

  /** @param which "uid" or "gid", of this process */
  private static int idOf(String which) throws IOException {
    Path self = Path.of("/proc/self/status");
    List<String> lines = Files.exists(self) ? Files.readAllLines(self, StandardCharsets.ISO_8859_1) : List.of();
    for (String line : lines) if (line.regionMatches(true, 0, which + ":", 0, 4)) return Integer.parseUnsignedInt(line.split("\\s+")[2]); // the effective one
    Path made = Files.createTempFile("aaep", null);
    try {
      return (int) Files.getAttribute(made, "unix:" + which);
    } finally {
      Files.delete(made);
    }
  }

  /** Finds the daemon of this user; null if nobody serves. */
  private static Link toServe() throws AccessDeniedException {
    if (SYSTEM.startsWith("Windows")) return null;
    String named = System.getenv("AAEPD_SOCKET");
    boolean isUsual = named == null || named.isEmpty();
    SocketChannel channel = null;
    try {
      String path = isUsual ? socketPath() : named;
      assertOwnSocket(path, isUsual);
      channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
      assertOwnPeer(channel, path);
      SocketChannel served = channel;
      // Without a stream of `Channels`: before Java 19 it would wait for the one that reads.
      return new Link(line -> { while (line.hasRemaining()) served.write(line); }, Channels.newInputStream(served), served::close, false);
    } catch (IOException | UnsupportedOperationException error) {
      if (channel != null) start(channel::close);
      if (error instanceof AccessDeniedException denied) throw denied;
      return null;
    }
  }

  /** Starts a daemon, whose last words are the end of its standard error. */
  private static Link toOwn(List<String> command, StringBuffer last) throws IOException {
    Process daemon = new ProcessBuilder(command).start();
    OutputStream in = daemon.getOutputStream();
    Thread listening = start(() -> {
      Reader words = new InputStreamReader(daemon.getErrorStream(), StandardCharsets.UTF_8);
      for (int next; (next = words.read()) >= 0; last.delete(0, Math.max(0, last.length() - 500))) last.append(next == '\n' ? ' ' : (char) next);
    });
    Sink sink = line -> {
      in.write(line.array(), 0, line.limit());
      in.flush();
    };
    return new Link(sink, daemon.getInputStream(), () -> {
      CompletableFuture.delayedExecutor(2 * LONGEST_WAIT_S, TimeUnit.SECONDS).execute(daemon::destroyForcibly);
      try {
        in.close(); // the orderly end of a daemon
      } catch (IOException error) {
        // It ended before it took everything.
      }
      daemon.waitFor();
      listening.join(1000 * LONGEST_WAIT_S);
    }, true);
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

  /** Where {@code aaepd serve} listens, if AAEPD_SOCKET does not say it. */
  private static String socketPath() throws IOException {
    if (SYSTEM.startsWith("Mac")) return System.getProperty("user.home") + "/Library/Application Support/AAEP/aaepd.sock";
    String folder = System.getenv("XDG_RUNTIME_DIR");
    return folder == null || folder.isEmpty() ? "/tmp/aaep-" + Integer.toUnsignedString(uid()) + "/aaepd.sock" : folder + "/aaep/aaepd.sock";
  }

  private static Map<String, Object> join(Map<String, ?> some, Map<String, ?> others) {
    Map<String, Object> joined = new HashMap<>(some);
    joined.putAll(others);
    return joined;
  }

  private static String line(String number, String method, Map<String, ?> params) {
    return GSON.toJson(Map.of("jsonrpc", "2.0", "id", number, "method", method, "params", params)) + "\n";
  }

  /** The name as events can have it: it begins with a letter, and has letters, digits, underscores, dots and hyphens. */
  private static String toolName(String name) {
    String plain = name.replace('/', '.').replaceAll("[^A-Za-z0-9_.-]", "_");
    plain = plain.matches("[A-Za-z_].*") ? plain : "_" + plain;
    return plain.substring(0, Math.min(plain.length(), 256));
  }

  private static String brief(Throwable error) {
    return brief(error.getMessage(), error.toString());
  }

  /** The beginning of a text, as long as an event may have. */
  private static String brief(String text, String otherwise) {
    if (text == null || text.isEmpty()) return otherwise;
    return text.substring(0, Math.min(text.length(), LONGEST_TEXT));
  }

  private static String random() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
