#include "core/io/graph/graph_node_reader.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/grouped_number.h"
#include "core/graph/strides.h"
#include "core/graph/tensor_bytes.h"

namespace overlap {

namespace {

/// Some thirty years: a longer time of one node is a mistake, and sums of such times mean nothing.
constexpr double longest_estimate_ms = 1e12;

using simdjson::dom::element;

/// Fields of a node, most frequent first; the places are those of `seen_fields_`.
enum NodeField : unsigned {
    name_field,
    op_field,
    target_field,
    args_field,
    kwargs_field,
    outputs_field,
    custom_field,
    seq_nr_field,
    autograd_backward_field,
    estimate_ms_field,
    partitioner_tag_field,
    multi_field,
    module_stack_field,
    fwd_module_stack_field,
    users_order_field,
    titan_meta_field,
    symbolic_shapes_field,
    symbolic_value_field,
    field_count
};
constexpr std::array<std::string_view, field_count> field_names = {"name",
                                                                   "op",
                                                                   "target",
                                                                   "args",
                                                                   "kwargs",
                                                                   "outputs",
                                                                   "custom",
                                                                   "seq_nr",
                                                                   "autograd_backward",
                                                                   "estimate_ms",
                                                                   "partitioner_tag",
                                                                   "multi",
                                                                   "module_stack",
                                                                   "fwd_module_stack",
                                                                   "users_order",
                                                                   "titan_meta",
                                                                   "symbolic_shapes",
                                                                   "symbolic_value"};

}  // namespace

void GraphNodeReader::read(element value, const JsonPlace& list_place, std::size_t index) {
    const JsonPlace unnamed(list_place, index);
    const simdjson::dom::object fields = json_object(value, unnamed);
    element name_value;
    if (fields.at_key("name").get(name_value)) unnamed.fail("the field \"name\" is missing");
    const std::string_view name = json_string(name_value, JsonPlace(unnamed, "name"));
    if (name.empty()) JsonPlace(unnamed, "name").fail("a node's name must not be empty");
    const JsonPlace place(list_place, index, name);
    if (builder_.find(name) != no_node) {
        place.fail("nodes[" + std::to_string(builder_.find(name)) +
                   "] has this name already, and names must be unique");
    }

    record_ = {};
    metadata_ = {};
    seen_fields_ = 0;
    outputs_.clear();
    further_.clear();
    record_.name = builder_.intern(name);
    element users_order;
    for (const auto [key, item] : fields) {
        const JsonPlace field_place(place, key);
        if (key == "users_order") {
            see_field_once(users_order_field, field_place);
            users_order = item;
        } else {
            read_field(key, item, field_place);
        }
    }
    for (const NodeField field : {op_field, target_field}) {
        if (!(seen_fields_ & 1u << field)) {
            place.fail("the field \"" + std::string(field_names[field]) + "\" is missing");
        }
    }
    if (!further_.empty()) metadata_.extra_json = builder_.intern(further_.close());
    const NodeId node = builder_.add(record_, metadata_, outputs_);
    if (seen_fields_ & 1u << users_order_field) {
        read_users_order(node, index, users_order, JsonPlace(place, "users_order"));
    }
}

void GraphNodeReader::see_field_once(unsigned field, const JsonPlace& place) {
    if (seen_fields_ & 1u << field) place.fail("this field appears twice");
    seen_fields_ |= 1u << field;
}

void GraphNodeReader::read_field(std::string_view key, element value, const JsonPlace& place) {
    const auto known = std::find(field_names.begin(), field_names.end(), key);
    const auto field = static_cast<unsigned>(known - field_names.begin());
    if (field != field_count) see_field_once(field, place);
    switch (field) {
        case name_field:
            break;
        case op_field: {
            const std::string_view name = json_string(value, place);
            const std::optional<NodeOp> op = node_op_by_name(name);
            if (!op) {
                place.fail("expected placeholder, get_attr, call_function, call_module, call_method or output, found " +
                           describe_json(value));
            }
            record_.op = *op;
            break;
        }
        case target_field:
            record_.target = builder_.target(json_string(value, place));
            break;
        case args_field:
            record_.args = arguments_.list(value, place);
            break;
        case kwargs_field:
            record_.kwargs = arguments_.dictionary(value, place);
            break;
        case outputs_field:
            read_outputs(value, place);
            break;
        case custom_field:
            read_custom(value, place);
            break;
        case seq_nr_field:
            // torch leaves -1 as an unsigned number on some nodes; such a number means nothing and is written back.
            if (value.is_uint64() && !value.is_int64()) {
                further_.add(key, value);
            } else {
                metadata_.sequence_number = json_integer(value, place);
            }
            break;
        case autograd_backward_field:
            metadata_.autograd_backward = json_boolean(value, place);
            break;
        case estimate_ms_field:
            metadata_.estimate_ms = json_number(value, place, 0, longest_estimate_ms);
            break;
        // A value that the record takes for an absent field is kept as an unknown one, so that it is written back.
        case partitioner_tag_field:
            metadata_.partitioner_tag = builder_.intern(json_string(value, place));
            if (metadata_.partitioner_tag == empty_string) further_.add(key, value);
            break;
        case multi_field:
            record_.multi = json_boolean(value, place);
            if (!record_.multi) further_.add(key, value);
            break;
        case module_stack_field:
            metadata_.module_stack = read_module_stack(value, place);
            if (metadata_.module_stack == 0) further_.add(key, value);
            break;
        case fwd_module_stack_field:
            metadata_.fwd_module_stack = read_module_stack(value, place);
            if (metadata_.fwd_module_stack == 0) further_.add(key, value);
            break;
        // Passes take these apart; what is of another kind they would pass over.
        case titan_meta_field:
        case symbolic_value_field:
            json_object(value, place);
            further_.add(key, value);
            break;
        case symbolic_shapes_field:
            json_list(value, place);
            further_.add(key, value);
            break;
        default:
            further_.add(key, value);
    }
}

void GraphNodeReader::read_outputs(element value, const JsonPlace& place) {
    record_.has_outputs = true;
    for (const element item : json_list(value, place)) {
        outputs_.push_back(item.is_null() ? TensorMeta{} : read_tensor(item, JsonPlace(place, outputs_.size())));
    }
}

TensorMeta GraphNodeReader::read_tensor(element value, const JsonPlace& place) {
    static constexpr std::array<std::string_view, 6> required = {"dtype",  "shape",   "stride",
                                                                 "device", "storage", "storage_bytes"};
    TensorMeta tensor;
    tensor.is_tensor = true;
    unsigned seen = 0;
    bool has_offset = false;
    further_of_tensor_.clear();
    for (const auto [key, item] : json_object(value, place)) {
        const JsonPlace field(place, key);
        const auto known = std::find(required.begin(), required.end(), key);
        if (known != required.end()) {
            const unsigned bit = 1u << (known - required.begin());
            if (seen & bit) field.fail("this field appears twice");
            seen |= bit;
        }
        if (key == "dtype") {
            const std::string_view name = json_string(item, field);
            const std::optional<Dtype> dtype = dtype_by_name(name);
            if (!dtype) field.fail("no dtype of torch is called " + quoted_text(name));
            tensor.dtype = *dtype;
        } else if (key == "shape") {
            read_dimensions(item, field, sizes_);
        } else if (key == "stride") {
            read_dimensions(item, field, strides_);
        } else if (key == "device") {
            tensor.device = builder_.intern(json_string(item, field));
        } else if (key == "storage") {
            tensor.storage = static_cast<std::uint32_t>(json_integer(item, field, 0, no_node - 1));
        } else if (key == "storage_bytes") {
            tensor.storage_bytes = json_integer(item, field, 0, total_bytes_limit);
        } else if (key == "storage_offset") {
            if (has_offset) field.fail("this field appears twice");
            has_offset = true;
            tensor.storage_offset = json_integer(item, field, 0, most_elements);
            if (tensor.storage_offset == 0) further_of_tensor_.add(key, item);
        } else {
            further_of_tensor_.add(key, item);
        }
    }
    for (std::size_t index = 0; index < required.size(); ++index) {
        if (!(seen & 1u << index)) place.fail("the field \"" + std::string(required[index]) + "\" is missing");
    }
    if (sizes_.size() != strides_.size()) {
        place.fail("the shape has " + std::to_string(sizes_.size()) + " dimensions and the stride has " +
                   std::to_string(strides_.size()));
    }
    count_bytes(tensor, place);
    if (!memory_reach(sizes_, strides_)) place.fail("with its strides the tensor reaches further than 2^56 elements");
    tensor.rank = static_cast<std::uint8_t>(sizes_.size());
    tensor.first_dimension = builder_.dimensions(sizes_, strides_);
    if (!further_of_tensor_.empty()) tensor.extra_json = builder_.intern(further_of_tensor_.close());
    return tensor;
}

void GraphNodeReader::read_dimensions(element value, const JsonPlace& place, std::vector<std::int64_t>& dimensions) {
    dimensions.clear();
    const simdjson::dom::array items = json_list(value, place);
    if (items.size() > rank_limit) {
        place.fail("a tensor has at most " + std::to_string(rank_limit) + " dimensions, found " +
                   std::to_string(items.size()));
    }
    for (const element item : items) dimensions.push_back(json_integer(item, JsonPlace(place, dimensions.size()), 0));
}

void GraphNodeReader::count_bytes(const TensorMeta& tensor, const JsonPlace& place) {
    total_bytes_ += counted_bytes(tensor, sizes_);
    if (total_bytes_ > total_bytes_limit) {
        place.fail("the graph's tensors up to here have more than " + grouped_count(total_bytes_limit) + " bytes");
    }
}

ModuleStackId GraphNodeReader::read_module_stack(element value, const JsonPlace& place) {
    stack_.clear();
    for (const element item : json_list(value, place)) {
        const JsonPlace entry_place(place, stack_.size());
        simdjson::dom::array pair;
        if (item.get(pair) || pair.size() != 2)
            entry_place.fail("expected [path, class], found " + describe_json(item));
        const StringId path = builder_.intern(json_string(pair.at(0).value_unsafe(), JsonPlace(entry_place, 0)));
        const StringId class_name = builder_.intern(json_string(pair.at(1).value_unsafe(), JsonPlace(entry_place, 1)));
        stack_.push_back({path, class_name});
    }
    return builder_.module_stack(stack_);
}

void GraphNodeReader::read_custom(element value, const JsonPlace& place) {
    const simdjson::dom::object custom = json_object(value, place);
    json_.clear();
    write_json(json_, value);
    metadata_.custom_json = builder_.intern(json_.text());
    std::string_view module;
    if (!custom.at_key("module_fqn").get(module)) metadata_.module_fqn = builder_.intern(module);
}

void GraphNodeReader::read_users_order(NodeId node, std::size_t index, element value, const JsonPlace& place) {
    const std::size_t first = users_names_.size();
    for (const element item : json_list(value, place))
        users_names_.push_back(builder_.intern(json_string(item, JsonPlace(place, users_names_.size() - first))));
    users_orders_.push_back({node, index, first, users_names_.size() - first});
}

void GraphNodeReader::finish() {
    const JsonPlace nodes_place("nodes");
    std::vector<NodeId> users;
    for (const UsersOrder& order : users_orders_) {
        const JsonPlace node_place(nodes_place, order.index);
        const JsonPlace place(node_place, "users_order");
        users.clear();
        for (const StringId id : std::span(users_names_).subspan(order.first_name, order.name_count)) {
            const std::string_view name = builder_.text(id);
            const NodeId user = builder_.find(name);
            if (user == no_node) JsonPlace(place, users.size()).fail("no node is called " + quoted_text(name));
            users.push_back(user);
        }
        builder_.users_order(order.node, users);
    }
}

}  // namespace overlap
