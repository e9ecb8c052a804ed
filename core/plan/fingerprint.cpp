#include <bit>

#include "core/plan/plan.h"

namespace overlap {

namespace {

/// A 64-bit hash over words, the same on every machine: it never looks at memory as bytes.
class WordHash {
  public:
    void add(std::uint64_t word) {
        state_ = std::rotl(state_ ^ (word * 0x9e3779b97f4a7c15u), 27) * 0xbf58476d1ce4e5b9u + 0x94d049bb133111ebu;
    }

    /// The hash with every bit of the state spread over all of it.
    std::uint64_t value() const {
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        return mixed ^ (mixed >> 31);
    }

  private:
    std::uint64_t state_ = 0x6f7665726c617021u;
};

/// Hashes a graph's strings, each once, since most occur often. Numbers of strings depend on the order of reading and
/// are no part of the result.
class GraphHash {
  public:
    explicit GraphHash(const Graph& graph) : graph_(graph), strings_(graph.strings()->size(), 0) {}

    std::uint64_t digest() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) add_node(node);
        return hash_.value();
    }

  private:
    void add_text(std::string_view text) {
        WordHash hash;
        hash.add(text.size());
        for (std::size_t at = 0; at < text.size();) {
            std::uint64_t word = 0;
            for (unsigned shift = 0; shift < 64 && at < text.size(); shift += 8, ++at) {
                word |= std::uint64_t{static_cast<unsigned char>(text[at])} << shift;
            }
            hash.add(word);
        }
        last_text_ = hash.value() | 1;  // 0 stands for a string that was not hashed yet
        hash_.add(last_text_);
    }

    void add_string(StringId id) {
        if (strings_[id] != 0) {
            hash_.add(strings_[id]);
        } else {
            add_text(graph_.text(id));
            strings_[id] = last_text_;
        }
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
    std::uint64_t last_text_ = 0;
    WordHash hash_;
};

std::string hexadecimal(std::uint64_t number) {
    std::string digits(16, '0');
    for (std::size_t place = digits.size(); place-- > 0; number >>= 4) digits[place] = "0123456789abcdef"[number & 15];
    return digits;
}

}  // namespace

GraphFingerprint fingerprint(const Graph& graph) {
    return {graph.header().name, graph.node_count(), hexadecimal(GraphHash(graph).digest())};
}

}  // namespace overlap
