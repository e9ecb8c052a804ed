#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/io/graph_file.h"

namespace overlap::test {

/// Equality that tells 1 from 1.0, which nlohmann does not.
inline bool same(const nlohmann::json& left, const nlohmann::json& right) {
    if (left.is_number() && left.is_number_float() != right.is_number_float()) return false;
    if (left.size() != right.size() || left.is_structured() != right.is_structured()) return false;
    if (left.is_object()) {
        for (const auto& [key, value] : left.items()) {
            const auto other = right.find(key);
            if (other == right.end() || !same(value, *other)) return false;
        }
        return right.is_object();
    }
    if (left.is_array()) {
        for (std::size_t index = 0; index < left.size(); ++index) {
            if (!same(left[index], right[index])) return false;
        }
        return right.is_array();
    }
    return left == right;
}

inline void expect_round_trip(const std::string& text, const std::string& name) {
    const auto graph = read_graph_text(text, name);
    const nlohmann::json before = nlohmann::json::parse(text), after = nlohmann::json::parse(write_graph_text(*graph));
    if (!same(before, after)) {
        ADD_FAILURE() << name << " changed:\n" << nlohmann::json::diff(before, after).dump().substr(0, 2000);
    }
}

}  // namespace overlap::test
