// A region is computed for each half.

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/quote.h"
#include "core/passes/experts/chunk_lowering.h"
#include "core/passes/experts/symbolic_layout.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

BodyCopier::BodyCopier(const LoweringContext& context, const ChunkRegion& region, const HalvedInputs& inputs,
                       const NodeSet& preserved)
    : context_(context),
      graph_(context.graph),
      editor_(graph_.editor()),
      region_(region),
      inputs_(inputs),
      preserved_(preserved) {
    originals_.reserve(region.nodes.size());
    std::vector<std::uint32_t>& places = graph_.places_in_region();
    places.resize(editor_.number_count(), ChunkGraph::no_place);
    std::size_t output_count = 0;
    for (const NodeId node : region.nodes) output_count += std::as_const(editor_).outputs(node).size();
    original_outputs_.reserve(output_count);  // so that spans stay
    for (const NodeId node : region.nodes) {
        const NodeRecord& record = editor_.record(node);
        const std::span<const TensorMeta> outputs = std::as_const(editor_).outputs(node);
        original_outputs_.insert(original_outputs_.end(), outputs.begin(), outputs.end());
        places[node] = static_cast<std::uint32_t>(originals_.size());
        originals_.push_back({node, editor_.name(node), record.name, record.args, record.kwargs,
                              std::span(original_outputs_).last(outputs.size()), editor_.metadata(node),
                              &graph_.fields(node), has_symbols(record.args) || has_symbols(record.kwargs)});
    }
}

BodyCopier::~BodyCopier() {
    for (const NodeId node : region_.nodes) graph_.places_in_region()[node] = ChunkGraph::no_place;
}

void BodyCopier::run() {
    copy_half(0);
    copy_half(1);
}

void BodyCopier::copy_half(int chunk) {
    replaced_.clear();
    symbols_now_ = graph_.new_state_of_symbols();
    ChunkMetadata half;
    half.role = ChunkRole::body;
    half.producer = ChunkProducer::graph;
    half.chunk = chunk;
    half.is_backward = region_.is_backward;
    half.region = context_.roots[region_.root].module;
    half_ = {graph_.keep(std::move(half)), {}};
    copies_[chunk].assign(originals_.size(), no_node);
    for (std::size_t index = 0; index < originals_.size(); ++index) copies_[chunk][index] = copy(index, chunk);
}

NodeId BodyCopier::copy(std::size_t index, int chunk) {
    const OriginalNode& original = originals_[index];
    Value args = mapped(original, original.args, chunk);
    const Value kwargs = mapped(original, original.kwargs, chunk);
    check_shape_argument(original, args);
    if (chunk == 1) args = read_first_half(index, args);
    const bool in_place = chunk == 0 && !preserved_.has(original.node);
    NodeMetadata metadata = original.metadata;
    metadata.estimate_ms.reset();
    metadata.autograd_backward = region_.is_backward ? std::optional(true) : std::nullopt;
    std::vector<TensorMeta>& outputs = outputs_;
    outputs.assign(original.outputs.begin(), original.outputs.end());
    const ChunkGraph::HalvedFields& fields = halved_fields(original, outputs);
    NodeId made = original.node;
    if (in_place) {
        editor_.set_arguments(made, args, kwargs);
        std::ranges::copy(outputs, editor_.mutable_outputs(made).begin());
        editor_.set_metadata(made, metadata);
    } else {
        const NodeRecord record = editor_.record(original.node);
        const NameParts name = split_name(graph_.default_name(record.target));
        GraphEditor::NewNode node;
        node.base_name = name.base;
        node.number = name.number;
        node.target = record.target;
        node.args = args;
        node.kwargs = kwargs;
        node.outputs = outputs;
        node.multi = record.multi;
        node.metadata = &metadata;
        node.op = record.op;
        made = editor_.create(node, editor_.next(original.node));
    }
    name_.assign(original.name).append(chunk == 0 ? std::string_view("_chunk0") : "_chunk1");
    editor_.propose_name(made, name_);
    graph_.set_half(made, fields, half_, original.name_id);
    return made;
}

/// What a node reads instead of `node` in one half.
NodeId BodyCopier::stand_in(NodeId node, int chunk) const {
    if (const std::uint32_t own = place_of(node); own != ChunkGraph::no_place) {
        if (const NodeId copy = copies_[chunk][own]; copy != no_node) return copy;
    }
    const auto halved = inputs_.values.find(node);
    return halved == inputs_.values.end() ? node : halved->second[static_cast<std::size_t>(chunk)];
}

Value BodyCopier::mapped(const OriginalNode& original, const Value& value, int chunk) {
    if (original.has_symbols && has_symbols(value)) return mapped_with_symbols(original, value, chunk);
    return editor_.mapped(value, [&](NodeId node) { return stand_in(node, chunk); });
}

