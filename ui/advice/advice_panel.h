#pragma once

#include <QWidget>

#include "ui/advice/advice_search.h"
#include "ui/widgets/seen_refresh.h"

class QLabel;
class QToolButton;
class QTreeView;

namespace overlap::ui {

class AdviceModel;
class Document;

/// What would help the current plan: changes for the collectives that are exposed longest and for problems, or for the
/// selected collective alone, each evaluated. A double click, Enter or a click on the last column makes the change as
/// one edit. Only searched while the panel is visible.
class AdvicePanel : public QWidget {
    Q_OBJECT

  public:
    explicit AdvicePanel(Document& document, QWidget* parent = nullptr);

    AdviceModel* model() { return model_; }
    QTreeView* view() { return view_; }
    /// Changes for the selected collective alone.
    QToolButton* selectedOnly() { return selected_only_; }
    /// What the rows are for, and how many changes were tried.
    QString caption() const;
    /// What was looked for where nothing was found, in the place of the rows; empty otherwise.
    QString nothingFound() const;
    bool busy() const { return refresh_.waiting() || search_.busy(); }
    /// A limit of the peak: see AdviceModel::setLimit(). 0: none.
    void setMemoryLimit(qint64 bytes);
    /// Shows what helps the selected collective.
    void adviseSelected();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeBar();
    void makeTable();
    void schedule();
    void restart();
    void describe();
    QString whatItIsFor() const;
    QString whatWasLookedFor() const;
    void make(int row);
    /// Index of the selected collective in the evaluation's simulation; nothing where none is selected.
    std::optional<std::size_t> selectedCollective() const;
    /// Why there can be no rows, as a sentence without full stop; empty where there can.
    QString obstacle() const;
    void fitColumns();

    Document& document_;
    AdviceModel* model_;
    QTreeView* view_;
    QToolButton* selected_only_;
    QLabel *caption_, *nothing_;
    qint64 memory_limit_ = 0;
    SeenRefresh refresh_;
    std::shared_ptr<const Evaluation> evaluation_;  ///< whose plan the rows change
    std::size_t exposed_ = 0;                       ///< collectives of it that changes are looked for
    AdviceSearch search_;
};

}  // namespace overlap::ui
