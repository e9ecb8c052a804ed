#include "core/passes/bucketing/padded_input.h"

#include <algorithm>
#include <span>

#include "core/passes/bucketing/traced_sequence.h"

namespace overlap {

namespace {

using Sizes = std::vector<std::int64_t>;

/// One test of the pattern; the members are the values common to the whole match.
class Matcher {
  public:
    Matcher(const GraphEditor& graph, NodeId cat, std::int64_t group_size)
        : graph_(graph), cat_(cat), group_size_(group_size) {}

    std::optional<PaddedInput> match() {
        if (!is_call(cat_, "aten.cat.default") || group_size_ <= 0 || graph_.user_count(cat_) != 1) return {};
        if (!tensor(cat_) || !collect_pieces() || !find_split()) return {};
        const auto cat_dimension = integer_argument(cat_, 1, "dim", 0);
        const auto split_dimension = integer_argument(split_, 2, "dim", 0);
        const auto split_size = integer_argument(split_, 1, "split_size", std::nullopt);
        source_ = graph_.node_argument(split_, 0);
        if (!cat_dimension || !split_dimension || !split_size || *split_size <= 0 || source_ == no_node) return {};
        if (!tensor(source_)) return {};
        const Sizes shape = sizes(source_);
        if (shape.empty() || shape[0] <= 0 || !is_first_dimension(*cat_dimension, cat_) ||
            !is_first_dimension(*split_dimension, source_) || !same_kind(cat_) || !contiguous(source_) ||
            !contiguous(cat_) || graph_.user_count(source_) != 1) {
            return {};
        }
        const Sizes joined = sizes(cat_);
        if (joined.empty() || group_size_ > joined[0]) return {};  // fewer rows than pieces
        const std::int64_t chunk = (shape[0] + group_size_ - 1) / group_size_;
        Sizes whole = shape;
        whole[0] = chunk * group_size_;
        if (*split_size != chunk || joined != whole) return {};
        if (!check_pieces(shape, chunk)) return {};
        return PaddedInput{source_, packing_nodes_};
    }

  private:
    struct Piece {
        NodeId in_cat;  ///< as the cat has it
        NodeId chunk;   ///< without the padding
        std::optional<Sizes> padding;
    };

    bool is_call(NodeId node, std::string_view target) const {
        return node != no_node && graph_.op(node) == NodeOp::call_function && graph_.target(node) == target;
    }
    const TensorMeta* tensor(NodeId node) const {
        const std::span<const TensorMeta> outputs = graph_.outputs(node);
        return outputs.size() == 1 && outputs.front().is_tensor ? &outputs.front() : nullptr;
    }
    Sizes sizes(NodeId node) const {
        const std::span<const std::int64_t> shape = graph_.shape(*tensor(node));
        return {shape.begin(), shape.end()};
    }
    bool contiguous(NodeId node) const {
        return is_contiguous(graph_.shape(*tensor(node)), graph_.stride(*tensor(node)));
    }
    bool same_kind(NodeId node) const {
        const TensorMeta* other = tensor(node);
        return other && other->dtype == tensor(source_)->dtype && other->device == tensor(source_)->device;
    }
    bool is_first_dimension(std::int64_t dimension, NodeId node) const {
        return dimension == 0 || dimension == -static_cast<std::int64_t>(tensor(node)->rank);
    }

    std::optional<std::int64_t> integer_argument(NodeId node, std::size_t index, std::string_view key,
                                                 std::optional<std::int64_t> otherwise) const {
        const Value* value = graph_.argument(node, index);
        if (!value) value = graph_.keyword(node, key);
        if (!value) return otherwise;
        return value->is(ValueKind::integer) ? std::optional(value->integer) : std::nullopt;
    }

    std::optional<Sizes> integers(const Value* value) const {
        if (!value || !value->is(ValueKind::list)) return {};
        Sizes numbers;
        for (const Value& item : graph_.children(*value)) {
            if (!item.is(ValueKind::integer)) return {};
            numbers.push_back(item.integer);
        }
        return numbers;
    }

    static bool is_zero(const Value* value) {
        return !value || (value->is(ValueKind::integer) && value->integer == 0) ||
               (value->is(ValueKind::floating) && value->floating == 0) ||
               (value->is(ValueKind::boolean) && !value->boolean);
    }

    bool collect_pieces() {
        const Value* joined = graph_.argument(cat_, 0);
        if (!joined) joined = graph_.keyword(cat_, "tensors");
        if (!joined || !joined->is(ValueKind::list) || joined->count != static_cast<std::uint64_t>(group_size_)) {
            return false;
        }
        for (const Value& item : graph_.children(*joined)) {
            if (!item.is(ValueKind::node)) return false;
            Piece piece{graph_.current(item.node), graph_.current(item.node), {}};
            if (is_call(piece.in_cat, "aten.constant_pad_nd.default")) {
                const Value* padding = graph_.argument(piece.in_cat, 1);
                if (!padding) padding = graph_.keyword(piece.in_cat, "pad");
                const Value* fill = graph_.argument(piece.in_cat, 2);
                if (!fill) fill = graph_.keyword(piece.in_cat, "value");
                piece.padding = integers(padding);
                piece.chunk = graph_.node_argument(piece.in_cat, 0);
                if (!piece.padding || !is_zero(fill) || piece.chunk == no_node) return false;
            }
            pieces_.push_back(std::move(piece));
        }
        return true;
    }

