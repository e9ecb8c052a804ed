// Memory of an order that is found node by node, and of collectives that run ahead.

#include <optional>
#include <random>

#include "core/passes/scheduling/memory_tracker.h"
#include "core/passes/scheduling/prefetch_budget.h"
#include "tests/passes/scheduling/scheduling_fixture.h"

namespace overlap::scheduling {
namespace {

/// Tensors of 16 bytes.
class MemoryTrackerTest : public test::SchedulingTest {
  protected:
    /// A node that returns its input's memory.
    NodeId view(std::string_view name, NodeId of, TensorMeta tensor) {
        const Value argument = Value::of_node(of);
        return builder_.call(name, "aten.view.default", std::span(&argument, 1), std::span(&tensor, 1));
    }
    /// Bytes held after each node, in graph order.
    std::vector<std::int64_t> profile() {
        const Graph& graph = finish();
        const StorageUses uses(graph, SymbolicSizes(graph));
        MemoryTracker tracker(uses);
        std::vector<std::int64_t> held;
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            tracker.schedule(node);
            held.push_back(tracker.current_bytes());
        }
        return held;
    }
};

using Bytes = std::vector<std::int64_t>;

TEST_F(MemoryTrackerTest, TheLastUseFreesWhatIsNoParameter) {
    const NodeId parameter = placeholder("primals_1"), argument = placeholder("arg0_1");
    const NodeId sum = call("sum", "aten.add.Tensor", {parameter, argument});
    const NodeId negative = call("negative", "aten.neg.default", {sum});
    output({negative});
    EXPECT_EQ(profile(), (Bytes{32, 32, 32, 32, 32}));  // the argument, then `sum` are freed; the result is held
}

TEST_F(MemoryTrackerTest, AViewKeepsItsStorageAlive) {
    const NodeId argument = placeholder("arg0_1");
    const TensorMeta shared = tensor({8});
    const Value of = Value::of_node(argument);
    const NodeId base = builder_.call("base", "aten.neg.default", std::span(&of, 1), std::span(&shared, 1));
    const NodeId seen = view("seen", base, shared);
    const NodeId other = call("other", "aten.neg.default", {base});
    const NodeId last = call("last", "aten.neg.default", {seen});
    output({other, last});
    EXPECT_EQ(profile(), (Bytes{16, 16, 16, 32, 32, 32}));
}

TEST_F(MemoryTrackerTest, TheProcessorsMemoryDoesNotCount) {
    const std::int64_t size = 8;
    const TensorMeta host = builder_.contiguous_tensor(*dtype_by_name("bfloat16"), std::span(&size, 1), "cpu");
    const NodeId argument = builder_.placeholder("arg0_1", std::span(&host, 1));
    output({call("negative", "aten.neg.default", {argument})});
    EXPECT_EQ(profile(), (Bytes{0, 16, 16}));
}

TEST_F(MemoryTrackerTest, ReadingMemoryBeforeItsFirstNodeHasRunIsAnError) {
    const NodeId argument = placeholder("arg0_1");
    const TensorMeta claimed = tensor({8});
    const Value of = Value::of_node(argument);
    const NodeId first = builder_.call("first", "aten.neg.default", std::span(&of, 1), std::span(&claimed, 1));
    const NodeId second = builder_.call("second", "aten.neg.default", std::span(&of, 1), std::span(&claimed, 1));
    const NodeId reader = call("reader", "aten.neg.default", {second});
    output({first, reader});
    const Graph& graph = finish();
    const StorageUses uses(graph, SymbolicSizes(graph));
    MemoryTracker in_order(uses), reordered(uses);
    for (const NodeId node : {argument, first, second, reader}) EXPECT_NO_THROW(in_order.schedule(node));
    for (const NodeId node : {argument, second}) reordered.schedule(node);
    EXPECT_THROW(reordered.schedule(reader), InputError);
}

TEST_F(MemoryTrackerTest, TheBaselineIsWhatIsHeldBetweenComputeNodes) {
    const NodeId argument = placeholder("arg0_1");
    const NodeId wide = call("wide", "aten.cat.default", {argument}, {80});
    const NodeId narrow = call("narrow", "aten.sum.default", {wide});
    const NodeId first = compute("first", narrow, narrow, 1);
    const NodeId second = compute("second", first, first, 1);
    output({second});
    const Graph& graph = finish();
    const StorageUses uses(graph, SymbolicSizes(graph));
    const std::vector<NodeId> products = {first, second};
    const BaselineMemory baseline = baseline_memory(uses, products);
    EXPECT_EQ(baseline.peak_bytes, 160);  // after `wide`, whose input is gone
    EXPECT_EQ(baseline.before_compute, (Bytes{160, 16}));
}

/// PrefetchBudget by its definition.
struct PlainBudget {
    bool exceeded_by(std::int64_t bytes, std::uint32_t first, std::uint32_t last) const {
        for (std::uint32_t index = first; index < last; ++index) {
            if (prefetched[index] + bytes > in_flight_limit) return true;
            if (limit && before[index] + prefetched[index] + bytes > *limit) return true;
        }
        return false;
    }
    std::vector<std::int64_t> prefetched, before;
    std::int64_t in_flight_limit = 0;
    std::optional<std::int64_t> limit;
};

TEST(PrefetchBudget, AgreesWithItsDefinition) {
    int exceeded = 0, kept = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const std::uint32_t count = 1 + random() % 20;
        PlainBudget plain{std::vector<std::int64_t>(count),
                          std::vector<std::int64_t>(count),
                          static_cast<std::int64_t>(random() % 60),
                          {}};
        PrefetchBudget budget(count, plain.in_flight_limit);
        for (std::int64_t& bytes : plain.before) bytes = random() % 40;
        if (random() % 3 != 0) {
            plain.limit = random() % 100;
            budget.limit_memory(plain.before, *plain.limit);
        }
        for (std::uint32_t first = 0; first < count; first += random() % 2) {
            const std::uint32_t last = first + random() % (count - first + 1);
            const std::int64_t bytes = random() % 25;
            const bool exceeds = plain.exceeded_by(bytes, first, last);
            ASSERT_EQ(budget.exceeded_by(bytes, first, last), exceeds) << "seed " << seed;
            (exceeds ? exceeded : kept)++;
            if (exceeds) continue;
            budget.add(bytes, first, last);
            for (std::uint32_t index = first; index < last; ++index) plain.prefetched[index] += bytes;
        }
    }
    EXPECT_GT(exceeded, 100);
    EXPECT_GT(kept, 100);
}

}  // namespace
}  // namespace overlap::scheduling
