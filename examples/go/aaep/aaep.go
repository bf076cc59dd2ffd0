// Package aaep makes a Go program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
//
// Copy this folder into a project. It needs Go 1.24, the standard library alone, and a running `aaepd serve`. README.md has an agent that uses it.
//
// Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
package aaep

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	longestText   = 4000             // characters of one event
	longestLine   = 4 << 20          // bytes of one answer; after that the agent is silent
	mostCalls     = 16_384           // that wait for the daemon; what follows is dropped
	longestAnswer = 20 * time.Second // from the daemon, where no person is asked
	pause         = time.Second / 2  // between attempts to come back
)

// Members are those of a message.
type Members = map[string]any

// An Agent is connected to a daemon, or silent.
type Agent struct {
	onError                func(error)
	manifest               []byte
	mutex                  sync.Mutex     // of all that follows
	sessions               map[any]string // the resume tokens of those whose end has no answer
	calls                  map[int]*call  // those without an answer
	made                   int
	connection             net.Conn    // the last one; nil: no daemon was there yet
	out                    chan []byte // lines for the connection
	isAway, isFull, isOver bool
}

// A call waits for the daemon's answer. Its line stays, so that it can be repeated under the same ids.
type call struct {
	line     []byte
	about    Members
	answered chan Members // has room for the result
}

// Open connects to the daemon of `aaepd serve`, and comes back to it after a loss. id is a stable name without a version, and name is for people. onError
// receives each thing that goes wrong, on any goroutine, and must not call the agent.
func Open(id, name string, onError func(error)) *Agent {
	manifest := Members{"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest", "agent_id": id, "agent_name": name}
	line, _ := lineOf(0, "aaep.set_manifest", manifest)
	a := &Agent{onError: onError, manifest: line, sessions: map[any]string{}, calls: map[int]*call{}}
	a.mutex.Lock() // until the first attempt to connect is over
	go a.live()
	return a
}

// Close waits until the daemon has everything, for 2 seconds at most, and ends the connection.
func (a *Agent) Close() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for until := time.Now().Add(2 * time.Second); len(a.calls) > 0 && a.connection != nil && time.Now().Before(until); {
		a.mutex.Unlock()
		time.Sleep(pause / 100)
		a.mutex.Lock()
	}
	a.end()
}

// A Session is one task of the agent. Its calls may come from any goroutine, and are heard in their order.
type Session struct {
	agent   *Agent
	context context.Context
	id      string
	mutex   sync.Mutex
	output  string // the open one, of text
}

// Session runs work as a task that people can follow, and returns its error. The text that work returns is the summary of its result. The session ends as
// completed, as errored if work fails, and as cancelled if ctx is.
func (a *Agent) Session(ctx context.Context, description string, work func(*Session) (string, error)) error {
	s := &Session{agent: a, context: ctx, id: "sess_" + rand.Text()}
	token := rand.Text() + rand.Text() // proves that the session is this agent's, over the next connection too
	a.mutex.Lock()
	a.sessions[s.id] = token
	a.mutex.Unlock()
	own := Members{"extensions": Members{"aaepd": Members{"resume_token": token}}}
	s.Publish("session.started", Members{"summary_normal": cmp.Or(brief(description), "A task.")}, own)
	told, err := work(s)
	s.endOutput()
	switch {
	case ctx.Err() != nil:
		s.Publish("session.cancelled", Members{"summary_normal": "Ended.", "cancelled_by": "user"})
	case err != nil:
		s.Publish("session.errored", Members{"summary_normal": brief(err.Error()), "error_category": "unknown"})
	default:
		s.Publish("session.completed", Members{"summary_normal": cmp.Or(brief(told), "Ended.")})
	}
	return err
}

// Text appends a token to the session's text. It returns at once.
func (s *Session) Text(chunk string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.output = cmp.Or(s.output, "out_"+rand.Text())
	for piece := range slices.Chunk([]rune(chunk), longestText) {
		s.Publish("output.streaming", Members{"output_id": s.output, "chunk": string(piece), "complete": false})
	}
}

func (s *Session) endOutput() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.output != "" {
		s.Publish("output.streaming", Members{"output_id": s.output, "chunk": "", "complete": true})
		s.output = ""
	}
}

