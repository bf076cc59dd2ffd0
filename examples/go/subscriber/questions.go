// The open questions, and the person who answers them. main.go says how to run the listener.

package main

import (
	"fmt"
	"strings"
	"sync"
)

// questions are open, each with a number. A person answers by number: an answer that was meant for one question must never be taken for another's.
type questions struct {
	mutex sync.Mutex
	asked int
	open  map[string]document
}

// ask reads an event that asks to the person.
func (q *questions) ask(event document) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.asked++
	number := fmt.Sprint(q.asked)
	if q.open == nil {
		q.open = map[string]document{}
	}
	q.open[number] = event
	undone := ""
	if event["irreversible"] == true {
		undone = "It cannot be undone. "
	}
	tell("Question %s of %s: %s %s %sWithout an answer within %v seconds: %s. Type y %s to accept or n %s to reject, then Enter.",
		number, textOf(memberOf(event, "producer"), "agent_id"), textOf(event, "action"),
		textOf(event, "consequence"), undone, event["timeout_seconds"], textOf(event, "default_decision"), number, number)
}

// note takes away the question that an event says is over, whoever decided it.
func (q *questions) note(event document) {
	news := memberOf(memberOf(event, "extensions"), "aaepd")
	if textOf(news, "decision") == "" {
		return
	}
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for number, question := range q.open {
		if question["event_id"] == news["question"] {
			delete(q.open, number)
			tell("Question %s is over.", number)
		}
	}
}

// answer is what a typed line stands for. Silence, a bare Enter or a slip is never consent.
func (q *questions) answer(line string) (token string, decision string, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	words := strings.Fields(strings.ToLower(line))
	said := map[string]string{"y": "accept", "n": "reject"}
	if len(words) == 2 && said[words[0]] != "" && q.open[words[1]] != nil {
		return textOf(q.open[words[1]], "reply_token"), said[words[0]], true
	}
	tell("Not sent. Type y or n and the number of an open question: %d open.", len(q.open))
	return "", "", false
}
