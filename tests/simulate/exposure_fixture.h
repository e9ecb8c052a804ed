#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "core/cost/cost_model.h"
#include "core/simulate/simulation.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {

/// Sketches a graph, and simulates it with the times of the sketch.
class Exposure : public ::testing::Test {
  protected:
    const CollectiveTiming& run(std::size_t index) {
        graph = sketch.finish();
        simulation = simulate(graph, node_times_ms(graph));
        return simulation.collectives.at(index);
    }

    GraphSketch sketch;
    NodeId x = sketch.input("x", sketch.bytes(16));
    Graph graph;
    Simulation simulation;
};

}  // namespace overlap::test
