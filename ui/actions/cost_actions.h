#pragma once

#include <QObject>
#include <functional>

#include "core/calibrate/plan_prediction.h"
#include "ui/measure/trace_times.h"
#include "ui/tasks/latest_task.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class GraphCostModel;
class Measurements;
struct Measurement;

/// The basis of time figures: the cost model of the open graph, contention, and calibration from a measurement that is
/// overlaid on the plan. Registers the actions, shows dialogs, and carries actions out.
class CostActions : public QObject {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to.
    CostActions(Actions& actions, Document& document, Measurements& measurements, TraceTimes& times, QWidget& window);

    GraphCostModel& model() { return *model_; }
    bool busy() const;
    /// What the session has kept.
    void restore(const QString& cost_model, const JobModel& model);

    /// Asks for a cost model. The dialog opens once it is known what times the graph was read with.
    void choose();
    /// Whether figures are with process groups that share the links they go over; see TimeSource::share_links.
    void shareLinks(bool share);
    /// Fits a cost model to the measurement that is shown, else to the one opened last, and shows what was found.
    void calibrateFromMeasurement();

  signals:
    /// The basis of figures has changed, or will change.
    void changed();
    void told(const QString& sentence);
    void failed(const QString& reason);

  private:
    /// @param times_known whether the graph as it was read has times.
    void ask(bool times_known);
    /// A plan that is open, or the graph as it is.
    struct NamedPlan {
        std::string name;
        std::optional<Plan> plan;
    };
    std::vector<NamedPlan> openPlans() const;
    void show(Calibration calibration, std::vector<PlanPrediction> predictions);
    void askForDensity();
    void update();
    bool knowsContention() const;
    QString whyNotShare() const;
    void change(const std::function<void(JobModel&)>& edit);
    /// @param scope nothing: as traced.
    void compile(std::optional<CompiledScope> scope);
    /// Also in place of a measurement's times.
    void useTracedFigures();

    Document& document_;
    Measurements& measurements_;
    TraceTimes& times_;
    QWidget& window_;
    GraphCostModel* model_;
    QAction *choose_, *contention_, *share_links_, *as_traced_, *eager_, *compiled_blocks_, *compiled_whole_, *density_,
        *calibrate_;
    std::optional<JobModel> model_wanted_;  ///< by the session, as soon as the cost model is available
    LatestTask task_;
    LatestTask question_;  ///< evaluates the graph as it was read
};

/// A calibration of the evaluation's graph from the first step of a measurement that counts.
/// @throws InputError where the graph has no cost model, or the trace cannot be matched.
Calibration calibrationOf(const std::shared_ptr<const Evaluation>& evaluation, const Measurement& measurement);

}  // namespace overlap::ui
