// Listens to agents over gRPC, one line for each event, and lets a person answer what they ask. Build it as README.md in the folder above says, and
// run it beside `npx --no -- aaepd serve --grpc unix:$HOME/.aaepd/grpc.sock`:
//
//	examples/go/bin/subscriber --address unix:$HOME/.aaepd/grpc.sock
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"aaepd-examples/gen/aaepv1"
)

const asks = "aaep:agent.awaiting.confirmation"

type options struct {
	json, once bool
	rate       uint
	answer     string
}

func main() {
	flags := addChannelFlags()
	var options options
	flag.BoolVar(&options.json, "json", false, "each event as one line of JSON")
	flag.BoolVar(&options.once, "once", false, "end with the first session that ends")
	flag.UintVar(&options.rate, "rate", 3, "events a second at most; what is critical does not wait")
	flag.StringVar(&options.answer, "answer", "ask", "how questions are answered: ask (by you), accept, reject, or none (not here)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// Cancelled is the normal end of listening: Ctrl-C.
	if err := listen(ctx, flags, options); err != nil && status.Code(err) != codes.Canceled {
		fmt.Fprintln(os.Stderr, "Error:", sentence(err))
		os.Exit(1)
	}
}

func listen(ctx context.Context, flags channelFlags, options options) error {
	switch options.answer {
	case "ask", "accept", "reject", "none":
	default:
		return fmt.Errorf("--answer is ask, accept, reject or none, not %q", options.answer)
	}
	channel, err := flags.connect()
	if err != nil {
		return err
	}
	defer channel.Close()
	stream, err := aaepv1.NewSubscriberServiceClient(channel).Subscribe(ctx)
	if err != nil {
		return err
	}
	listener := &listener{options: options, stream: stream}
	listener.send(&aaepv1.SubscribeRequest{Message: &aaepv1.SubscribeRequest_Request{Request: &aaepv1.SubscriptionRequest{
		AaepVersion:  proto.String("1.0.0"),
		SubscriberId: proto.String("go-subscriber"),
		Capabilities: &aaepv1.Capabilities{
			MaxEventsPerSecond: proto.Uint32(uint32(options.rate)),
			PreferredVerbosity: aaepv1.Verbosity_VERBOSITY_NORMAL.Enum(),
			CoalesceBoundaries: []string{"sentence", "completion"},
			// The daemon puts questions to whoever says so, and waits: only for somebody who can answer.
			SupportsConfirmationReply: proto.Bool(options.answer != "none"),
		},
	}}})
	for {
		response, err := stream.Recv()
		if err != nil {
			return endOf(err)
		}
		if err := listener.take(response); err != nil {
			return err
		}
	}
}

// A listener is one subscription: what is sent, and what is done with what comes.
type listener struct {
	options        options
	stream         aaepv1.SubscriberService_SubscribeClient
	sending        sync.Mutex
	subscriptionID string
	questions      questions
}

// send may be called from the terminal's goroutine too; a stream takes one message at a time.
func (l *listener) send(message *aaepv1.SubscribeRequest) {
	l.sending.Lock()
	defer l.sending.Unlock()
	// An error says only that the stream has ended; Recv says why.
	_ = l.stream.Send(message)
}

// take takes events, as many as were ready, or one other message.
func (l *listener) take(response *aaepv1.SubscribeResponse) error {
	for _, event := range response.GetEvents() {
		if err := l.takeEvent(documentOf(event)); err != nil {
			return err
		}
	}
	switch message := response.GetMessage().(type) {
	case *aaepv1.SubscribeResponse_Accepted:
		if l.subscriptionID != "" {
			return nil // answers a renegotiation
		}
		l.subscriptionID = message.Accepted.GetSubscriptionId()
		tell("Listening to %s.", message.Accepted.GetProducer().GetAgentId())
		if l.options.answer == "ask" {
			go l.readAnswers()
		}
	case *aaepv1.SubscribeResponse_Rejected:
		return fmt.Errorf("not accepted: %s", message.Rejected.GetReasonMessage())
	case *aaepv1.SubscribeResponse_Error:
		tell("%s", faultSentence(message.Error))
	}
	return nil
}

func (l *listener) takeEvent(event document) error {
	if l.options.json {
		line, err := json.Marshal(event)
		if err != nil {
			return err
		}
		// To some readers U+0085 ends a line too. Marshal escapes the others.
		fmt.Println(strings.ReplaceAll(string(line), "\u0085", `\u0085`))
	} else {
		fmt.Println(lineOf(event))
	}
	l.questions.note(event)
	if textOf(event, "type") == asks {
		switch l.options.answer {
		case "accept", "reject":
			l.reply(textOf(event, "reply_token"), l.options.answer)
		case "ask":
			l.questions.ask(event)
		}
	}
	if l.options.once && isEnd(event) {
		over := &aaepv1.SubscriptionClose{SubscriptionId: &l.subscriptionID}
		l.send(&aaepv1.SubscribeRequest{Message: &aaepv1.SubscribeRequest_Close{Close: over}})
	}
	return nil
}

func (l *listener) readAnswers() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if token, decision, ok := l.questions.answer(lines.Text()); ok {
			l.reply(token, decision)
		}
	}
	tell("Standard input has ended: questions cannot be answered here any more.")
	terms := &aaepv1.SubscriptionRenegotiate{
		SubscriptionId: &l.subscriptionID,
		Capabilities:   &aaepv1.Capabilities{SupportsConfirmationReply: proto.Bool(false)},
	}
	l.send(&aaepv1.SubscribeRequest{Message: &aaepv1.SubscribeRequest_Renegotiate{Renegotiate: terms}})
}

// decisions are what a person or a script can say.
var decisions = map[string]aaepv1.Decision{
	"accept": aaepv1.Decision_DECISION_ACCEPT,
	"reject": aaepv1.Decision_DECISION_REJECT,
}

func (l *listener) reply(token, decision string) {
	reply := &aaepv1.ConfirmationReply{
		SubscriptionId: &l.subscriptionID,
		ReplyToken:     &token,
		Decision:       decisions[decision].Enum(),
		Timestamp:      proto.String(time.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00")),
	}
	l.send(&aaepv1.SubscribeRequest{Message: &aaepv1.SubscribeRequest_ConfirmationReply{ConfirmationReply: reply}})
	tell("Sent: %s.", decision)
}

// tell writes beside the events, which have standard output to themselves.
func tell(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
}
