#pragma once

#include <QAbstractItemModel>
#include <optional>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/views/exposed_time.h"
#include "core/views/module_figures.h"
#include "ui/tasks/latest_task.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// The module tree of the open graph, and below it the nodes that are in no module.
/// Columns: name, compute time and exposed time in the current plan, communication. Modules can be dragged.
class ModuleTreeModel : public HarmlessModel<QAbstractItemModel> {
    Q_OBJECT

  public:
    enum Column { name_column, compute_column, exposed_column, communication_column, column_count };
    enum Role {
        kind_role = Qt::UserRole,  ///< Kind
        path_role,                 ///< dotted path of a module; empty for the root
        class_role,                ///< class of a module, operator of a node
        bucket_role,               ///< index of the bucket that has the module, or -1
        hue_role,                  ///< of Theme::bucket(), where a bucket has the module; see bucket_hues()
        node_role,                 ///< name of a node
        matches_role,              ///< false while a search is on and the row is not found by it
    };
    enum Kind { module_kind, outside_kind, node_kind };

    explicit ModuleTreeModel(Document& document, QObject* parent = nullptr);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::MoveAction | Qt::CopyAction; }

    QModelIndex indexOfModule(const QString& path) const;
    QModelIndex indexOfNode(const QString& name) const;
    /// The paths of the modules among `indexes`, each once, without those that are inside another of them.
    QStringList modulePaths(const QModelIndexList& indexes) const;

    /// True until the exposed times are those of the current evaluation.
    bool busy() const { return exposing_.busy(); }

    /// Rows whose name, path, class or bucket contain `text` are found; the others are dimmed, none is hidden.
    void setSearch(const QString& text);
    /// Found rows in their order.
    const std::vector<QPersistentModelIndex>& found() const { return found_; }

  private:
    QVariant trueData(const QModelIndex& index, int role) const override;
    using ModuleId = ModuleTree::ModuleId;
    void rebuild();
    void updateBuckets();
    /// As shown: numbered modules in order of their numbers. Made when it is asked for: a large graph has hundreds of
    /// thousands of modules, of which few are ever shown.
    const std::vector<ModuleId>& childrenOf(ModuleId module) const;
    /// True once an index of the module may have been given out.
    bool isListed(ModuleId module) const;
    QModelIndex indexOfModule(ModuleId module, int column = name_column) const;
    /// Asks for what the current evaluation computes and exposes, and for what its plan takes away.
    void updateExposure();
    /// Tells views that columns of rows that may be shown have changed.
    void refresh(int first_column, int last_column, int role);
    /// @param taken of these figures, what the plan takes away; null: nothing.
    /// @param computed_ms see module_computed_ms(); nothing: that of the graph as it is.
    /// @param exposed_ms see ModuleExposure; nothing where it is not known.
    QVariant figureData(const ModuleFigures& all, const ModuleFigures* taken, std::optional<double> computed_ms,
                        std::optional<double> exposed_ms, int column) const;
    /// A dash where times are not known.
    QString timeText(double ms) const;
    QVariant moduleData(ModuleId module, int column, int role) const;
    QVariant outsideData(int column, int role) const;
    QVariant nodeData(NodeId node, int column, int role) const;
    bool matches(const QModelIndex& index) const;
    void findRows();

    Document& document_;
    std::shared_ptr<const Graph> graph_;
    std::shared_ptr<const ModuleTree> modules_;
    mutable std::vector<std::vector<ModuleId>> children_;  ///< see childrenOf(); empty until they are made
    mutable std::vector<int> row_of_module_;               ///< of modules that are listed
    std::vector<std::int32_t> bucket_of_module_;
    std::vector<std::uint32_t> hues_;  ///< of buckets
    QString search_;
    std::vector<QPersistentModelIndex> found_;
    bool shares_links_ = false;                ///< exposed times are of links that are shared
    std::optional<ModuleExposure> exposure_;   ///< nothing where no times are known
    std::optional<ModuleFiguresTable> taken_;  ///< what collectives communicate that the plan takes away; nothing: none
    std::optional<ModuleSums> computed_;       ///< compute of the plan's result; nothing where no times are known
    LatestTask exposing_;                      ///< last: what it delivers uses the members above
};

}  // namespace overlap::ui
