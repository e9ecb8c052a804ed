#pragma once

#include "ui/shell/notices/notice_source.h"

namespace overlap::ui {

class Actions;
class Document;
class Measurements;
class RunPanel;

/// Running the plan that is shown, and the result of a run: a measurement that is overlaid on the plan.
class RunController : public NoticeSource {
    Q_OBJECT

  public:
    /// @param panel is in a dock.
    RunController(Document& document, Measurements& measurements, RunPanel& panel);

    void registerActions(Actions& actions);

  signals:
    /// A cost model is to be fitted to the run.
    void calibrateWanted();

  private:
    Document& document_;
    Measurements& measurements_;
    RunPanel& panel_;
};

}  // namespace overlap::ui
