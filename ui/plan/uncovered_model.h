#pragma once

#include <QAbstractListModel>
#include <vector>

#include "core/views/bucket_figures.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// Collectives that could be bucketed but are in no bucket of the current plan: all of them where no step takes its
/// buckets.
class UncoveredModel : public HarmlessModel<QAbstractListModel> {
    Q_OBJECT

  public:
    enum Role { node_role = Qt::UserRole, module_role, figures_role };

    explicit UncoveredModel(Document& document, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;

    std::size_t count(CollectiveKind kind) const;
    std::int64_t bytes() const;

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    void update();

    Document& document_;
    std::vector<BucketableCollective> collectives_;
    std::vector<NodeId> removed_;  ///< see removedCollectives()
};

}  // namespace overlap::ui
