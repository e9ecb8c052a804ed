#pragma once

#include <QFrame>

class QLabel;
class QTreeWidget;

namespace overlap::ui {

/// A list that lies over a part of the timeline, with a heading and a way to close it. Ctrl+C copies the rows, Escape
/// closes.
class ListPanel : public QFrame {
    Q_OBJECT

  public:
    explicit ListPanel(QWidget* parent = nullptr);

    QTreeWidget& list() { return *list_; }
    /// All rows as lines of fields between tabs, with a heading.
    virtual QString text() const = 0;

  signals:
    void closed();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

    /// Shows the panel, with its first row chosen where none is.
    void open(const QString& heading);

    QTreeWidget* list_;

  private:
    void close();

    QLabel* heading_;
};

}  // namespace overlap::ui
