#pragma once

#include <numeric>
#include <optional>
#include <vector>

#include "core/passes/scheduling/augmented_graph.h"
#include "tests/passes/scheduling/scheduling_fixture.h"

namespace overlap::test {

/// What has been built, with dependencies beside those of the graph.
class AugmentedGraphTest : public SchedulingTest {
  protected:
    /// Sets everything up for what has been built, with its own order as the schedule.
    void augment() {
        table_ = collectives();
        for (scheduling::Collective& collective : table_.collectives) collective.exposed_ms = 1;  // nothing is hidden
        augment(table_);
    }
    void augment(const scheduling::CollectiveTable& table) {
        order_.resize(graph_->node_count());
        std::iota(order_.begin(), order_.end(), 0u);
        ancestors_.emplace(*graph_, table, order_);
        augmented_.emplace(*graph_, table, order_, *ancestors_);
    }
    /// What a node waits for beside its inputs, in order.
    Names dependencies(NodeId node) const {
        Names names;
        for (const NodeId dependency : augmented_->dependencies()[node]) names.emplace_back(graph_->name(dependency));
        return names;
    }

    scheduling::CollectiveTable table_;
    std::vector<NodeId> order_;
    std::optional<scheduling::StaticAncestors> ancestors_;
    std::optional<scheduling::AugmentedGraph> augmented_;
};

}  // namespace overlap::test
