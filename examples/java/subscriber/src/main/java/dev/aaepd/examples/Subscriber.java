package dev.aaepd.examples;

import static dev.aaepd.examples.PlainLines.text;
import static dev.aaepd.examples.Terminal.fail;
import static dev.aaepd.examples.Terminal.tell;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import dev.aaepd.examples.aaep.v1.Capabilities;
import dev.aaepd.examples.aaep.v1.ConfirmationReply;
import dev.aaepd.examples.aaep.v1.Decision;
import dev.aaepd.examples.aaep.v1.Event;
import dev.aaepd.examples.aaep.v1.SubscribeRequest;
import dev.aaepd.examples.aaep.v1.SubscribeResponse;
import dev.aaepd.examples.aaep.v1.SubscriberServiceGrpc;
import dev.aaepd.examples.aaep.v1.SubscriptionClose;
import dev.aaepd.examples.aaep.v1.SubscriptionRenegotiate;
import dev.aaepd.examples.aaep.v1.SubscriptionRequest;
import dev.aaepd.examples.aaep.v1.Verbosity;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;

/**
 * Listens to agents over gRPC, one line for each event, and lets a person answer what they ask. Build it as README.md in examples/java says, and run it
 * beside {@code npx --no -- aaepd serve --grpc unix:$HOME/.aaepd/grpc.sock}: {@code java -jar examples/java/subscriber/target/subscriber.jar --address
 * unix:$HOME/.aaepd/grpc.sock}.
 */
public final class Subscriber {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

  private final Options options;
  private final String answer;
  private final BlockingClientCall<SubscribeRequest, SubscribeResponse> call;
  private final Questions questions = new Questions();
  private volatile String subscriptionId = "";

  private Subscriber(Options options, DaemonChannel daemon) {
    this.options = options;
    this.answer = options.get("answer", "ask");
    if (!Set.of("ask", "accept", "reject", "none").contains(answer)) {
      throw new IllegalArgumentException("--answer is ask, accept, reject or none");
    }
    this.call = SubscriberServiceGrpc.newBlockingV2Stub(daemon.channel()).subscribe();
  }

  public static void main(String[] arguments) throws InterruptedException {
    Terminal.useUtf8();
    try {
      Options options = new Options(arguments, Set.of("address", "token-file", "rate", "answer"), Set.of("json", "once"));
      try (DaemonChannel daemon = DaemonChannel.open(options)) {
        new Subscriber(options, daemon).listen();
      }
    } catch (StatusException error) {
      if (error.getStatus().getCode() != Status.Code.CANCELLED) fail(DaemonChannel.sentence(error)); // that is a normal end
    } catch (IOException | IllegalArgumentException | IllegalStateException error) {
      fail(error.getMessage());
    }
  }

  private void listen() throws StatusException, InterruptedException {
    SubscriptionRequest request =
        SubscriptionRequest.newBuilder()
            .setAaepVersion("1.0.0")
            .setSubscriberId("java-subscriber")
            .setCapabilities(
                Capabilities.newBuilder()
                    .setMaxEventsPerSecond(options.number("rate", 3))
                    .setPreferredVerbosity(Verbosity.VERBOSITY_NORMAL)
                    .addCoalesceBoundaries("sentence")
                    .addCoalesceBoundaries("completion")
                    // The daemon puts questions to whoever says so, and waits: only for somebody who can answer.
                    .setSupportsConfirmationReply(!answer.equals("none")))
            .build();
    send(SubscribeRequest.newBuilder().setRequest(request));
    // Null is the end of a stream that ended well.
    for (SubscribeResponse response = call.read(); response != null; response = call.read()) take(response);
  }

  /** The terminal's thread sends too; a stream takes one message at a time. */
  private synchronized void send(SubscribeRequest.Builder message) throws StatusException, InterruptedException {
    call.write(message.build());
  }

  /** Events, as many as were ready, or one other message. */
  private void take(SubscribeResponse response) throws StatusException, InterruptedException {
    for (Event event : response.getEventsList()) takeEvent(Documents.of(event));
    switch (response.getMessageCase()) {
      case ACCEPTED -> {
        if (!subscriptionId.isEmpty()) return; // answers a renegotiation
        subscriptionId = response.getAccepted().getSubscriptionId();
        tell("Listening to %s.".formatted(response.getAccepted().getProducer().getAgentId()));
        if (answer.equals("ask")) readAnswers();
      }
      case REJECTED -> throw new IllegalStateException("not accepted: " + response.getRejected().getReasonMessage());
      case ERROR -> tell(DaemonChannel.sentence(response.getError()));
      default -> {} // a heartbeat, a checkpoint, or a close, of which the status says why
    }
  }

  private void takeEvent(JsonObject document) throws StatusException, InterruptedException {
    // To some readers U+0085 ends a line too. Gson escapes the others.
    System.out.println(options.has("json") ? GSON.toJson(document).replace("\u0085", "\\u0085") : PlainLines.of(document));
    questions.note(document);
    if (text(document, "type").equals(Questions.ASKS)) {
      switch (answer) {
        case "accept" -> reply(text(document, "reply_token"), Decision.DECISION_ACCEPT);
        case "reject" -> reply(text(document, "reply_token"), Decision.DECISION_REJECT);
        case "ask" -> questions.ask(document);
        default -> {} // it is only told
      }
    }
    if (options.has("once") && PlainLines.isEnd(document)) {
      send(SubscribeRequest.newBuilder().setClose(SubscriptionClose.newBuilder().setSubscriptionId(subscriptionId)));
    }
  }

  /** In a thread of its own, as reading blocks. */
  private void readAnswers() {
    Thread reader =
        new Thread(
            () -> {
              BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
              try {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  var typed = questions.answer(line);
                  if (typed.isPresent()) reply(typed.get().replyToken(), typed.get().decision());
                }
                tell("Standard input has ended: questions cannot be answered here any more.");
                send(
                    SubscribeRequest.newBuilder()
                        .setRenegotiate(
                            SubscriptionRenegotiate.newBuilder()
                                .setSubscriptionId(subscriptionId)
                                .setCapabilities(Capabilities.newBuilder().setSupportsConfirmationReply(false))));
              } catch (IOException | StatusException | InterruptedException | IllegalStateException error) {
                tell("Answers are not read any more: " + error.getMessage());
              }
            });
    reader.setDaemon(true);
    reader.start();
  }

  private void reply(String replyToken, Decision decision) throws StatusException, InterruptedException {
    send(
        SubscribeRequest.newBuilder()
            .setConfirmationReply(
                ConfirmationReply.newBuilder()
                    .setSubscriptionId(subscriptionId)
                    .setReplyToken(replyToken)
                    .setDecision(decision)
                    // RFC 3339 with three digits, or with none where it is a whole second.
                    .setTimestamp(Instant.now().truncatedTo(ChronoUnit.MILLIS).toString())));
    tell("Sent: %s.".formatted(decision == Decision.DECISION_ACCEPT ? "accept" : "reject"));
  }
}
