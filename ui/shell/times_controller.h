#pragma once

#include <memory>

#include "ui/shell/notices/notice_source.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class CostActions;
class Document;
class MeasuredJob;
class Measurements;
class TimesHistory;
class TraceTimes;
class Workspace;
struct Measurement;

/// Measurements beside the plans, and the source of times for figures: the graph, a trace or a cost model.
class TimesController : public NoticeSource {
    Q_OBJECT

  public:
    /// All of them must outlive the controller.
    TimesController(Document& document, Measurements& measurements, TraceTimes& times, Workspace& workspace);

    /// Also creates the object of cost(). @param window that dialogs belong to.
    void registerActions(Actions& actions, QWidget& window);

    Measurements& measurements() { return measurements_; }
    TraceTimes& traceTimes() { return times_; }
    /// Exists once the actions are registered.
    CostActions& cost() { return *cost_; }
    bool busy() const;

  signals:
    /// The session's content for measurements and times has changed.
    void changed();
    /// The basis of figures has changed, or will change.
    void costChanged();
    /// A measurement was opened from these files.
    void filesOpened(const QStringList& files);

  private:
    void connectMeasurements();
    void connectTimes();
    void tellOpened(const Measurement& measurement);
    /// Shows a measurement where there is no plan that could be.
    void showWithoutPlan();
    void showMeasuredFigures();

    Document& document_;
    Measurements& measurements_;
    TraceTimes& times_;
    Workspace& workspace_;
    CostActions* cost_ = nullptr;
    TimesHistory* history_ = nullptr;
    MeasuredJob* job_;
    bool in_place_of_plan_ = false;  ///< the measurement that is shown was not chosen
};

}  // namespace overlap::ui
