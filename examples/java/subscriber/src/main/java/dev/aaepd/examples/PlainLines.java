package dev.aaepd.examples;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Set;

/** One line of plain text for each event, for people who listen. {@link Subscriber} says how to run it. */
final class PlainLines {
  private static final String PREFIX = "aaep:agent.";
  private static final Set<String> ENDS = Set.of("session.completed", "session.errored", "session.cancelled");

  /** What an event has to say stands in the first of these that it has. */
  private static final List<String> TEXTS =
      List.of("chunk", "action", "question", "summary_normal", "summary_terse", "summary_detailed", "tool", "to_state", "reason");

  private PlainLines() {}

  /** An event on one line: its type, and what it says. */
  static String of(JsonObject document) {
    String text = TEXTS.stream().filter(document::has).findFirst().map(name -> text(document, name)).orElse("");
    String kind = kind(document);
    String status = text(document, "status");
    if (kind.equals("tool.completed") && !status.equals("success")) {
      kind = "tool." + status;
      text = text(document, "tool") + ": " + (document.has("error_message") ? text(document, "error_message") : text);
    }
    String state = text(document, "to_state");
    if (kind.equals("state.changed") && !text.equals(state)) text = state + ". " + text;
    // Critical events may not sound like any other.
    String urgent = text(document, "urgency").equals("critical") ? "Attention! " : "";
    return (urgent + kind + ": " + text.strip().replaceAll("(?U)\\s+", " ")).strip();
  }

  /** Whether an event ends its session. */
  static boolean isEnd(JsonObject document) {
    return ENDS.contains(kind(document));
  }

  /** A member that is text; empty where it is absent. */
  static String text(JsonObject document, String name) {
    return document.has(name) ? document.get(name).getAsString() : "";
  }

  private static String kind(JsonObject document) {
    return text(document, "type").replaceFirst("^" + PREFIX, "");
  }
}
