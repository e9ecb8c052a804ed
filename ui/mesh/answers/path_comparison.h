#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/mesh/planners/optimal_planner.h"
#include "ui/mesh/answers/cost_models.h"

namespace overlap::ui {

/// The question, with all inputs readable.
struct PathQuestion {
    DeviceMesh mesh;
    MeshTensor tensor;
    ShardingState source, target;
    CostModel costs;
};

/// A step as it is shown.
struct ComparedStep {
    double cost = 0.0;  ///< by the chosen model; infinite where it cannot run
    std::int64_t sent_bytes = 0;
    QString needs;    ///< what it takes beyond torch's redistribution; empty for nothing
    QString problem;  ///< what goes wrong in it; empty for nothing
};

/// One planner's answer.
struct ComparedPath {
    QString title;
    QString help;  ///< which planner it is
    std::optional<RedistributionPlan> plan;
    std::vector<ComparedStep> steps;
    double cost = 0.0;  ///< by the chosen model, whatever the planner went by; infinite where it cannot run
    std::int64_t sent_bytes = 0;
    QString own_cost;         ///< the total in the planner's own costs, where those are not the chosen ones
    QStringList problems;     ///< why there is no plan, what cannot run, what delivers wrong data
    bool wrong_data = false;  ///< runs, and corrupts
};

struct PathComparison {
    /// Places in `paths`.
    enum Planner : std::size_t { executed, optimal, graph, greedy, fixed };

    PathQuestion question;
    std::vector<ComparedPath> paths;

    const ComparedPath& best() const { return paths[optimal]; }
};

/// All paths from source to target.
/// @returns nothing when `stop` is requested meanwhile.
std::optional<PathComparison> comparePaths(PathQuestion question, std::stop_token stop);

/// Steps in words: "all_gather", "dp,tp", "all_gather over dp,tp", "S(0) → R".
QString kindText(StepKind kind);
QString stepDims(const RedistributionStep& step, const DeviceMesh& mesh);
QString stepTitle(const RedistributionStep& step, const DeviceMesh& mesh);
QString stepChange(const RedistributionStep& step);

/// The paths, or one of them, as text for a message or a file.
QString pathText(const PathComparison& comparison, std::size_t path);

}  // namespace overlap::ui
