// Package aaep makes a Go program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
//
// Copy this folder into a project. It needs Go 1.24, the standard library alone, and a running `aaepd serve`. `go run -C examples/go ./banking` runs an
// agent that uses it.
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
	"io/fs"
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	longestText    = 4000             // characters of one event
	longestLine    = 4 << 20          // bytes of one answer; after that the agent is silent
	mostCalls      = 16_384           // that wait for the daemon; what follows is dropped
	longestAnswer  = 20 * time.Second // from the daemon, where no person is asked
	longestAbsence = 10 * time.Second // of a lost daemon, for those who wait for its answer
	longestWait    = 2 * time.Second  // for the daemon at the end
	pause          = time.Second / 2  // between attempts to come back
	unreadable     = "the daemon's answer cannot be read"
)

// Options say who the agent is.
type Options struct {
	ID      string      // stable name of the agent, without its version
	Name    string      // name for people; default: ID
	OnError func(error) // receives each thing that goes wrong, on any goroutine, and returns soon; default: lines on standard error
}

// Members are those of a message.
type Members = map[string]any

// An Agent is connected to a daemon, or silent.
type Agent struct {
	options                       Options
	mutex                         sync.Mutex    // of all that follows, and of the sessions
	calls                         map[int]*call // those without an answer
	made                          int
	sessions                      map[string]*Session // those whose end has no answer
	faults                        []error             // that are not told yet
	connection                    net.Conn
	out                           chan []byte // lines for the connection
	isMet, isAway, isFull, isOver bool
}

// A call waits for the daemon's answer: its result, or why there is none. Its line stays, so that it can be repeated.
type call struct {
	line     []byte
	about    Members
	answered chan answer // nil if nobody waits; it has room for one
}

type answer struct {
	result   Members
	declined *Declined
}

// Open connects to the daemon of `aaepd serve`. The agent comes back to it after a loss, and repeats under the same ids what was not answered.
func Open(options Options) *Agent {
	options.Name = cmp.Or(options.Name, options.ID)
	if options.OnError == nil {
		options.OnError = func(err error) { fmt.Fprintln(os.Stderr, err) }
	}
	a := &Agent{options: options, calls: map[int]*call{}, sessions: map[string]*Session{}}
	go a.live()
	return a
}

// Close waits until the daemon has everything, for 2 seconds at most, and ends the connection.
func (a *Agent) Close() {
	isHeld := true
	for until := time.Now().Add(longestWait); isHeld && time.Now().Before(until); time.Sleep(pause / 100) {
		a.locked(func() { isHeld = len(a.calls) > 0 && !a.isAway && !a.isOver })
	}
	a.locked(func() {
		if isHeld {
			a.end(fmt.Sprintf("the daemon has not taken the last %d calls", len(a.calls)))
		}
		a.end("")
	})
}

// A Session is one task of the agent. Its calls may come from any goroutine, and are heard in their order.
type Session struct {
	agent           *Agent
	context         context.Context
	id, token       string
	output          string // the open one
	isKnown, isOver bool
}

// Session runs work as a task that people can follow, and returns its error. The text that work returns is the summary of its result. The session ends as
// completed, as errored if work fails or panics, and as cancelled if ctx is.
func (a *Agent) Session(ctx context.Context, description string, work func(*Session) (string, error)) (err error) {
	s := &Session{agent: a, context: ctx, id: "sess_" + rand.Text(), token: rand.Text() + rand.Text()}
	extensions := Members{"aaepd": Members{"resume_token": s.token}}
	a.locked(func() { a.sessions[s.id] = s })
	s.Publish("session.started", Members{"summary_normal": cmp.Or(brief(description), "A task."), "extensions": extensions})
	kind, end := "session.errored", Members{"summary_normal": "The agent has failed.", "error_category": "unknown"}
	defer func() { // after a panic too
		s.endOutput()
		s.Publish(kind, end)
		a.locked(func() { s.isOver = true })
	}()
	told, err := work(s)
	switch {
	case ctx.Err() != nil:
		kind, end = "session.cancelled", Members{"summary_normal": "Ended.", "cancelled_by": "user"}
	case err != nil:
		end["summary_normal"] = brief(err.Error())
	default:
		kind, end = "session.completed", Members{"summary_normal": cmp.Or(brief(told), "Ended.")}
	}
	return err
}

