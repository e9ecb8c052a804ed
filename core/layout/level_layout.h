#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <vector>

namespace overlap {

// The layout of one level: boxes side by side and the edges between them. All lengths are in pixels, y downwards.

struct LayoutPoint {
    double x = 0;
    double y = 0;
    bool operator==(const LayoutPoint&) const = default;
};

struct LayoutSize {
    double width = 0;
    double height = 0;
    bool operator==(const LayoutSize&) const = default;
};

struct LayoutRect {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
    LayoutPoint centre() const { return {x + width / 2, y + height / 2}; }
    bool contains(LayoutPoint point) const {
        return point.x >= x && point.x < right() && point.y >= y && point.y < bottom();
    }
    bool intersects(const LayoutRect& other) const {
        return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
    }
    bool operator==(const LayoutRect&) const = default;
};

/// A level to be laid out. Nodes come in their order of execution, which decides what is drawn above and what counts as
/// an edge against the flow.
struct LevelGraph {
    static constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

    struct Node {
        LayoutSize size;
        /// Drawn in the second column, whose edges go upwards: the backward direction beside the forward one.
        bool backward = false;
        /// For a backward node the forward one that it is drawn beside, or no_node.
        std::uint32_t twin = no_node;
        /// All of its edges are stubs: inputs of the graph, which lead everywhere.
        bool apart = false;
    };
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        double weight = 1;  ///< how much it wants to be short and straight
    };

    std::vector<Node> nodes;
    std::vector<Edge> edges;
};

enum class RouteStyle : std::uint8_t {
    drawn,  ///< a curve through `points`
    stub,   ///< too long, or one of too many of one box: not laid out; `points` is empty
};

/// A route is a chain of cubic Bézier curves: a point, then three for each curve.
struct EdgeRoute {
    RouteStyle style = RouteStyle::stub;
    std::vector<LayoutPoint> points;
    bool operator==(const EdgeRoute&) const = default;
};

struct LevelLayout {
    std::vector<LayoutPoint> positions;  ///< upper left corner of each node, all coordinates at least 0
    std::vector<EdgeRoute> routes;       ///< one for each edge
    LayoutSize size;                     ///< of all of it
    bool operator==(const LevelLayout&) const = default;
};

struct LevelLayoutOptions {
    double row_gap = 32;             ///< between boxes of neighbouring ranks; holds the edges' labels
    double box_gap = 16;             ///< between boxes side by side
    double column_gap = 56;          ///< between forward and backward
    std::uint32_t longest_span = 8;  ///< edges over more ranks become stubs
    std::uint32_t largest_fan = 8;   ///< more edges than this out of (or into) one box become stubs…
    std::uint32_t fan_spread = 4;    ///< …where they reach over more ranks than this
    int crossing_sweeps = 8;
    int coordinate_sweeps = 8;
};

/// Something that lays levels out. Deterministic: equal graphs get equal layouts.
class LayoutEngine {
  public:
    virtual ~LayoutEngine() = default;
    /// @returns what has been laid out so far when `stop` was requested, to be dropped by the caller.
    virtual LevelLayout layout(const LevelGraph& graph, std::stop_token stop = {}) const = 0;
};

/// Our own layered layout (Sugiyama, Tagawa, Toda 1981): ranks by longest paths, crossings reduced by barycentre
/// sweeps, coordinates by isotonic regression. Boxes keep distance, every forward edge that is drawn between different
/// ranks goes down, every backward one up. Time grows with edges · log(edges).
class LayeredEngine : public LayoutEngine {
  public:
    explicit LayeredEngine(const LevelLayoutOptions& options = {}) : options_(options) {}
    LevelLayout layout(const LevelGraph& graph, std::stop_token stop = {}) const override;

  private:
    LevelLayoutOptions options_;
};

/// Key of a level: equal for levels that look alike (sizes, directions, twins, edges).
std::uint64_t level_key(const LevelGraph& graph);

}  // namespace overlap
