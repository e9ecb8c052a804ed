#include "ui/mesh/answers/path_comparison.h"

#include <QCoreApplication>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/mesh/planners/torch_planners.h"
#include "core/mesh/sent_bytes.h"
#include "core/mesh/sharding_text.h"
#include "ui/mesh/answers/mesh_inputs.h"
#include "ui/mesh/answers/rank_slices.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("PathComparison", text);
}

/// Step `step` of `plan` as a plan of its own, which cost models price as they price whole ones.
RedistributionPlan onlyStep(const RedistributionPlan& plan, std::size_t step) {
    return {{plan.states[step], plan.states[step + 1]}, {plan.steps[step]}, plan.steps[step].cost, 0};
}

/// Fills in what follows from a plan under the chosen costs.
void describe(ComparedPath& path, const PathQuestion& question, const CollectiveTimes& times, bool torch_runs_it) {
    const RedistributionPlan& plan = *path.plan;
    const auto price = torch_runs_it ? executed_cost : plan_cost;
    path.cost = price(plan, question.mesh, question.tensor, times);
    path.sent_bytes = sent_bytes(plan, question.mesh, question.tensor);
    path.steps.resize(plan.steps.size());
    for (std::size_t step = 0; step < plan.steps.size(); ++step) {
        path.steps[step].cost = price(onlyStep(plan, step), question.mesh, question.tensor, times);
        path.steps[step].sent_bytes = sent_bytes(plan, step, question.mesh, question.tensor);
        if (torch_runs_it) path.steps[step].problem = QString::fromStdString(execution_error(onlyStep(plan, step)));
    }
    if (!torch_runs_it) return;
    if (const std::string error = execution_error(plan); !error.empty())
        path.problems.append(QString::fromStdString(error));
    std::size_t wrong_step = 0;
    if (!gathers_wrong_data(plan, question.mesh, question.tensor.shape, &wrong_step)) return;
    path.wrong_data = true;
    path.steps[wrong_step].problem =
        tr("PyTorch delivers wrong data here: nested parts of unequal size are gathered as if they were equal");
    path.problems.append(tr("Step %1 delivers wrong data in PyTorch 2.15: parts are nested and differ in size, and its "
                            "merged all_gather takes them for equal chunks")
                             .arg(wrong_step + 1));
}

/// A path that `find` makes, or the reason why there is none.
template <typename Find>
ComparedPath found(const QString& title, const QString& help, Find find) {
    ComparedPath path{title, help, {}, {}, std::numeric_limits<double>::infinity(), 0, {}, {}, false};
    try {
        find(path);
    } catch (const InputError& error) {
        path.plan.reset();
        path.problems.append(QString::fromUtf8(error.what()));
    }
    return path;
}

}  // namespace

std::optional<PathComparison> comparePaths(PathQuestion asked, std::stop_token stop) {
    PathComparison comparison{std::move(asked), {}};
    const PathQuestion& question = comparison.question;
    const DeviceMesh& mesh = question.mesh;
    const MeshTensor& tensor = question.tensor;
    const ShardingState &source = question.source, &target = question.target;
    const CostModel& costs = question.costs;
    const std::unique_ptr<CollectiveTimes> times = costs.times(mesh);
    const std::unique_ptr<CollectiveTimes> torch = torch_times(mesh);
    const std::unique_ptr<CollectiveTimes> constants = fixed_times();
    const CostModel torch_model = costModel(QStringLiteral("torch"));
    const CostModel fixed_model = costModel(QStringLiteral("fixed"));
    GraphPlanner graph_planner(mesh, tensor, *torch);

    // In the order of PathComparison::Planner.
    comparison.paths.push_back(found(
        tr("PyTorch runs"), tr("PyTorch 2.15 as it comes: its own choice of planner, runs of like collectives merged"),
        [&](ComparedPath& path) {
            path.plan =
                flatten_consecutive_steps(default_plan(source, target, mesh, tensor, graph_planner, *torch), mesh);
            describe(path, question, *times, true);
        }));
    if (stop.stop_requested()) return std::nullopt;
    comparison.paths.push_back(
        found(tr("Optimal"),
              tr("The cheapest path when a collective may span several mesh dimensions and orders may be exchanged"),
              [&](ComparedPath& path) {
                  OptimalPlan plan = OptimalPlanner(mesh, tensor, *times).plan(source, target, 0, stop);
                  path.plan = std::move(plan.plan);
                  describe(path, question, *times, false);
                  for (std::size_t step = 0; step < plan.needs.size(); ++step) {
                      const std::string_view needs = explain(plan.needs[step]);
                      path.steps[step].needs = QString::fromUtf8(needs.data(), static_cast<qsizetype>(needs.size()));
                  }
              }));
    if (stop.stop_requested()) return std::nullopt;
    comparison.paths.push_back(found(tr("Graph planner"),
                                     tr("PyTorch's cheapest path of single steps under its own costs"),
                                     [&](ComparedPath& path) {
                                         path.plan = graph_planner.plan(source, target, 0, stop);
                                         if (costs.id != torch_model.id)
                                             path.own_cost = formatCost(torch_model, path.plan->total_cost);
                                         describe(path, question, *times, true);
                                     }));
    comparison.paths.push_back(
        found(tr("Greedy"), tr("PyTorch's planner for default orders, one mesh dimension after the other"),
              [&](ComparedPath& path) {
                  if (!is_default_order(source) || !is_default_order(target)) {
                      path.problems.append(
                          tr("PyTorch's greedy planner knows default orders only: mesh dimensions ascending"));
                      return;
                  }
                  path.plan = greedy_plan(source, target, mesh, tensor, *torch);
                  describe(path, question, *times, true);
              }));
    if (stop.stop_requested()) return std::nullopt;
    comparison.paths.push_back(found(
        tr("Fixed costs"), tr("The same search where all_reduce costs 4, all_gather 2, all_to_all 1, a chunk nothing"),
        [&](ComparedPath& path) {
            path.plan = GraphPlanner(mesh, tensor, *constants).plan(source, target, 0, stop);
            if (costs.id != fixed_model.id) path.own_cost = formatCost(fixed_model, path.plan->total_cost);
            describe(path, question, *times, true);
        }));
    if (stop.stop_requested()) return std::nullopt;
    return comparison;
}

