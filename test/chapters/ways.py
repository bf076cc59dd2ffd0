"""The ways in which a listener reaches the daemon. An agent, and a second listener beside the one that is tried, always come by its socket."""

from agents import Agent
from checks import holds
from listeners import Listener, RpcListener
from wire import grpc_link
from wire.framings import HEADERS, LENGTH_PREFIX, LINES
from wire.links import child_link, socket_link

REPLYING = {"supports_confirmation_reply": True, "supports_clarification_reply": True}


class Way:
    """`has`: what checks may need. Nearly all need the whole conversation, which each way but the quick one has."""

    has = ("whole",)

    def __init__(self, options):
        self.socket = options.socket
        self.options = options

    def listener(self):
        raise NotImplementedError

    def second(self):
        return Listener(socket_link(self.socket, LENGTH_PREFIX))

    def agent(self):
        return Agent(socket_link(self.socket, LINES))

    def stop_daemon(self):
        """Whoever started this program is asked to stop the daemon in order."""
        print("stop", flush=True)

    def end(self):
        """Nothing more follows."""


class Socket(Way):
    has = ("whole", "plain", "socket", "drops")

    def listener(self):
        return Listener(socket_link(self.socket, LENGTH_PREFIX))


class SocketLines(Socket):
    def listener(self):
        return Listener(socket_link(self.socket, LINES))


class SocketRpc(Way):
    has = ("whole", "rpc", "socket", "drops")

    def listener(self):
        return RpcListener(socket_link(self.socket, HEADERS))


class Stdio(Way):
    """The daemon is this program's child, and its pipes are one connection for all checks."""

    has = ("whole", "rpc", "stdio")

    def __init__(self, options):
        super().__init__(options)
        self.link = None

    def pipes(self):
        if self.link is None:
            self.link = child_link(self.options.daemon, LINES)
            # It answers once it is there, its socket too.
            RpcListener(self.link, keeps_link=True).ping()
        return self.link

    def listener(self):
        return RpcListener(self.pipes(), keeps_link=True)

    def second(self):
        self.pipes()
        return super().second()

    def agent(self):
        self.pipes()
        return super().agent()

    def agent_of_pipes(self):
        return Agent(self.pipes(), keeps_link=True)

    def stop_daemon(self):
        self.link.child.stdin.close()

    def end(self):
        if self.link is not None:
            self.link.hang_up()
            self.link = None


class Grpc(Way):
    has = ("whole", "plain", "grpc", "drops")

    def listener(self):
        return Listener(grpc_link.GrpcLink(self.options.grpc, "Subscribe"))


class Quick(Socket):
    """A daemon whose clock runs so fast that a minute passes in a moment; nothing bears a time of ours."""

    has = ("quick",)

    def agent(self):
        return Agent(socket_link(self.socket, LINES), tells_time=False)


WAYS = {"socket": Socket, "lines": SocketLines, "headers": SocketRpc, "stdio": Stdio, "grpc": Grpc, "quick": Quick}


class Stage:
    """What one check works with: listeners and agents that are there when it asks for them, and gone when it is over."""

    def __init__(self, way):
        self.way = way
        self.listeners, self.agents = [], []

    def stranger(self):
        """A listener that has said nothing yet."""
        self.listeners.append(self.way.listener())
        return self.listeners[-1]

    def subscribed(self, listener, capabilities):
        answer = listener.request(capabilities)
        holds(answer["type"] == "subscription.accepted", f"§5.4: {capabilities} is answered by {answer}")
        return listener

    def listener(self, **capabilities):
        """One that is subscribed, and can reply unless it says otherwise."""
        return self.subscribed(self.stranger(), {**REPLYING, **capabilities})

    def second(self, **capabilities):
        self.listeners.append(self.way.second())
        return self.subscribed(self.listeners[-1], {**REPLYING, **capabilities})

    def dismiss(self, listener):
        """Before the next one comes, where a way has one connection for all."""
        listener.leave()
        self.listeners.remove(listener)

    def agent(self):
        self.agents.append(self.way.agent())
        return self.agents[-1]

    def agent_of_pipes(self):
        self.agents.append(self.way.agent_of_pipes())
        return self.agents[-1]

    def session(self, *, started=True):
        """A session of an agent of its own."""
        session = self.agent().session()
        if started:
            session.start()
        return session

    def clear(self):
        for one in self.listeners + self.agents:
            one.leave()
        self.listeners, self.agents = [], []

    def abandon(self):
        """After a check that failed nobody knows what is still to come: everything is cut off, and the next begins anew."""
        for one in self.listeners + self.agents:
            try:
                one.link.hang_up()
            except (OSError, ValueError):
                pass
        self.way.end()
