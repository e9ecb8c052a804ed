#include "core/io/measured_times_file.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"

namespace overlap {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::array communicating = {StepKind::all_gather, StepKind::all_to_all, StepKind::all_reduce,
                                      StepKind::reduce_scatter, StepKind::permute};

void refuse_unknown_fields(object fields, const std::vector<std::string>& known, const JsonPlace& place) {
    for (const auto& [key, value] : fields) {
        const std::string name(key);
        if (std::ranges::find(known, name) == known.end())
            place.fail("unknown field " + in_quotes(name) + suggest_names(name, known));
    }
}

StepKind read_kind(element value, const JsonPlace& place) {
    const std::string name(json_string(value, place));
    std::vector<std::string> known;
    for (const StepKind kind : communicating) {
        if (to_text(kind) == name) return kind;
        known.emplace_back(to_text(kind));
    }
    place.fail(in_quotes(name) + " is no collective that moves a tensor" + suggest_names(name, known));
}

std::vector<std::string> read_mesh_dims(element value, const JsonPlace& place) {
    std::vector<std::string> dims;
    for (const element item : json_list(value, place)) {
        const JsonPlace at(place, dims.size());
        std::string dim = item.is_string() ? std::string(json_string(item, at))
                                           : std::to_string(json_integer(item, at, 0, DeviceMesh::dims_limit - 1));
        if (std::ranges::find(dims, dim) != dims.end()) at.fail(in_quotes(dim) + " stands there twice");
        dims.push_back(std::move(dim));
    }
    if (dims.empty()) place.fail("a communicator needs a mesh dimension");
    std::ranges::sort(dims);
    return dims;
}

std::vector<MeasuredTime> read_points(element value, const JsonPlace& place) {
    std::vector<MeasuredTime> points;
    for (const element item : json_list(value, place)) {
        const JsonPlace at(place, points.size());
        const simdjson::dom::array pair = json_list(item, at);
        if (pair.size() != 2) at.fail("expected bytes and microseconds");
        points.push_back({json_integer(pair.at(0), JsonPlace(at, 0), 0), json_number(pair.at(1), JsonPlace(at, 1), 0)});
    }
    return points;
}

MeasuredTable::Series read_series(element value, const JsonPlace& place) {
    const object fields = json_object(value, place);
    refuse_unknown_fields(fields, {"collective", "mesh_dims", "points"}, place);
    const auto field = [&](std::string_view key, auto read) {
        return read(json_required(fields, key, place), JsonPlace(place, key));
    };
    MeasuredTable::Series series{field("collective", read_kind), field("mesh_dims", read_mesh_dims),
                                 field("points", read_points)};
    try {
        validate(MeasuredSeries{series.kind, {}, series.points});
    } catch (const InputError& error) {
        place.fail(error.problem());
    }
    return series;
}

MeasuredTable read_table(JsonBytes bytes) {
    const JsonDocument document(std::move(bytes));
    const JsonPlace place("series");
    object fields;
    if (document.root().get(fields)) throw InputError("", "a table of measured times is an object with series");
    element list;
    if (fields.at_key("series").get(list)) throw InputError("", "the field \"series\" is missing");
    MeasuredTable table;
    for (const element item : json_list(list, place)) {
        const JsonPlace at(place, table.series.size());
        MeasuredTable::Series series = read_series(item, at);
        for (const MeasuredTable::Series& other : table.series)
            if (other.kind == series.kind && other.mesh_dims == series.mesh_dims)
                at.fail("a second series of " + std::string(to_text(series.kind)) + " over these mesh dimensions");
        table.series.push_back(std::move(series));
    }
    if (table.series.empty()) place.fail("nothing was measured");
    return table;
}

/// The table that `bytes()` has, called `name`.
template <typename Bytes>
MeasuredTable named_table(const std::string& name, Bytes bytes) {
    try {
        MeasuredTable table = read_table(bytes());
        table.name = name;
        return table;
    } catch (const InputError& error) {
        throw error.in_file(name);
    }
}

/// Places of named dimensions in `mesh`, ascending; empty where it lacks one.
std::vector<int> dims_in(const DeviceMesh& mesh, const std::vector<std::string>& names) {
    std::set<int> dims;
    for (const std::string& name : names) {
        int dim = 0;
        while (dim < mesh.dims() && mesh.dim_name(dim) != name && std::to_string(dim) != name) ++dim;
        if (dim == mesh.dims()) return {};
        dims.insert(dim);
    }
    // By name and by number, one dimension is no communicator of two.
    if (dims.size() < names.size()) return {};
    return {dims.begin(), dims.end()};
}

/// Measured times together with what prices the rest.
class TableTimes final : public CollectiveTimes {
  public:
    TableTimes(const DeviceMesh& mesh, std::vector<MeasuredSeries> series)
        : otherwise_(torch_times(mesh)), measured_(measured_times(mesh, std::move(series), *otherwise_)) {}

    double time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const override {
        return measured_->time(kind, mesh_dims, local_gib);
    }

  private:
    std::unique_ptr<CollectiveTimes> otherwise_, measured_;
};

}  // namespace

MeasuredTable read_measured_table(const std::string& path) {
    return named_table(path, [&] { return *read_json_file(path); });
}

MeasuredTable read_measured_table_text(std::string_view text, const std::string& name) {
    return named_table(name, [&] { return JsonBytes(std::string(text)); });
}

std::unique_ptr<CollectiveTimes> table_times(const MeasuredTable& table, const DeviceMesh& mesh) {
    std::vector<MeasuredSeries> series;
    for (const MeasuredTable::Series& one : table.series) {
        std::vector<int> dims = dims_in(mesh, one.mesh_dims);
        if (!dims.empty()) series.push_back({one.kind, std::move(dims), one.points});
    }
    if (series.empty()) {
        std::string dims;
        for (int dim = 0; dim < mesh.dims(); ++dim) dims += (dim == 0 ? "" : ", ") + mesh.dim_name(dim);
        throw InputError("", "no series is over mesh dimensions of this mesh (" + dims + ")").in_file(table.name);
    }
    return std::make_unique<TableTimes>(mesh, std::move(series));
}

}  // namespace overlap
