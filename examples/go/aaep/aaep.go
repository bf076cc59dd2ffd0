// Package aaep makes a Go program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.
//
// Copy this file into a project. It needs Go 1.24, the standard library alone, and the program aaepd on the machine. `go run -C examples/go ./banking`
// runs an agent that uses it.
//
// Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
package aaep

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	longestText   = 4000             // characters of one event
	longestQueue  = 16_384           // calls that wait for the daemon
	longestAnswer = 20 * time.Second // from the daemon, where no person is asked
	longestClose  = 2 * time.Second
)

var errSilent = errors.New("the daemon did not start, or has gone: the agent is silent")

// Options say who the agent is.
type Options struct {
	ID        string      // stable name of the agent, without its version
	Name      string      // name for people; default: ID
	Program   []string    // aaepd, if no daemon serves this user; default: npx --no -- aaepd
	Arguments []string    // further options of `aaepd stdio`
	OnError   func(error) // receives what goes wrong with aaepd, on any goroutine, and returns soon; default: ignored
}

// An Agent is connected to a daemon, or silent.
type Agent struct {
	options Options
	mutex   sync.Mutex // of all that follows, and of the sessions
	queue   chan Members
	asked   map[int]chan answer
	ids     int
	isOver  bool
	hangUp  func()
}

// Members are those of a message.
type Members = map[string]any

// An answer is the daemon's to a request. That to a question is its outcome.
type answer struct {
	Decision   string `json:"decision"`
	ResolvedBy string `json:"resolved_by"`
	err        error
}

// Open connects to the daemon of `aaepd serve`, otherwise starts one for this agent alone, otherwise returns a silent agent. If the connection is lost,
// the agent is silent too. Open another one then.
func Open(options Options) *Agent {
	options.Name = cmp.Or(options.Name, options.ID)
	if len(options.Program) == 0 {
		options.Program = []string{"npx", "--no", "--", "aaepd"}
	}
	a := &Agent{options: options, queue: make(chan Members, longestQueue), asked: map[int]chan answer{}, hangUp: func() {}}
	in, out, err := a.connect()
	if err == nil {
		go a.write(in)
		go a.read(out)
		err = a.ask(context.Background(), longestAnswer, "aaep.set_manifest", Members{
			"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest", "agent_id": options.ID, "agent_name": options.Name,
		}).err
	}
	if err != nil {
		a.end(err)
	}
	return a
}

// Close waits until the daemon has everything, and ends the connection. It takes a few seconds at most.
func (a *Agent) Close() {
	a.ask(context.Background(), longestClose, "aaep.ping", Members{})
	a.end(nil)
	a.hangUp()
}

// A Session is one task of the agent. Its calls may come from any goroutine, and are heard in their order.
type Session struct {
	agent            *Agent
	context          context.Context
	id, state        string
	output           string // the open one
	asking, underway int    // questions and tools that are open
}

// Session runs work as a task that people can follow, and returns its error. The text that work returns is the summary of its result; default: the
// description. The session ends as completed, as errored if work fails or panics, and as cancelled if ctx is.
func (a *Agent) Session(ctx context.Context, description string, work func(*Session) (string, error)) (err error) {
	s := &Session{agent: a, context: ctx, id: "sess_" + rand.Text(), state: "idle"}
	s.agent.locked(func() {
		s.event("session.started", Members{"summary_normal": description})
		s.change("thinking")
	})
	kind, end := "session.errored", Members{"summary_normal": "The agent has failed.", "error_category": "unknown"}
	defer s.agent.locked(func() { // after a panic too
		s.endOutput()
		s.event(kind, end)
	})
	told, err := work(s)
	switch {
	case ctx.Err() != nil:
		kind, end = "session.cancelled", Members{"summary_normal": description, "cancelled_by": "user"}
	case err != nil:
		end["summary_normal"] = brief(err.Error())
	default:
		kind, end = "session.completed", Members{"summary_normal": cmp.Or(told, description)}
	}
	return err
}

// Text appends a token to the session's text: whole characters. It returns at once.
func (s *Session) Text(chunk string) {
	s.agent.locked(func() {
		if s.output == "" {
			s.change("writing_output")
			s.output = "out_" + rand.Text()
		}
		for piece := range slices.Chunk([]rune(chunk), longestText) {
			s.event("output.streaming", Members{"output_id": s.output, "chunk": string(piece), "complete": false})
		}
	})
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
	about.Summary = cmp.Or(about.Summary, name)
	tool := Members{"tool": name, "tool_call_id": "call_" + rand.Text()}
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
		completed["summary_normal"] = told
	}
	s.Publish("tool.completed", join(tool, completed))
	return err
}

// Declined is the error of an irreversible tool that was not called.
type Declined struct {
	ResolvedBy string // "reply" if a person declined, otherwise "timeout", "no_subscriber", "subscription_ended" or "cancelled"
}

func (d *Declined) Error() string { return "nobody accepted the call: " + d.ResolvedBy }

