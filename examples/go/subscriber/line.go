// One line of text for each event. main.go says how to run the listener.

package main

import (
	"cmp"
	"strings"
)

const prefix = "aaep:agent."

// What an event has to say stands in the first of these that it has.
var texts = []string{
	"chunk", "action", "question", "summary_normal", "summary_terse", "summary_detailed", "tool", "to_state", "reason",
}

// lineOf is an event on one line: its type, and what it says.
func lineOf(event document) string {
	kind := strings.TrimPrefix(textOf(event, "type"), prefix)
	text := ""
	for _, name := range texts {
		if _, isThere := event[name]; isThere {
			text = textOf(event, name)
			break
		}
	}
	if status := textOf(event, "status"); kind == "tool.completed" && status != "success" {
		kind = "tool." + status
		text = textOf(event, "tool") + ": " + cmp.Or(textOf(event, "error_message"), text)
	}
	if state := textOf(event, "to_state"); kind == "state.changed" && text != state {
		text = state + ". " + text
	}
	line := strings.TrimSpace(kind + ": " + strings.Join(strings.Fields(text), " "))
	if textOf(event, "urgency") == "critical" {
		return "Attention! " + line // it may not sound like any other
	}
	return line
}

// isEnd says whether an event ends its session.
func isEnd(event document) bool {
	switch strings.TrimPrefix(textOf(event, "type"), prefix) {
	case "session.completed", "session.errored", "session.cancelled":
		return true
	}
	return false
}

// textOf is a member that is text; empty where it is absent.
func textOf(event document, name string) string {
	text, _ := event[name].(string)
	return text
}

// memberOf is a member that is an object; empty where it is absent.
func memberOf(event document, name string) document {
	member, _ := event[name].(document)
	return member
}
