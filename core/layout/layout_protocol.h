#pragma once

#include <string>
#include <string_view>

#include "core/layout/level_layout.h"

namespace overlap {

// Messages between the application and the layout helper, over the helper's standard input and output: lines of numbers
// in the C locale. A message is a line with its length in bytes, then that many bytes.

/// A level for another engine: its nodes' sizes and the edges that it should lay out, all from above to below.
struct LayoutRequest {
    std::uint64_t id = 0;  ///< comes back with the answer
    double row_gap = 0, box_gap = 0;
    std::vector<LayoutSize> nodes;
    std::vector<LevelGraph::Edge> edges;
};

/// Where another engine puts a level, or why it does not.
struct LayoutAnswer {
    std::uint64_t id = 0;
    std::string problem;  ///< one sentence without full stop; the rest is empty then
    LayoutSize size;
    std::vector<LayoutPoint> positions;            ///< upper left corners
    std::vector<std::vector<LayoutPoint>> routes;  ///< chains of Bézier curves
};

std::string write_message(std::string_view body);
/// Takes the first whole message from `buffer`. @returns false while there is none.
/// @throws InputError when what is there is no message.
bool take_message(std::string& buffer, std::string& body);

std::string write_request(const LayoutRequest& request);
std::string write_answer(const LayoutAnswer& answer);
/// @throws InputError on anything else than what write_request() or write_answer() made.
LayoutRequest read_request(std::string_view body);
LayoutAnswer read_answer(std::string_view body);

/// What another engine needs of a level: boxes without edges and edges that do not flow are left to merge_answer(). A
/// level with both directions is not sent to other engines: they would mix the columns.
struct ForeignLevel {
    LayoutRequest request;
    std::vector<std::uint32_t> nodes;  ///< of the level, by node of the request
    std::vector<std::uint32_t> edges;
    bool upwards = false;  ///< the level is of the backward direction: turned over for the engine
};
/// @returns nothing to lay out (no nodes) for levels that stay as they are.
ForeignLevel foreign_level(const LevelGraph& graph, const LevelLayoutOptions& options);

/// Our own layout of a level with another engine's answer put in.
/// @throws InputError when the answer does not fit the question.
LevelLayout merge_answer(const LevelGraph& graph, const LevelLayout& own, const ForeignLevel& level,
                         const LayoutAnswer& answer, const LevelLayoutOptions& options);

}  // namespace overlap
