// A banking agent that publishes over gRPC, and asks before it transfers money. Nothing is really transferred. See README.md in the folder above.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"aaepd-examples/daemon"
	"aaepd-examples/gen/aaepv1"
)

// A default is never told as somebody's decision.
var whyNot = map[aaepv1.ResolvedBy]string{
	aaepv1.ResolvedBy_RESOLVED_BY_REPLY:              "You declined it.",
	aaepv1.ResolvedBy_RESOLVED_BY_TIMEOUT:            "Nobody answered in time.",
	aaepv1.ResolvedBy_RESOLVED_BY_NO_SUBSCRIBER:      "There was nobody to ask.",
	aaepv1.ResolvedBy_RESOLVED_BY_SUBSCRIPTION_ENDED: "Whoever could have answered has gone.",
	aaepv1.ResolvedBy_RESOLVED_BY_CANCELLED:          "The question was taken back.",
}

func main() {
	flags := daemon.AddFlags()
	timeout := flag.Uint("timeout", 120, "seconds that a person has to answer")
	flag.Parse()
	// Ctrl-C cancels the calls, which takes an open question back.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flags, uint32(*timeout)); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", daemon.Sentence(err))
		os.Exit(1)
	}
}

func run(ctx context.Context, flags daemon.Flags, timeoutSeconds uint32) error {
	channel, err := flags.Connect()
	if err != nil {
		return err
	}
	defer channel.Close()
	session, err := open(ctx, aaepv1.NewAgentServiceClient(channel))
	if err != nil {
		return err
	}
	if err := session.work(ctx, timeoutSeconds); err != nil {
		return err
	}
	return session.close()
}

// A session, and the stream that it is published on. The daemon fills in ids, times and positions, and whatever else is left out.
type session struct {
	service  aaepv1.AgentServiceClient
	stream   aaepv1.AgentService_PublishClient
	id       string
	requests int
}

func open(ctx context.Context, service aaepv1.AgentServiceClient) (*session, error) {
	stream, err := service.Publish(ctx)
	random := make([]byte, 16)
	rand.Read(random)
	return &session{service: service, stream: stream, id: "sess_" + hex.EncodeToString(random)}, err
}

// publish publishes one event, and returns when the daemon has taken it.
func (s *session) publish(event *aaepv1.Event) (*aaepv1.PublishReceipt, error) {
	s.requests++
	id := strconv.Itoa(s.requests)
	batch := &aaepv1.EventBatch{Events: []*aaepv1.Event{s.complete(event)}}
	// An error of Send says only that the stream has ended; Recv says why.
	_ = s.stream.Send(&aaepv1.PublishRequest{RequestId: id, Request: &aaepv1.PublishRequest_Publish{Publish: batch}})
	for {
		response, err := s.stream.Recv()
		if err != nil {
			return nil, err
		}
		if response.GetRequestId() != id {
			continue // news of a question
		}
		if fault := response.GetError(); fault != nil {
			return nil, errors.New(daemon.FaultSentence(fault))
		}
		return response.GetReceipt(), nil
	}
}

// complete says whose event it is.
func (s *session) complete(event *aaepv1.Event) *aaepv1.Event {
	event.SessionId = &s.id
	event.Producer = &aaepv1.Producer{AgentId: proto.String("go-bank"), AgentName: proto.String("The bank in Go")}
	return event
}

// publishAll publishes one event after the other, and stops at the first that is refused.
func (s *session) publishAll(events ...*aaepv1.Event) error {
	for _, event := range events {
		if _, err := s.publish(event); err != nil {
			return err
		}
	}
	return nil
}

// confirm asks, and returns when there is an outcome, which may take minutes: so no deadline.
func (s *session) confirm(ctx context.Context, question *aaepv1.AwaitingConfirmation, resumeToken string) (*aaepv1.Outcome, error) {
	event := s.complete(&aaepv1.Event{Payload: &aaepv1.Event_AwaitingConfirmation{AwaitingConfirmation: question}})
	// The call is not the stream, and opens the stream's session with its token.
	response, err := s.service.Confirm(ctx, &aaepv1.ConfirmRequest{Event: event, ResumeToken: resumeToken})
	return response.GetOutcome(), err
}

// close half-closes the stream, and waits for the daemon's end of it.
func (s *session) close() error {
	if err := s.stream.CloseSend(); err != nil {
		return err
	}
	for {
		if _, err := s.stream.Recv(); err != nil {
			return daemon.EndOf(err)
		}
	}
}

