// AAEP documents, the JSON that all other transports carry, of the messages of gRPC. main.go says how to run the listener.

package main

import (
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"
)

// Beyond it not every reader of JSON keeps an integer as it is.
const maxSafeInteger = 1<<53 - 1

// document is a JSON object.
type document = map[string]any

// documentOf makes the document of an Event, or of a message within one.
func documentOf(message proto.Message) document {
	made := document{}
	message.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Name() == "additional":
			merge(made, jsonOf(field, value).(document)) // members that have no field of their own
		case isPayload(field):
			// In JSON the payload's members stand beside those of the envelope.
			if _, isSaid := made["type"]; !isSaid {
				made["type"] = "aaep:agent." + strings.ReplaceAll(string(field.Name()), "_", ".")
			}
			merge(made, documentOf(value.Message().Interface()))
		case field.IsList():
			items := []any{}
			for i := range value.List().Len() {
				items = append(items, jsonOf(field, value.List().Get(i)))
			}
			made[nameOf(field)] = items
		case field.Enum() == nil || value.Enum() != 0: // what is unspecified stands in `additional`
			made[nameOf(field)] = jsonOf(field, value)
		}
		return true
	})
	return made
}

func merge(into, members document) {
	for name, member := range members {
		into[name] = member
	}
}

func isPayload(field protoreflect.FieldDescriptor) bool {
	return field.ContainingOneof() != nil && field.ContainingOneof().Name() == "payload"
}

// nameOf is the name in the protos; only @context, which is no identifier there, has its name as json_name.
func nameOf(field protoreflect.FieldDescriptor) string {
	if strings.HasPrefix(field.JSONName(), "@") {
		return field.JSONName()
	}
	return string(field.Name())
}

// jsonOf is the JSON of one value of a field.
func jsonOf(field protoreflect.FieldDescriptor, value protoreflect.Value) any {
	switch field.Kind() {
	case protoreflect.EnumKind:
		values := field.Enum().Values()
		prefix := strings.TrimSuffix(string(values.ByNumber(0).Name()), "UNSPECIFIED")
		return strings.ToLower(strings.TrimPrefix(string(values.ByNumber(value.Enum()).Name()), prefix))
	case protoreflect.MessageKind:
		switch message := value.Message().Interface().(type) {
		case *structpb.Struct:
			return message.AsMap()
		case *structpb.Value:
			return message.AsInterface()
		default:
			return documentOf(message)
		}
	case protoreflect.Int64Kind:
		if whole := value.Int(); whole > maxSafeInteger || whole < -maxSafeInteger {
			return strconv.FormatInt(whole, 10)
		}
	case protoreflect.Uint64Kind:
		if value.Uint() > maxSafeInteger {
			return strconv.FormatUint(value.Uint(), 10)
		}
	case protoreflect.DoubleKind:
		if math.IsNaN(value.Float()) || math.IsInf(value.Float(), 0) {
			return nil // has no form in JSON
		}
	}
	return value.Interface()
}
