#pragma once

#include <QFrame>

class QLineEdit;
class QListWidget;

namespace overlap::ui {

/// A list of all passes with what they do, to choose one from: typing narrows it, Enter or a click takes one, Escape
/// leaves.
class PassPicker : public QFrame {
    Q_OBJECT

  public:
    explicit PassPicker(QWidget* parent);

    /// Shows the list below a place of the screen, with all passes.
    void openAt(const QPoint& position);
    QLineEdit* field() { return field_; }
    QListWidget* list() { return list_; }

  signals:
    void picked(const QString& pass);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill(const QString& query);
    void take();

    QLineEdit* field_;
    QListWidget* list_;
};

}  // namespace overlap::ui