func (s *session) work(ctx context.Context, timeoutSeconds uint32) error {
	receipt, err := s.publish(started("Transfers 500 dollars to Ada Obi."))
	if err != nil {
		return err
	}
	balance := tool{name: "fetch_balance", callID: "call_1", risk: aaepv1.Level_LEVEL_LOW}
	if err := s.publishAll(
		state("idle", "thinking"),
		balance.invoked("Reading your balance."),
		balance.completed("The balance is read."),
		state("thinking", "writing_output"),
	); err != nil {
		return err
	}
	if err := s.write("out_balance", "Your balance is 12,500 dollars. I can transfer 500 of them."); err != nil {
		return err
	}
	if err := s.publishAll(state("writing_output", "deciding")); err != nil {
		return err
	}

	transfer := tool{name: "transfer_funds", callID: "call_2", risk: aaepv1.Level_LEVEL_HIGH, irreversible: true}
	outcome, err := s.confirm(ctx, transfer.question(timeoutSeconds), receipt.GetResumeToken())
	if err != nil {
		return err
	}

	// Only a person's own yes lets it happen. The daemon would refuse the tool call otherwise.
	isByReply := outcome.GetResolvedBy() == aaepv1.ResolvedBy_RESOLVED_BY_REPLY
	if isByReply && outcome.GetDecision() == aaepv1.Decision_DECISION_ACCEPT {
		fmt.Println("Accepted: transferring.")
		if err := s.publishAll(
			transfer.invoked("Transferring 500 dollars."),
			transfer.completed("The transfer is done."),
			state("calling_tool", "writing_output"),
		); err != nil {
			return err
		}
		if err := s.write("out_result", "Transferred 500 dollars to Ada Obi. Your new balance is 12,000 dollars."); err != nil {
			return err
		}
		return s.publishAll(completed("Transferred 500 dollars."))
	}
	why := whyNot[outcome.GetResolvedBy()]
	fmt.Println("Not transferred:", why)
	if err := s.publishAll(state("awaiting_input", "writing_output")); err != nil {
		return err
	}
	if err := s.write("out_result", why+" Nothing was transferred."); err != nil {
		return err
	}
	return s.publishAll(completed("Nothing was transferred."))
}

// write streams text as a model gives it: token by token. Where sentences end is the daemon's business.
func (s *session) write(outputID, text string) error {
	for _, token := range strings.Fields(text) {
		if err := s.publishAll(output(outputID, token+" ", false)); err != nil {
			return err
		}
	}
	return s.publishAll(output(outputID, "", true))
}

func started(summary string) *aaepv1.Event {
	return &aaepv1.Event{Payload: &aaepv1.Event_SessionStarted{SessionStarted: &aaepv1.SessionStarted{SummaryNormal: &summary}}}
}

func completed(summary string) *aaepv1.Event {
	return &aaepv1.Event{Payload: &aaepv1.Event_SessionCompleted{SessionCompleted: &aaepv1.SessionCompleted{SummaryNormal: &summary}}}
}

func state(before, after string) *aaepv1.Event {
	return &aaepv1.Event{Payload: &aaepv1.Event_StateChanged{
		StateChanged: &aaepv1.StateChanged{FromState: &before, ToState: &after},
	}}
}

func output(outputID, chunk string, isComplete bool) *aaepv1.Event {
	return &aaepv1.Event{Payload: &aaepv1.Event_OutputStreaming{
		OutputStreaming: &aaepv1.OutputStreaming{OutputId: &outputID, Chunk: &chunk, Complete: &isComplete},
	}}
}

// tool is one call of a tool.
type tool struct {
	name, callID string
	risk         aaepv1.Level
	irreversible bool
}

func (t tool) invoked(summary string) *aaepv1.Event {
	return &aaepv1.Event{Payload: &aaepv1.Event_ToolInvoked{ToolInvoked: &aaepv1.ToolInvoked{
		Tool: &t.name, ToolCallId: &t.callID, RiskLevel: &t.risk, Irreversible: &t.irreversible, SummaryNormal: &summary,
	}}}
}

func (t tool) completed(summary string) *aaepv1.Event {
	return &aaepv1.Event{Payload: &aaepv1.Event_ToolCompleted{ToolCompleted: &aaepv1.ToolCompleted{
		Tool: &t.name, ToolCallId: &t.callID, Status: aaepv1.ToolStatus_TOOL_STATUS_SUCCESS.Enum(), SummaryNormal: &summary,
	}}}
}

// question asks for consent to this call and no other.
func (t tool) question(timeoutSeconds uint32) *aaepv1.AwaitingConfirmation {
	return &aaepv1.AwaitingConfirmation{
		Action:          proto.String("May I transfer 500 dollars to Ada Obi?"),
		Consequence:     proto.String("The money leaves your account at once."),
		RiskLevel:       &t.risk,
		Irreversible:    &t.irreversible,
		TimeoutSeconds:  &timeoutSeconds,
		DefaultDecision: aaepv1.Decision_DECISION_REJECT.Enum(),
		ExtraContext: &structpb.Struct{Fields: map[string]*structpb.Value{
			"tool":         structpb.NewStringValue(t.name),
			"tool_call_id": structpb.NewStringValue(t.callID),
		}},
	}
}
