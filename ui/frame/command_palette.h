#pragma once

#include <QFrame>
#include <QPointer>

class QLineEdit;
class QListWidget;

namespace overlap::ui {

class Actions;

/// A field over the window in which every action can be found by a few letters and run.
class CommandPalette : public QFrame {
    Q_OBJECT

  public:
    CommandPalette(const Actions& actions, QWidget* window);

    /// Shows the palette at the top of its window with the field empty and focused.
    void open();
    QLineEdit* field() { return field_; }
    QListWidget* list() { return list_; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill(const QString& query);
    void run();
    void close();

    const Actions& actions_;
    QLineEdit* field_;
    QListWidget* list_;
    QPointer<QWidget> focus_before_;
};

}  // namespace overlap::ui
