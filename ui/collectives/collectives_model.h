#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>

#include "ui/collectives/collective_rows.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// All collectives of a plan's result, a row each, in order of issue.
class CollectivesModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        name_column,
        time_column,
        exposed_column,
        could_hide_column,
        cause_column,
        hidden_column,  ///< what hides it
        bucket_column,
        group_column,
        bytes_column,
        start_column,
        module_column,
        column_count
    };
    enum Role {
        sort_role = Qt::UserRole,  ///< number or text that a column is sorted by
    };

    using HarmlessModel::HarmlessModel;

    /// Null for none.
    void setRows(std::shared_ptr<const CollectiveRows> rows);
    const std::shared_ptr<const CollectiveRows>& rows() const { return rows_; }
    /// Name of the node that starts a row's collective.
    QString nameOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    QString text(int row, int column) const;
    QString toolTip(int row, int column) const;
    QVariant sortValue(int row, int column) const;
    QVariant tone(int row, int column) const;

    std::shared_ptr<const CollectiveRows> rows_;
};

/// Which rows are shown: those that have all words of a text, and, if wished, only what is exposed.
class CollectivesFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit CollectivesFilter(CollectivesModel& model, QObject* parent = nullptr);

    /// @param text words with spaces between them; each is looked for in all texts of a row.
    void setText(const QString& text);
    void setExposedOnly(bool only);
    /// Sums over the rows that are shown.
    CollectiveSums sums() const;

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    CollectivesModel& model_;
    QStringList words_;
    bool exposed_only_ = false;
};

}  // namespace overlap::ui
