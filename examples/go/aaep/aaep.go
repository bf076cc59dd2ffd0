// Package aaep makes a Go program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
//
// Copy this folder into a project. It needs Go 1.24, the standard library alone, and the program aaepd on the machine. `go run -C examples/go ./banking`
// runs an agent that uses it.
//
// Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
package aaep

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	longestText    = 4000             // characters of one event
	mostQueued     = 1024             // calls that wait for the daemon; further text is dropped
	longestQueue   = 16_384           // calls that wait; after that the agent is silent
	longestLine    = 4 << 20          // bytes of one answer; after that the agent is silent
	longestAnswer  = 20 * time.Second // from the daemon, where no person is asked
	longestAbsence = 10 * time.Second // of a lost daemon, for those who wait for its answer
	longestWait    = 2 * time.Second  // for the daemon at the beginning and at the end
	pause          = time.Second / 2  // between attempts to come back
	remedy         = "Install the package aaepd, run `aaepd serve`, or name the program: Options{Program: []string{\"/path/to/aaepd\"}}"
)

// Options say who the agent is.
type Options struct {
	ID        string      // stable name of the agent, without its version
	Name      string      // name for people; default: ID
	Program   []string    // aaepd, if no daemon serves this user; default: npx --no --offline --loglevel=silent -- aaepd
	Arguments []string    // further options of `aaepd stdio`
	OnError   func(error) // receives a *Fault for each thing that goes wrong, on any goroutine, and returns soon; default: lines on standard error
}

// An Agent is connected to a daemon, or silent.
type Agent struct {
	options               Options
	mutex                 sync.Mutex // of all that follows, and of the sessions
	news                  *sync.Cond
	calls                 map[int]*call // those without an answer
	unsent                []*call
	ids                   int
	sessions              map[string]*Session // those whose end has no answer
	faults                []error             // that are not told yet
	link                  *link
	isMet, isAway, isOver bool
	met, ended            chan struct{}
}

// Members are those of a message.
type Members = map[string]any

// A call waits for the daemon's answer. Text grows until its line is made, and the line stays, so that it can be repeated.
type call struct {
	number   int
	line     []byte
	about    Members
	answered chan answer
}

// An answer is the daemon's result to a request, or the reason why there is none.
type answer struct {
	result   Members
	declined *Declined
}

var errUnreadable = errors.New("the daemon's answer cannot be read")

// A link is a connection to a daemon.
type link struct {
	in     io.Writer
	out    io.Reader
	hangUp func()
	isOwn  bool // its daemon has just started
}

// A Fault says what went wrong. If the daemon refused something, Code, Pointer and Rule say why, and Event, SessionID and Tool what.
type Fault struct{ Sentence, Code, Pointer, Rule, Event, SessionID, Tool string }

func (f *Fault) Error() string {
	names := slices.DeleteFunc([]string{f.Event, f.Tool, f.Code, f.Pointer}, func(name string) bool { return name == "" })
	if len(names) == 0 {
		return "aaep: " + f.Sentence
	}
	return fmt.Sprintf("aaep: %s (%s)", f.Sentence, strings.Join(names, ", "))
}

// Open connects to the daemon of `aaepd serve`, otherwise starts one for this agent alone, otherwise returns a silent agent. The agent comes back to a
// lost `aaepd serve`, continues its sessions, and repeats what was not answered. A lost daemon of its own makes it silent.
func Open(options Options) *Agent {
	options.Name = cmp.Or(options.Name, options.ID)
	if len(options.Program) == 0 {
		options.Program = []string{"npx", "--no", "--offline", "--loglevel=silent", "--", "aaepd"}
	}
	if options.OnError == nil {
		options.OnError = func(err error) { fmt.Fprintln(os.Stderr, err) }
	}
	a := &Agent{options: options, calls: map[int]*call{}, sessions: map[string]*Session{}, met: make(chan struct{}), ended: make(chan struct{})}
	a.news = sync.NewCond(&a.mutex)
	go a.live()
	select {
	case <-a.met:
	case <-a.ended:
	case <-time.After(longestWait):
	}
	return a
}

// Close waits until the daemon has everything, and ends the connection. It takes a few seconds at most.
func (a *Agent) Close() {
	for until := time.Now().Add(longestWait); a.isHeld() && time.Now().Before(until); {
		time.Sleep(pause / 100)
	}
	a.locked(func() {
		if left := len(a.calls); left > 0 {
			a.tell(&Fault{Sentence: fmt.Sprintf("The daemon has not taken the last %d calls.", left)})
		}
		a.end()
	})
	select {
	case <-a.ended:
	case <-time.After(3 * longestWait):
	}
}

