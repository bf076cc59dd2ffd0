"""§5.10: the manifest."""

import json
import pathlib
import urllib.parse

from checks import check, holds, same, told, within
from wire import grpc_link

MEMBERS = {
    "@context": "https://aaep-protocol.org/context/v1",
    "type": "aaep:producer.manifest",
    "agent_id": lambda text: bool(text),
    "aaep_versions_supported": lambda versions: "1.0.0" in versions,
    "conformance_levels_supported": lambda levels: set(levels) <= {1, 2, 3},
    "transports_supported": lambda names: bool(names) and all(isinstance(name, str) for name in names),
    "event_types_emitted": lambda types: any(kind.startswith("aaep:agent.") for kind in types),
    "languages_supported": lambda tags: "en" in tags,
    "default_verbosity": lambda word: word in ("terse", "normal", "detailed"),
    "max_concurrent_subscriptions": 5,
}


IDENTITY = {"agent_id": "household-bank", "agent_version": "1.4.2", "agent_name": "Household Bank"}
EXAMPLE = {
    "@context": "https://aaep-protocol.org/context/v1",
    "type": "aaep:producer.manifest",
    **IDENTITY,
    "aaep_versions_supported": ["1.0.0"],
    "conformance_levels_supported": [1, 2],
    "transports_supported": ["sse", "websocket", "stdio-jsonrpc"],
    "languages_supported": ["en-US", "es-419", "yo-NG"],
    "event_types_emitted": [
        "aaep:agent.session.*",
        "aaep:agent.state.changed",
        "aaep:agent.tool.*",
        "aaep:agent.output.streaming",
        "aaep:agent.awaiting.confirmation",
    ],
    "extensions_supported": ["https://example.org/finance/context/v1"],
    "default_verbosity": "normal",
    "max_concurrent_subscriptions": 16,
    "contact": "accessibility@bank.example",
}


def published(listener):
    """§5.10.2: what the manifest_uri of an acceptance leads to."""
    address = urllib.parse.urlparse(listener.accepted["manifest_uri"])
    same(address.scheme, "file", "The scheme of manifest_uri")
    return json.loads(pathlib.Path(urllib.parse.unquote(address.path)).read_text("utf-8"))


@check("§5.10", "the address that an acceptance gives leads to it, and it is of the daemon that accepted")
def discovered(stage):
    listener = stage.listener()
    manifest = published(listener)
    within(manifest, MEMBERS, "The manifest")
    same(manifest["agent_id"], listener.accepted["producer"]["agent_id"], "Its agent_id")


@check("§5.10.1", "an agent's manifest as in the example is taken, and its events bear its name")
def declared(stage):
    listener, agent = stage.listener(), stage.agent()
    agent.call("aaep.set_manifest", EXAMPLE)
    session = agent.session()
    event = session.make("session.started", summary_normal="Begun.")
    agent.publish({key: value for key, value in event.items() if key != "producer"})
    within(listener.event("session.started")["producer"], IDENTITY, "The producer")


@check("§5.10.1", "a daemon that its agent has started stands for it (§5.4.1, R1)", needs="stdio")
def stands_for(stage):
    stage.agent_of_pipes().call("aaep.set_manifest", EXAMPLE)
    listener = stage.second()
    within(listener.accepted["producer"], IDENTITY, "The producer")
    manifest = published(listener)
    within(manifest, IDENTITY, "The manifest")
    # The daemon has texts of its own, in languages of its own (R14).
    holds(
        set(EXAMPLE["languages_supported"]) <= set(manifest["languages_supported"]), f"Its languages: {told(manifest)}"
    )


@check("§5.10", "GetManifest gives it too (B.5.1)", needs="grpc")
def called(stage):
    manifest = grpc_link.manifest(stage.way.options.grpc)
    within(manifest, MEMBERS, "The manifest")
    filed = published(stage.listener())
    differing = [key for key in manifest if filed.get(key) != manifest[key] and key != "manifest_uri"]
    holds(not differing, f"The two manifests differ in {told(differing)}.")
