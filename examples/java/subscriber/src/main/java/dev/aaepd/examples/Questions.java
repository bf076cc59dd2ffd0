package dev.aaepd.examples;

import static dev.aaepd.examples.PlainLines.text;
import static dev.aaepd.examples.Terminal.tell;

import com.google.gson.JsonObject;
import dev.aaepd.examples.aaep.v1.Decision;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Open questions, each with a number, and a person who answers at the terminal: by number, because an answer that was meant for one question must
 * never be taken for another's. {@link Subscriber} says how to run it.
 */
final class Questions {
  static final String ASKS = "aaep:agent.awaiting.confirmation";

  /** To which question, and what. */
  record Answer(String replyToken, Decision decision) {}

  private int asked = 0;
  private final Map<String, JsonObject> open = new TreeMap<>();

  /** Reads an event that asks to the person. */
  synchronized void ask(JsonObject document) {
    String number = String.valueOf(++asked);
    open.put(number, document);
    boolean isIrreversible = document.has("irreversible") && document.get("irreversible").getAsBoolean();
    tell(
        "Question %s of %s: %s %s %sWithout an answer within %s seconds: %s. Type y %s to accept or n %s to reject, then Enter."
            .formatted(
                number,
                text(document.getAsJsonObject("producer"), "agent_id"),
                text(document, "action"),
                text(document, "consequence"),
                isIrreversible ? "It cannot be undone. " : "",
                text(document, "timeout_seconds"),
                text(document, "default_decision"),
                number,
                number));
  }

  /** Takes away the question that an event says is over, whoever decided it. */
  synchronized void note(JsonObject document) {
    JsonObject extensions = document.getAsJsonObject("extensions");
    JsonObject news = extensions == null ? null : extensions.getAsJsonObject("aaepd");
    if (news == null || !news.has("question") || !news.has("decision")) return;
    boolean isOver = open.values().removeIf(question -> question.get("event_id").equals(news.get("question")));
    if (isOver) tell("The question is over.");
  }

  /** What a typed line stands for. Silence, a bare Enter or a slip is never consent. */
  synchronized Optional<Answer> answer(String line) {
    String[] words = line.strip().toLowerCase().split("\\s+");
    Decision decision =
        switch (words[0]) {
          case "y" -> Decision.DECISION_ACCEPT;
          case "n" -> Decision.DECISION_REJECT;
          default -> null;
        };
    if (decision == null || words.length != 2 || !open.containsKey(words[1])) {
      tell("Not sent. Type y or n and the number of an open question. Open: " + String.join(", ", open.keySet()));
      return Optional.empty();
    }
    return Optional.of(new Answer(text(open.get(words[1]), "reply_token"), decision));
  }
}
