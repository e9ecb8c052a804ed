#pragma once

#include <QMenu>
#include <QStringList>
#include <QToolButton>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/search/plan_locks.h"

namespace overlap::ui {

/// Chooses what of the current plan a search keeps as it is: cards, overlaps by hand, passes, memory.
class LockButton : public QToolButton {
    Q_OBJECT

  public:
    explicit LockButton(QWidget* parent = nullptr);

    /// To be called when the current plan is another one; what it does not have is not locked in it.
    void setPlan(const Plan& plan);
    /// What is chosen of the current plan.
    PlanLocks locks() const;
    /// Chooses a part or not, by its name in describe(const PlanLocks&).
    void lock(const std::string& part, bool locked);
    /// The names of all parts that are chosen, also of those that the current plan does not have.
    const std::set<std::string>& chosen() const { return chosen_; }
    void setChosen(std::set<std::string> chosen);

  signals:
    void changed();

  private:
    /// A part that can be locked, with its name.
    struct Part {
        std::string name;
        PlanLocks locks;
    };

    static std::vector<Part> partsOf(const Plan& plan);
    void fill();
    void addParts(QMenu& menu, std::size_t first, std::size_t last);
    void showCount();

    std::vector<Part> parts_;  ///< of the current plan
    std::set<std::string> chosen_;
    QMenu* menu_;
};

}  // namespace overlap::ui
