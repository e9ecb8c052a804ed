#include "core/io/redistribution_cases.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// Adds the place of the document to an error of core/mesh, which knows only states and meshes.
template <typename Action>
auto at_place(const JsonPlace& place, Action action) {
    try {
        return action();
    } catch (const InputError& error) {
        place.fail(error.place().empty() ? error.problem() : error.place() + ": " + error.problem());
    }
}

Extents read_extents(element value, const JsonPlace& place, std::int64_t least) {
    Extents extents;
    for (const element item : json_list(value, place))
        extents.push_back(json_integer(item, JsonPlace(place, extents.size()), least));
    return extents;
}

/// Fields of a case, or of the header where the case does not have them.
class CaseFields {
  public:
    CaseFields(object fields, std::optional<object> header, const JsonPlace& place, const JsonPlace& header_place)
        : fields_(fields), header_(header), place_(place), header_place_(header_place) {}

    bool has(std::string_view key) const {
        element ignored;
        return find(key, ignored);
    }
    bool case_has(std::string_view key) const {
        element ignored;
        return !fields_.at_key(key).get(ignored);
    }
    const JsonPlace& place() const { return place_; }

    /// Calls `read(value, place)` for the field, wherever it is.
    template <typename Read>
    auto get(std::string_view key, Read read) const {
        element value;
        if (!fields_.at_key(key).get(value)) return read(value, JsonPlace(place_, key));
        if (header_ && !header_->at_key(key).get(value)) return read(value, JsonPlace(header_place_, key));
        place_.fail("the field \"" + std::string(key) + "\" is missing, in the case and in the header");
    }

  private:
    bool find(std::string_view key, element& value) const {
        return !fields_.at_key(key).get(value) || (header_ && !header_->at_key(key).get(value));
    }

    object fields_;
    std::optional<object> header_;
    const JsonPlace& place_;
    const JsonPlace& header_place_;
};

std::string read_id(const CaseFields& fields) {
    if (!fields.case_has("id")) return {};
    return fields.get("id",
                      [](element value, const JsonPlace& place) { return std::string(json_string(value, place)); });
}

DeviceMesh read_mesh(const CaseFields& fields) {
    DeviceMesh mesh;
    mesh.shape =
        fields.get("mesh_shape", [](element value, const JsonPlace& place) { return read_extents(value, place, 1); });
    if (fields.has("mesh_dim_names"))
        mesh.dim_names = fields.get("mesh_dim_names", [](element value, const JsonPlace& place) {
            std::vector<std::string> names;
            for (const element item : json_list(value, place))
                names.emplace_back(json_string(item, JsonPlace(place, names.size())));
            return names;
        });
    if (fields.has("devices_per_host"))
        mesh.devices_per_host = fields.get(
            "devices_per_host", [](element value, const JsonPlace& place) { return json_integer(value, place, 0); });
    // A header's names are for the header's mesh.
    if (fields.case_has("mesh_shape") && !fields.case_has("mesh_dim_names")) mesh.dim_names.clear();
    at_place(fields.place(), [&] { mesh.validate(); });
    return mesh;
}

Extents read_tensor_shape(const CaseFields& fields) {
    return fields.get("tensor_shape",
                      [](element value, const JsonPlace& place) { return read_extents(value, place, 0); });
}

MeshTensor read_tensor(const CaseFields& fields) {
    Extents shape = read_tensor_shape(fields);
    std::string dtype = fields.get(
        "dtype", [](element value, const JsonPlace& place) { return std::string(json_string(value, place)); });
    return at_place(fields.place(), [&] { return MeshTensor::of(std::move(shape), std::move(dtype)); });
}

ShardOrder read_shard_order(element value, const JsonPlace& place) {
    ShardOrder order;
    for (const element item : json_list(value, place)) {
        const JsonPlace entry_place(place, order.size());
        const simdjson::dom::array pair = json_list(item, entry_place);
        if (pair.size() != 2) entry_place.fail("expected [tensor dimension, [mesh dimensions]]");
        ShardOrderEntry entry;
        entry.tensor_dim =
            static_cast<int>(json_integer(pair.at(0).value_unsafe(), JsonPlace(entry_place, 0), 0, 1000));
        const JsonPlace dims_place(entry_place, 1);
        for (const element dim : json_list(pair.at(1).value_unsafe(), dims_place))
            entry.mesh_dims.push_back(
                static_cast<int>(json_integer(dim, JsonPlace(dims_place, entry.mesh_dims.size()), 0, 1000)));
        order.push_back(std::move(entry));
    }
    return order;
}

