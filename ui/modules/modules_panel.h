#pragma once

#include <QPersistentModelIndex>
#include <QWidget>
#include <vector>

#include "ui/modules/module_tree_view.h"

class QLabel;
class QLineEdit;

namespace overlap::ui {

/// The module tree with its search field.
class ModulesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ModulesPanel(Document& document, QWidget* parent = nullptr);

    ModuleTreeView* tree() { return tree_; }
    ModuleTreeModel* model() { return model_; }
    /// True until all figures are those of the current evaluation.
    bool busy() const;
    QLineEdit* searchField() { return search_; }
    /// Scrolls to what is selected, where none of it is seen.
    void revealSelection();

  signals:
    /// Nodes are to get a module by hand; none: all that lack one, by rules.
    void repairWanted(const QStringList& nodes);
    /// Why modules could not be put into a bucket, or a key does nothing; one sentence without full stop.
    void refused(const QString& reason);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void showSelection();
    bool isSeen(const QModelIndex& index) const;
    void openTo(const std::vector<QModelIndex>& shown);
    void selectFromTree();
    void stepSearch(int step);
    void showModuleMenu(const QPoint& position);
    void showOutsideMenu(const QPoint& position);
    void expandFirstLevels();
    void beginAtTop();

    Document& document_;
    ModuleTreeModel* model_;
    QLineEdit* search_;
    QLabel* search_count_;
    ModuleTreeView* tree_;
    std::vector<QPersistentModelIndex> opened_;  ///< to show what another view selected; closed when that goes
    int search_position_ = -1;
    QString graph_;  ///< that is shown, by its file
    bool following_ = false;
};

}  // namespace overlap::ui
