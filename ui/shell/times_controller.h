#pragma once

#include <memory>

#include "ui/shell/notice_source.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class CostActions;
class Document;
class Measurements;
class TraceTimes;
class Workspace;
struct Measurement;

/// Measurements beside the plans, and the times that figures are of: of the graph, of a trace or of a cost model.
class TimesController : public NoticeSource {
    Q_OBJECT

  public:
    /// All of them must outlive the controller.
    TimesController(Document& document, Measurements& measurements, TraceTimes& times, Workspace& workspace);

    /// Also makes what cost() gives. @param window that dialogs belong to.
    void registerActions(Actions& actions, QWidget& window);

    Measurements& measurements() { return measurements_; }
    TraceTimes& traceTimes() { return times_; }
    /// There once the actions are registered.
    CostActions& cost() { return *cost_; }
    bool busy() const;

  signals:
    /// What the session keeps of measurements and times is another.
    void changed();
    /// What figures rest on is another, or will be.
    void costChanged();
    /// A measurement was opened from these files.
    void filesOpened(const QStringList& files);

  private:
    void connectMeasurements();
    void connectTimes();
    void tellOpened(const Measurement& measurement);
    void showMeasuredFigures();

    Document& document_;
    Measurements& measurements_;
    TraceTimes& times_;
    Workspace& workspace_;
    CostActions* cost_ = nullptr;
};

}  // namespace overlap::ui
