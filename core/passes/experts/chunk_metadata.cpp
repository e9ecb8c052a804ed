#include "core/passes/experts/chunk_metadata.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/files/json_writer.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

namespace {

constexpr std::string_view trainer_fields = "titan_meta", hints_field = "chunk_symbol_hints";
constexpr std::string_view region_field = "chunked_region_fqn", direction_field = "chunked_region_is_backward",
                           producer_field = "chunked_region_producer", role_field = "chunked_region_role",
                           chunk_field = "chunk_id", original_field = "chunked_original_name";
/// In the order of the enumerations.
constexpr std::array<std::string_view, 5> roles = {"", "body", "split_boundary", "chunk_input", "materialization"};
constexpr std::array<std::string_view, 3> producers = {"", "eager", "graph"};

/// Reads the fields of one node.
class Reader {
  public:
    Reader(const Graph& graph, NodeId node, std::string_view pass) : graph_(graph), node_(node), pass_(pass) {}

    [[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view expected) const {
        std::string reason = "its titan_meta.";
        ((((reason += key) += " is ") += shortened(value)) += ", expected ") += expected;
        refuse_node(pass_, graph_.name(node_), reason);
    }

    /// What a text of JSON says; names of modules and nodes have nothing that JSON would escape.
    std::string_view text(std::string_view key, std::string_view value) const {
        if (value.size() < 2 || value.front() != '"' || value.find('\\') != value.npos)
            refuse(key, value, "a string without escapes");
        return value.substr(1, value.size() - 2);
    }

    template <typename Named, std::size_t count>
    Named one_of(std::string_view key, std::string_view value, const std::array<std::string_view, count>& names) const {
        const auto* const found = std::find(names.begin() + 1, names.end(), text(key, value));
        if (found == names.end()) refuse(key, value, "a value that torchtitan writes");
        return static_cast<Named>(found - names.begin());
    }

    std::int64_t whole_number(std::string_view key, std::string_view value) const {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size()) refuse(key, value, "a whole number");
        return number;
    }

    void read(ChunkMetadata& metadata, std::string_view key, std::string_view value) const {
        if (key == role_field) metadata.role = one_of<ChunkRole>(key, value, roles);
        if (key == producer_field) metadata.producer = one_of<ChunkProducer>(key, value, producers);
        if (key == region_field) metadata.region = text(key, value);
        if (key == original_field) metadata.original_name = text(key, value);
        if (key == direction_field) {
            if (value != "true" && value != "false") refuse(key, value, "true or false");
            metadata.is_backward = value == "true";
        }
        if (key == chunk_field) {
            if (value != "0" && value != "1") refuse(key, value, "0 or 1");
            metadata.chunk = value == "1" ? 1 : 0;
        }
    }

  private:
    const Graph& graph_;
    const NodeId node_;
    const std::string_view pass_;
};

/// The trainer's fields of a node; empty where none of them is of the kind that `hint`, a part of its key, tells.
std::string_view trainer_fields_of(const Graph& graph, NodeId node, std::string_view hint) {
    const std::string_view fields = graph.text(graph.metadata(node).extra_json);
    // Fields may be long, and most nodes of other graphs have no such ones.
    if (fields.find(hint) == fields.npos) return {};
    return json_member(fields, trainer_fields);
}

std::string with_trainer_fields(std::string_view extra_json, const std::string& fields) {
    return fields.empty() ? without_json_member(extra_json, trainer_fields)
                          : with_json_member(extra_json, trainer_fields, fields);
}

}  // namespace

std::string_view chunk_role_name(ChunkRole role) {
    return roles[static_cast<std::size_t>(role)];
}

bool read_chunk_member(ChunkMetadata& metadata, std::string_view key, std::string_view value, const Graph& graph,
                       NodeId node, std::string_view pass) {
    const bool is_one = key == role_field || key == producer_field || key == region_field || key == original_field ||
                        key == direction_field || key == chunk_field;
    if (is_one) Reader(graph, node, pass).read(metadata, key, value);
    return is_one;
}

