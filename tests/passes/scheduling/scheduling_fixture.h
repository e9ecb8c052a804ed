#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/passes/scheduling/overlap_scheduler.h"
#include "tests/passes/pass_fixture.h"

namespace overlap::test {

/// Small graphs with times, for the overlap scheduler and its parts. Each tensor has 8 elements of 2 bytes; the process
/// groups "0" and "1" have a latency of 0.25 ms.
class SchedulingTest : public PassTest {
  protected:
    SchedulingTest() {
        header_.process_groups = {{"0", {0, 1, 2, 3, 4, 5, 6, 7}, 0, "", ""}, {"1", {0, 1}, 0, "", ""}};
        CostParameters cost;
        cost.flops_per_s["float32"] = 1e12;
        cost.memory_bytes_per_s = 1e12;
        cost.links = {{"0", 0.25, 1e9}, {"1", 0.25, 1e9}};
        header_.cost = cost;
    }

    static NodeMetadata taking(double milliseconds) {
        NodeMetadata metadata;
        metadata.estimate_ms = milliseconds;
        return metadata;
    }
    /// A matrix product, which takes time and can hide collectives.
    NodeId compute(std::string_view name, NodeId left, NodeId right, double milliseconds) {
        return call(name, "aten.mm.default", {Value::of_node(left), Value::of_node(right)}, {8}, taking(milliseconds));
    }
    NodeId gather(std::string_view name, NodeId input, double milliseconds, std::string_view group = "0") {
        return call(name, "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(input), Value::of_integer(8), builder_.string(group)}, {8}, taking(milliseconds));
    }
    NodeId reduce(std::string_view name, NodeId input, double milliseconds, std::string_view group = "0") {
        return call(name, "_c10d_functional.all_reduce.default",
                    {Value::of_node(input), builder_.string("sum"), builder_.string(group)}, {8}, taking(milliseconds));
    }
    NodeId scatter(std::string_view name, NodeId input, double milliseconds, std::string_view group = "0") {
        return call(name, "_c10d_functional.reduce_scatter_tensor.default",
                    {Value::of_node(input), builder_.string("sum"), Value::of_integer(8), builder_.string(group)}, {8},
                    taking(milliseconds));
    }
    NodeId awaited(std::string_view name, NodeId start) {
        return call(name, "_c10d_functional.wait_tensor.default", {Value::of_node(start)}, {8}, taking(0));
    }

    const Graph& finish() {
        graph_ = std::make_shared<const Graph>(builder_.finish(header_));
        return *graph_;
    }
    /// Collectives of what has been built.
    scheduling::CollectiveTable collectives(bool multidtype = false) {
        const Graph& graph = finish();
        times_ = node_times_ms(graph);
        return identify_collectives(graph, multidtype, times_, scheduling::SymbolicSizes(graph));
    }
    /// The reason for which the scheduler does not take what has been built.
    std::string rejection() {
        try {
            collectives();
        } catch (const InputError& error) {
            return error.what();
        }
        return "accepted";
    }
    /// Options with which nothing is merged.
    static Json only_scheduling(Json options = Json::object()) {
        options["pre_bucketing_fsdp_collectives"] = false;
        return options;
    }
    /// Runs schedule_overlap_bucketing and returns the order.
    Names scheduled(const Json& options = only_scheduling()) {
        run("schedule_overlap_bucketing", options);
        return names();
    }
    const CollectiveReport& record(std::string_view start) const {
        for (const CollectiveReport& collective : result_.report.collectives) {
            if (collective.start == start) return collective;
        }
        throw std::out_of_range(std::string(start));
    }

    std::vector<double> times_;
};

}  // namespace overlap::test