// Text appends a token to the session's text. It returns at once.
func (s *Session) Text(chunk string) {
	s.agent.locked(func() {
		s.output = cmp.Or(s.output, "out_"+rand.Text())
		for piece := range slices.Chunk([]rune(chunk), longestText) {
			s.publish("output.streaming", Members{"output_id": s.output, "chunk": string(piece), "complete": false})
		}
	})
}

// Publish publishes an event that has no call of its own, such as "progress.updated".
func (s *Session) Publish(kind string, members Members) {
	s.agent.locked(func() { s.publish(kind, members) })
}

func (s *Session) publish(kind string, members Members) {
	if !s.isOver {
		s.agent.send("aaep.publish", s.event(kind, members), nil)
	}
}

// A Call says what a tool is about to do.
type Call struct {
	Summary      string  // for people, while the tool runs: "Reading your balance."
	Irreversible bool    // a person is asked first
	Action       string  // in the question; default: Summary
	Consequence  string  // in the question; default: "It cannot be undone."
	Timeout      int     // seconds that the person has to answer; default: 300
	Context      Members // facts for the person who decides
}

// Tool runs a tool, and returns its error. The text that run returns tells people about the result. If the call is irreversible, run is called only after
// a person has accepted; the error is otherwise a *Declined.
func (s *Session) Tool(name string, about Call, run func() (string, error)) error {
	about.Summary = cmp.Or(about.Summary, name, "A tool.")
	tool := Members{"tool": toolName(name), "tool_call_id": "call_" + rand.Text()}
	s.endOutput()
	if !about.Irreversible {
		s.Publish("tool.invoked", join(tool, Members{"summary_normal": brief(about.Summary), "risk_level": "low"}))
	} else if err := s.consent(about, tool); err != nil {
		return err
	}
	told, err := run()
	completed := Members{"status": "success"}
	if err != nil {
		completed = Members{"status": "error", "error_message": cmp.Or(brief(err.Error()), "It failed.")}
	} else if told != "" {
		completed["summary_normal"] = brief(told)
	}
	s.Publish("tool.completed", join(tool, completed))
	return err
}

// Declined is the error of an irreversible tool that was not called. ResolvedBy is "reply" if a person declined, and "error" if the daemon refused the
// question: a mistake in the program, which OnError gets. Otherwise it is "timeout", "no_subscriber", "subscription_ended" or "cancelled".
type Declined struct{ ResolvedBy, Reason string }

func (d *Declined) Error() string {
	return "nobody accepted the call: " + cmp.Or(d.Reason, d.ResolvedBy)
}

// consent asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts.
func (s *Session) consent(about Call, tool Members) error {
	risk, seconds, token := Members{"risk_level": "high", "irreversible": true}, cmp.Or(about.Timeout, 300), "rpl_"+rand.Text()
	asked := s.event("awaiting.confirmation", join(risk, Members{
		"reply_token": token, "timeout_seconds": seconds, "default_decision": "reject", "action": cmp.Or(about.Action, about.Summary),
		"consequence": cmp.Or(about.Consequence, "It cannot be undone."), "extra_context": join(about.Context, tool),
	}))
	outcome, declined := s.ask(time.Duration(seconds)*time.Second+longestAnswer, "aaep.confirm", asked)
	if declined != nil { // nobody waits for an answer any more
		s.agent.locked(func() { s.agent.send("aaep.cancel", Members{"reply_token": token}, nil) })
		return declined
	}
	decision, resolvedBy := textIn(outcome, "decision"), textIn(outcome, "resolved_by")
	isReply := resolvedBy == "reply" && (decision == "accept" || decision == "reject")
	isDefault := slices.Contains([]string{"timeout", "no_subscriber", "subscription_ended", "cancelled"}, resolvedBy)
	if textIn(outcome, "reply_token") != token || !(isReply || isDefault) {
		return &Declined{"error", unreadable}
	}
	if !isReply || decision != "accept" {
		return &Declined{ResolvedBy: resolvedBy}
	}
	invoked := s.event("tool.invoked", join(join(tool, risk), Members{"summary_normal": brief(about.Summary)}))
	taken, declined := s.ask(longestAnswer, "aaep.publish", invoked)
	events, _ := taken["events"].([]any)
	if declined == nil && len(events) == 1 && textIn(events[0], "event_id") == invoked["event_id"] {
		return nil
	}
	s.Publish("tool.completed", join(tool, Members{"status": "timeout"}))
	return cmp.Or(declined, &Declined{"error", unreadable})
}