Value BodyCopier::mapped_with_symbols(const OriginalNode& original, const Value& value, int chunk) {
    if (value.is(ValueKind::symbol)) return mapped_symbol(original, value, chunk);
    std::vector<Value> items(editor_.children(value).begin(), editor_.children(value).end());
    for (Value& item : items) item = mapped(original, item, chunk);
    Value made = editor_.list(items);
    made.kind = value.kind;
    return made;
}

bool BodyCopier::has_symbols(const Value& value) const {
    if (value.is(ValueKind::symbol)) return true;
    return std::ranges::any_of(editor_.children(value), [&](const Value& child) { return has_symbols(child); });
}

/// A size that is written into the arguments.
Value BodyCopier::mapped_symbol(const OriginalNode& original, const Value& value, int chunk) {
    Expressions& expressions = graph_.expressions();
    const ExpressionId expression = expressions.read(editor_.text(editor_.children(value)[0].string));
    if (expressions.symbols(expression).size() == 1) {
        const auto known = inputs_.scalars.find(expression);
        if (known != inputs_.scalars.end()) return Value::of_node(known->second[static_cast<std::size_t>(chunk)]);
    }
    if (graph_.symbols().occur_in(expressions, expression)) {
        refuse_node(chunk_pass, original.name,
                    "its arguments have the halved size as " + in_quotes(expressions.text(expression)) +
                        ", which no node computes; no graph shows what torchtitan makes of it");
    }
    const ExpressionId half = halved(original, expression);
    if (half == expression) return value;
    const Value parts[] = {Value::of_string(editor_.intern(expressions.text(half))),
                           Value::of_integer(expressions.value(half, graph_.hints()).value_or(0))};
    Value made = editor_.list(parts);
    made.kind = ValueKind::symbol;
    return made;
}

/// A shape in numbers would be the whole one in both halves.
void BodyCopier::check_shape_argument(const OriginalNode& original, const Value& args) const {
    if (!graph_.has(original.node, ChunkGraph::takes_shape) || args.count < 2) return;
    const Value& shape = editor_.children(args)[1];
    const bool is_tensor = original.outputs.size() == 1 && original.outputs[0].is_tensor;
    if (!is_tensor || !shape.is(ValueKind::list)) return;
    for (const Value& size : editor_.children(shape)) {
        if (size.is(ValueKind::integer) && size.integer == -1) return;
        if (size.is(ValueKind::node) && graph_.fields(size.node).value != no_expression && graph_.depends(size.node)) {
            return;
        }
    }
    if (graph_.chunk_dimension(original.node, *original.fields) < 0) return;
    refuse_node(chunk_pass, original.name,
                "its shape is written as numbers, although it follows the halved size; torchtitan raises a "
                "ValueError: let the model take the size from a tensor, or write -1");
}

/// What both halves write in turn, such as a count of tokens, the second half takes from the first.
Value BodyCopier::read_first_half(std::size_t index, const Value& args) {
    const OriginalNode& original = originals_[index];
    const std::uint32_t written = editor_.target_info(original.node).written_arguments;
    if (written == 0 || !graph_.is_call(original.node)) return args;
    std::vector<Value> items(editor_.children(args).begin(), editor_.children(args).end());
    const std::span<const Value> before = editor_.children(original.args);
    int shared = 0;
    for (std::size_t place = 0; place < std::min<std::size_t>(before.size(), 32); ++place) {
        if ((written >> place & 1u) == 0 || !before[place].is(ValueKind::node)) continue;
        const std::uint32_t own = place_of(before[place].node);
        if (own != ChunkGraph::no_place && copies_[1][own] != no_node) continue;
        items[place] = Value::of_node(copies_[0][index]);
        ++shared;
    }
    if (shared == 0) return args;
    if (shared > 1) {
        refuse_node(chunk_pass, original.name,
                    "it writes several values from outside its module; torchtitan raises a ValueError");
    }
    return editor_.list(items);
}

ExpressionId BodyCopier::halved(const OriginalNode& original, ExpressionId expression) {
    if (expression == no_expression) return expression;
    if (expression >= halved_known_.size()) halved_known_.resize(graph_.expressions().count() + 16);
    if (halved_known_[expression].of == symbols_now_) return halved_known_[expression].half;
    const auto made = graph_.expressions().substituted(expression, [&](SymbolId symbol) -> SymbolReplacement {
        if (graph_.symbols().has(symbol)) return {symbol, true};
        return {symbol < replaced_.size() && replaced_[symbol] != no_symbol ? replaced_[symbol] : symbol, false};
    });
    if (!made) {
        refuse_node(chunk_pass, original.name,
                    "how torch writes " + in_quotes(graph_.expressions().text(expression)) +
                        " of half the batch is not known here");
    }
    halved_known_[expression] = {symbols_now_, *made};
    return *made;
}