ChunkMetadata chunk_metadata(const Graph& graph, NodeId node, std::string_view pass) {
    ChunkMetadata metadata;
    const Reader reader(graph, node, pass);
    for_each_json_member(trainer_fields_of(graph, node, "chunk"),
                         [&](std::string_view key, std::string_view value) { reader.read(metadata, key, value); });
    return metadata;
}

ChunkMetadata shown_chunk_metadata(const Graph& graph, NodeId node) {
    try {
        return chunk_metadata(graph, node, {});
    } catch (const PassRefusal&) {
        return {};
    }
}

namespace {

/// Takes `prefix` from the front of a text. @returns whether it was there.
bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// The fields in the order in which they are written, without white space; nothing where they stand otherwise.
std::optional<ChunkPlace> place_as_written(std::string_view fields) {
    constexpr std::string_view first = R"("chunked_region_fqn":")", container = R"("titan_meta":{)";
    const void* found = memmem(fields.data(), fields.size(), first.data(), first.size());
    if (!found) return {};
    const auto begin = static_cast<std::size_t>(static_cast<const char*>(found) - fields.data());
    if (fields.substr(0, begin).find(container) == fields.npos) return {};
    std::string_view left = fields.substr(begin + first.size());
    const std::size_t end = left.find('"');
    if (end == left.npos) return {};
    ChunkPlace place;
    place.region = left.substr(0, end);
    if (place.region.find('\\') != place.region.npos) return {};
    left.remove_prefix(end + 1);
    if (take(left, R"(,"chunked_region_is_backward":true)")) place.is_backward = true;
    if (take(left, R"(,"chunked_region_is_backward":false)")) place.is_backward = false;
    if (!take(left, R"(,"chunked_region_producer":"graph")") && !take(left, R"(,"chunked_region_producer":"eager")"))
        return {};
    if (!take(left, R"(,"chunked_region_role":"body","chunk_id":)") || left.size() < 2) return {};
    if ((left[0] != '0' && left[0] != '1') || (left[1] != ',' && left[1] != '}')) return {};
    place.role = ChunkRole::body;
    place.chunk = left[0] - '0';
    return place;
}

}  // namespace

ChunkPlace chunk_place(const Graph& graph, NodeId node, std::string_view pass) {
    const StringId extra_json = graph.extra_json()[node];
    if (extra_json == empty_string) return {};
    if (const auto place = place_as_written(graph.text(half_part(*graph.strings(), extra_json)))) return *place;
    const std::string_view fields = graph.text(extra_json);
    if (fields.find(role_field) == fields.npos) return {};
    const ChunkMetadata metadata = chunk_metadata(graph, node, pass);
    const std::string_view region = json_member(json_member(fields, trainer_fields), region_field);
    return {metadata.role, metadata.chunk, metadata.is_backward,
            region.empty() ? region : region.substr(1, region.size() - 2)};
}

ChunkPlace shown_chunk_place(const Graph& graph, NodeId node) {
    try {
        return chunk_place(graph, node, {});
    } catch (const PassRefusal&) {
        return {};
    }
}

void write_chunk_members(JsonWriter& json, const ChunkMetadata& metadata) {
    if (!metadata.region.empty()) json.member(region_field, std::string_view(metadata.region));
    if (metadata.is_backward) json.member(direction_field, *metadata.is_backward);
    if (metadata.producer != ChunkProducer::none)
        json.member(producer_field, producers[static_cast<std::size_t>(metadata.producer)]);
    if (metadata.role != ChunkRole::none) json.member(role_field, chunk_role_name(metadata.role));
    if (metadata.chunk) json.member(chunk_field, std::int64_t{*metadata.chunk});
    if (!metadata.original_name.empty()) json.member(original_field, std::string_view(metadata.original_name));
}

