#include "core/passes/experts/chunk_graph.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/passes/default_names.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

namespace {

struct KnownOperator {
    std::string_view name;
    unsigned traits;
};

/// Operators with an argument `size` or `shape` in the second place are those of torch 2.15 that return one tensor and
/// occur in traced graphs.
constexpr auto known_operators = std::to_array<KnownOperator>({
    {"_c10d_functional.all_reduce.default", ChunkGraph::reduction},
    {"_c10d_functional.all_to_all_single.default", ChunkGraph::exchange},
    {"_c10d_functional.reduce_scatter_tensor.default", ChunkGraph::reduction},
    {"_c10d_functional.wait_tensor.default", ChunkGraph::awaits},
    {"aten._local_scalar_dense.default", ChunkGraph::binds_symbol},
    {"aten._reshape_alias.default", ChunkGraph::takes_shape},
    {"aten._reshape_alias_copy.default", ChunkGraph::takes_shape},
    {"aten._reshape_copy.default", ChunkGraph::takes_shape},
    {"aten._unsafe_view.default", ChunkGraph::takes_shape},
    {"aten.as_strided.default", ChunkGraph::takes_shape},
    {"aten.as_strided_.default", ChunkGraph::takes_shape},
    {"aten.as_strided_copy.default", ChunkGraph::takes_shape},
    {"aten.broadcast_to.default", ChunkGraph::takes_shape},
    {"aten.expand.default", ChunkGraph::takes_shape},
    {"aten.expand_copy.default", ChunkGraph::takes_shape},
    {"aten.new_empty.default", ChunkGraph::takes_shape},
    {"aten.new_empty_strided.default", ChunkGraph::takes_shape},
    {"aten.new_full.default", ChunkGraph::takes_shape},
    {"aten.new_ones.default", ChunkGraph::takes_shape},
    {"aten.new_zeros.default", ChunkGraph::takes_shape},
    {"aten.reshape.default", ChunkGraph::takes_shape},
    {"aten.resize.default", ChunkGraph::takes_shape},
    {"aten.resize_.default", ChunkGraph::takes_shape},
    {"aten.sum_to_size.default", ChunkGraph::takes_shape},
    {"aten.sym_size.int", ChunkGraph::sym_size},
    {"aten.sym_stride.int", ChunkGraph::sym_stride},
    {"aten.view.default", ChunkGraph::takes_shape},
    {"aten.view_copy.default", ChunkGraph::takes_shape},
    {"prims.as_strided.default", ChunkGraph::takes_shape},
    {"prims.broadcast_in_dim.default", ChunkGraph::takes_shape},
    {"prims.reshape.default", ChunkGraph::takes_shape},
});
static_assert(std::ranges::is_sorted(known_operators, {}, &KnownOperator::name));

/// Whether JSON wants a letter of the text escaped. Eight letters are looked at at once.
bool has_escaped(std::string_view text) {
    constexpr std::uint64_t ones = 0x0101010101010101u, highest = 0x80 * ones;
    const auto has_less = [](std::uint64_t letters, std::uint64_t than) {
        return (letters - than * ones) & ~letters & highest;
    };
    const auto look = [&](std::uint64_t letters) {
        return has_less(letters, 0x20) | has_less(letters ^ '"' * ones, 1) | has_less(letters ^ '\\' * ones, 1);
    };
    std::uint64_t found = 0, letters = ' ' * ones;
    constexpr std::size_t width = sizeof letters;
    if (text.size() < width) {
        for (const char letter : text) letters = letters << 8 | static_cast<unsigned char>(letter);
        return look(letters) != 0;
    }
    for (std::size_t at = 0; at + width <= text.size(); at += width) {
        std::memcpy(&letters, text.data() + at, width);
        found |= look(letters);
    }
    std::memcpy(&letters, text.data() + text.size() - width, width);  // the end, where some are looked at again
    found |= look(letters);
    return found != 0;
}

std::uint8_t traits_of(std::string_view target) {
    const auto* const known = std::ranges::lower_bound(known_operators, target, {}, &KnownOperator::name);
    unsigned traits = known != known_operators.end() && known->name == target ? known->traits : 0;
    if (target.starts_with("_c10d_functional.")) traits |= ChunkGraph::collective;
    return static_cast<std::uint8_t>(traits);
}

}  // namespace

ChunkGraph::ChunkGraph(const std::shared_ptr<const Graph>& source, std::int64_t static_inputs)
    : table_(*source, chunk_pass, true),
      symbols_(chunk_symbols(*source, table_, true, chunk_pass)),
      hints_(table_.hints()),
      next_symbol_(table_.next_symbol()),
      editor_(source),
      static_inputs_(source->node_count()),
      labelled_(source->strings()->size(), -1) {
    for (std::uint32_t target = 0; target < source->target_count(); ++target) {
        traits_.push_back(traits_of(source->target_text(target)));
    }
    known_.reserve(source->node_count() * 2 + 64);
    end_of_half_ = editor_.intern(end_of_half);
    for (NodeId node = 0; node < source->node_count(); ++node) {
        const NodeFields& fields = table_.of(node);
        note(node, {&fields, &fields.chunk, empty_string, mention_symbols(fields)});
        static_inputs_[node] = source->op(node) == NodeOp::placeholder && static_inputs-- > 0;
    }
}

