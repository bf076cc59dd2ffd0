from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ConverseRequest(_message.Message):
    __slots__ = ("message",)
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    message: Message
    def __init__(self, message: _Optional[_Union[Message, _Mapping]] = ...) -> None: ...

class ConverseResponse(_message.Message):
    __slots__ = ("message",)
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    message: Message
    def __init__(self, message: _Optional[_Union[Message, _Mapping]] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("json", "handshake_request", "handshake_response", "ping", "pong", "shutdown", "error", "invoke_event", "tool_event", "tool_list_request", "tool_list_response", "tool_call_request", "tool_call_response", "register", "registered")
    JSON_FIELD_NUMBER: _ClassVar[int]
    HANDSHAKE_REQUEST_FIELD_NUMBER: _ClassVar[int]
    HANDSHAKE_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    SHUTDOWN_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    INVOKE_EVENT_FIELD_NUMBER: _ClassVar[int]
    TOOL_EVENT_FIELD_NUMBER: _ClassVar[int]
    TOOL_LIST_REQUEST_FIELD_NUMBER: _ClassVar[int]
    TOOL_LIST_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_REQUEST_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    REGISTER_FIELD_NUMBER: _ClassVar[int]
    REGISTERED_FIELD_NUMBER: _ClassVar[int]
    json: bytes
    handshake_request: HandshakeRequest
    handshake_response: HandshakeResponse
    ping: Ping
    pong: Pong
    shutdown: Shutdown
    error: Error
    invoke_event: InvokeEvent
    tool_event: ToolEvent
    tool_list_request: ToolListRequest
    tool_list_response: ToolListResponse
    tool_call_request: ToolCallRequest
    tool_call_response: ToolCallResponse
    register: Register
    registered: Registered
    def __init__(self, json: _Optional[bytes] = ..., handshake_request: _Optional[_Union[HandshakeRequest, _Mapping]] = ..., handshake_response: _Optional[_Union[HandshakeResponse, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., shutdown: _Optional[_Union[Shutdown, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ..., invoke_event: _Optional[_Union[InvokeEvent, _Mapping]] = ..., tool_event: _Optional[_Union[ToolEvent, _Mapping]] = ..., tool_list_request: _Optional[_Union[ToolListRequest, _Mapping]] = ..., tool_list_response: _Optional[_Union[ToolListResponse, _Mapping]] = ..., tool_call_request: _Optional[_Union[ToolCallRequest, _Mapping]] = ..., tool_call_response: _Optional[_Union[ToolCallResponse, _Mapping]] = ..., register: _Optional[_Union[Register, _Mapping]] = ..., registered: _Optional[_Union[Registered, _Mapping]] = ...) -> None: ...

class Capability(_message.Message):
    __slots__ = ("capability", "enabled", "metadata")
    CAPABILITY_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    capability: str
    enabled: bool
    metadata: _struct_pb2.Struct
    def __init__(self, capability: _Optional[str] = ..., enabled: _Optional[bool] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class HandshakeRequest(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "agent_id", "agent_caps", "auth_token")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_CAPS_FIELD_NUMBER: _ClassVar[int]
    AUTH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    agent_id: str
    agent_caps: _containers.RepeatedScalarFieldContainer[str]
    auth_token: str
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., agent_id: _Optional[str] = ..., agent_caps: _Optional[_Iterable[str]] = ..., auth_token: _Optional[str] = ...) -> None: ...

class HandshakeResponse(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "session_id", "accepted_caps", "max_parallel", "ok", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_CAPS_FIELD_NUMBER: _ClassVar[int]
    MAX_PARALLEL_FIELD_NUMBER: _ClassVar[int]
    OK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    session_id: str
    accepted_caps: _containers.RepeatedCompositeFieldContainer[Capability]
    max_parallel: int
    ok: bool
    reason: str
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., session_id: _Optional[str] = ..., accepted_caps: _Optional[_Iterable[_Union[Capability, _Mapping]]] = ..., max_parallel: _Optional[int] = ..., ok: _Optional[bool] = ..., reason: _Optional[str] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "uptime_seconds")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    UPTIME_SECONDS_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    uptime_seconds: float
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., uptime_seconds: _Optional[float] = ...) -> None: ...

class Shutdown(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "timeout")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    timeout: float
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., timeout: _Optional[float] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "code", "message", "detail", "retryable", "capability_name")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    CAPABILITY_NAME_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    code: str
    message: str
    detail: _struct_pb2.Value
    retryable: bool
    capability_name: str
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., code: _Optional[str] = ..., message: _Optional[str] = ..., detail: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., retryable: _Optional[bool] = ..., capability_name: _Optional[str] = ...) -> None: ...

class InvokeEvent(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "kind", "data", "seq")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    kind: str
    data: _struct_pb2.Struct
    seq: float
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., kind: _Optional[str] = ..., data: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., seq: _Optional[float] = ...) -> None: ...

class ToolEvent(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "kind", "data", "seq")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    kind: str
    data: _struct_pb2.Struct
    seq: float
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., kind: _Optional[str] = ..., data: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., seq: _Optional[float] = ...) -> None: ...

class ToolListRequest(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "session_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    session_id: str
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., session_id: _Optional[str] = ...) -> None: ...

class ToolListResponse(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "tools")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    tools: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., tools: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ...) -> None: ...

class ToolCallRequest(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "session_id", "tool_name", "arguments", "correlation_id", "streaming", "timeout")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    STREAMING_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    session_id: str
    tool_name: str
    arguments: _struct_pb2.Struct
    correlation_id: str
    streaming: bool
    timeout: float
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., session_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., correlation_id: _Optional[str] = ..., streaming: _Optional[bool] = ..., timeout: _Optional[float] = ...) -> None: ...

class ToolCallResponse(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "data")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    data: _struct_pb2.Value
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., data: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...

class Register(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "name", "capabilities", "priority", "max_parallel", "auth_token")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    MAX_PARALLEL_FIELD_NUMBER: _ClassVar[int]
    AUTH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    name: str
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    priority: int
    max_parallel: int
    auth_token: str
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., name: _Optional[str] = ..., capabilities: _Optional[_Iterable[str]] = ..., priority: _Optional[int] = ..., max_parallel: _Optional[int] = ..., auth_token: _Optional[str] = ...) -> None: ...

class Registered(_message.Message):
    __slots__ = ("id", "a2e", "version", "ts", "req_id", "name", "capabilities")
    ID_FIELD_NUMBER: _ClassVar[int]
    A2E_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REQ_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    id: str
    a2e: str
    version: str
    ts: float
    req_id: str
    name: str
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., a2e: _Optional[str] = ..., version: _Optional[str] = ..., ts: _Optional[float] = ..., req_id: _Optional[str] = ..., name: _Optional[str] = ..., capabilities: _Optional[_Iterable[str]] = ...) -> None: ...