    /// All pieces are chunks of one split, or zeros made from such a chunk.
    bool find_split() {
        for (const Piece& piece : pieces_) {
            NodeId chunk = piece.chunk;
            if (is_call(chunk, "aten.new_zeros.default")) chunk = graph_.node_argument(chunk, 0);
            if (!is_call(chunk, "operator.getitem")) return false;
            const NodeId split = graph_.node_argument(chunk, 0);
            if (split == no_node || (split_ != no_node && split_ != split)) return false;
            split_ = split;
        }
        return is_call(split_, "aten.split.Tensor");
    }

    bool check_pieces(const Sizes& shape, std::int64_t chunk) {
        packing_nodes_ = {cat_, split_};
        Sizes chunk_shape = shape;
        chunk_shape[0] = chunk;
        const std::int64_t filled = (shape[0] + chunk - 1) / chunk;
        for (std::size_t index = 0; index < pieces_.size(); ++index) {
            const Piece& piece = pieces_[index];
            if (!tensor(piece.in_cat) || sizes(piece.in_cat) != chunk_shape || !same_kind(piece.in_cat) ||
                !contiguous(piece.in_cat)) {
                return false;
            }
            if (piece.padding) packing_nodes_.push_back(piece.in_cat);
            const auto place = static_cast<std::int64_t>(index);
            Sizes expected(shape.size() * 2, 0);
            if (place < filled) {
                expected.back() = chunk - std::min(chunk, shape[0] - place * chunk);
                const Value* item = graph_.argument(piece.chunk, 1);
                if (!is_call(piece.chunk, "operator.getitem") || !item || !item->is(ValueKind::integer) ||
                    item->integer != place) {
                    return false;
                }
                if (piece.padding ? *piece.padding != expected : expected.back() != 0) return false;
            } else {
                expected.back() = chunk;
                if (piece.padding != expected || !are_missing_rows(piece.chunk, shape)) return false;
            }
            packing_nodes_.push_back(piece.chunk);
        }
        return true;
    }

    /// `new_zeros` of the first chunk with no rows.
    bool are_missing_rows(NodeId node, const Sizes& shape) const {
        Sizes none = shape;
        none[0] = 0;
        if (!is_call(node, "aten.new_zeros.default") || graph_.node_argument(node, 0) != pieces_.front().chunk ||
            integers(graph_.argument(node, 1)) != none || !same_kind(node)) {
            return false;
        }
        const std::span<const Value> keywords = graph_.children(graph_.record(node).kwargs);
        for (std::size_t index = 0; index + 1 < keywords.size(); index += 2) {
            if (!keyword_agrees(graph_.text(keywords[index].string), keywords[index + 1])) return false;
        }
        return true;
    }

    bool keyword_agrees(std::string_view key, const Value& value) const {
        if (key != "dtype" && key != "layout" && key != "device" && key != "pin_memory") return false;
        if (value.is(ValueKind::none)) return true;
        if (key == "dtype") {
            return value.is(ValueKind::dtype) && graph_.text(value.string) == dtype_info(tensor(source_)->dtype).name;
        }
        if (key == "layout") return value.is(ValueKind::layout) && graph_.text(value.string) == "strided";
        if (key == "pin_memory") return value.is(ValueKind::boolean) && !value.boolean;
        std::string_view device = graph_.text(value.string);
        return value.is(ValueKind::device) &&
               device.substr(0, device.find(':')) == graph_.text(tensor(source_)->device);
    }

    const GraphEditor& graph_;
    NodeId cat_;
    std::int64_t group_size_;
    std::vector<Piece> pieces_;
    NodeId split_ = no_node, source_ = no_node;
    std::vector<NodeId> packing_nodes_;
};

}  // namespace

std::optional<PaddedInput> match_padded_input(const GraphEditor& graph, NodeId input, NodeId start) {
    const Value* group_size = graph.argument(start, 2);
    if (!group_size || !group_size->is(ValueKind::integer)) return {};
    return Matcher(graph, input, group_size->integer).match();
}

void erase_dead_packing_nodes(GraphEditor& graph, std::vector<NodeId> packing_nodes) {
    std::ranges::sort(packing_nodes, [&](NodeId left, NodeId right) { return graph.is_before(right, left); });
    packing_nodes.erase(std::unique(packing_nodes.begin(), packing_nodes.end()), packing_nodes.end());
    for (const NodeId node : packing_nodes) {
        if (graph.user_count(node) == 0) graph.erase(node);
    }
}

}  // namespace overlap