std::string with_chunk_metadata(std::string_view extra_json, const ChunkMetadata& metadata) {
    const std::string_view before = json_member(extra_json, trainer_fields);
    JsonWriter json;
    json.begin_object();
    for_each_json_member(before, [&](std::string_view key, std::string_view value) {
        if (!key.starts_with("chunked_") && key != chunk_field && key != hints_field) json.key(key).json(value);
    });
    write_chunk_members(json, metadata);
    const std::string_view hints = json_member(before, hints_field);
    if (!hints.empty()) json.key(hints_field).json(hints);
    std::string made = json.end_object().take();
    return with_trainer_fields(extra_json, made == "{}" ? std::string() : made);
}

std::string with_chunk_metadata_of_model(std::string_view extra_json, std::string_view custom_json) {
    const bool from_custom = custom_json.find("chunk") != custom_json.npos;
    const bool has_role = !custom_json.empty() && extra_json.find(role_field) != extra_json.npos;
    std::string made(extra_json);
    if (!from_custom && !has_role) return made;
    // In the order of the reference's documents.
    std::array<std::pair<std::string_view, std::string_view>, 4> fields = {
        {{region_field, {}}, {producer_field, {}}, {role_field, {}}, {chunk_field, {}}}};
    for_each_json_member(custom_json, [&](std::string_view key, std::string_view value) {
        for (auto& field : fields) {
            if (field.first == key && key != producer_field) field.second = value;
        }
    });
    const std::string_view before = json_member(extra_json, trainer_fields);
    if (!fields[2].second.empty() || !json_member(before, role_field).empty()) fields[1].second = "\"eager\"";
    std::string text = "{";
    const auto add = [&](std::string_view key, std::string_view value) {
        if (text.size() > 1) text += ',';
        (((text += '"') += key) += "\":") += value;
    };
    for_each_json_member(before, [&](std::string_view key, std::string_view value) {
        for (auto& field : fields) {
            if (field.first != key || field.second.empty()) continue;
            value = field.second;
            field.second = {};
        }
        add(key, value);
    });
    for (const auto& [key, value] : fields) {
        if (!value.empty()) add(key, value);
    }
    text += '}';
    return text == before || text == "{}" ? made : with_json_member(extra_json, trainer_fields, text);
}

std::string chunk_fields_of_model(std::string_view custom_json) {
    if (custom_json.empty()) return {};
    if (custom_json.find("chunk") == custom_json.npos) return "{}";
    std::string members;
    for_each_json_member(custom_json, [&](std::string_view key, std::string_view value) {
        if (key != region_field && key != role_field && key != chunk_field) return;
        members += members.empty() ? "{\"" : ",\"";
        ((members += key) += "\":") += value;
    });
    return members.empty() ? std::string(custom_json) : members + '}';
}

std::vector<ChunkSymbolHint> chunk_symbol_hints(const Graph& graph, NodeId node, std::string_view pass) {
    std::vector<ChunkSymbolHint> hints;
    const std::string_view object = json_member(trainer_fields_of(graph, node, hints_field), hints_field);
    if (object.empty()) return hints;
    const Reader reader(graph, node, pass);
    if (object.front() != '{') reader.refuse(hints_field, object, "an object");
    for_each_json_member(object, [&](std::string_view symbol, std::string_view extent) {
        hints.push_back({std::string(symbol), reader.whole_number(hints_field, extent)});
    });
    return hints;
}

std::string with_chunk_symbol_hints(std::string_view extra_json, std::span<const ChunkSymbolHint> hints) {
    const std::string_view before = json_member(extra_json, trainer_fields);
    if (hints.empty()) {
        if (json_member(before, hints_field).empty()) return std::string(extra_json);
        return with_trainer_fields(extra_json, without_json_member(before, hints_field));
    }
    JsonWriter json;
    json.begin_object();
    for (const ChunkSymbolHint& hint : hints) json.member(hint.symbol, hint.extent);
    return with_trainer_fields(extra_json, with_json_member(before, hints_field, json.end_object().text()));
}

}  // namespace overlap::experts
