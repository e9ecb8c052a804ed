#pragma once

#include <QAbstractListModel>
#include <string>
#include <vector>

#include "core/passes/overlaps/overlap_directives.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// The current plan's overlaps by hand, each with its outcome.
class OverlapsModel : public HarmlessModel<QAbstractListModel> {
    Q_OBJECT

  public:
    enum Role {
        state_role = Qt::UserRole,  ///< in words: it holds, or why it is left out
        refused_role,               ///< it is left out
    };

    explicit OverlapsModel(Document& document, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;

    /// Name of the collective that directive `row` is about, as views show it.
    QString collective(int row) const;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    Document& document_;
    OverlapDirectives shown_;
    std::vector<std::string> collectives_;  ///< of `shown_`, as views show them
};

}  // namespace overlap::ui