// A Session is one task of the agent. Its calls may come from any goroutine, and are heard in their order.
type Session struct {
	agent            *Agent
	context          context.Context
	id, token, state string
	output           string // the open one
	half             string // of a character, the end of the text so far
	growing          *call  // text that waits
	dropped          int
	first            *call // the start of the session
	asking, underway int   // questions and tools that are open
	undone           int   // irreversible tools that were not called
	isOver           bool
}

// Session runs work as a task that people can follow, and returns its error. The text that work returns is the summary of its result; default:
// "Ended.", and how many irreversible tools were not called. The session ends as completed, as errored if work fails or panics, and as cancelled if ctx is.
func (a *Agent) Session(ctx context.Context, description string, work func(*Session) (string, error)) (err error) {
	description = cmp.Or(brief(description), "A task.")
	s := &Session{agent: a, context: ctx, id: "sess_" + rand.Text(), token: rand.Text() + rand.Text(), state: "idle"}
	s.agent.locked(func() {
		a.sessions[s.id] = s
		s.first = s.event("session.started", Members{"summary_normal": description, "extensions": Members{"aaepd": Members{"resume_token": s.token}}})
		s.change("thinking")
	})
	kind, end := "session.errored", Members{"summary_normal": "The agent has failed.", "error_category": "unknown"}
	defer s.agent.locked(func() { // after a panic too
		s.endOutput()
		end["summary_normal"] = cmp.Or(textIn(end, "summary_normal"), s.ended())
		s.event(kind, end)
		s.isOver = true
	})
	told, err := work(s)
	switch {
	case ctx.Err() != nil:
		kind, end = "session.cancelled", Members{"summary_normal": "", "cancelled_by": "user"}
	case err != nil:
		end["summary_normal"] = brief(err.Error())
	default:
		kind, end = "session.completed", Members{"summary_normal": brief(told)}
	}
	return err
}

// ended is the summary of a session whose author has none.
func (s *Session) ended() string {
	switch s.undone {
	case 0:
		return "Ended."
	case 1:
		return "Ended. One action was not carried out."
	default:
		return fmt.Sprintf("Ended. %d actions were not carried out.", s.undone)
	}
}

// Text appends a token to the session's text. It returns at once. While too much waits for the daemon, text is dropped.
func (s *Session) Text(chunk string) {
	s.agent.locked(func() {
		if s.output == "" {
			s.change("writing_output")
			s.output = "out_" + rand.Text()
		}
		chunk, s.half = whole(s.half + chunk)
		for piece := range slices.Chunk([]rune(chunk), longestText) {
			s.append(string(piece))
		}
	})
}

func (s *Session) append(piece string) {
	waiting := s.growing
	if waiting != nil && waiting.line == nil && len(waiting.about["chunk"].(string))+len(piece) <= longestText {
		waiting.about["chunk"] = waiting.about["chunk"].(string) + piece
	} else if len(s.agent.calls) < mostQueued {
		s.growing = s.event("output.streaming", Members{"output_id": s.output, "chunk": piece, "complete": false})
	} else {
		if s.dropped == 0 {
			s.agent.tell(&Fault{Sentence: "The daemon takes nothing: text is dropped.", SessionID: s.id})
		}
		s.dropped += utf8.RuneCountInString(piece)
	}
}

// Dropped counts the characters of text that the daemon did not take in time.
func (s *Session) Dropped() (characters int) {
	s.agent.locked(func() { characters = s.dropped })
	return characters
}

// Publish publishes an event that has no call of its own, such as "progress.updated".
func (s *Session) Publish(kind string, members Members) {
	s.agent.locked(func() { s.event(kind, members) })
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
	about.Summary = cmp.Or(brief(about.Summary), brief(name), "A tool.")
	tool := Members{"tool": toolName(name), "tool_call_id": "call_" + rand.Text()}
	s.agent.locked(func() {
		s.underway++
		if !about.Irreversible {
			s.endOutput()
			s.change("calling_tool")
			s.event("tool.invoked", join(tool, Members{"summary_normal": about.Summary, "risk_level": "low"}))
		}
	})
	defer s.agent.locked(func() {
		if s.underway--; s.underway == 0 {
			s.change("thinking")
		}
	})
	if about.Irreversible {
		if err := s.consent(about, tool); err != nil {
			return err
		}
	}
	told, err := run()
	completed := Members{"status": "success"}
	if err != nil {
		completed = Members{"status": "error", "error_message": brief(err.Error())}
	} else if told != "" {
		completed["summary_normal"] = brief(told)
	}
	s.Publish("tool.completed", join(tool, completed))
	return err
}

