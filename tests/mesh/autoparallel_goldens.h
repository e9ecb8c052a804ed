// Cases that tests/conformance/make_autoparallel_cases.py made with autoparallel, and the NCCL samples.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/graph/operator_traits.h"
#include "core/mesh/sharding_text.h"

namespace overlap::test {

/// The list `cases` of a file in tests/data/autoparallel_goldens.
inline nlohmann::json autoparallel_cases(const std::string& file) {
    return nlohmann::json::parse(std::ifstream(OVERLAP_TEST_DATA "/autoparallel_goldens/" + file)).at("cases");
}

/// A number, or the text "inf".
inline double golden_number(const nlohmann::json& value) {
    return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

inline CollectiveKind golden_collective(const nlohmann::json& name) {
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                      CollectiveKind::all_reduce, CollectiveKind::all_to_all})
        if (name == collective_kind_name(kind)) return kind;
    throw std::runtime_error("no collective: " + name.dump());
}

inline std::vector<Placement> golden_placements(const nlohmann::json& text, std::size_t mesh_dims) {
    return parse_state(text.get<std::string>(), static_cast<int>(mesh_dims)).placements;
}

/// Equal to 1e-9 of the expected value; infinite where that is.
inline bool agrees(double actual, double expected) {
    return actual == expected || std::abs(actual - expected) <= 1e-9 * std::abs(expected);
}

}  // namespace overlap::test
