#include <bit>

#include "core/base/word_hash.h"
#include "core/plan/plan.h"

namespace overlap {

namespace {

/// Hashes a graph's strings, each once, since most occur often (0 stands for one that was not hashed yet). Numbers of
/// strings depend on the order of reading and are not part of the result.
class GraphHash {
  public:
    explicit GraphHash(const Graph& graph) : graph_(graph), strings_(graph.strings()->size(), 0) {}

    std::uint64_t digest() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) add_node(node);
        return hash_.value();
    }

  private:
    void add_text(std::string_view text) { hash_.add(word_of_text(text)); }

    void add_string(StringId id) {
        if (strings_[id] == 0) strings_[id] = word_of_text(graph_.text(id));
        hash_.add(strings_[id]);
    }

    void add_value(const Value& value) {
        hash_.add(static_cast<std::uint64_t>(value.kind) << 32 | value.count);
        switch (value.kind) {
            case ValueKind::none:
                return;
            case ValueKind::boolean:
                hash_.add(value.boolean ? 1 : 0);
                return;
            case ValueKind::integer:
                hash_.add(static_cast<std::uint64_t>(value.integer));
                return;
            case ValueKind::floating:
                hash_.add(std::bit_cast<std::uint64_t>(value.floating));
                return;
            case ValueKind::node:
                hash_.add(value.node);
                return;
            case ValueKind::list:
            case ValueKind::dictionary:
            case ValueKind::slice:
            case ValueKind::symbol:
                for (const Value& child : graph_.children(value)) add_value(child);
                return;
            default:
                add_string(value.string);
        }
    }

    void add_node(NodeId node) {
        const NodeRecord& record = graph_.record(node);
        const NodeMetadata& metadata = graph_.metadata(node);
        hash_.add(static_cast<std::uint64_t>(record.op));
        add_string(record.name);
        add_text(graph_.target(node));
        add_value(record.args);
        add_value(record.kwargs);
        for (const TensorMeta& tensor : graph_.outputs(node)) {
            hash_.add(tensor.is_tensor ? tensor.rank + 1u : 0u);
            if (!tensor.is_tensor) continue;
            add_text(dtype_info(tensor.dtype).name);
            for (const std::int64_t size : graph_.shape(tensor)) hash_.add(static_cast<std::uint64_t>(size));
        }
        for (const ModuleStackId stack : {metadata.module_stack, metadata.fwd_module_stack}) {
            hash_.add(graph_.module_stack(stack).size());
            for (const ModuleStackEntry& entry : graph_.module_stack(stack)) add_string(entry.path);
        }
        add_string(metadata.module_fqn);
    }

    const Graph& graph_;
    std::vector<std::uint64_t> strings_;
    WordHash hash_;
};

}  // namespace

GraphFingerprint fingerprint(const Graph& graph) {
    return {graph.header().name, graph.node_count(), hexadecimal(GraphHash(graph).digest())};
}

}  // namespace overlap
