// Every plan that torch made of the goldens' cases: each step, each cost to the last bit, the order of search included.

#include <gtest/gtest.h>

#include <set>

#include "core/mesh/planners/strided_order.h"
#include "core/mesh/planners/torch_planners.h"
#include "core/mesh/sharding_text.h"
#include "tests/mesh/numeric_execution.h"
#include "tests/mesh/redistribution_goldens.h"

namespace overlap {
namespace {

using nlohmann::json;

/// A golden plan without what goldens say about it beside the plan itself.
json plan_alone(json golden) {
    for (const char* remark : {"verified", "base", "torch_error", "torch_wrong_when_executed"}) golden.erase(remark);
    return golden;
}

json searched(const RedistributionPlan& plan) {
    json golden = test::as_golden(plan);
    golden["states_expanded"] = plan.states_expanded;
    return golden;
}

/// The state with the order that its strided shards encode; the state itself where it has none.
std::optional<ShardingState> decoded(const ShardingState& state, const DeviceMesh& mesh) {
    return has_strided_shard(state.placements) ? decode_strided_placements(state.placements, mesh) : state;
}

/// What the planners of one mesh and tensor answer.
class Planners {
  public:
    explicit Planners(const json& described)
        : mesh_(test::mesh_in(described)),
          tensor_(test::tensor_in(described)),
          graph_torch_(mesh_, tensor_, *torch_times_),
          graph_fixed_(mesh_, tensor_, *fixed_times_, {.free_strided_gathers = false}) {}

    void expect(const json& golden);

  private:
    void expect_graph_plans(const ShardingState& source, const ShardingState& target, const json& plans);
    void expect_default_plan(const json& plans, StridedShards strided_shards);
    void expect_flattened(const RedistributionPlan& plan, const json& plans, const char* name, const char* base);
    void expect_moves_the_data(const RedistributionPlan& plan);

    DeviceMesh mesh_;
    MeshTensor tensor_;
    std::unique_ptr<CollectiveTimes> torch_times_ = torch_times(mesh_), fixed_times_ = fixed_times();
    GraphPlanner graph_torch_, graph_fixed_;
    ShardingState source_, target_;
    std::set<std::string> executed_paths_;
};

void Planners::expect(const json& golden) {
    SCOPED_TRACE(golden.at("id").get<std::string>());
    source_ = test::state_in(golden.at("src"));
    target_ = test::state_in(golden.at("dst"));
    const json& plans = golden.at("plans");
    if (golden.value("use_strided_shard_as_shard_order", false)) {
        expect_default_plan(plans, StridedShards::encode_order);
        const std::optional<ShardingState> source = decoded(source_, mesh_), target = decoded(target_, mesh_);
        // torch's graph planner is not asked about strided shards that encode no order.
        ASSERT_EQ(source && target, plans.contains("graph_torch"));
        if (source && target) expect_graph_plans(*source, *target, plans);
        return;
    }
    EXPECT_EQ(to_text(source_), golden.at("src").at("text"));
    EXPECT_EQ(to_text(target_), golden.at("dst").at("text"));
    expect_graph_plans(source_, target_, plans);
    expect_default_plan(plans, StridedShards::are_placements);
    const RedistributionPlan chosen = default_plan(source_, target_, mesh_, tensor_, graph_torch_, *torch_times_);
    EXPECT_EQ(strategy_cost(chosen, source_, mesh_, tensor_), test::number_in(golden.at("strategy_cost")));
}

void Planners::expect_graph_plans(const ShardingState& source, const ShardingState& target, const json& plans) {
    const RedistributionPlan torch = graph_torch_.plan(source, target);
    const RedistributionPlan fixed = graph_fixed_.plan(source, target);
    EXPECT_EQ(searched(torch), plan_alone(plans.at("graph_torch")));
    EXPECT_EQ(searched(fixed), plan_alone(plans.at("graph_fixed")));
    EXPECT_EQ(graph_torch_.cost(source, target), torch.total_cost);
    expect_moves_the_data(torch);
    expect_moves_the_data(fixed);
    expect_flattened(torch, plans, "graph_torch_flattened", "graph_torch");
}

void Planners::expect_default_plan(const json& plans, StridedShards strided_shards) {
    const bool greedy = plans.contains("greedy");
    if (greedy) {
        const RedistributionPlan plan = greedy_plan(source_, target_, mesh_, tensor_, *torch_times_);
        EXPECT_EQ(test::as_golden(plan), plan_alone(plans.at("greedy")));
        EXPECT_EQ(!execution_error(plan).empty(), plans.at("greedy").contains("torch_error"));
        expect_moves_the_data(plan);
    }
    const RedistributionPlan plan =
        default_plan(source_, target_, mesh_, tensor_, graph_torch_, *torch_times_, strided_shards);
    expect_flattened(plan, plans, "executed_default", greedy ? "greedy" : "graph_torch");
}

void Planners::expect_flattened(const RedistributionPlan& plan, const json& plans, const char* name, const char* base) {
    const RedistributionPlan flattened = flatten_consecutive_steps(plan, mesh_);
    ASSERT_EQ(flattened.steps.size() != plan.steps.size(), plans.contains(name)) << name;
    if (!plans.contains(name)) return;
    const json& golden = plans.at(name);
    EXPECT_EQ(test::as_golden(flattened), plan_alone(golden)) << name;
    EXPECT_EQ(golden.at("base"), base);
    EXPECT_EQ(!execution_error(flattened).empty(), golden.contains("torch_error")) << name;
    EXPECT_EQ(gathers_wrong_data(flattened, mesh_, tensor_.shape), golden.contains("torch_wrong_when_executed"))
        << name;
    expect_moves_the_data(flattened);
}

/// On a small tensor whose sizes nothing divides. Costs and shapes decide on plans, the movement itself does not.
void Planners::expect_moves_the_data(const RedistributionPlan& plan) {
    if (!execution_error(plan).empty() || !executed_paths_.insert(path_text(plan)).second) return;
    const Extents sizes = {13, 7, 5, 3};
    const Extents small(sizes.begin(), sizes.begin() + tensor_.dims());
    const test::ExecutionOutcome outcome = test::execute(plan, mesh_, small);
    EXPECT_EQ(outcome.problem, "") << path_text(plan) << ", step " << outcome.step;

    // The executor of torch, where it is wrong, is wrong exactly where the library says so.
    std::size_t wrong_step = 0;
    const bool wrong = gathers_wrong_data(plan, mesh_, small, &wrong_step);
    const test::ExecutionOutcome by_torch = test::execute(plan, mesh_, small, test::MergedParts::flat_chunks);
    EXPECT_EQ(!by_torch.problem.empty(), wrong) << path_text(plan) << ": " << by_torch.problem;
    EXPECT_EQ(by_torch.step, wrong_step) << path_text(plan);
}

class TorchPlannerGoldens : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(TorchPlannerGoldens, EveryPlanIsTorchs) {
    const test::RedistributionGoldens goldens = test::read_goldens(GetParam());
    ASSERT_FALSE(goldens.cases.empty());
    RecordProperty("cases", static_cast<int>(goldens.cases.size()));
    if (goldens.header.contains("mesh_shape")) {
        Planners planners(goldens.header);
        for (const json& golden : goldens.cases) planners.expect(golden);
    } else {
        for (const json& golden : goldens.cases) Planners(golden).expect(golden);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, TorchPlannerGoldens, testing::ValuesIn(test::golden_files_with("plans")),
                         [](const auto& file) { return test::test_name(file.param); });

}  // namespace
}  // namespace overlap