// Declined is the error of an irreversible tool that was not called.
type Declined struct {
	// "reply" if a person declined, and "error" if the daemon refused the question: no one decided. Otherwise "timeout", "no_subscriber",
	// "subscription_ended" or "cancelled".
	ResolvedBy string
	Reason     error // of an "error"
}

func (d *Declined) Error() string {
	if d.Reason != nil {
		return "nobody accepted the call: " + d.Reason.Error()
	}
	return "nobody accepted the call: " + d.ResolvedBy
}

// consent asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts.
func (s *Session) consent(about Call, tool Members) error {
	seconds, token := cmp.Or(about.Timeout, 300), "rpl_"+rand.Text()
	isOver := false
	s.agent.locked(func() {
		s.endOutput()
		s.asking++
		s.undone++
		isOver = s.isOver
	})
	if isOver {
		return &Declined{ResolvedBy: "cancelled"}
	}
	outcome, declined := s.agent.ask(s.context, time.Duration(seconds)*time.Second+longestAnswer, "aaep.confirm", Members{
		"event_id": "evt_" + rand.Text(), "reply_token": token, "session_id": s.id, "timeout_seconds": seconds, "default_decision": "reject", "risk_level": "high", "irreversible": true,
		"action": cmp.Or(brief(about.Action), about.Summary), "consequence": cmp.Or(brief(about.Consequence), "It cannot be undone."),
		"extra_context": join(about.Context, tool),
	})
	decision, resolvedBy := textIn(outcome, "decision"), textIn(outcome, "resolved_by")
	isDecided := decision == "accept" || decision == "reject"
	s.agent.locked(func() {
		if s.asking--; !isDecided { // nobody waits for an answer any more
			s.agent.send("aaep.cancel", Members{"reply_token": token}, nil)
		}
	})
	isReply := isDecided && resolvedBy == "reply"
	switch {
	case declined != nil:
		return declined
	case textIn(outcome, "reply_token") != token || !(isReply || slices.Contains(defaults, resolvedBy)):
		return &Declined{"error", errUnreadable}
	case !isReply || decision != "accept":
		return &Declined{ResolvedBy: resolvedBy}
	}
	s.agent.locked(func() { s.change("calling_tool") })
	invoked := s.complete("tool.invoked", join(tool, Members{"summary_normal": about.Summary, "risk_level": "high", "irreversible": true}))
	taken, declined := s.agent.ask(s.context, longestAnswer, "aaep.publish", invoked)
	events, _ := taken["events"].([]any)
	if declined == nil && (len(events) != 1 || textIn(events[0], "event_id") != invoked["event_id"]) {
		declined = &Declined{"error", errUnreadable}
	}
	if declined != nil {
		s.Publish("tool.completed", join(tool, Members{"status": "timeout"}))
		return declined
	}
	s.agent.locked(func() { s.undone-- })
	return nil
}

// defaults are the ways in which a question ends without a reply.
var defaults = []string{"timeout", "no_subscriber", "subscription_ended", "cancelled"}

func (s *Session) complete(kind string, members Members) Members {
	return join(Members{"event_id": "evt_" + rand.Text()}, join(members, Members{"type": "aaep:agent." + kind, "session_id": s.id}))
}

func (s *Session) event(kind string, members Members) *call {
	s.growing = nil
	if s.isOver {
		return nil
	}
	return s.agent.send("aaep.publish", s.complete(kind, members), nil)
}

// change tells another state of the agent. While a question is open, the state is the question's.
func (s *Session) change(state string) {
	if s.state != state && s.asking == 0 {
		s.event("state.changed", Members{"from_state": s.state, "to_state": state})
		s.state = state
	}
}

func (s *Session) endOutput() {
	if s.output != "" {
		s.event("output.streaming", Members{"output_id": s.output, "chunk": "", "complete": true})
		s.output, s.half = "", ""
	}
}