QString kindText(StepKind kind) {
    const std::string_view text = to_text(kind);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString stepDims(const RedistributionStep& step, const DeviceMesh& mesh) {
    QStringList dims;
    for (const int mesh_dim : step.mesh_dims) dims.append(QString::fromStdString(mesh.dim_name(mesh_dim)));
    return dims.join(u',');
}

QString stepTitle(const RedistributionStep& step, const DeviceMesh& mesh) {
    const QString dims = stepDims(step, mesh);
    if (!mesh.dim_names.empty()) return tr("%1 over %2").arg(kindText(step.kind), dims);
    return (step.flattened() ? tr("%1 over mesh dims %2") : tr("%1 over mesh dim %2")).arg(kindText(step.kind), dims);
}

QString stepChange(const RedistributionStep& step) {
    return QStringLiteral("%1 → %2").arg(QString::fromStdString(to_text(step.source)),
                                         QString::fromStdString(to_text(step.destination)));
}

QString pathText(const PathComparison& comparison, std::size_t index) {
    const PathQuestion& question = comparison.question;
    const ComparedPath& path = comparison.paths[index];
    const CostModel& model = question.costs;
    QStringList lines;
    lines.append(tr("%1: %2 to %3")
                     .arg(path.title, QString::fromStdString(spec_text(question.source, question.tensor)),
                          QString::fromStdString(to_text(question.target))));
    QString mesh = tr("mesh %1").arg(extentsText(question.mesh.shape, QStringLiteral(" × ")));
    if (!question.mesh.dim_names.empty()) {
        QStringList names;
        for (int dim = 0; dim < question.mesh.dims(); ++dim) names.append(meshDimText(question.mesh, dim));
        mesh += QStringLiteral(" (%1)").arg(names.join(QStringLiteral(", ")));
    }
    lines.append(mesh + tr(", %1 devices a host, costs: %2").arg(question.mesh.devices_per_host).arg(model.title));
    if (path.plan) {
        lines.append(tr("%1, %2 sent by a rank, steps: %3")
                         .arg(formatCost(model, path.cost), formatBytes(static_cast<double>(path.sent_bytes)))
                         .arg(path.steps.size()));
        lines.append(QString::fromStdString(path_text(*path.plan)));
        for (std::size_t step = 0; step < path.steps.size(); ++step) {
            const ComparedStep& compared = path.steps[step];
            QString line =
                QStringLiteral("%1. %2, %3: %4, %5")
                    .arg(step + 1)
                    .arg(stepTitle(path.plan->steps[step], question.mesh), stepChange(path.plan->steps[step]),
                         formatCost(model, compared.cost), formatBytes(static_cast<double>(compared.sent_bytes)));
            if (!compared.needs.isEmpty()) line += QStringLiteral("; ") + compared.needs;
            lines.append(line);
        }
    }
    lines += path.problems;
    return lines.join(u'\n') + u'\n';
}

}  // namespace overlap::ui
