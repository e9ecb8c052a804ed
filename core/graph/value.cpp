#include "core/graph/value.h"

namespace overlap {

Value Value::of_boolean(bool value) {
    Value result;
    result.kind = ValueKind::boolean;
    result.boolean = value;
    return result;
}

Value Value::of_integer(std::int64_t value) {
    Value result;
    result.kind = ValueKind::integer;
    result.integer = value;
    return result;
}

Value Value::of_floating(double value) {
    Value result;
    result.kind = ValueKind::floating;
    result.floating = value;
    return result;
}

Value Value::of_node(NodeId value) {
    Value result;
    result.kind = ValueKind::node;
    result.node = value;
    return result;
}

Value Value::of_string(StringId value, ValueKind kind) {
    Value result;
    result.kind = kind;
    result.string = value;
    return result;
}

}  // namespace overlap