func (s *Session) event(kind string, members Members) Members {
	return join(Members{"event_id": "evt_" + rand.Text()}, join(members, Members{"type": "aaep:agent." + kind, "session_id": s.id}))
}

func (s *Session) endOutput() {
	s.agent.locked(func() {
		if s.output != "" {
			s.publish("output.streaming", Members{"output_id": s.output, "chunk": "", "complete": true})
			s.output = ""
		}
	})
}

// ask makes a call, and waits for its result, or for the reason why there is none.
func (s *Session) ask(patience time.Duration, method string, params Members) (Members, *Declined) {
	answered := make(chan answer, 1)
	s.agent.locked(func() {
		if s.isOver {
			answered <- answer{nil, &Declined{"cancelled", "the session is over"}}
		} else {
			s.agent.send(method, params, answered)
		}
	})
	select {
	case got := <-answered:
		return got.result, got.declined
	case <-s.context.Done():
		return nil, &Declined{"cancelled", s.context.Err().Error()}
	case <-time.After(patience):
		return nil, &Declined{"timeout", "the daemon does not answer"}
	}
}

// send makes a call. While there is no connection it waits.
func (a *Agent) send(method string, params Members, answered chan answer) {
	a.made++
	made := &call{about: params, answered: answered}
	if a.isOver || (a.isAway && answered != nil) || len(a.calls) >= mostCalls {
		if answered != nil {
			answered <- answer{nil, &Declined{"no_subscriber", "the agent is silent"}}
		}
		if !a.isOver && !a.isAway && !a.isFull {
			a.isFull = true
			a.tell("the daemon takes nothing: what follows is dropped")
		}
		return
	}
	var err error
	if made.line, err = lineOf(a.made, method, params); err != nil { // what JSON cannot hold
		a.settle(made, nil, "this was not published: "+err.Error(), nil)
	} else if a.calls[a.made] = made; a.out != nil {
		a.out <- made.line // it has room for all calls
	}
}

// live talks with the daemon, and comes back to it.
func (a *Agent) live() {
	lost, isOver := time.Time{}, false
	for ; !isOver; time.Sleep(pause) {
		connection, err := DialOwn(os.Getenv("AAEPD_SOCKET"))
		if err == nil {
			a.talk(connection)
			lost = time.Now()
		}
		a.locked(func() {
			if isOver = a.isOver; !isOver && !a.isAway && time.Since(lost) > longestAbsence {
				a.isAway = true
				remedy := "run `aaepd serve`"
				if errors.Is(err, fs.ErrPermission) {
					remedy = err.Error()
				}
				a.giveUp("there is no daemon: the agent is silent until there is one: "+remedy, "")
			}
		})
	}
}

// talk uses a connection until its end: takes the sessions over, and sends what has no answer yet.
func (a *Agent) talk(connection net.Conn) {
	defer connection.Close()
	manifest := Members{"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest"}
	line, _ := lineOf(0, "aaep.set_manifest", join(manifest, Members{"agent_id": a.options.ID, "agent_name": a.options.Name}))
	out := make(chan []byte, 2*mostCalls)
	a.locked(func() {
		for id, s := range a.sessions {
			claim, _ := lineOf(id, "aaep.resume_session", Members{"session_id": id, "resume_token": s.token})
			line = append(line, claim...)
		}
		for _, number := range slices.Sorted(maps.Keys(a.calls)) {
			out <- a.calls[number].line
		}
		a.connection, a.out = connection, out
	})
	go func() {
		for err := error(nil); err == nil && line != nil; line = <-out {
			_, err = connection.Write(line)
		}
	}()
	lines := bufio.NewReaderSize(connection, longestLine)
	answer, err := lines.ReadSlice('\n')
	for err == nil && a.take(answer) {
		answer, err = lines.ReadSlice('\n')
	}
	a.locked(func() {
		a.connection, a.out = nil, nil
		close(out)
		if errors.Is(err, bufio.ErrBufferFull) {
			a.end("the agent is silent: " + unreadable)
		}
	})
}

