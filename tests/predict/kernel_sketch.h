#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/predict/fused_kernels.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {

/// Draws small graphs of float32 tensors, and tells their kernels as text.
class KernelSketch {
  public:
    using Sizes = std::vector<std::int64_t>;

    GraphSketch sketch;
    Sizes usual{10, 10};  ///< of what is drawn without sizes: 400 bytes

    NodeId input(std::string_view name) { return input(name, usual); }
    NodeId input(std::string_view name, const Sizes& sizes) {
        return sketch.input(name, sketch.tensor("float32", sizes));
    }
    NodeId call(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs) {
        return call(name, target, inputs, usual);
    }
    NodeId call(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs,
                const Sizes& sizes) {
        return sketch.call(name, target, GraphSketch::values(inputs), {sketch.tensor("float32", sizes)});
    }
    NodeId pointwise(std::string_view name, std::initializer_list<NodeId> inputs) {
        return call(name, "aten.mul.Tensor", inputs);
    }
    NodeId product(std::string_view name, NodeId left, NodeId right) {
        return call(name, "aten.mm.default", {left, right});
    }
    /// The sum over one dimension of a matrix.
    NodeId sum(std::string_view name, NodeId input, std::int64_t dimension, const Sizes& sizes = {10}) {
        return sketch.call(name, "aten.sum.dim_IntList",
                           {Value::of_node(input), sketch.list({Value::of_integer(dimension)})},
                           {sketch.tensor("float32", sizes)});
    }

    /// A line for each kernel, such as `mul add: x 400, y 400 -> add 400`; without `any`, in the order of the graph.
    /// The operator in whose place it is launched is behind `at` where it is not the last.
    std::vector<std::string> kernels(std::initializer_list<NodeId> returned, LaunchOrder order = LaunchOrder::any) {
        return kernels_in({}, returned, order);
    }
    /// @param regions see fused_kernels(); none: all nodes in one.
    std::vector<std::string> kernels_in(std::vector<std::int32_t> regions, std::initializer_list<NodeId> returned,
                                        LaunchOrder order = LaunchOrder::any) {
        const Graph graph = sketch.finish(returned);
        regions.resize(graph.node_count(), regions.empty() ? 0 : regions.back());
        std::vector<std::string> lines;
        for (const FusedKernel& kernel : fused_kernels(graph, regions, order).kernels) {
            std::string line;
            for (const NodeId node : kernel.nodes) append(line, " ", graph.name(node));
            if (kernel.place != kernel.nodes.back()) append(line, " at ", graph.name(kernel.place));
            line += ':';
            std::int64_t listed = 0, written = 0;
            for (const BufferRead& read : kernel.reads) {
                std::string buffer(graph.name(read.node));
                if (read.part != read.node) append(buffer, "/", graph.name(read.part));
                append(line, listed == 0 ? " " : ", ", buffer + ' ' + std::to_string(read.bytes));
                listed += read.bytes;
            }
            if (listed != kernel.bytes_read) line += ", in all " + std::to_string(kernel.bytes_read);
            line += " ->";
            for (const BufferWrite& write : kernel.writes) {
                append(line, written == 0 ? " " : ", ", graph.name(write.node));
                line += ' ' + std::to_string(write.bytes);
                written += write.bytes;
            }
            EXPECT_EQ(written, kernel.bytes_written);
            lines.push_back(line);
        }
        return lines;
    }

  private:
    static void append(std::string& line, std::string_view between, std::string_view word) {
        if (!line.empty()) line += between;
        line += word;
    }
};

using Lines = std::vector<std::string>;

}  // namespace overlap::test
