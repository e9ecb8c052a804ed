// Cases of autoparallel's NCCL cost model that tests/conformance/make_autoparallel_cases.py made with it.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "core/graph/operator_traits.h"

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

/// Equal to 1e-9 of the expected value; infinite where that is.
inline bool agrees(double actual, double expected) {
    return actual == expected || std::abs(actual - expected) <= 1e-9 * std::abs(expected);
}

}  // namespace overlap::test