// send lets a call wait for its turn. Text grows until then.
func (a *Agent) send(method string, params Members, answered chan answer) *call {
	if a.isOver || (a.isAway && answered != nil) {
		if answered != nil {
			answered <- answer{declined: &Declined{"no_subscriber", errors.New("the agent is silent")}}
		}
		return nil
	}
	a.ids++
	made := &call{number: a.ids, about: params, answered: answered}
	if params["complete"] != false {
		line, err := lineOf(made.number, method, params)
		if err != nil { // what JSON cannot hold
			fault := faultOf("This was not published: "+err.Error(), params)
			a.tell(fault)
			if answered != nil {
				answered <- answer{declined: &Declined{"error", fault}}
			}
			return nil
		}
		made.line = line
	}
	a.calls[made.number] = made
	a.unsent = append(a.unsent, made)
	if len(a.calls) > longestQueue {
		a.tell(&Fault{Sentence: "The daemon takes nothing: the agent is silent."})
		a.end()
	}
	return made
}

// ask makes a call, and waits for its result, or for the reason why there is none.
func (a *Agent) ask(ctx context.Context, patience time.Duration, method string, params Members) (Members, *Declined) {
	answered := make(chan answer, 1)
	var made *call
	a.locked(func() { made = a.send(method, params, answered) })
	defer a.locked(func() {
		if made != nil {
			delete(a.calls, made.number)
		}
	})
	select {
	case got := <-answered:
		return got.result, got.declined
	case <-ctx.Done():
		return nil, &Declined{"cancelled", ctx.Err()}
	case <-time.After(patience):
		return nil, &Declined{"timeout", errors.New("the daemon does not answer")}
	}
}

// live talks with a daemon, and comes back to that of `aaepd serve`.
func (a *Agent) live() {
	defer close(a.ended)
	l, err := toServe()
	if errors.Is(err, fs.ErrPermission) {
		a.locked(func() { a.tell(&Fault{Sentence: fmt.Sprintf("`aaepd serve` is not asked: %s.", err)}) })
	}
	if err == nil {
		for ; l != nil; l = a.comeBack() {
			a.talk(l)
		}
		return
	}
	why, words := "There is no daemon", ""
	l, last, err := a.toOwn()
	if err == nil {
		a.talk(l)
		why, words = "The daemon did not start, or has gone", strings.TrimSpace(last.text())
	} else {
		words = err.Error() + "."
	}
	if !strings.HasPrefix(words, "Error: ") { // a sentence of aaepd says what to do
		words = strings.TrimSpace(words + " " + remedy)
	}
	a.locked(func() {
		if !a.isOver {
			a.tell(&Fault{Sentence: fmt.Sprintf("%s: the agent is silent. %s", why, words)})
		}
		a.end()
	})
}

func (a *Agent) comeBack() *link {
	for lost := time.Now(); ; time.Sleep(pause) {
		isOver := false
		a.locked(func() {
			if isOver = a.isOver; !isOver && !a.isAway && time.Since(lost) > longestAbsence {
				a.isAway = true
				a.tell(&Fault{Sentence: "The daemon has gone: the agent is silent until it is back."})
				a.giveUp("cancelled", func(*call) bool { return true })
			}
		})
		if isOver {
			return nil
		}
		if l, err := toServe(); err == nil {
			return l
		}
	}
}

// talk uses a connection until its end: takes the sessions over, and sends what has no answer yet.
func (a *Agent) talk(l *link) {
	defer l.hangUp()
	manifest := Members{"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest"}
	line, _ := lineOf(0, "aaep.set_manifest", join(manifest, Members{"agent_id": a.options.ID, "agent_name": a.options.Name}))
	var claimed []*Session // by the negative numbers of their calls
	isOver := false
	a.locked(func() {
		if isOver = a.isOver; isOver {
			return
		}
		a.link, a.unsent = l, nil
		for _, number := range slices.Sorted(maps.Keys(a.calls)) {
			a.unsent = append(a.unsent, a.calls[number])
		}
		for _, s := range a.sessions {
			claimed = append(claimed, s)
			claim, _ := lineOf(-len(claimed), "aaep.resume_session", Members{"session_id": s.id, "resume_token": s.token})
			line = append(line, claim...)
		}
	})
	go a.write(l, line)
	lines := bufio.NewScanner(l.out)
	lines.Buffer(nil, longestLine)
	lines.Split(wholeLine)
	for !isOver && lines.Scan() && a.take(lines.Bytes(), claimed) {
	}
	a.locked(func() {
		if a.link = nil; errors.Is(lines.Err(), bufio.ErrTooLong) {
			a.endFor(errUnreadable.Error())
		}
	})
}

