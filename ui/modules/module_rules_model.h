#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/modules/module_repair.h"
#include "ui/tasks/latest_task.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// Rules for modules as they are edited, each with what it would give to the open graph. What they give is computed in
/// the background after every change.
class ModuleRulesModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column { which_column, module_column, nodes_column, column_count };
    enum Role {
        trouble_role = Qt::UserRole,  ///< why a rule gives less than it says, or nothing; empty if all is well
    };

    explicit ModuleRulesModel(std::shared_ptr<const Graph> graph, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    const std::vector<ModuleRule>& rules() const { return rules_; }
    void setRules(std::vector<ModuleRule> rules);
    void setRule(int row, ModuleRule rule);
    void insert(int row, ModuleRule rule);
    void remove(int row);
    /// Exchanges a rule with its neighbour, `step` rows on. @returns false where there is none.
    bool move(int row, int step);

    /// Why the rules cannot be applied; empty if they can. One sentence without full stop.
    QString error() const;
    /// What the rules give, for the newest rules that have been computed; null before.
    const std::shared_ptr<const RepairedModules>& repaired() const { return repaired_; }
    const std::shared_ptr<const Graph>& graph() const { return graph_; }

  signals:
    /// The rules are others; what they give follows.
    void rulesChanged();
    /// What the rules give has been worked out.
    void previewed();

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void update();
    QString trouble(int row) const;

    std::shared_ptr<const Graph> graph_;
    std::vector<ModuleRule> rules_;
    std::shared_ptr<const RepairedModules> repaired_;
    LatestTask task_;
};

}  // namespace overlap::ui
