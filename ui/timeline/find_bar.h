#pragma once

#include <QFrame>
#include <QTimer>

class QLabel;
class QLineEdit;

namespace overlap::ui {

/// The search field of the timeline with what was found. Enter and Shift+Enter step through the matches, Escape closes;
/// what is typed is searched once typing pauses.
class FindBar : public QFrame {
    Q_OBJECT

  public:
    explicit FindBar(QWidget* parent = nullptr);

    /// Shows itself with the text marked, ready to be typed over.
    void open();
    QString query() const;
    void setQuery(const QString& query);
    /// Says what was found, and lies at the right end of `line` with as much of that as there is room for.
    void show(const QString& summary, const QRect& line);

  signals:
    void queryChanged(const QString& query);
    /// +1 for the next match, -1 for the one before; the query is searched by then.
    void stepWanted(int step);
    void closed();

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void search();
    void step(int step);
    void close();
    QLineEdit* field_;
    QLabel* summary_;
    QTimer pause_;
    QString searched_;
};

}  // namespace overlap::ui
