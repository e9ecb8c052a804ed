#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/mesh/redistribution.h"

namespace overlap::test {

/// A file of cases that torch answered; the schema is in the README of tests/data/redistribution_goldens.
struct RedistributionGoldens {
    std::string name;  ///< the file's, without endings
    nlohmann::json header;
    nlohmann::json cases;
};

/// Files of cases in the repository and, where it lies beside the repository, in the shared folder, sorted by name.
std::vector<std::filesystem::path> redistribution_golden_files();

/// Those of redistribution_golden_files() whose cases have `member`.
std::vector<std::filesystem::path> golden_files_with(const std::string& member);

RedistributionGoldens read_goldens(const std::filesystem::path& path);

/// For the names of tests: letters, digits and underscores.
std::string test_name(const std::filesystem::path& path);

/// @param described a case that says its mesh and tensor itself, or the file's header.
DeviceMesh mesh_in(const nlohmann::json& described);
MeshTensor tensor_in(const nlohmann::json& described);
ShardingState state_in(const nlohmann::json& state);

/// A number, or "inf".
double number_in(const nlohmann::json& value);

/// The plan as goldens have it: steps, path, and total_cost where every step has a cost.
nlohmann::json as_golden(const RedistributionPlan& plan);

}  // namespace overlap::test
