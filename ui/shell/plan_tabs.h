#pragma once

#include "core/plan/plan_colour.h"
#include "ui/session/early_histories.h"
#include "ui/shell/notices/notice_source.h"

class QAction;
class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class FileLooks;
class Measurements;
class SessionController;
class PlansPanel;
class VariantBar;

/// Actions on the tabs of plans and measurements: switching, closing, reopening, renaming.
class PlanTabs : public NoticeSource {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to.
    PlanTabs(Document& document, Measurements& measurements, SessionController& session, FileLooks& looks,
             QWidget& window);

    /// Renaming, closing and reopening. To be called before anything is closed.
    void registerActions(Actions& actions);
    /// Next and previous.
    void registerSteps(Actions& actions);
    /// Carry out the requests of the bar and of the table of plans.
    void follow(VariantBar& bar);
    void follow(PlansPanel& table);

    /// Closes a plan, which can be reopened; the baseline stays.
    void closePlan(int index);
    /// Opens the plan that was closed last, where its tab was. What can be undone in one of an earlier run is read
    /// before, in the background; until then the plan stays among the closed ones.
    void reopenPlan();
    /// The same at once.
    void reopenPlanNow();
    /// To be called when the plans that can be reopened have changed.
    void updateReopen();

  private:
    void closeCurrent();
    void renamePlan();
    void noteOn(int variant);
    void setColour(int variant, PlanColour colour);
    void renameAt(int index);
    void step(int by);

    Document& document_;
    Measurements& measurements_;
    SessionController& session_;
    FileLooks& looks_;
    QWidget& window_;
    QAction* reopen_ = nullptr;
    EarlyHistories histories_;
    bool reading_ = false;  ///< what can be undone in a plan that is to be reopened
};

}  // namespace overlap::ui
