#pragma once

#include <QStandardItemModel>
#include <QTreeView>
#include <memory>
#include <vector>

#include "core/cost/shared_links.h"
#include "core/search/plan_search.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

/// What the parts of one plan are worth, most worth first.
class PartsTable : public QTreeView {
    Q_OBJECT

  public:
    explicit PartsTable(QWidget* parent = nullptr);

    /// No plan's.
    void clear();
    void showWorth(const QString& plan, const std::vector<PlanElement>& parts);
    /// Finds out what the parts are worth in the background; weighed() has the result.
    /// @param options of the search that found the plan.
    /// @param links of that search.
    void weigh(const QString& plan, std::shared_ptr<const Graph> graph, const Plan& content, SearchOptions options,
               LinkSharing links);
    bool busy() const { return task_.busy(); }
    QStandardItemModel* parts() { return parts_; }

  signals:
    void weighed(const std::vector<overlap::PlanElement>& parts);

  private:
    void setTitle(const QString& title);

    QStandardItemModel* parts_;
    LatestTask task_;
};

}  // namespace overlap::ui
