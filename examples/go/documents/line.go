package documents

import "strings"

const prefix = "aaep:agent."

// What an event has to say stands in the first of these that it has.
var texts = []string{
	"chunk", "action", "question", "summary_normal", "summary_terse", "summary_detailed", "tool", "to_state", "reason",
}

// Line is an event on one line: its type, and what it says.
func Line(document Document) string {
	kind := strings.TrimPrefix(Text(document, "type"), prefix)
	text := ""
	for _, name := range texts {
		if _, isThere := document[name]; isThere {
			text = Text(document, name)
			break
		}
	}
	if state := Text(document, "to_state"); kind == "state.changed" && text != state {
		text = state + ". " + text
	}
	line := strings.TrimSpace(kind + ": " + strings.Join(strings.Fields(text), " "))
	if Text(document, "urgency") == "critical" {
		return "Attention! " + line // it may not sound like any other
	}
	return line
}

// IsEnd says whether an event ends its session.
func IsEnd(document Document) bool {
	switch strings.TrimPrefix(Text(document, "type"), prefix) {
	case "session.completed", "session.errored", "session.cancelled":
		return true
	}
	return false
}

// Text is a member that is text; empty where it is absent.
func Text(document Document, name string) string {
	text, _ := document[name].(string)
	return text
}

// Member is a member that is an object; empty where it is absent.
func Member(document Document, name string) Document {
	member, _ := document[name].(Document)
	return member
}
