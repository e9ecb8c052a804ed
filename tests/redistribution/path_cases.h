#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/redistribution/path_sketch.h"

namespace overlap::test {

inline std::string sizes_text(const Extents& sizes) {
    std::string text;
    for (const std::int64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
}

/// Each action with the dimensions that it opens and cuts, its parts, and what it leaves; then the obstacle.
inline std::string path_text_of(const RedistributionPath& path) {
    std::string text;
    for (const PathAction& action : path.actions) {
        text += (text.empty() ? "" : ", ") + std::string(to_text(action.kind));
        if (action.source_dim >= 0) text += " from " + std::to_string(action.source_dim);
        if (action.target_dim >= 0) text += " to " + std::to_string(action.target_dim);
        text += " in " + std::to_string(action.parts) + ": " + sizes_text(action.shape_after);
    }
    return path.obstacle.empty() ? text : text + " | " + path.obstacle;
}

/// Draws from a parameter's node on.
using DrawPath = std::function<void(PathSketch&, NodeId)>;

inline std::vector<std::string> paths_of_drawing(const Extents& sizes, const DrawPath& draw) {
    PathSketch sketch;
    const NodeId parameter = sketch.parameter(sizes);
    draw(sketch, parameter);
    const auto graph = sketch.graph();
    std::vector<std::string> texts;
    for (const RedistributionPath& path : paths_from(*graph, parameter)) texts.push_back(path_text_of(path));
    return texts;
}

struct PathCase {
    std::string says;
    Extents parameter;
    DrawPath draw;
    std::vector<std::string> paths;
};

inline void expect_paths(const std::vector<PathCase>& cases) {
    for (const PathCase& expected : cases) {
        SCOPED_TRACE(expected.says);
        EXPECT_EQ(paths_of_drawing(expected.parameter, expected.draw), expected.paths);
    }
}

inline constexpr std::string_view gather_target = "_c10d_functional.all_gather_into_tensor.default";
inline const std::string gathered = "all_gather from 0 in 4: 32x6";

}  // namespace overlap::test
