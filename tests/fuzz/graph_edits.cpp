#include "tests/fuzz/graph_edits.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "core/base/error.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/strides.h"
#include "core/graph/tensor_bytes.h"

namespace overlap::fuzz {
namespace {

class GraphEdits {
  public:
    GraphEdits(std::shared_ptr<const Graph> source, Choices& choices)
        : editor_(std::move(source)), choices_(choices), order_(editor_.order()) {}

    /// Makes one change, unless there is no node left.
    void apply() {
        if (order_.empty()) return;
        const std::size_t place = choices_.below(order_.size());
        const NodeId node = order_[place];
        switch (choices_.below(13)) {
            case 0:
            case 1:
                return change_argument(node, place);
            case 2:
                return change_argument_count(node);
            case 3:
                return change_sizes(node);
            case 4:
                return change_rank(node);
            case 5:
                return change_type(node);
            case 6:
                return change_time(node);
            case 7:
                return change_module(node);
            case 8:
                return move(node);
            case 9:
                return remove(node, place);
            case 10:
                return editor_.set_target(node, editor_.record(choices_.one_of(order_)).target);
            case 11:
                return repeat(node);
            default:
                return choices_.one_in(2) ? change_storage(node) : change_flags(node);
        }
    }

    std::shared_ptr<const Graph> finish() {
        refuse_odd_edges();
        refuse_too_many_bytes();
        std::vector<NodeId> origin;
        return editor_.finish(origin);
    }

  private:
    std::vector<Value> copied_children(const Value& list) const {
        const std::span<const Value> children = editor_.children(list);
        return {children.begin(), children.end()};
    }

    Value list_of_numbers(std::initializer_list<std::int64_t> numbers) {
        std::vector<Value> items;
        for (const std::int64_t number : numbers) items.push_back(Value::of_integer(number));
        return editor_.list(items);
    }

    Value string(std::string_view text, ValueKind kind = ValueKind::string) {
        return Value::of_string(editor_.intern(text), kind);
    }

    /// What a node at `place` may be given as an argument.
    Value odd_value(std::size_t place) {
        static constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
        static const std::vector<std::int64_t> integers = {0, 1, 2, 7, -1, std::int64_t{1} << 31, greatest};
        static const std::vector<std::string> texts = {"", "0", "1", "avg", "no such group"};
        switch (choices_.below(10)) {
            case 0:
            case 1:
                return place == 0 ? Value::of_none() : Value::of_node(order_[choices_.below(place)]);
            case 2:
                return Value::of_integer(choices_.one_of(integers));
            case 3:
                return string(choices_.one_of(texts));
            case 4:
                return choices_.one_in(2) ? Value::of_boolean(true) : Value::of_floating(0.5);
            case 5:
                return editor_.list({});
            case 6:
                return list_of_numbers({1, 2});
            case 7: {
                const Value symbol[] = {string("s0"), Value::of_integer(8)};
                Value value = editor_.list(symbol);
                value.kind = ValueKind::symbol;
                return value;
            }
            case 8:
                return choices_.one_in(2) ? string("bfloat16", ValueKind::dtype)
                                          : string("inf", ValueKind::special_float);
            default:
                return Value::of_none();
        }
    }

    /// `list` with another item, which may be within one of its lists.
    Value with_changed_item(const Value& list, std::size_t place) {
        std::vector<Value> items = copied_children(list);
        if (items.empty()) return list;
        Value& item = items[choices_.below(items.size())];
        const bool goes_within = item.is(ValueKind::list) && item.count > 0 && !choices_.one_in(2);
        item = goes_within ? with_changed_item(item, place) : odd_value(place);
        return editor_.list(items);
    }

    Value with_changed_entry(const Value& dictionary, std::size_t place) {
        std::vector<Value> entries = copied_children(dictionary);
        if (entries.empty()) return dictionary;
        entries[2 * choices_.below(entries.size() / 2) + 1] = odd_value(place);
        return editor_.dictionary(entries);
    }

