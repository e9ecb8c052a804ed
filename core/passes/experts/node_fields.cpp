#include "core/passes/experts/node_fields.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/files/json_writer.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

namespace {

constexpr std::string_view shapes_field = "symbolic_shapes", value_field = "symbolic_value",
                           trainer_field = "titan_meta", hints_field = "chunk_symbol_hints";

std::optional<std::int64_t> whole_number(std::string_view json) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), number);
    return error == std::errc() && end == json.data() + json.size() ? std::optional(number) : std::nullopt;
}

/// Whether a node's fields may say anything of sizes: most do not, which is seen at a fraction of the time that taking
/// them apart needs.
bool may_have_sizes(std::string_view text) {
    return text.find("\"symbolic_") != text.npos || text.find(hints_field) != text.npos;
}

/// What a `symbolic_value` says, as JSON.
struct SymbolAndHint {
    std::string_view symbol, hint;
};

/// The members of a text such as {"symbol":"u4","hint":12}, which most have; empty where it is any other.
SymbolAndHint as_written(std::string_view object) {
    constexpr std::string_view first = R"({"symbol":)", second = R"(,"hint":)";
    if (!object.starts_with(first) || !object.ends_with('}')) return {};
    object.remove_prefix(first.size());
    object.remove_suffix(1);
    const std::size_t end = object.find(second);
    if (end == object.npos || end < 2 || object.front() != '"' || object.find_first_of("\"\\", 1) != end - 1) return {};
    const SymbolAndHint found = {object.substr(0, end), object.substr(end + second.size())};
    return whole_number(found.hint) ? found : SymbolAndHint();
}

void add_member(std::string& members, std::string_view key, std::string_view value) {
    if (!members.empty()) members += ',';
    (((members += '"') += key) += "\":") += value;
}

}  // namespace

const std::vector<ExpressionId>& NodeFields::sizes() const {
    static const std::vector<ExpressionId> none;
    return shapes.empty() ? none : shapes.front();
}

NodeFieldTable::NodeFieldTable(const Graph& graph, std::string_view pass, bool reads_chunks, NodeId end)
    : graph_(graph), pass_(pass), reads_chunks_(reads_chunks), field_of_(std::min(end, graph.node_count())) {
    constexpr std::uint32_t not_read = 0xffffffffu;
    std::vector<std::uint32_t> known(graph.strings()->size(), not_read);
    fields_.reserve(field_of_.size() / 4);
    for (NodeId node = 0; node < field_of_.size(); ++node) {
        StringId text = graph.extra_json()[node];
        if (const TextPieces* pieces = reads_chunks ? nullptr : graph.strings()->pieces(text))
            text = (*pieces)[place_of_sizes];
        if (known[text] == not_read) {
            known[text] = static_cast<std::uint32_t>(fields_.size());
            fields_.push_back(read(node, graph.text(text)));
            is_complete_ &= fields_.back().hints.empty();
        }
        field_of_[node] = known[text];
    }
    std::optional<std::int64_t> unknown;
    hints_.resize(expressions_.symbol_count());
    for (SymbolId symbol = 0; symbol < hints_.size(); ++symbol) {
        is_complete_ &= hints_[symbol].has_value();
        if (!hints_[symbol]) {
            // A header may be long.
            if (!unknown)
                unknown = whole_number(json_member(graph.header().extra_json, "unbacked_symbol_hint")).value_or(1);
            hints_[symbol] = unknown;
        }
        const std::optional<std::int64_t> number = whole_number(std::string_view(expressions_.name(symbol)).substr(1));
        if (number && *number >= next_symbol_)
            next_symbol_ = *number + (*number < std::numeric_limits<std::int64_t>::max() ? 1 : 0);
    }
}

std::int64_t NodeFieldTable::hint(NodeId node, ExpressionId expression) const {
    if (const auto value = expressions_.value(expression, hints_)) return *value;
    refuse_node(pass_, graph_.name(node),
                "its size " + in_quotes(shortened(expressions_.text(expression))) +
                    " has no value under the hints of its symbols");
}

