package dev.aaepd.examples;

import static dev.aaepd.examples.Terminal.fail;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.aaepd.examples.aaep.v1.AwaitingConfirmation;
import dev.aaepd.examples.aaep.v1.Decision;
import dev.aaepd.examples.aaep.v1.Event;
import dev.aaepd.examples.aaep.v1.Level;
import dev.aaepd.examples.aaep.v1.Outcome;
import dev.aaepd.examples.aaep.v1.OutputStreaming;
import dev.aaepd.examples.aaep.v1.ResolvedBy;
import dev.aaepd.examples.aaep.v1.SessionCompleted;
import dev.aaepd.examples.aaep.v1.SessionStarted;
import dev.aaepd.examples.aaep.v1.StateChanged;
import dev.aaepd.examples.aaep.v1.ToolCompleted;
import dev.aaepd.examples.aaep.v1.ToolInvoked;
import dev.aaepd.examples.aaep.v1.ToolStatus;
import io.grpc.StatusException;
import java.io.IOException;
import java.util.Set;

/** A banking agent that publishes over gRPC, and asks before it transfers money. Nothing is really transferred. See README.md. */
public final class Agent {
  private final Session session;
  private final int timeoutSeconds;

  private Agent(Session session, int timeoutSeconds) {
    this.session = session;
    this.timeoutSeconds = timeoutSeconds;
  }

  public static void main(String[] arguments) throws InterruptedException {
    Terminal.useUtf8();
    try {
      Options options = new Options(arguments, Set.of("address", "token-file", "timeout"), Set.of());
      try (DaemonChannel daemon = DaemonChannel.open(options)) {
        Session session = new Session(daemon, "java-bank", "The bank in Java");
        new Agent(session, options.number("timeout", 120)).work();
        session.close();
      }
    } catch (StatusException error) {
      fail(DaemonChannel.sentence(error));
    } catch (IOException | IllegalArgumentException | Session.Refused error) {
      fail(error.getMessage());
    }
  }

  private void work() throws StatusException, InterruptedException, Session.Refused {
    SessionStarted started = SessionStarted.newBuilder().setSummaryNormal("Transfers 500 dollars to Ada Obi.").build();
    String resumeToken = session.publish(Event.newBuilder().setSessionStarted(started)).getResumeToken();
    changeState("idle", "thinking");

    invoke("fetch_balance", "call_1", Level.LEVEL_LOW, false, "Reading your balance.");
    complete("fetch_balance", "call_1", "The balance is read.");
    changeState("thinking", "writing_output");
    write("out_balance", "Your balance is 12,500 dollars. I can transfer 500 of them.");
    changeState("writing_output", "deciding");

    Outcome outcome = session.confirm(question("transfer_funds", "call_2"), resumeToken);

    // Only a person's own yes lets it happen. The daemon would refuse the tool call otherwise.
    if (outcome.getDecision() == Decision.DECISION_ACCEPT && outcome.getResolvedBy() == ResolvedBy.RESOLVED_BY_REPLY) {
      System.out.println("Accepted: transferring.");
      invoke("transfer_funds", "call_2", Level.LEVEL_HIGH, true, "Transferring 500 dollars.");
      complete("transfer_funds", "call_2", "The transfer is done.");
      changeState("calling_tool", "writing_output");
      write("out_result", "Transferred 500 dollars to Ada Obi. Your new balance is 12,000 dollars.");
      end("Transferred 500 dollars.");
    } else {
      String whyNot = whyNot(outcome.getResolvedBy());
      System.out.println("Not transferred: " + whyNot);
      changeState("awaiting_input", "writing_output");
      write("out_result", whyNot + " Nothing was transferred.");
      end("Nothing was transferred.");
    }
  }

  /** A default is never told as somebody's decision. */
  private static String whyNot(ResolvedBy resolvedBy) {
    return switch (resolvedBy) {
      case RESOLVED_BY_REPLY -> "You declined it.";
      case RESOLVED_BY_TIMEOUT -> "Nobody answered in time.";
      case RESOLVED_BY_SUBSCRIPTION_ENDED -> "Whoever could have answered has gone.";
      case RESOLVED_BY_CANCELLED -> "The question was taken back.";
      default -> "There was nobody to ask.";
    };
  }

  /** Asks for consent to this call and no other. */
  private AwaitingConfirmation question(String tool, String callId) {
    return AwaitingConfirmation.newBuilder()
        .setAction("May I transfer 500 dollars to Ada Obi?")
        .setConsequence("The money leaves your account at once.")
        .setRiskLevel(Level.LEVEL_HIGH)
        .setIrreversible(true)
        .setTimeoutSeconds(timeoutSeconds)
        .setDefaultDecision(Decision.DECISION_REJECT)
        .setExtraContext(Struct.newBuilder().putFields("tool", text(tool)).putFields("tool_call_id", text(callId)))
        .build();
  }

  private static Value text(String text) {
    return Value.newBuilder().setStringValue(text).build();
  }

  private void changeState(String before, String after) throws StatusException, InterruptedException, Session.Refused {
    session.publish(Event.newBuilder().setStateChanged(StateChanged.newBuilder().setFromState(before).setToState(after)));
  }

  private void invoke(String tool, String callId, Level risk, boolean isIrreversible, String summary)
      throws StatusException, InterruptedException, Session.Refused {
    session.publish(
        Event.newBuilder()
            .setToolInvoked(
                ToolInvoked.newBuilder()
                    .setTool(tool)
                    .setToolCallId(callId)
                    .setRiskLevel(risk)
                    .setIrreversible(isIrreversible)
                    .setSummaryNormal(summary)));
  }

  private void complete(String tool, String callId, String summary) throws StatusException, InterruptedException, Session.Refused {
    session.publish(
        Event.newBuilder()
            .setToolCompleted(
                ToolCompleted.newBuilder()
                    .setTool(tool)
                    .setToolCallId(callId)
                    .setStatus(ToolStatus.TOOL_STATUS_SUCCESS)
                    .setSummaryNormal(summary)));
  }

  /** Streams text as a model gives it: token by token. Where sentences end is the daemon's business. */
  private void write(String outputId, String text) throws StatusException, InterruptedException, Session.Refused {
    for (String token : text.split(" ")) output(outputId, token + " ", false);
    output(outputId, "", true);
  }

  private void output(String outputId, String chunk, boolean isComplete) throws StatusException, InterruptedException, Session.Refused {
    session.publish(
        Event.newBuilder()
            .setOutputStreaming(OutputStreaming.newBuilder().setOutputId(outputId).setChunk(chunk).setComplete(isComplete)));
  }

  private void end(String summary) throws StatusException, InterruptedException, Session.Refused {
    session.publish(Event.newBuilder().setSessionCompleted(SessionCompleted.newBuilder().setSummaryNormal(summary)));
  }
}
