#pragma once

#include <QLineEdit>

namespace overlap::ui {

/// A line to type a note into, right on the ruler. Enter keeps it, Escape and a click elsewhere drop it.
class NoteEditor : public QLineEdit {
    Q_OBJECT

  public:
    explicit NoteEditor(QWidget* parent = nullptr);
    void open(const QPoint& place, const QString& text);

  signals:
    void accepted(const QString& text);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
};

}  // namespace overlap::ui