    void change_argument(NodeId node, std::size_t place) {
        Value args = editor_.record(node).args, kwargs = editor_.record(node).kwargs;
        if (kwargs.count > 0 && choices_.one_in(4)) {
            kwargs = with_changed_entry(kwargs, place);
        } else {
            args = with_changed_item(args, place);
        }
        editor_.set_arguments(node, args, kwargs);
    }

    void change_argument_count(NodeId node) {
        std::vector<Value> items = copied_children(editor_.record(node).args);
        if (choices_.one_in(2)) {
            items.push_back(odd_value(0));
        } else if (!items.empty()) {
            items.pop_back();
        }
        editor_.set_arguments(node, editor_.list(items), editor_.record(node).kwargs);
    }

    /// A tensor that `node` returns, or nullptr.
    TensorMeta* tensor(NodeId node) {
        const std::span<TensorMeta> outputs = editor_.mutable_outputs(node);
        if (outputs.empty()) return nullptr;
        TensorMeta& chosen = outputs[choices_.below(outputs.size())];
        return chosen.is_tensor ? &chosen : nullptr;
    }

    std::int64_t size() {
        static const std::vector<std::int64_t> sizes = {0, 1, 2, 3, 5, 8, 1 << 20, std::int64_t{1} << 40};
        return choices_.one_of(sizes);
    }

    void set_dimensions(TensorMeta& tensor, std::span<const std::int64_t> sizes,
                        std::span<const std::int64_t> strides) {
        tensor.first_dimension = editor_.dimensions(sizes, strides);
        tensor.rank = static_cast<std::uint8_t>(sizes.size());
    }

    /// Sizes and strides of a tensor, to be changed.
    struct Dimensions {
        std::vector<std::int64_t> sizes, strides;
    };
    Dimensions dimensions(const TensorMeta& tensor) const {
        const auto sizes = editor_.shape(tensor), strides = editor_.stride(tensor);
        return {{sizes.begin(), sizes.end()}, {strides.begin(), strides.end()}};
    }

    void change_sizes(NodeId node) {
        TensorMeta* const changed = tensor(node);
        if (!changed || changed->rank == 0) return;
        auto [sizes, strides] = dimensions(*changed);
        const std::size_t dimension = choices_.below(sizes.size());
        (choices_.one_in(3) ? strides : sizes)[dimension] = size();
        set_dimensions(*changed, sizes, strides);
    }

    void change_rank(NodeId node) {
        TensorMeta* const changed = tensor(node);
        if (!changed) return;
        auto [sizes, strides] = dimensions(*changed);
        if (sizes.empty() || choices_.one_in(2)) {
            sizes.push_back(size());
            strides.push_back(size());
        } else {
            sizes.pop_back();
            strides.pop_back();
        }
        set_dimensions(*changed, sizes, strides);
    }

    void change_type(NodeId node) {
        static const std::vector<std::string> types = {"float32", "bfloat16",      "int64",
                                                       "bool",    "float8_e4m3fn", "complex64"};
        if (TensorMeta* const changed = tensor(node)) changed->dtype = *dtype_by_name(choices_.one_of(types));
    }

    void change_storage(NodeId node) {
        TensorMeta* const changed = tensor(node);
        if (!changed) return;
        changed->storage = static_cast<std::uint32_t>(choices_.below(20));
        if (choices_.one_in(2)) changed->storage_bytes = static_cast<std::int64_t>(choices_.below(3) << 4);
    }

    void change_time(NodeId node) {
        static const std::vector<double> times = {0, 0.001, 0.25, 1, 1e9, 1e12};
        editor_.set_estimate(node, choices_.one_of(times));
    }

    void change_module(NodeId node) {
        const std::string& module = choices_.one_of(odd_modules());
        NodeMetadata changed = editor_.metadata(node);
        if (choices_.one_in(2)) {
            changed.custom_json = editor_.intern("{\"module_fqn\":\"" + module + "\"}");
            changed.module_fqn = editor_.intern(module);
        } else {
            const ModuleStackEntry entry{editor_.intern(module), editor_.intern("Module")};
            changed.module_stack = editor_.module_stack({&entry, 1});
        }
        editor_.set_metadata(node, changed);
    }

