#include "core/layout/edge_bundler.h"

#include <algorithm>
#include <tuple>

namespace overlap {

std::vector<LevelEdge> EdgeBundler::finish(const Graph& graph) {
    std::sort(edges_.begin(), edges_.end(),
              [](const Edge& a, const Edge& b) { return std::tie(a.boxes, a.tensor) < std::tie(b.boxes, b.tensor); });
    std::vector<LevelEdge> bundles;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        const bool new_bundle = i == 0 || edges_[i].boxes != edges_[i - 1].boxes;
        if (new_bundle)
            bundles.push_back({static_cast<BoxId>(edges_[i].boxes >> 32), static_cast<BoxId>(edges_[i].boxes)});
        LevelEdge& bundle = bundles.back();
        ++bundle.uses;
        if (!new_bundle && edges_[i].tensor == edges_[i - 1].tensor) continue;
        ++bundle.tensors;
        bundle.bytes += graph.output_bytes(edges_[i].tensor);
    }
    return bundles;
}

}  // namespace overlap
