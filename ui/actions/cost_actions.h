#pragma once

#include <QObject>

#include "core/calibrate/calibration.h"
#include "ui/tasks/latest_task.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class GraphCostModel;
class Measurements;
class TraceTimes;
struct Measurement;

/// What figures of time rest on: the cost model of the open graph, contention, and calibration from a measurement that
/// is laid over the plan. Registers the actions, asks, and carries out.
class CostActions : public QObject {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to.
    CostActions(Actions& actions, Document& document, Measurements& measurements, TraceTimes& times, QWidget& window);

    GraphCostModel& model() { return *model_; }
    bool busy() const;
    /// What the session has kept.
    void restore(const QString& cost_model, bool contention);

    /// Asks for a cost model. The dialog comes once it is known what times the graph was read with.
    void choose();
    /// Fits a cost model to the measurement that is shown, else to the one opened last, and shows what was found.
    void calibrateFromMeasurement();

  signals:
    /// What figures rest on is another, or will be.
    void changed();
    void told(const QString& sentence);
    void failed(const QString& reason);

  private:
    /// @param times_known whether the graph as it was read has times.
    void ask(bool times_known);
    void show(Calibration calibration);
    void update();
    bool knowsContention() const;

    Document& document_;
    Measurements& measurements_;
    TraceTimes& times_;
    QWidget& window_;
    GraphCostModel* model_;
    QAction *choose_, *contention_, *calibrate_;
    bool contention_wanted_ = false;  ///< by the session, as soon as the cost model is there
    LatestTask task_;
    LatestTask question_;  ///< evaluates the graph as it was read
};

/// A calibration of the evaluation's graph from the first step of a measurement that counts.
/// @throws InputError where the graph has no cost model, or the trace cannot be matched.
Calibration calibrationOf(const std::shared_ptr<const Evaluation>& evaluation, const Measurement& measurement);

}  // namespace overlap::ui