std::vector<Placement> read_placements(element value, const JsonPlace& place) {
    std::vector<Placement> placements;
    for (const element item : json_list(value, place)) {
        const JsonPlace item_place(place, placements.size());
        const std::string_view text = json_string(item, item_place);
        placements.push_back(at_place(item_place, [&] { return parse_placement(text); }));
    }
    return placements;
}

/// A text beside placements must mean the same as they do.
void require_same_text(const ShardingState& state, element value, const JsonPlace& place) {
    const std::string_view text = json_string(value, place);
    const ShardingState said =
        at_place(place, [&] { return parse_state(text, static_cast<int>(state.placements.size())); });
    if (said.placements != state.placements || (!has_strided_shard(state.placements) && said != state))
        place.fail("the placements beside it say " + quoted_text(to_text(state)));
}

ShardingState read_state(element value, const JsonPlace& place, const DeviceMesh& mesh, int tensor_dims) {
    ShardingState state;
    std::string_view text;
    if (!value.get(text)) {
        state = at_place(place, [&] { return parse_state(text, mesh.dims()); });
    } else {
        const object fields = json_object(value, place);
        for (const auto [key, ignored] : fields)
            if (key != "placements" && key != "shard_order" && key != "text")
                place.fail("a state has placements, shard_order and text, not " + quoted_text(key));
        element field;
        if (!fields.at_key("placements").get(field)) {
            state = state_in_default_order(read_placements(field, JsonPlace(place, "placements")));
            if (!fields.at_key("shard_order").get(field))
                state.shard_order = read_shard_order(field, JsonPlace(place, "shard_order"));
            if (!fields.at_key("text").get(field)) require_same_text(state, field, JsonPlace(place, "text"));
        } else {
            text = json_string(json_required(fields, "text", place), JsonPlace(place, "text"));
            state = at_place(place, [&] { return parse_state(text, mesh.dims()); });
        }
    }
    at_place(place, [&] { validate_state(state, mesh, tensor_dims); });
    return state;
}

RedistributionCase read_redistribution(const CaseFields& fields) {
    RedistributionCase question{read_id(fields), read_mesh(fields), read_tensor(fields), {}, {}, {}};
    const auto read = [&](element value, const JsonPlace& place) {
        return read_state(value, place, question.mesh, question.tensor.dims());
    };
    question.source = fields.get("src", read);
    question.target = fields.get("dst", read);
    constexpr std::string_view encodes = "use_strided_shard_as_shard_order";
    if (fields.has(encodes) && fields.get(encodes, json_boolean)) question.strided_shards = StridedShards::encode_order;
    return question;
}

LayoutCase read_layout(const CaseFields& fields) {
    LayoutCase question{read_id(fields), read_mesh(fields), read_tensor_shape(fields), {}};
    question.state = fields.get("state", [&](element value, const JsonPlace& place) {
        return read_state(value, place, question.mesh, static_cast<int>(question.tensor_shape.size()));
    });
    std::int64_t ranges = question.mesh.rank_count();
    for (const Placement& placement : question.state.placements)
        if (placement.is_strided_shard()) ranges *= placement.split_factor;
    constexpr std::int64_t ranges_limit = 1 << 20;
    if (question.mesh.rank_count() > ranges_limit || ranges > ranges_limit)
        fields.place().fail("a layout lists the ranges of every rank: at most " + grouped_count(ranges_limit) +
                            " of them");
    return question;
}