// take takes an answer of the daemon. It is false if the next connection has to repeat the call. One that cannot be read makes the agent silent.
func (a *Agent) take(line []byte) (isTaken bool) {
	var message Members
	failed := json.Unmarshal(line, &message)
	if textIn(message, "method") != "" {
		return true // a notification
	}
	number, isNumber := message["id"].(float64)
	result, isResult := message["result"].(Members)
	fault, data := "", any(nil)
	if refusal := message["error"]; refusal != nil || !isResult {
		fault = cmp.Or(textIn(refusal, "message"), unreadable)
		if members, ok := refusal.(Members); ok {
			data = members["data"]
		}
	}
	a.locked(func() {
		call, session := a.calls[int(number)], a.sessions[textIn(message, "id")]
		code := textIn(data, "code")
		if isTaken = code != "shutting_down" && (code != "storage_unavailable" || call != nil); !isTaken {
			return
		}
		switch {
		case isNumber && call != nil && number == float64(int(number)):
			delete(a.calls, int(number))
			a.settle(call, result, fault, data)
		case isNumber && number == 0 && fault == "":
			a.isMet, a.isAway, a.isFull = true, false, false
		case failed != nil || number == 0 && textIn(message, "id") == "":
			a.end("the agent is silent: " + cmp.Or(fault, unreadable))
		case fault != "" && session != nil && session.isKnown && !session.isOver:
			session.isOver = true
			delete(a.sessions, session.id)
			a.giveUp("the daemon has lost a session: "+fault, session.id)
		}
	})
	return isTaken
}

// settle gives a call its answer.
func (a *Agent) settle(call *call, result Members, fault string, data any) {
	kind := strings.TrimPrefix(textIn(call.about, "type"), "aaep:agent.")
	if session := a.sessions[textIn(call.about, "session_id")]; session != nil && strings.HasPrefix(kind, "session.") && kind != "session.started" {
		delete(a.sessions, session.id)
	} else if session != nil {
		session.isKnown = session.isKnown || fault == ""
	}
	var declined *Declined
	if fault != "" {
		names := slices.DeleteFunc([]string{kind, textIn(data, "code"), textIn(data, "pointer")}, func(name string) bool { return name == "" })
		a.tell(fmt.Sprintf("%s (%s)", fault, strings.Join(names, ", ")))
		declined = &Declined{"error", fault}
	}
	if call.answered != nil {
		call.answered <- answer{result, declined}
	}
}

// giveUp tells a fault, also to those who wait for an answer, and takes all calls of a session back if it is named.
func (a *Agent) giveUp(fault, session string) {
	resolvedBy := map[bool]string{true: "cancelled", false: "no_subscriber"}[a.isMet]
	for number, call := range a.calls {
		if (session == "" && call.answered != nil) || (session != "" && textIn(call.about, "session_id") == session) {
			delete(a.calls, number)
			if call.answered != nil {
				call.answered <- answer{nil, &Declined{resolvedBy, fault}}
			}
		}
	}
	a.tell(fault)
}

// end makes the agent silent for good.
func (a *Agent) end(fault string) {
	if a.isOver {
		return
	}
	a.isOver = true
	a.giveUp(fault, "")
	clear(a.calls)
	if a.connection != nil {
		a.connection.Close()
	}
}

// locked does something with what the mutex guards, and then tells the faults of it.
func (a *Agent) locked(do func()) {
	a.mutex.Lock()
	do()
	faults := a.faults
	a.faults = nil
	a.mutex.Unlock()
	for _, fault := range faults {
		a.options.OnError(fault)
	}
}

func (a *Agent) tell(fault string) {
	if fault != "" {
		a.faults = append(a.faults, errors.New("aaep: "+fault))
	}
}

func lineOf(id any, method string, params Members) ([]byte, error) {
	line, err := json.Marshal(Members{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return append(line, '\n'), err
}

// textIn is a text of what the daemon or the author said; empty for anything else.
func textIn(members any, name string) string {
	object, _ := members.(Members)
	text, _ := object[name].(string)
	return text
}

var notInNames = regexp.MustCompile("[^A-Za-z0-9_.-]")

// toolName is a name as events can have it: it begins with a letter, and has letters, digits, underscores, dots and hyphens.
func toolName(name string) string {
	plain := notInNames.ReplaceAllString(strings.ReplaceAll(name, "/", "."), "_")
	if plain == "" || strings.ContainsAny(plain[:1], "0123456789.-") {
		plain = "_" + plain
	}
	return plain[:min(len(plain), 256)]
}

func join(some, others Members) Members {
	joined := Members{}
	maps.Copy(joined, some)
	maps.Copy(joined, others)
	return joined
}

// brief is the beginning of a text, as long as an event may have.
func brief(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), longestText)])
}
