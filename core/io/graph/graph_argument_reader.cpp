#include "core/io/graph/graph_argument_reader.h"

#include <algorithm>

#include "core/files/json_text.h"

namespace overlap {

using simdjson::dom::element;
using simdjson::dom::element_type;

Value GraphArgumentReader::list(element value, const JsonPlace& place) {
    return list(value, place, 1);
}

Value GraphArgumentReader::dictionary(element value, const JsonPlace& place) {
    return dictionary(value, place, 1);
}

Value GraphArgumentReader::read(element value, const JsonPlace& place, int depth) {
    switch (value.type()) {
        case element_type::NULL_VALUE:
            return Value::of_none();
        case element_type::BOOL:
            return Value::of_boolean(value.get_bool().value_unsafe());
        case element_type::INT64:
            return Value::of_integer(value.get_int64().value_unsafe());
        case element_type::UINT64:
            return raw(value);
        case element_type::DOUBLE:
            return Value::of_floating(value.get_double().value_unsafe());
        case element_type::STRING:
            return builder_.string(value.get_string().value_unsafe());
        case element_type::ARRAY:
            return list(value, place, depth + 1);
        case element_type::OBJECT:
            break;
    }
    return tagged(value, place, depth);
}

Value GraphArgumentReader::list(element value, const JsonPlace& place, int depth) {
    const simdjson::dom::array items = json_list(value, place);
    if (depth > depth_limit) place.fail("arguments may be nested at most " + std::to_string(depth_limit) + " deep");
    const std::size_t first = children_.size();
    std::size_t index = 0;
    for (const element item : items) {
        const Value child = read(item, JsonPlace(place, index++), depth);
        children_.push_back(child);
    }
    return take_children(ValueKind::list, first);
}

Value GraphArgumentReader::dictionary(element value, const JsonPlace& place, int depth) {
    const simdjson::dom::object members = json_object(value, place);
    if (depth > depth_limit) place.fail("arguments may be nested at most " + std::to_string(depth_limit) + " deep");
    const std::size_t first = children_.size();
    for (const auto [key, item] : members) {
        children_.push_back(builder_.string(key));
        const Value child = read(item, JsonPlace(place, key), depth);
        children_.push_back(child);
    }
    check_keys_differ(first, place);
    return take_children(ValueKind::dictionary, first);
}

Value GraphArgumentReader::tagged(element value, const JsonPlace& place, int depth) {
    const simdjson::dom::object object = value.get_object();
    element tag;
    if (object.at_key("node").get(tag) == simdjson::SUCCESS) {
        // Another member beside it would be an edge that the passes cannot see, so it is not kept as raw text.
        if (object.size() != 1) place.fail("an object with \"node\" must have no other fields");
        return node(tag, JsonPlace(place, "node"));
    }
    if (object.size() == 2) {
        element hint;
        if (object.at_key("symbol").get(tag) || object.at_key("hint").get(hint) || !tag.is_string()) return raw(value);
        const std::size_t first = children_.size();
        children_.push_back(builder_.string(tag.get_string().value_unsafe()));
        const Value child = read(hint, JsonPlace(place, "hint"), depth);
        children_.push_back(child);
        return take_children(ValueKind::symbol, first);
    }
    if (object.size() != 1) return raw(value);

    const auto [key, content] = *object.begin();
    const JsonPlace inside(place, key);
    if (key == "dtype") {
        const std::string_view name = json_string(content, inside);
        if (!dtype_by_name(name)) inside.fail("no dtype of torch is called " + quoted_text(name));
        return builder_.string(name, ValueKind::dtype);
    }
    if (key == "device") return builder_.string(json_string(content, inside), ValueKind::device);
    if (key == "layout") return builder_.string(json_string(content, inside), ValueKind::layout);
    if (key == "memory_format") return builder_.string(json_string(content, inside), ValueKind::memory_format);
    if (key == "dict") return dictionary(content, inside, depth + 1);
    if (key == "slice") {
        Value slice = list(content, inside, depth + 1);
        if (slice.count != 3)
            inside.fail("expected start, stop and step, found " + std::to_string(slice.count) + " items");
        slice.kind = ValueKind::slice;
        return slice;
    }
    if (key == "float") {
        const std::string_view name = json_string(content, inside);
        if (name == "inf" || name == "-inf" || name == "nan") return builder_.string(name, ValueKind::special_float);
        inside.fail("expected \"inf\", \"-inf\" or \"nan\", found " + describe_json(content));
    }
    return raw(value);
}

Value GraphArgumentReader::node(element value, const JsonPlace& place) {
    const std::string_view name = json_string(value, place);
    const NodeId found = builder_.find(name);
    if (found == no_node) fail_unknown_node(name, place);
    return Value::of_node(found);
}

Value GraphArgumentReader::raw(element value) {
    json_.clear();
    write_json(json_, value);
    return builder_.string(json_.text(), ValueKind::raw_json);
}

Value GraphArgumentReader::take_children(ValueKind kind, std::size_t first) {
    const Value value = builder_.with_children(kind, std::span(children_).subspan(first));
    children_.resize(first);
    return value;
}

void GraphArgumentReader::check_keys_differ(std::size_t first, const JsonPlace& place) {
    if (children_.size() - first <= 2) return;
    std::vector<StringId> keys;
    for (std::size_t child = first; child < children_.size(); child += 2) keys.push_back(children_[child].string);
    std::sort(keys.begin(), keys.end());
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end()) place.fail("a key appears twice");
}

void GraphArgumentReader::fail_unknown_node(std::string_view name, const JsonPlace& place) {
    std::size_t index = 0;
    for (const element candidate : nodes_) {
        std::string_view candidate_name;
        if (!candidate["name"].get(candidate_name) && candidate_name == name) {
            place.fail(quoted_text(name) + " is nodes[" + std::to_string(index) +
                       "]; an argument may refer to earlier nodes only");
        }
        ++index;
    }
    place.fail("no node is called " + quoted_text(name));
}

}  // namespace overlap
