#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "core/measure/simulated_times.h"
#include "core/pipeline/time_source.h"
#include "core/plan/plan.h"
#include "ui/document/background_evaluator.h"
#include "ui/measure/statistics_model.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;
class Variant;

/// How each plan of the document uses the GPU by the simulation. What the document has not evaluated, such as tabs that
/// were not in front since other times are used, is evaluated in the background, one plan after the other; of these
/// only the times are kept. A plan that is refused, or whose times are not known, has none; nor has one whose
/// evaluation failed, which is not tried again before the plan or the times change.
class SimulatedPlans : public QObject {
    Q_OBJECT

  public:
    /// @param document outlives it.
    /// @param evaluate see BackgroundEvaluator; null: overlap::evaluate().
    explicit SimulatedPlans(Document& document, QObject* parent = nullptr, BackgroundEvaluator::Function evaluate = {});

    /// The plans of which it is known by now, in the order of the tabs. Asks for those that are missing.
    std::vector<StatisticsModel::SimulatedPlan> plans();
    /// How many plans the last call missed.
    std::size_t missing() const { return missing_; }
    /// Why plans of the last call could not be evaluated, a sentence without full stop for each.
    const QStringList& failures() const { return failures_; }
    /// True while a plan is being evaluated.
    bool busy() const { return task_.busy(); }

  signals:
    /// A plan that was missing is known.
    void changed();

  private:
    /// What a plan's figures depend on.
    struct Ground {
        std::shared_ptr<const Graph> graph;
        std::shared_ptr<const TimeSource> times;  ///< null: the graph's own

        bool operator==(const Ground&) const = default;
    };
    /// Without the plan's name, which may change.
    struct Simulated {
        bool shares_links = false;
        SimulatedTimes times;
        std::vector<std::string> groups;
    };
    struct Entry {
        quint64 key = 0;  ///< of the variant
        Plan plan;
        std::optional<Simulated> simulated;  ///< nothing where the plan has no times
        QString failure;                     ///< why it could not be evaluated; empty where it was
    };

    static std::optional<Simulated> simulated(const std::shared_ptr<const Evaluation>& evaluation);
    Ground ground() const;
    const Entry* known(const Variant& variant) const;
    void evaluate(const Variant& variant);

    Document& document_;
    Ground ground_;               ///< of `entries_`
    std::vector<Entry> entries_;  ///< of plans that the document has not evaluated
    std::optional<Entry> asked_;  ///< the plan that is being evaluated
    std::size_t missing_ = 0;
    QStringList failures_;
    BackgroundEvaluator::Function evaluate_;
    LatestTask task_;
};

}  // namespace overlap::ui