NodeFields NodeFieldTable::read(NodeId node, std::string_view text) {
    NodeFields fields;
    if (text.empty() || (!reads_chunks_ && !may_have_sizes(text))) return fields;
    for_each_json_member(text, [&](std::string_view key, std::string_view value) {
        if (key == value_field) {
            fields.value = read_value(node, value);
        } else if (key == shapes_field) {
            fields.shapes = read_shapes(node, value);
        } else if (key == trainer_field) {
            read_trainer_fields(node, value, fields);
        } else {
            add_member(fields.members, key, value);
        }
    });
    return fields;
}

void NodeFieldTable::read_trainer_fields(NodeId node, std::string_view value, NodeFields& fields) {
    const bool has_hints = value.find(hints_field) != value.npos;
    if (has_hints) fields.hints = chunk_symbol_hints(graph_, node, pass_);
    if (!has_hints && (!reads_chunks_ || value.find("chunk") == value.npos) && value.size() > 1 &&
        value.front() == '{') {
        fields.trainer_members = value.substr(1, value.size() - 2);
        return;
    }
    for_each_json_member(value, [&](std::string_view name, std::string_view member) {
        if (name == hints_field) return;
        if (reads_chunks_ && read_chunk_member(fields.chunk, name, member, graph_, node, pass_)) return;
        add_member(fields.trainer_members, name, member);
    });
}

std::vector<std::vector<ExpressionId>> NodeFieldTable::read_shapes(NodeId node, std::string_view list) {
    std::vector<std::vector<ExpressionId>> shapes;
    const std::span<const TensorMeta> outputs = graph_.outputs(node);
    bool any = false;
    for (const std::string_view item : json_items(list)) {
        const std::size_t index = shapes.size();
        std::vector<ExpressionId>& shape = shapes.emplace_back();
        if (item == "null" || index >= outputs.size() || !outputs[index].is_tensor) continue;
        const std::span<const std::int64_t> sizes = graph_.shape(outputs[index]);
        const std::vector<std::string_view> texts = json_items(item);
        if (texts.size() != sizes.size()) {
            refuse_node(pass_, graph_.name(node),
                        "its symbolic_shapes have " + std::to_string(texts.size()) + " sizes for an output of " +
                            std::to_string(sizes.size()));
        }
        bool symbolic = false;
        for (std::size_t dimension = 0; dimension < texts.size(); ++dimension) {
            const bool is_text = texts[dimension].front() == '"';
            const ExpressionId size = is_text ? read_expression(node, texts[dimension]) : no_expression;
            if (is_text) learn_hint(size, sizes[dimension]);
            // A text without symbols is a number for torch.
            const bool has_symbols = is_text && !expressions_.symbols(size).empty();
            shape.push_back(has_symbols ? size : no_expression);
            symbolic |= has_symbols;
        }
        if (!symbolic) shape.clear();
        any |= symbolic;
    }
    if (!any) shapes.clear();
    return shapes;
}

ExpressionId NodeFieldTable::read_value(NodeId node, std::string_view object) {
    SymbolAndHint members = as_written(object);
    if (members.symbol.empty()) {
        for_each_json_member(object, [&](std::string_view key, std::string_view member) {
            if (key == "symbol") members.symbol = member;
            if (key == "hint") members.hint = member;
        });
    }
    const ExpressionId value = read_expression(node, members.symbol);
    if (expressions_.symbols(value).empty()) return no_expression;
    if (const auto number = whole_number(members.hint)) learn_hint(value, *number);
    return value;
}

ExpressionId NodeFieldTable::read_expression(NodeId node, std::string_view json) {
    const bool is_text = json.size() >= 2 && json.front() == '"';
    const std::string_view text = is_text ? json.substr(1, json.size() - 2) : std::string_view();
    const ExpressionId expression = expressions_.read(text);
    if (!expressions_.is_readable(expression)) {
        refuse_node(pass_, graph_.name(node),
                    "found " + (json.empty() ? "nothing" : std::string(shortened(json))) +
                        " as a size or value that is known only when the job runs, expected an expression of symbols "
                        "such as u4 or 3*u0");
    }
    return expression;
}

