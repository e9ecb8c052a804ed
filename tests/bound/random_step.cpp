#include "tests/bound/random_step.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "tests/cost/graph_sketch.h"

namespace overlap::test {

RandomStep::RandomStep(std::mt19937& random, int operations, bool mostly_products) {
    const auto below = [&](std::size_t count) { return random() % count; };
    for (int index = 0; index < operations; ++index) {
        Operation operation;
        const std::size_t choice = below(10);
        operation.kind = mostly_products ? (choice < 8 ? Kind::product : Kind::gather)
                         : choice < 4    ? Kind::product
                         : choice < 6    ? Kind::cast
                         : choice < 8    ? Kind::gather
                         : choice < 9    ? Kind::reduce
                                         : Kind::all_to_all;
        operation.size = 100'000 * static_cast<std::int64_t>(1 + below(8));
        for (std::size_t input = below(3); input > 0 && !operations_.empty(); --input) {
            std::size_t from = operations_.size() - 1 - below(std::min<std::size_t>(operations_.size(), 12));
            // Of a collective its wait, which comes right after it.
            const Kind kind = operations_[from].kind;
            if (kind == Kind::gather || kind == Kind::reduce || kind == Kind::all_to_all) ++from;
            if (std::ranges::find(operation.inputs, from) == operation.inputs.end()) operation.inputs.push_back(from);
        }
        operation.time_ms = static_cast<double>(below(9) + mostly_products) / 4;
        const char* const groups[] = {"0", "1", "2"};
        operation.group = groups[below(3)];
        const bool communicates = operation.kind != Kind::product && operation.kind != Kind::cast;
        if (communicates && operation.inputs.size() > 1) operation.inputs.pop_back();
        operations_.push_back(operation);
        if (!communicates) continue;
        Operation wait;
        wait.kind = Kind::wait;
        wait.inputs = {operations_.size() - 1};
        wait.size = operation.size;
        operations_.push_back(wait);
    }
}

Graph RandomStep::graph() const {
    std::vector<std::size_t> order(operations_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return written(order);
}

Graph RandomStep::reordered(std::mt19937& random, bool keep_products) const {
    std::vector<std::vector<std::size_t>> before(operations_.size());
    std::size_t last_product = operations_.size();
    for (std::size_t index = 0; index < operations_.size(); ++index) {
        before[index] = operations_[index].inputs;
        if (operations_[index].kind != Kind::product || !keep_products) continue;
        if (last_product < index) before[index].push_back(last_product);
        last_product = index;
    }
    std::vector<bool> done(operations_.size());
    std::vector<std::size_t> order;
    const bool lean = random() % 3 == 0;
    while (order.size() < operations_.size()) {
        std::vector<std::size_t> ready;
        for (std::size_t index = 0; index < operations_.size(); ++index) {
            const auto is_done = [&](std::size_t other) { return done[other]; };
            if (!done[index] && std::ranges::all_of(before[index], is_done)) ready.push_back(index);
        }
        // Waits late and collectives early, more often than not: such orders come near the bound. Or gathers as late as
        // can be, which takes little memory.
        std::size_t chosen = ready[random() % ready.size()];
        for (const std::size_t index : ready) {
            const Kind kind = operations_[index].kind;
            const bool starts = kind == Kind::gather || kind == Kind::reduce || kind == Kind::all_to_all;
            if (lean ? kind != Kind::gather && operations_[chosen].kind == Kind::gather : starts && random() % 2 == 0)
                chosen = index;
        }
        done[chosen] = true;
        order.push_back(chosen);
    }
    return written(order);
}

Graph RandomStep::written(const std::vector<std::size_t>& order) const {
    GraphSketch sketch;
    sketch.group("1", 4, 0.1, 1e9);
    sketch.group("2", 4, 0, 2e9);
    sketch.header().cost->contention = CostParameters::Contention{{}, 0, {{"0", "2"}, {"1"}}};
    // Of its own for each: gathers of one tensor are one gather.
    std::vector<NodeId> inputs;
    for (std::size_t index = 0; index < operations_.size(); ++index)
        inputs.push_back(sketch.input("x" + std::to_string(index), sketch.tensor("float32", {4})));
    std::vector<NodeId> nodes(operations_.size(), no_node);
    std::vector<Value> returned;
    for (const std::size_t index : order) {
        const Operation& operation = operations_[index];
        const std::string name = "n" + std::to_string(index);
        std::vector<Value> arguments;
        for (const std::size_t from : operation.inputs) arguments.push_back(Value::of_node(nodes[from]));
        if (arguments.empty()) arguments.push_back(Value::of_node(inputs[index]));
        const std::vector<TensorMeta> out{sketch.tensor("float32", {operation.size})};
        switch (operation.kind) {
            case Kind::product:
                nodes[index] = sketch.call(name, "aten.mm.default", arguments, out, operation.time_ms);
                break;
            case Kind::cast:
                nodes[index] = sketch.call(name, "aten.add.Tensor", arguments, out, operation.time_ms);
                break;
            case Kind::gather:
                arguments.push_back(Value::of_integer(4));
                arguments.push_back(sketch.text(operation.group));
                nodes[index] = sketch.call(name, "_c10d_functional.all_gather_into_tensor.default", arguments, out,
                                           operation.time_ms);
                break;
            case Kind::reduce:
                arguments.push_back(sketch.text("sum"));
                arguments.push_back(sketch.text(operation.group));
                nodes[index] =
                    sketch.call(name, "_c10d_functional.all_reduce.default", arguments, out, operation.time_ms);
                break;
            case Kind::all_to_all:
                arguments.push_back(sketch.list({}));
                arguments.push_back(sketch.list({}));
                arguments.push_back(sketch.text(operation.group));
                nodes[index] =
                    sketch.call(name, "_c10d_functional.all_to_all_single.default", arguments, out, operation.time_ms);
                break;
            case Kind::wait:
                nodes[index] = sketch.call(name, "_c10d_functional.wait_tensor.default", arguments, out);
                break;
        }
    }
    // What is used is not returned, too: it would be alive to the end.
    std::vector<bool> used(operations_.size());
    for (const Operation& operation : operations_)
        for (const std::size_t from : operation.inputs) used[from] = true;
    for (std::size_t index = 0; index < nodes.size(); ++index)
        if (!used[index]) returned.push_back(Value::of_node(nodes[index]));
    sketch.builder().output(returned);
    return sketch.builder().finish(sketch.header());
}

}  // namespace overlap::test