bool ChunkGraph::is_expert_labelled(NodeId node) const {
    const StringId custom = editor_.metadata(node).custom_json;
    if (custom == empty_string) return false;
    const auto look = [&] {
        const std::string_view text = editor_.text(custom);
        return !json_member(text, "EP").empty() || !json_member(text, "EP_token_exchange").empty();
    };
    if (custom >= labelled_.size()) return look();
    if (labelled_[custom] < 0) labelled_[custom] = look() ? 1 : 0;
    return labelled_[custom] == 1;
}

const TensorMeta* ChunkGraph::tensor(NodeId node) const {
    const std::span<const TensorMeta> outputs = editor_.outputs(node);
    const bool is_tensor = !editor_.record(node).multi && outputs.size() == 1 && outputs.front().is_tensor;
    return is_tensor ? &outputs.front() : nullptr;
}

int ChunkGraph::chunk_dimension(NodeId node, const NodeFields& fields) const {
    int found = -1;
    const std::vector<ExpressionId>& sizes = fields.sizes();
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
        if (sizes[dimension] == no_expression || !symbols_.occur_in(expressions(), sizes[dimension])) continue;
        if (found >= 0) {
            refuse_node(chunk_pass, editor_.name(node),
                        "the halved size is in dimensions " + std::to_string(found) + " and " +
                            std::to_string(dimension) + "; torchtitan raises a ValueError");
        }
        found = static_cast<int>(dimension);
    }
    return found;
}

bool ChunkGraph::mention_symbols(const NodeFields& fields) const {
    const auto mentions = [&](ExpressionId expression) {
        return expression != no_expression && symbols_.occur_in(expressions(), expression);
    };
    return mentions(fields.value) || std::ranges::any_of(fields.shapes, [&](const std::vector<ExpressionId>& shape) {
               return std::ranges::any_of(shape, mentions);
           });
}

NodeId ChunkGraph::only_tensor_input(NodeId node) const {
    NodeId found = no_node;
    for (const NodeId input : editor_.inputs(node)) {
        if (!tensor(input)) continue;
        if (found != no_node) return no_node;
        found = input;
    }
    return found;
}

void ChunkGraph::set_fields(NodeId node, NodeFields fields) {
    editor_.set_extra_json(node,
                           editor_.intern(fields_text(fields, expressions(), hints_, editor_, editor_.outputs(node))));
    const NodeFields* kept = keep(std::move(fields));
    note(node, {kept, &kept->chunk, empty_string, mention_symbols(*kept)});
}

void ChunkGraph::note(NodeId node, const Known& known) {
    if (node >= known_.size()) known_.resize(node + 1);
    known_[node] = known;
}

void ChunkGraph::set_half(NodeId node, const HalvedFields& halved, Half& half, StringId original_name) {
    const NodeFields& fields = *halved.fields;
    const std::string_view name = editor_.text(original_name);
    if (halved.sizes_piece == empty_string || name.empty() || has_escaped(name)) {
        NodeFields whole = fields;
        whole.chunk = *half.chunk;
        whole.chunk.original_name = name;
        return set_fields(node, std::move(whole));
    }
    auto known = std::ranges::find(half.half_piece, std::string_view(fields.trainer_members),
                                   &std::pair<std::string_view, StringId>::first);
    if (known == half.half_piece.end()) {
        half.half_piece.emplace_back(fields.trainer_members,
                                     editor_.intern(half_piece_text(fields.trainer_members, *half.chunk)));
        known = half.half_piece.end() - 1;
    }
    editor_.set_extra_json(node, editor_.compose({halved.sizes_piece, known->second, original_name, end_of_half_}));
    note(node, {&fields, half.chunk, original_name, halved.depends});
}

NodeId ChunkGraph::create(const GraphEditor::NewNode& call, std::string_view target, NodeFields fields, NodeId before) {
    GraphEditor::NewNode node = call;
    const std::string default_name = default_name_of_call(target);
    const NameParts name = split_name(default_name);
    node.base_name = name.base;
    node.number = name.number;
    node.target = editor_.target_index(target);
    if (node.target >= traits_.size()) traits_.push_back(traits_of(target));
    const NodeId made = editor_.create(node, before);
    set_fields(made, std::move(fields));
    return made;
}

std::string_view ChunkGraph::default_name(std::uint32_t target) {
    if (target >= default_names_.size()) default_names_.resize(target + 1);
    std::string& name = default_names_[target];
    if (name.empty()) name = default_name_of_call(editor_.source().target_text(target));
    return name;
}

SymbolId ChunkGraph::fresh_symbol(SymbolId original) {
    if (next_symbol_ == std::numeric_limits<std::int64_t>::max()) {
        throw PassRefusal(std::string(chunk_pass), "symbol " + in_quotes(expressions().name(original)),
                          "no number is left to name its half: a symbol of the graph has the highest");
    }
    std::string name("u");
    name += std::to_string(next_symbol_++);
    const SymbolId made = expressions().symbol(name);
    if (made >= hints_.size()) hints_.resize(made + 1);
    const std::int64_t hint = hints_[original].value_or(1);
    hints_[made] = std::max<std::int64_t>(1, hint / 2 + hint % 2);
    return made;
}

void ChunkGraph::set_halves(NodeId node, const Halves& halves) {
    if (node >= halves_.size()) halves_.resize(node + 1, no_halves);
    halves_[node] = halves;
}

}  // namespace overlap::experts
