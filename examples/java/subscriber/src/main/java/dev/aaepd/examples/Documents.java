package dev.aaepd.examples;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import java.util.List;
import java.util.Locale;

/** From the messages of gRPC to AAEP documents, the JSON that all other transports carry. {@link Subscriber} says how to run it. */
final class Documents {
  /** Beyond it not every reader of JSON keeps an integer as it is. */
  private static final long MAX_SAFE_INTEGER = (1L << 53) - 1;

  private Documents() {}

  /** The document of an Event, or of a message within one. */
  static JsonObject of(MessageOrBuilder message) {
    JsonObject document = new JsonObject();
    message.getAllFields().forEach((field, value) -> put(document, field, value));
    return document;
  }

  private static void put(JsonObject document, FieldDescriptor field, Object value) {
    if (field.getName().equals("additional")) {
      merge(document, plain((Struct) value)); // members that have no field of their own
    } else if (field.getContainingOneof() != null && field.getContainingOneof().getName().equals("payload")) {
      // In JSON the payload's members stand beside those of the envelope.
      if (!document.has("type")) document.addProperty("type", "aaep:agent." + field.getName().replace('_', '.'));
      merge(document, of((MessageOrBuilder) value));
    } else if (field.isRepeated()) {
      JsonArray items = new JsonArray();
      for (Object item : (List<?>) value) items.add(json(field, item));
      document.add(name(field), items);
    } else if (!(value instanceof EnumValueDescriptor word) || word.getNumber() != 0) { // what is unspecified stands in `additional`
      document.add(name(field), json(field, value));
    }
  }

  private static void merge(JsonObject document, JsonObject members) {
    members.entrySet().forEach(member -> document.add(member.getKey(), member.getValue()));
  }

  /** As in the protos; only @context, which is no identifier there, has its name as json_name. */
  private static String name(FieldDescriptor field) {
    return field.getJsonName().startsWith("@") ? field.getJsonName() : field.getName();
  }

  /** The JSON of one value of a field. */
  private static JsonElement json(FieldDescriptor field, Object value) {
    return switch (field.getJavaType()) {
      case ENUM -> {
        String prefix = field.getEnumType().findValueByNumber(0).getName().replaceFirst("UNSPECIFIED$", "");
        String name = ((EnumValueDescriptor) value).getName();
        yield new JsonPrimitive(name.substring(prefix.length()).toLowerCase(Locale.ROOT));
      }
      case MESSAGE -> {
        if (value instanceof Struct struct) yield plain(struct);
        yield value instanceof Value any ? plain(any) : of((MessageOrBuilder) value);
      }
      case INT -> new JsonPrimitive(Integer.toUnsignedLong((Integer) value)); // all of them are uint32
      case LONG -> whole((Long) value, field.getType() == FieldDescriptor.Type.UINT64);
      case DOUBLE -> number((Double) value);
      case BOOLEAN -> new JsonPrimitive((Boolean) value);
      default -> new JsonPrimitive(value.toString());
    };
  }

  private static JsonElement whole(long value, boolean isUnsigned) {
    if (isUnsigned && (value < 0 || value > MAX_SAFE_INTEGER)) return new JsonPrimitive(Long.toUnsignedString(value));
    return Math.abs(value) > MAX_SAFE_INTEGER ? new JsonPrimitive(Long.toString(value)) : new JsonPrimitive(value);
  }

  /** Whole numbers without a fraction. */
  private static JsonElement number(double value) {
    return value == Math.rint(value) && Math.abs(value) <= MAX_SAFE_INTEGER ? new JsonPrimitive((long) value) : new JsonPrimitive(value);
  }

  private static JsonObject plain(Struct struct) {
    JsonObject object = new JsonObject();
    struct.getFieldsMap().forEach((name, value) -> object.add(name, plain(value)));
    return object;
  }

  private static JsonElement plain(Value value) {
    return switch (value.getKindCase()) {
      case STRING_VALUE -> new JsonPrimitive(value.getStringValue());
      case NUMBER_VALUE -> number(value.getNumberValue());
      case BOOL_VALUE -> new JsonPrimitive(value.getBoolValue());
      case STRUCT_VALUE -> plain(value.getStructValue());
      case LIST_VALUE -> {
        JsonArray items = new JsonArray();
        value.getListValue().getValuesList().forEach(item -> items.add(plain(item)));
        yield items;
      }
      case NULL_VALUE, KIND_NOT_SET -> JsonNull.INSTANCE;
    };
  }
}
