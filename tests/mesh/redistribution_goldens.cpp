#include "tests/mesh/redistribution_goldens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mesh/sharding_text.h"
#include "tests/support/test_files.h"

namespace overlap::test {

namespace {

nlohmann::json as_golden(const RedistributionStep& step) {
    nlohmann::json golden = {{"mesh_dims", step.mesh_dims},
                             {"src", to_text(step.source)},
                             {"dst", to_text(step.destination)},
                             {"kind", to_text(step.kind)},
                             {"logical_shape", step.logical_shape}};
    if (!std::isnan(step.cost)) golden["cost"] = step.cost;
    if (step.flattened()) golden["flattened"] = true;
    if (step.average_over != 1) golden["avg_scale"] = step.average_over;
    return golden;
}

std::string stem_of(const std::filesystem::path& path) {
    const std::string name = path.filename();
    return name.substr(0, name.find('.'));
}

}  // namespace

std::vector<std::filesystem::path> redistribution_golden_files() {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path folder :
         {OVERLAP_TEST_DATA "/redistribution_goldens", OVERLAP_SHARED_DATA "/goldens/redistribution"}) {
        if (!std::filesystem::is_directory(folder)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string name = entry.path().filename();
            if (name.ends_with(".json") || name.ends_with(".json.gz")) files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end(),
              [](const auto& left, const auto& right) { return left.filename() < right.filename(); });
    return files;
}

std::vector<std::filesystem::path> golden_files_with(const std::string& member) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& file : redistribution_golden_files()) {
        // The first case is within the first few thousand characters: whole files need not be parsed to be sorted.
        const std::string text = read_text(file);
        const std::size_t cases = text.find("\"cases\":[");
        if (cases != std::string::npos && text.find('"' + member + "\":", cases) < cases + 4000) files.push_back(file);
    }
    return files;
}

RedistributionGoldens read_goldens(const std::filesystem::path& path) {
    nlohmann::json document = nlohmann::json::parse(read_text(path));
    return {stem_of(path), std::move(document["header"]), std::move(document["cases"])};
}

std::string test_name(const std::filesystem::path& path) {
    return stem_of(path);
}

DeviceMesh mesh_in(const nlohmann::json& described) {
    DeviceMesh mesh;
    mesh.shape = described.at("mesh_shape").get<Extents>();
    mesh.devices_per_host = described.value("devices_per_host", mesh.devices_per_host);
    return mesh;
}

MeshTensor tensor_in(const nlohmann::json& described) {
    return MeshTensor::of(described.at("tensor_shape").get<Extents>(), described.value("dtype", "float32"));
}

ShardingState state_in(const nlohmann::json& state) {
    ShardingState result;
    for (const nlohmann::json& placement : state.at("placements"))
        result.placements.push_back(parse_placement(placement.get<std::string>()));
    // Strided shards that encode an order have none beside it.
    if (!state.contains("shard_order")) return state_in_default_order(std::move(result.placements));
    for (const auto& entry : state.at("shard_order"))
        result.shard_order.push_back({entry.at(0).get<int>(), entry.at(1).get<std::vector<int>>()});
    return result;
}

double number_in(const nlohmann::json& value) {
    return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

nlohmann::json as_golden(const RedistributionPlan& plan) {
    nlohmann::json golden = {{"path", path_text(plan)}, {"steps", nlohmann::json::array()}};
    for (const RedistributionStep& step : plan.steps) golden["steps"].push_back(as_golden(step));
    if (!std::isnan(plan.total_cost)) golden["total_cost"] = plan.total_cost;
    return golden;
}

}  // namespace overlap::test
