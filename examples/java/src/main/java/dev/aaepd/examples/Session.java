package dev.aaepd.examples;

import dev.aaepd.examples.aaep.v1.AgentServiceGrpc;
import dev.aaepd.examples.aaep.v1.AwaitingConfirmation;
import dev.aaepd.examples.aaep.v1.ConfirmRequest;
import dev.aaepd.examples.aaep.v1.Event;
import dev.aaepd.examples.aaep.v1.EventBatch;
import dev.aaepd.examples.aaep.v1.Outcome;
import dev.aaepd.examples.aaep.v1.Producer;
import dev.aaepd.examples.aaep.v1.PublishReceipt;
import dev.aaepd.examples.aaep.v1.PublishRequest;
import dev.aaepd.examples.aaep.v1.PublishResponse;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.util.UUID;

/** A session, and the stream that it is published on. The daemon fills in ids, times and positions, and whatever else is left out. */
final class Session {
  /** The daemon did not take an event. */
  static final class Refused extends Exception {
    Refused(String sentence) {
      super(sentence);
    }
  }

  private final AgentServiceGrpc.AgentServiceBlockingV2Stub service;
  private final BlockingClientCall<PublishRequest, PublishResponse> stream;
  private final String id = "sess_" + UUID.randomUUID().toString().replace("-", "");
  private final Producer producer;
  private int requests = 0;

  Session(DaemonChannel daemon, String agentId, String agentName) {
    service = AgentServiceGrpc.newBlockingV2Stub(daemon.channel());
    stream = service.publish();
    producer = Producer.newBuilder().setAgentId(agentId).setAgentName(agentName).build();
  }

  /** Publishes one event, and returns when the daemon has taken it. */
  PublishReceipt publish(Event.Builder event) throws StatusException, InterruptedException, Refused {
    String requestId = String.valueOf(++requests);
    EventBatch.Builder batch = EventBatch.newBuilder().addEvents(complete(event));
    stream.write(PublishRequest.newBuilder().setRequestId(requestId).setPublish(batch).build());
    for (PublishResponse response = stream.read(); response != null; response = stream.read()) {
      if (!response.getRequestId().equals(requestId)) continue; // news of a question
      if (response.hasError()) throw new Refused(DaemonChannel.sentence(response.getError()));
      return response.getReceipt();
    }
    throw new Refused("the daemon has ended the stream");
  }

  /** Asks, and returns when there is an outcome, which may take minutes: so no deadline. */
  Outcome confirm(AwaitingConfirmation question, String resumeToken) throws StatusException {
    // The call is not the stream, and opens the stream's session with its token.
    Event.Builder event = Event.newBuilder().setAwaitingConfirmation(question);
    return service.confirm(ConfirmRequest.newBuilder().setEvent(complete(event)).setResumeToken(resumeToken).build()).getOutcome();
  }

  /** Says whose event it is. */
  private Event.Builder complete(Event.Builder event) {
    return event.setSessionId(id).setProducer(producer);
  }

  /** Half-closes the stream, and waits for the daemon's end of it. */
  void close() throws StatusException, InterruptedException {
    stream.halfClose();
    while (stream.read() != null) {}
  }
}
