#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "ui/document/bound_gap.h"

namespace overlap::ui {

/// Figures of one plan, as the toolbar shows them.
struct PlanFigures {
    bool refused = false;  ///< the others are the baseline's then
    bool times_known = true;
    double step_ms = 0;
    double exposed_ms = 0;  ///< of the step of a job: exposed_with_links_shared()
    std::int64_t peak_bytes = 0;
    std::size_t collectives = 0;
    std::optional<double> shared_step_ms{};  ///< Evaluation::on_shared_links

    /// The step of a job: step_with_links_shared().
    double jobStepMs() const { return shared_step_ms.value_or(step_ms); }
};
PlanFigures planFigures(const Evaluation& evaluation);

/// One plan of the table.
struct PlanRow {
    quint64 key = 0;  ///< of the variant
    Plan plan;
    bool baseline = false;
    std::optional<PlanFigures> figures;  ///< nothing while it is not evaluated
    std::optional<PlanFigures> other;    ///< under the other cost model; nothing where none is chosen
    /// The step of a job where times are wrong in each of usual_disturbances(); empty where it is not known.
    std::vector<double> disturbed_ms;
    /// Of the plan by the times of the ground, where there is one: what is missing is made from it.
    std::shared_ptr<const Evaluation> evaluation;
    /// How far the step is above the bound, or why that is not known; nothing for a plan that is refused.
    std::optional<BoundGap> gap{};
};

/// Where plans are evaluated.
struct PlanGround {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TimeSource> times;  ///< null: the graph's own
    std::shared_ptr<const Graph> as_read;     ///< what another cost model is put into
    QString other;                            ///< name of a built-in cost model; empty for none
    std::shared_ptr<PassResultCache> cache;   ///< of the graph's

    bool operator==(const PlanGround&) const = default;
};

/// Fills in figures that are missing, each as `evaluate()` makes them. For worker threads.
/// @returns nothing when stopped.
std::optional<std::vector<PlanRow>> evaluatePlans(std::vector<PlanRow> rows, const PlanGround& ground,
                                                  std::stop_token stop);

/// Whether a plan is faster than the baseline, and with links shared, as a job's are, is not.
bool losesWithLinksShared(const PlanRow& row, const PlanRow& baseline);
/// Whether a plan is faster than the baseline, and under the other cost model is not.
bool losesUnderOther(const PlanRow& row, const PlanRow& baseline);
/// In which of usual_disturbances() it is so.
std::vector<std::size_t> losesDisturbed(const PlanRow& row, const PlanRow& baseline);

}  // namespace overlap::ui