/// The number beside a symbol that stands alone.
void NodeFieldTable::learn_hint(ExpressionId expression, std::int64_t number) {
    const std::optional<SymbolId> symbol = expressions_.single_symbol(expression);
    if (!symbol) return;
    if (*symbol >= hints_.size()) hints_.resize(*symbol + 1);
    if (!hints_[*symbol]) hints_[*symbol] = number;
}

namespace {

void write_shape(JsonWriter& json, const std::vector<ExpressionId>& shape, std::span<const std::int64_t> sizes,
                 const Expressions& expressions) {
    json.begin_array();
    for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
        const ExpressionId size = dimension < shape.size() ? shape[dimension] : no_expression;
        if (size == no_expression) {
            json.value(sizes[dimension]);
        } else {
            json.value(std::string_view(expressions.text(size)));
        }
    }
    json.end_array();
}

/// The fields that are not about chunks, as members of the object that is open.
void write_sizes(JsonWriter& json, const NodeFields& fields, const Expressions& expressions, const SymbolValues& hints,
                 const GraphEditor& editor, std::span<const TensorMeta> outputs) {
    if (!fields.members.empty()) json.json(fields.members);
    if (fields.value != no_expression) {
        json.key(value_field).begin_object().member("symbol", std::string_view(expressions.text(fields.value)));
        json.member("hint", expressions.value(fields.value, hints).value_or(0)).end_object();
    }
    if (fields.shapes.empty()) return;
    json.key(shapes_field).begin_array();
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        if (!outputs[index].is_tensor) {
            json.null();
            continue;
        }
        static const std::vector<ExpressionId> numbers;
        write_shape(json, index < fields.shapes.size() ? fields.shapes[index] : numbers, editor.shape(outputs[index]),
                    expressions);
    }
    json.end_array();
}

}  // namespace

std::string fields_text(const NodeFields& fields, const Expressions& expressions, const SymbolValues& hints,
                        const GraphEditor& editor, std::span<const TensorMeta> outputs) {
    JsonWriter json;
    json.reserve(320);
    json.begin_object();
    write_sizes(json, fields, expressions, hints, editor, outputs);
    const ChunkMetadata& chunk = fields.chunk;
    const bool has_chunk = chunk.role != ChunkRole::none || !chunk.empty();
    if (has_chunk || !fields.trainer_members.empty() || !fields.hints.empty()) {
        json.key(trainer_field).begin_object();
        if (!fields.trainer_members.empty()) json.json(fields.trainer_members);
        if (has_chunk) write_chunk_members(json, chunk);
        if (!fields.hints.empty()) {
            json.key(hints_field).begin_object();
            for (const ChunkSymbolHint& hint : fields.hints) json.member(hint.symbol, hint.extent);
            json.end_object();
        }
        json.end_object();
    }
    std::string text = json.end_object().take();
    return text == "{}" ? std::string() : text;
}

std::string sizes_piece_text(const NodeFields& fields, const Expressions& expressions, const SymbolValues& hints,
                             const GraphEditor& editor, std::span<const TensorMeta> outputs) {
    JsonWriter json;
    json.reserve(256);
    json.begin_object();
    write_sizes(json, fields, expressions, hints, editor, outputs);
    std::string text = json.take();
    if (text.size() > 1) text.push_back(',');
    return text;
}

std::string half_piece_text(std::string_view trainer_members, const ChunkMetadata& chunk) {
    ChunkMetadata unnamed = chunk;
    unnamed.original_name.clear();
    JsonWriter json;
    json.reserve(256);
    json.key(trainer_field).begin_object();
    if (!trainer_members.empty()) json.json(trainer_members);
    write_chunk_members(json, unnamed);
    return json.take().append(R"(,"chunked_original_name":")");
}

}  // namespace overlap::experts