StridedOrderCase read_strided_order(const CaseFields& fields) {
    StridedOrderCase question{read_id(fields), read_mesh(fields), std::nullopt, {}};
    if (!fields.case_has("shard_order")) {
        question.strided = fields.get("strided", read_placements);
        if (question.strided.size() != question.mesh.shape.size())
            fields.place().fail("expected as many placements as the mesh has dimensions");
        return question;
    }
    fields.get("shard_order", [&](element value, const JsonPlace& place) {
        ShardingState state;
        state.placements.resize(question.mesh.shape.size());
        state.shard_order = read_shard_order(value, place);
        for (const ShardOrderEntry& entry : state.shard_order)
            for (const int mesh_dim : entry.mesh_dims)
                if (mesh_dim < question.mesh.dims())
                    state.placements[static_cast<std::size_t>(mesh_dim)] = Placement::shard(entry.tensor_dim);
        at_place(place, [&] { validate_state(state, question.mesh, MeshTensor::dims_limit); });
        question.state = std::move(state);
    });
    return question;
}

CollectiveKind collective_named(std::string_view name, const JsonPlace& place) {
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                      CollectiveKind::all_reduce, CollectiveKind::all_to_all})
        if (collective_kind_name(kind) == name) return kind;
    place.fail("expected all_gather, reduce_scatter, all_reduce or all_to_all, found " + quoted_text(name));
}

NcclCase read_nccl(const CaseFields& fields) {
    NcclCase question;
    question.id = read_id(fields);
    question.mesh_shape = read_mesh(fields).shape;
    question.config = fields.get("config", [](element value, const JsonPlace& place) {
        const std::string name(json_string(value, place));
        at_place(place, [&] { find_nccl_config(name); });
        return name;
    });
    question.mesh_dim = fields.get("mesh_dim", [&](element value, const JsonPlace& place) {
        return static_cast<int>(
            json_integer(value, place, 0, static_cast<std::int64_t>(question.mesh_shape.size()) - 1));
    });
    fields.get("collective", [&](element value, const JsonPlace& place) {
        question.collective = collective_named(json_string(value, place), place);
    });
    // Either plain byte counts or, as in a file of results, [bytes, microseconds].
    const std::string_view bytes_field = fields.has("bytes") ? "bytes" : "cost_us";
    fields.get(bytes_field, [&](element value, const JsonPlace& place) {
        for (const element item : json_list(value, place)) {
            const JsonPlace item_place(place, question.bytes.size());
            simdjson::dom::array pair;
            const bool paired = !item.get(pair);
            if (paired && pair.size() == 0) item_place.fail("expected a number of bytes");
            question.bytes.push_back(json_integer(paired ? pair.at(0).value_unsafe() : item, item_place, 0));
        }
    });
    return question;
}

MeshCase read_case(const CaseFields& fields) {
    if (fields.case_has("src") || fields.case_has("dst")) return read_redistribution(fields);
    if (fields.case_has("state")) return read_layout(fields);
    if (fields.case_has("collective")) return read_nccl(fields);
    if (fields.case_has("strided") || fields.case_has("shard_order")) return read_strided_order(fields);
    fields.place().fail("a case has src and dst, or state, or strided or shard_order, or collective");
}

std::vector<MeshCase> read_document(JsonBytes bytes) {
    const JsonDocument document(std::move(bytes));
    const JsonPlace top(""), header_place("header"), cases_place("cases");
    const object root = json_object(document.root(), top);
    std::optional<object> header;
    element value;
    if (!root.at_key("header").get(value)) header = json_object(value, header_place);
    std::vector<MeshCase> cases;
    for (const element item : json_list(json_required(root, "cases", top), cases_place)) {
        const JsonPlace unnamed(cases_place, cases.size());
        const object fields = json_object(item, unnamed);
        std::string_view id;
        if (!fields.at_key("id").get(value) && value.get(id)) id = {};
        const JsonPlace place(cases_place, cases.size(), id);
        cases.push_back(read_case(CaseFields(fields, header, place, header_place)));
    }
    return cases;
}

}  // namespace

std::vector<MeshCase> read_redistribution_cases(const std::string& path) {
    try {
        return read_document(*read_json_file(path));
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
}

std::vector<MeshCase> read_redistribution_cases_text(std::string_view text, const std::string& name) {
    try {
        return read_document(JsonBytes(std::string(text)));
    } catch (const InputError& error) {
        throw error.in_file(name);
    }
}

}  // namespace overlap
