#pragma once

#include <QWidget>

class QBoxLayout;
class QCheckBox;
class QListView;

namespace overlap::ui {

class Document;
class OverlapsModel;

/// Lists the current plan's overlaps by hand, each with its outcome, and their settings. Hidden while there is none.
/// Enter or a double click edits one, Delete removes it, a click selects the collective.
class OverlapsView : public QWidget {
    Q_OBJECT

  public:
    explicit OverlapsView(Document& document, QWidget* parent = nullptr);

    OverlapsModel& model() { return *model_; }
    QListView& list() { return *list_; }
    /// Seen where the plan has overlaps by hand. To be called when the view was put elsewhere.
    void showIfAny();
    QSize minimumSizeHint() const override;

  signals:
    /// The user wants to change what is asked of the collective.
    void editWanted(const QString& collective);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void update();
    void removeCurrent();
    void showMenu(const QPoint& position);

    Document& document_;
    OverlapsModel* model_;
    QListView* list_;
    QBoxLayout* settings_;  ///< beside one another, or in a narrow view below one another
    QCheckBox* group_order_;
    QCheckBox* control_deps_;
};

}  // namespace overlap::ui
