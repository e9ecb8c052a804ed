#pragma once

#include <QAbstractTableModel>
#include <array>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/plan/memory_section.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// The rules of the current plan's memory section below what they do: a row for each action, onto which modules are
/// dropped, and a card below it for each of its rules.
class MemoryRulesModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column { name_column, remark_column, column_count };

    explicit MemoryRulesModel(Document& document, QObject* parent = nullptr);

    /// What a row is about.
    MemoryAction action(int row) const { return rows_[static_cast<std::size_t>(row)].action; }
    /// Index of the rule that a row shows; -1 for the row of an action.
    int rule(int row) const { return rows_[static_cast<std::size_t>(row)].rule; }
    /// The row of an action.
    int rowOf(MemoryAction action) const;
    int rowOfRule(int rule) const;
    /// What putting the selection under an action would change, as text; empty where that is not known.
    /// @param brief what of it has room in the row; the tool tip has all.
    void setEffect(MemoryAction action, const QString& brief, const QString& all);

    /// What the effects are of, for the heading: its name in short, and all of it; empty where nothing is.
    void setTarget(const QString& title, const QString& all);
    const QString& target() const { return target_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  private:
    struct Row {
        MemoryAction action = MemoryAction::save;
        int rule = -1;
    };

    QVariant trueData(const QModelIndex& index, int role) const override;
    void restart();
    QString name(const Row& row) const;
    QString remark(const Row& row) const;
    QString help(const Row& row) const;
    /// What an action does.
    static QString help(MemoryAction action);
    const Problem* problemOf(int rule) const;

    Document& document_;
    MemorySection section_;
    bool invites_ = false;  ///< whether rules can be added
    std::vector<Row> rows_;
    std::array<QString, memory_actions.size()> effects_, brief_effects_;
    QString target_, whole_target_;
};

}  // namespace overlap::ui
