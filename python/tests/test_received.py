"""What comes again after a loss is heard once (R12)."""

import unittest

from aaepd._received import Received


def text(chunk, position, complete=False):
    return {"type": "aaep:agent.output.streaming", "event_id": "e", "session_id": "s", "output_id": "o", "chunk": chunk, "position": position, "complete": complete}


class ReceivedTest(unittest.TestCase):
    def heard(self, *events):
        received = Received()
        return [None if news is None else (news["chunk"], news["position"]) for news in map(received.news, events)]

    def test_text_is_cut_where_it_was_heard(self):
        self.assertEqual(self.heard(text("One. ", 0), text("One. Two. ", 0), text("Two.", 5)), [("One. ", 0), ("Two. ", 5), None])

    def test_text_that_a_crash_took_back_is_replaced(self):
        self.assertEqual(self.heard(text("One. Two.", 0), text("One. Three.", 0), text("Thr", 5)), [("One. Two.", 0), ("hree.", 6), None])

    def test_a_completion_is_heard_once_though_its_text_is_known(self):
        self.assertEqual(self.heard(text("One.", 0), text("One.", 0, True), text("One.", 0, True)), [("One.", 0), ("", 4), None])

    def test_a_gap_is_gone_over(self):
        self.assertEqual(self.heard(text("One.", 0), text("Three.", 8), text("Two.", 4)), [("One.", 0), ("Three.", 8), None])

    def test_a_question_is_asked_again_on_the_next_connection(self):
        received, question = Received(), {"type": "aaep:agent.awaiting.confirmation", "event_id": "q"}
        self.assertIsNotNone(received.news(question))
        self.assertIsNone(received.news(question))
        received.reconnected()
        self.assertIsNotNone(received.news(question))
        self.assertIsNone(received.news({**question}))

    def test_a_session_that_begins_anew_under_its_id_writes_new_text(self):
        received, begins = Received(), {"type": "aaep:agent.session.started", "event_id": "b1", "session_id": "s"}
        for event in (begins, text("Hello Ann.", 0)):
            self.assertIsNotNone(received.news(event))
        received.reconnected()
        self.assertEqual([received.news(begins), received.news(text("Hello Ann.", 0))], [None, None])
        received.reconnected()
        self.assertIsNotNone(received.news({**begins, "event_id": "b2"}))
        news = received.news(text("Hello Bob.", 0))
        self.assertEqual(news and news["chunk"], "Hello Bob.")