/// What a node says of sizes in one half; `outputs` become the half's.
ChunkGraph::HalvedFields& BodyCopier::halved_fields(const OriginalNode& original, std::vector<TensorMeta>& outputs) {
    if (original.fields->value != no_expression && graph_.has(original.node, ChunkGraph::binds_symbol)) {
        if (const std::optional<SymbolId> symbol = graph_.expressions().single_symbol(original.fields->value)) {
            if (*symbol >= replaced_.size()) replaced_.resize(*symbol + 1, no_symbol);
            replaced_[*symbol] = graph_.fresh_symbol(*symbol);
            symbols_now_ = graph_.new_state_of_symbols();
        }
    }
    ChunkGraph::HalvedFields& halved = graph_.halved_fields(original.fields);
    const bool is_known = halved.of == symbols_now_ || halved.holds_for_all;
    if (is_known && put_known_sizes(halved, outputs)) return halved;
    return halved = make_halved_fields(original, outputs);
}

/// Gives outputs the sizes that are known of other nodes with the same fields. @returns false, and does nothing, where
/// they differ from those nodes' in sizes that are numbers.
bool BodyCopier::put_known_sizes(ChunkGraph::HalvedFields& halved, std::vector<TensorMeta>& outputs) {
    const std::vector<std::vector<ExpressionId>>& shapes = halved.fields->shapes;
    if (shapes.empty()) return true;
    if (halved.sizes.size() != outputs.size()) return false;
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        if (!outputs[index].is_tensor || halved.layouts[index].is_of(editor_, outputs[index])) continue;
        const std::span<const std::int64_t> whole = editor_.shape(outputs[index]);
        const std::vector<std::int64_t>& sizes = halved.sizes[index];
        if (whole.size() != sizes.size()) return false;
        for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
            const bool is_number =
                index >= shapes.size() || shapes[index].empty() || shapes[index][dimension] == no_expression;
            if (is_number && whole[dimension] != sizes[dimension]) return false;
        }
    }
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        if (!halved.changed[index]) continue;
        KnownLayout& layout = halved.layouts[index];
        // Where the whole has an expression, the half has one.
        outputs[index] = layout.is_of(editor_, outputs[index])
                             ? with_known_layout(editor_, outputs[index], layout)
                             : with_sizes(editor_, outputs[index], shapes[index], halved.sizes[index], layout);
    }
    return true;
}

ChunkGraph::HalvedFields BodyCopier::make_halved_fields(const OriginalNode& original,
                                                        std::vector<TensorMeta>& outputs) {
    const Expressions& expressions = graph_.expressions();
    ChunkGraph::HalvedFields made;
    made.of = symbols_now_;
    made.holds_for_all = true;
    const auto halve = [&](ExpressionId expression) {
        for (const SymbolId symbol : expressions.symbols(expression))
            made.holds_for_all &= graph_.symbols().has(symbol);
        return halved(original, expression);
    };
    NodeFields fields = *original.fields;
    fields.chunk = {};
    fields.value = halve(fields.value);
    made.changed.resize(outputs.size());
    made.layouts.resize(outputs.size());
    for (std::size_t index = 0; index < fields.shapes.size(); ++index) {
        std::vector<ExpressionId>& shape = fields.shapes[index];
        if (shape.empty()) continue;
        const std::vector<ExpressionId> before = shape;
        for (ExpressionId& size : shape) size = halve(size);
        if (shape == before) continue;
        const auto whole = editor_.shape(outputs[index]);
        std::vector<std::int64_t> sizes(whole.begin(), whole.end());
        for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
            if (shape[dimension] == no_expression) continue;
            sizes[dimension] = expressions.value(shape[dimension], graph_.hints()).value_or(0);
        }
        outputs[index] = with_sizes(editor_, outputs[index], before, sizes, made.layouts[index]);
        made.changed[index] = true;
    }
    for (const TensorMeta& output : outputs) {
        const auto shape = output.is_tensor ? editor_.shape(output) : std::span<const std::int64_t>();
        made.sizes.emplace_back(shape.begin(), shape.end());
    }
    if (fields.hints.empty()) {
        made.sizes_piece = editor_.intern(sizes_piece_text(fields, expressions, graph_.hints(), editor_, outputs));
    }
    made.depends = graph_.mention_symbols(fields);
    made.fields = graph_.keep(std::move(fields));
    return made;
}

}  // namespace overlap::experts