// wholeLine divides what comes into lines. What follows the last one was cut by the end of the connection.
func wholeLine(data []byte, _ bool) (int, []byte, error) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return end + 1, data[:end], nil
	}
	return 0, nil, nil
}

func (a *Agent) write(l *link, line []byte) {
	for isFirst := true; line != nil; isFirst = false {
		if _, err := l.in.Write(line); err != nil {
			return
		}
		if isFirst && l.isOwn {
			select {
			case <-a.met:
				time.Sleep(pause) // meanwhile listeners find the daemon
			case <-a.ended:
			}
		}
		line = a.next(l)
	}
}

// next waits for the next line of a connection; nil at its end.
func (a *Agent) next(l *link) []byte {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for {
		for a.link == l && len(a.unsent) == 0 {
			a.news.Wait()
		}
		if a.link != l {
			return nil
		}
		next := a.unsent[0]
		a.unsent = a.unsent[1:]
		if a.calls[next.number] == nil {
			continue
		}
		if next.line == nil {
			next.line, _ = lineOf(next.number, "aaep.publish", next.about)
		}
		return next.line
	}
}

// take takes an answer of the daemon. It is false if the next connection has to repeat the call. One that cannot be read makes the agent silent.
func (a *Agent) take(line []byte, claimed []*Session) (isTaken bool) {
	var message Members
	failed := json.Unmarshal(line, &message)
	if textIn(message, "method") != "" {
		return true
	}
	id, isNumber := message["id"].(float64)
	result, isResult := message["result"].(Members)
	refusal := message["error"]
	var fault *Fault
	if refusal != nil || !isResult {
		fault = &Fault{Sentence: cmp.Or(brief(textIn(refusal, "message")), errUnreadable.Error())}
		if members, ok := refusal.(Members); ok {
			data := members["data"]
			fault.Code, fault.Pointer, fault.Rule = textIn(data, "code"), textIn(data, "pointer"), textIn(data, "rule")
		}
	}
	a.locked(func() {
		number := int(id)
		answered := a.calls[number]
		if fault != nil && (fault.Code == "shutting_down" || (fault.Code == "storage_unavailable" && answered == nil)) {
			return
		}
		isTaken = true
		switch {
		case failed != nil || !isNumber:
			a.endFor(errUnreadable.Error())
		case id == 0 && fault != nil:
			a.endFor(fault.Sentence)
		case id == 0:
			if a.isAway = false; !a.isMet {
				close(a.met)
			}
			a.isMet = true
		case id < 0 && id >= float64(-len(claimed)) && fault != nil:
			a.lose(claimed[-number-1], fault.Sentence)
		case answered != nil && float64(number) == id:
			a.settle(answered, result, fault)
		}
	})
	return isTaken
}

// settle gives a call its answer.
func (a *Agent) settle(call *call, result Members, fault *Fault) {
	delete(a.calls, call.number)
	if kind := textIn(call.about, "type"); slices.Contains(ends, kind) {
		delete(a.sessions, textIn(call.about, "session_id"))
	}
	got := answer{result: result}
	if fault != nil {
		about := faultOf(fault.Sentence, call.about)
		about.Code, about.Pointer, about.Rule = fault.Code, fault.Pointer, fault.Rule
		a.tell(about)
		got = answer{declined: &Declined{"error", about}}
	}
	if call.answered != nil {
		call.answered <- got
	}
}

var ends = []string{"aaep:agent.session.completed", "aaep:agent.session.errored", "aaep:agent.session.cancelled"}

// lose gives a session up that the daemon does not know any more, unless its start or its end is repeated.
func (a *Agent) lose(s *Session, reason string) {
	if s.isOver || (s.first != nil && a.calls[s.first.number] != nil) {
		return
	}
	s.isOver = true
	delete(a.sessions, s.id)
	isOf := func(left *call) bool { return left.about["session_id"] == s.id }
	a.giveUp("cancelled", isOf)
	maps.DeleteFunc(a.calls, func(_ int, left *call) bool { return isOf(left) })
	a.tell(&Fault{Sentence: "The daemon has lost a session: " + reason, SessionID: s.id})
}

// endFor makes the agent silent, and tells why.
func (a *Agent) endFor(reason string) {
	if !a.isOver {
		a.tell(&Fault{Sentence: "The agent is silent: " + reason})
	}
	a.end()
}

