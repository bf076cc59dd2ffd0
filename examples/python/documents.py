"""From the messages of gRPC to AAEP documents, the JSON that all other transports carry. A part of grpc_subscriber.py, which says how to run it."""

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.struct_pb2 import ListValue, Struct, Value

# Beyond it not every reader of JSON keeps an integer as it is.
MAX_SAFE_INTEGER = 2**53 - 1


def document_of(message):
    """The document of an Event, or of a message within one."""
    document = {}
    for field, value in message.ListFields():
        if field.name == "additional":
            document.update(json_of(field, value))  # members that have no field of their own
        elif field.containing_oneof is not None and field.containing_oneof.name == "payload":
            # In JSON the payload's members stand beside those of the envelope.
            document.setdefault("type", "aaep:agent." + field.name.replace("_", "."))
            document.update(document_of(value))
        elif field.is_repeated:
            document[name_of(field)] = [json_of(field, item) for item in value]
        elif field.type != FieldDescriptor.TYPE_ENUM or value != 0:  # what is unspecified stands in `additional`
            document[name_of(field)] = json_of(field, value)
    return document


def name_of(field):
    """Members are called as in the protos; only @context, which is no identifier there, has its name as json_name."""
    return field.json_name if field.json_name.startswith("@") else field.name


def json_of(field, value):
    """The JSON of one value of a field."""
    if field.type == FieldDescriptor.TYPE_ENUM:
        names = field.enum_type.values_by_number
        return names[value].name.removeprefix(names[0].name.removesuffix("UNSPECIFIED")).lower()
    if field.type != FieldDescriptor.TYPE_MESSAGE:
        return number_of(value)
    return plain(value) if isinstance(value, (Struct, Value)) else document_of(value)


def plain(value):
    """The JSON in a Struct or Value."""
    if isinstance(value, Struct):
        return {name: plain(member) for name, member in value.fields.items()}
    if isinstance(value, ListValue):
        return [plain(member) for member in value.values]
    if isinstance(value, Value):
        kind = value.WhichOneof("kind")
        return None if kind in (None, "null_value") else plain(getattr(value, kind))
    return number_of(value)


def number_of(value):
    """Whole numbers without a fraction, and as text where JSON's readers would round them; all else as it is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER:
        return str(value)
    return value
