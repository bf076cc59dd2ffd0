"""Reads documents as parsers of other makers do: a line of JSON in ({"kind", "text"}), a line of JSON out (a list of what the parser saw)."""
import json
import sys
import xml.parsers.expat
from html.parser import HTMLParser


class Html(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(["start", tag, dict(attrs)])

    def handle_endtag(self, tag):
        self.seen.append(["end", tag])

    def handle_data(self, data):
        add_text(self.seen, data)

    def handle_comment(self, data):
        self.seen.append(["comment", data])


def add_text(seen, data):
    if seen and seen[-1][0] == "text":
        seen[-1][1] += data
    else:
        seen.append(["text", data])


def read_html(text):
    reader = Html()
    reader.feed(text)
    reader.close()
    return reader.seen


def read_xml(text):
    seen = []
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attrs: seen.append(["start", tag, attrs])
    parser.EndElementHandler = lambda tag: seen.append(["end", tag])
    parser.CharacterDataHandler = lambda data: add_text(seen, data)
    parser.CommentHandler = lambda data: seen.append(["comment", data])
    try:
        parser.Parse(text.encode("utf-8"), True)
    except xml.parsers.expat.ExpatError as error:
        return {"error": str(error)}
    return seen


for line in sys.stdin:
    document = json.loads(line)
    read = read_xml if document["kind"] == "xml" else read_html
    print(json.dumps(read(document["text"])), flush=True)