// end makes the agent silent: nothing that was asked is answered any more.
func (a *Agent) end() {
	if a.isOver {
		return
	}
	if a.isOver = true; a.link != nil {
		go a.link.hangUp()
	}
	a.link = nil
	resolvedBy := "no_subscriber"
	if a.isMet {
		resolvedBy = "cancelled"
	}
	a.giveUp(resolvedBy, func(*call) bool { return true })
	clear(a.calls)
}

// giveUp answers those that wait for an answer.
func (a *Agent) giveUp(resolvedBy string, isMeant func(*call) bool) {
	for number, asked := range a.calls {
		if asked.answered != nil && isMeant(asked) {
			asked.answered <- answer{declined: &Declined{resolvedBy, errors.New("the agent is silent")}}
			delete(a.calls, number)
		}
	}
}

func (a *Agent) isHeld() (isHeld bool) {
	a.locked(func() { isHeld = len(a.calls) > 0 && !a.isAway && !a.isOver })
	return isHeld
}

// locked does something with what the mutex guards, and then tells the faults of it.
func (a *Agent) locked(do func()) {
	var faults []error
	func() {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		defer a.news.Broadcast()
		do()
		faults, a.faults = a.faults, nil
	}()
	for _, fault := range faults {
		a.options.OnError(fault)
	}
}

func (a *Agent) tell(fault error) { a.faults = append(a.faults, fault) }

// toServe finds the daemon of this user.
func toServe() (*link, error) {
	named := os.Getenv("AAEPD_SOCKET")
	connection, err := dialOwn(cmp.Or(named, socketPath()), named == "")
	if err != nil {
		return nil, err
	}
	return &link{connection, connection, func() { connection.Close() }, false}, nil
}

// DialOwn connects to a socket, if the socket, its folder and the process that listens belong to this user or to root, and nobody else can change them.
// The error is fs.ErrPermission otherwise, and where the system does not say who listens; and fs.ErrNotExist if there is no socket.
func DialOwn(path string) (net.Conn, error) { return dialOwn(path, false) }

// toOwn starts a daemon.
func (a *Agent) toOwn() (*link, *lastWords, error) {
	words := slices.Concat(a.options.Program, []string{"stdio", "--producer-id", a.options.ID}, a.options.Arguments)
	daemon, last := exec.Command(words[0], words[1:]...), &lastWords{}
	daemon.Stderr, daemon.WaitDelay = last, longestWait
	in, failedIn := daemon.StdinPipe()
	out, failedOut := daemon.StdoutPipe()
	if err := errors.Join(failedIn, failedOut, daemon.Start()); err != nil {
		return nil, nil, err
	}
	return &link{in, out, sync.OnceFunc(func() { // the end of its input is the daemon's orderly end
		in.Close()
		killing := time.AfterFunc(2*longestWait, func() { daemon.Process.Kill() })
		daemon.Wait()
		killing.Stop()
	}), true}, last, nil
}

// lastWords keeps the end of what a program writes.
type lastWords struct{ end []byte }

func (l *lastWords) Write(more []byte) (int, error) {
	l.end = append(l.end, more...)
	l.end = l.end[max(0, len(l.end)-500):]
	return len(more), nil
}

func (l *lastWords) text() string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(l.end), "")), " ")
}

// socketPath is where `aaepd serve` listens, if AAEPD_SOCKET does not say it.
func socketPath() string {
	folder := fmt.Sprintf("/tmp/aaep-%d", os.Getuid())
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS == "darwin" {
		folder = filepath.Join(home, "Library", "Application Support", "AAEP")
	} else if directory := os.Getenv("XDG_RUNTIME_DIR"); directory != "" {
		folder = filepath.Join(directory, "aaep")
	}
	return filepath.Join(folder, "aaepd.sock")
}

func lineOf(number int, method string, params Members) ([]byte, error) {
	line, err := json.Marshal(Members{"jsonrpc": "2.0", "id": number, "method": method, "params": params})
	return append(line, '\n'), err
}

func faultOf(sentence string, about Members) *Fault {
	event := strings.TrimPrefix(textIn(about, "type"), "aaep:agent.")
	return &Fault{Sentence: sentence, Event: event, SessionID: textIn(about, "session_id"), Tool: textIn(about, "tool")}
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

// whole divides a text into whole characters and the beginning of one more.
func whole(text string) (characters, half string) {
	for back := 1; back <= min(len(text), utf8.UTFMax-1); back++ {
		if end := text[len(text)-back:]; utf8.RuneStart(end[0]) && !utf8.FullRuneInString(end) {
			return text[:len(text)-back], end
		}
	}
	return text, ""
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