// Publish publishes an event that has no call of its own, such as "progress.updated".
func (s *Session) Publish(kind string, members ...Members) {
	s.agent.send("aaep.publish", s.event(kind, members...))
}

func (s *Session) event(kind string, members ...Members) Members {
	event := Members{"event_id": "evt_" + rand.Text()}
	for _, some := range members {
		maps.Copy(event, some)
	}
	event["type"], event["session_id"] = "aaep:agent."+kind, s.id
	return event
}

// A Question is asked before a tool that cannot be undone.
type Question struct {
	Action, Consequence string  // sentences for the person who decides
	Timeout             int     // seconds that the person has to answer
	Context             Members // further facts; may be nil
}

// Declined is the error of a tool that was not called: "reply" if a person declined, and "error" if the daemon refused the question, of which onError
// receives why. Otherwise it is "timeout", "no_subscriber", "subscription_ended" or "cancelled".
type Declined string

func (d Declined) Error() string {
	return "nobody accepted the call: " + string(d)
}

// Tool runs a tool, and returns its error. summary is for people while the tool runs, and the text that run returns about the result. With a question, run
// is called only after a person has accepted; the error is otherwise Declined. A name begins with a letter, and has letters, digits, "_", "-" and ".".
func (s *Session) Tool(name, summary string, question *Question, run func() (string, error)) error {
	summary = brief(cmp.Or(summary, name))
	tool := Members{"tool": name, "tool_call_id": "call_" + rand.Text()}
	s.endOutput()
	if question == nil {
		s.Publish("tool.invoked", tool, Members{"summary_normal": summary, "risk_level": "low"})
	} else if err := s.consent(tool, summary, question); err != nil {
		return err
	}
	told, err := run()
	completed := Members{"status": "success"}
	if err != nil {
		completed = Members{"status": "error", "error_message": cmp.Or(brief(err.Error()), "It failed.")}
	} else if told != "" {
		completed["summary_normal"] = brief(told)
	}
	s.Publish("tool.completed", tool, completed)
	return err
}

// consent asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts.
func (s *Session) consent(tool Members, summary string, question *Question) error {
	risk, facts, token := Members{"risk_level": "high", "irreversible": true}, maps.Clone(tool), "rpl_"+rand.Text()
	maps.Copy(facts, question.Context)
	outcome := s.ask(time.Duration(question.Timeout)*time.Second+longestAnswer, "aaep.confirm", s.event("awaiting.confirmation", risk, Members{
		"action": question.Action, "consequence": question.Consequence, "timeout_seconds": question.Timeout,
		"default_decision": "reject", "extra_context": facts, "reply_token": token,
	}))
	if outcome["reply_token"] != token { // nobody waits for the answer any more
		s.agent.send("aaep.cancel", Members{"reply_token": token})
	}
	resolvedBy, _ := outcome["resolved_by"].(string)
	isReply := outcome["reply_token"] == token && resolvedBy == "reply"
	switch decision := outcome["decision"]; {
	case slices.Contains([]string{"timeout", "no_subscriber", "subscription_ended", "cancelled"}, resolvedBy), isReply && decision == "reject":
		return Declined(resolvedBy)
	case !isReply || decision != "accept":
		return Declined("error")
	}
	invoked := s.event("tool.invoked", tool, risk, Members{"summary_normal": summary})
	taken := s.ask(longestAnswer, "aaep.publish", invoked)
	if events, _ := taken["events"].([]any); len(events) == 1 {
		if event, _ := events[0].(Members); event["event_id"] == invoked["event_id"] {
			return nil
		}
	}
	s.Publish("tool.completed", tool, Members{"status": "timeout"})
	return Declined("error")
}

// ask makes a call, and waits for its result, or for what has ended the question in its place.
func (s *Session) ask(patience time.Duration, method string, event Members) Members {
	select {
	case result := <-s.agent.send(method, event):
		return result
	case <-s.context.Done():
		return Members{"resolved_by": "cancelled"}
	case <-time.After(patience):
		return Members{"resolved_by": "timeout"}
	}
}