    void change_flags(NodeId node) {
        NodeMetadata changed = editor_.metadata(node);
        switch (choices_.below(3)) {
            case 0:
                changed.autograd_backward = choices_.one_in(2);
                break;
            case 1:
                changed.partitioner_tag = editor_.intern(choices_.one_in(2) ? "is_backward" : "is_forward");
                break;
            default:
                changed.sequence_number = static_cast<std::int64_t>(choices_.below(8));
        }
        editor_.set_metadata(node, changed);
    }

    /// To another place that is behind all inputs and before all users.
    void move(NodeId node) {
        std::size_t first = 0, last = 0;
        for (std::size_t place = 0; place < order_.size(); ++place) {
            const NodeId other = order_[place];
            if (other == node) continue;
            const auto inputs = editor_.inputs(node);
            if (std::ranges::find(inputs, other) != inputs.end()) first = place + 1;
        }
        for (last = first; last < order_.size(); ++last) {
            const auto inputs = editor_.inputs(order_[last]);
            if (std::ranges::find(inputs, node) != inputs.end()) break;
        }
        const std::size_t place = first + choices_.below(last - first + 1);
        editor_.move_before(node, place < order_.size() ? order_[place] : no_node);
        order_ = editor_.order();
    }

    /// Users take an earlier node in its place; a first node that has users stays.
    void remove(NodeId node, std::size_t place) {
        if (editor_.user_count(node) > 0) {
            if (place == 0) return;
            editor_.replace_all_uses(node, order_[choices_.below(place)]);
        }
        editor_.erase(node);
        order_ = editor_.order();
    }

    /// The same node once more behind itself, with a name of its own.
    void repeat(NodeId node) {
        if (editor_.op(node) == NodeOp::output) return;
        const std::string name(editor_.name(node));
        const auto outputs = editor_.outputs(node);
        const std::vector<TensorMeta> tensors(outputs.begin(), outputs.end());
        const NodeRecord& record = editor_.record(node);
        const NodeMetadata metadata = editor_.metadata(node);
        editor_.create({.base_name = name,
                        .target = record.target,
                        .args = record.args,
                        .kwargs = record.kwargs,
                        .outputs = tensors,
                        .multi = record.multi,
                        .metadata = &metadata,
                        .op = record.op},
                       editor_.next(node));
        order_ = editor_.order();
    }

    /// As the reader does.
    void refuse_odd_edges() const {
        for (const NodeId node : order_) {
            const NodeOp op = editor_.op(node);
            if (op == NodeOp::output && editor_.user_count(node) > 0) {
                throw InputError("edited", "a node takes the output as an input");
            }
            if ((op == NodeOp::placeholder || op == NodeOp::get_attr) && !editor_.inputs(node).empty()) {
                throw InputError("edited", "a placeholder or get_attr has inputs");
            }
        }
    }

    /// As the reader does.
    void refuse_too_many_bytes() const {
        std::int64_t total = 0;
        for (const NodeId node : order_) {
            for (const TensorMeta& tensor : editor_.outputs(node)) {
                if (!tensor.is_tensor) continue;
                total += counted_bytes(tensor, editor_.shape(tensor));
                if (total > total_bytes_limit) throw InputError("edited", "the tensors have too many bytes");
                if (!memory_reach(editor_.shape(tensor), editor_.stride(tensor))) {
                    throw InputError("edited", "a tensor reaches too far");
                }
            }
        }
    }

    GraphEditor editor_;
    Choices& choices_;
    std::vector<NodeId> order_;  ///< of the editor
};

}  // namespace

std::shared_ptr<const Graph> with_edits(std::shared_ptr<const Graph> source, std::size_t count, Choices& choices) {
    GraphEdits edits(std::move(source), choices);
    for (std::size_t done = 0; done < count; ++done) edits.apply();
    return edits.finish();
}

const std::vector<std::string>& odd_modules() {
    static const std::vector<std::string> modules = {"",  "layers.0", "layers.1.attention", "layers", "norm",
                                                     ".", "a..b",     "L['self'].layers.0"};
    return modules;
}

}  // namespace overlap::fuzz