// consent asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts.
func (s *Session) consent(about Call, tool Members) error {
	seconds := cmp.Or(about.Timeout, 300)
	s.agent.locked(func() {
		s.endOutput()
		s.asking++
	})
	got := s.agent.ask(s.context, time.Duration(seconds)*time.Second+longestAnswer, "aaep.confirm", Members{
		"session_id": s.id, "timeout_seconds": seconds, "default_decision": "reject", "risk_level": "high", "irreversible": true,
		"action": cmp.Or(about.Action, about.Summary), "consequence": cmp.Or(about.Consequence, "It cannot be undone."),
		"extra_context": join(about.Context, tool),
	})
	s.agent.locked(func() { s.asking-- })
	if got.Decision != "accept" || got.ResolvedBy != "reply" {
		return &Declined{got.ResolvedBy}
	}
	s.agent.locked(func() { s.change("calling_tool") })
	invoked := join(tool, Members{"summary_normal": about.Summary, "risk_level": "high", "irreversible": true})
	if taken := s.agent.ask(s.context, longestAnswer, "aaep.publish", s.complete("tool.invoked", invoked)); taken.err != nil {
		s.Publish("tool.completed", join(tool, Members{"status": "timeout"}))
		return &Declined{"cancelled"}
	}
	return nil
}

func (s *Session) complete(kind string, members Members) Members {
	return join(members, Members{"type": "aaep:agent." + kind, "session_id": s.id})
}

func (s *Session) event(kind string, members Members) {
	s.agent.send("aaep.publish", s.complete(kind, members), nil)
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
		s.output = ""
	}
}

// send lets a call wait for its turn. Without answered it is a notification.
func (a *Agent) send(method string, params Members, answered chan answer) {
	call := Members{"jsonrpc": "2.0", "method": method, "params": params}
	if a.isOver {
		if answered != nil {
			answered <- answer{ResolvedBy: "no_subscriber", err: errSilent}
		}
		return
	}
	if answered != nil {
		a.ids++
		call["id"] = a.ids
		a.asked[a.ids] = answered
	}
	select {
	case a.queue <- call:
	default:
		go a.end(errors.New("the daemon takes nothing: the agent is silent"))
	}
}

// ask sends a request, and waits for its answer.
func (a *Agent) ask(ctx context.Context, patience time.Duration, method string, params Members) answer {
	answered := make(chan answer, 1)
	a.locked(func() { a.send(method, params, answered) })
	select {
	case got := <-answered:
		return got
	case <-ctx.Done():
		return answer{ResolvedBy: "cancelled", err: ctx.Err()}
	case <-time.After(patience):
		return answer{ResolvedBy: "timeout", err: errors.New("the daemon does not answer")}
	}
}

func (a *Agent) write(in io.Writer) {
	for call := range a.queue {
		line, err := json.Marshal(call)
		if err == nil {
			_, err = in.Write(append(line, '\n'))
		}
		if err != nil {
			a.end(err)
			return
		}
	}
}

func (a *Agent) read(out io.Reader) {
	messages := json.NewDecoder(out)
	for {
		var message struct {
			ID            int
			Method        string
			Result        answer
			Error, Params struct{ Message string }
		}
		if messages.Decode(&message) != nil {
			a.end(errSilent)
			return
		}
		got := message.Result
		if message.Error.Message != "" {
			got = answer{ResolvedBy: "cancelled", err: errors.New(message.Error.Message)}
			a.tell(got.err)
		} else if message.Method == "aaep.error" { // a notification was refused
			a.tell(errors.New(message.Params.Message))
		}
		a.locked(func() {
			if answered := a.asked[message.ID]; answered != nil {
				answered <- got
				delete(a.asked, message.ID)
			}
		})
	}
}

// end makes the agent silent: nothing that was asked is answered any more.
func (a *Agent) end(reason error) {
	var asked map[int]chan answer
	a.locked(func() {
		if !a.isOver {
			close(a.queue)
			asked, a.asked, a.isOver = a.asked, nil, true
		}
	})
	if asked == nil {
		return
	}
	go a.hangUp()
	a.tell(reason)
	for _, answered := range asked {
		answered <- answer{ResolvedBy: "cancelled", err: errSilent}
	}
}

func (a *Agent) locked(do func()) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	do()
}

func (a *Agent) tell(reason error) {
	if a.options.OnError != nil && reason != nil {
		a.options.OnError(fmt.Errorf("aaep: %w", reason))
	}
}

// connect finds the daemon of this user, or starts one.
func (a *Agent) connect() (io.Writer, io.Reader, error) {
	if connection, err := net.Dial("unix", socketPath()); err == nil {
		a.hangUp = func() { connection.Close() }
		return connection, connection, nil
	}
	words := slices.Concat(a.options.Program, []string{"stdio", "--producer-id", a.options.ID}, a.options.Arguments)
	daemon := exec.Command(words[0], words[1:]...)
	in, failedIn := daemon.StdinPipe()
	out, failedOut := daemon.StdoutPipe()
	if err := errors.Join(failedIn, failedOut, daemon.Start()); err != nil {
		return nil, nil, err
	}
	a.hangUp = sync.OnceFunc(func() { // the end of its input is the daemon's orderly end
		in.Close()
		killing := time.AfterFunc(2*longestClose, func() { daemon.Process.Kill() })
		daemon.Wait()
		killing.Stop()
	})
	return in, out, nil
}

// socketPath is where `aaepd serve` listens.
func socketPath() string {
	folder := fmt.Sprintf("/tmp/aaep-%d", os.Getuid())
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS == "darwin" {
		folder = filepath.Join(home, "Library", "Application Support", "AAEP")
	} else if directory := os.Getenv("XDG_RUNTIME_DIR"); directory != "" {
		folder = filepath.Join(directory, "aaep")
	}
	return cmp.Or(os.Getenv("AAEPD_SOCKET"), filepath.Join(folder, "aaepd.sock"))
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