// send makes a call. While there is no connection it waits. Where there never was a daemon, a question is over at once.
func (a *Agent) send(method string, params Members) <-chan Members {
	answered := make(chan Members, 1)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.made++
	line, err := lineOf(a.made, method, params)
	switch {
	case err != nil: // what JSON cannot hold
		a.onError(err)
		answered <- Members{"resolved_by": "error"}
	case a.isOver || a.isFull || a.connection == nil && method == "aaep.confirm":
		answered <- Members{"resolved_by": "no_subscriber"}
	default:
		a.calls[a.made] = &call{line, params, answered}
		if a.out != nil {
			a.out <- line // it has room for all calls
		}
		if a.isFull = len(a.calls) >= mostCalls; a.isFull && !a.isAway {
			a.onError(errors.New("the daemon takes nothing: what follows is dropped"))
		}
	}
	return answered
}

// live talks with the daemon, and comes back to it. It holds the mutex but while it waits.
func (a *Agent) live() {
	for !a.isOver {
		connection, err := DialOwn(os.Getenv("AAEPD_SOCKET"))
		if err != nil && !a.isAway {
			a.onError(fmt.Errorf("the agent is silent until `aaepd serve` runs: %w", err))
		}
		if a.isAway = err != nil; !a.isAway {
			a.talk(connection)
		}
		a.mutex.Unlock()
		time.Sleep(pause)
		a.mutex.Lock()
	}
	a.mutex.Unlock()
}

// talk uses a connection until its end: takes the sessions over, and sends what has no answer yet.
func (a *Agent) talk(connection net.Conn) {
	a.calls[0] = &call{line: a.manifest, answered: make(chan Members, 1)}
	out := make(chan []byte, 1+len(a.sessions)+mostCalls)
	for id, token := range a.sessions {
		claim, _ := lineOf(-1, "aaep.resume_session", Members{"session_id": id, "resume_token": token})
		out <- claim
	}
	for _, number := range slices.Sorted(maps.Keys(a.calls)) {
		out <- a.calls[number].line
	}
	a.connection, a.out = connection, out
	go func() {
		for line := range out {
			connection.Write(line) // whoever reads notices that the connection has ended
		}
	}()
	lines := bufio.NewReaderSize(connection, longestLine)
	for isUsable := true; isUsable; {
		a.mutex.Unlock()
		line, err := lines.ReadSlice('\n')
		a.mutex.Lock()
		isUsable = (err == nil || err == bufio.ErrBufferFull) && a.take(line)
	}
	a.out = nil
	close(out)
	connection.Close()
}

// take takes an answer of the daemon. It is false if the next connection has to repeat the call. One that cannot be read makes the agent silent.
func (a *Agent) take(line []byte) bool {
	var message struct {
		ID     *int
		Method string
		Result Members
		Error  struct {
			Message string
			Data    struct{ Code, Pointer string }
		}
	}
	if err := json.Unmarshal(line, &message); err != nil || message.ID == nil && message.Method == "" {
		a.onError(errors.New("the agent is silent: the daemon's answer cannot be read"))
		a.end()
		return false
	}
	if message.Method != "" {
		return true // a notification
	}
	call, code := a.calls[*message.ID], message.Error.Data.Code
	if call == nil || code == "shutting_down" { // a claim may come before its session
		return code != "shutting_down" && code != "storage_unavailable"
	}
	delete(a.calls, *message.ID)
	a.isFull = a.isFull && len(a.calls) > mostCalls/2
	kind, _ := call.about["type"].(string)
	if strings.HasPrefix(kind, "aaep:agent.session.") && kind != "aaep:agent.session.started" {
		delete(a.sessions, call.about["session_id"])
	}
	if refused := message.Error; refused.Message != "" || message.Result == nil {
		message.Result = Members{"resolved_by": "error"}
		a.onError(fmt.Errorf("%s (%s, %s, %s)", refused.Message, kind, code, refused.Data.Pointer))
	}
	call.answered <- message.Result
	return true
}

// end makes the agent silent for good.
func (a *Agent) end() {
	a.isOver = true
	for _, call := range a.calls {
		call.answered <- Members{"resolved_by": "cancelled"}
	}
	clear(a.calls)
	if a.connection != nil {
		a.connection.Close()
	}
}

func lineOf(id int, method string, params Members) ([]byte, error) {
	line, err := json.Marshal(Members{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return append(line, '\n'), err
}

func brief(text string) string {
	return fmt.Sprintf("%.*s", longestText, text)
}
