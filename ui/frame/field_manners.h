#pragma once

#include <QObject>
#include <QPointer>

class QKeyEvent;
class QLineEdit;
class QWidget;

namespace overlap::ui {

/// How fields of the whole program take the wheel and the keys of the window, for as long as the object lives:
///
/// * a wheel changes a number only when it has the focus, which it never gives, and never a choice; otherwise it
///   scrolls what is around;
/// * undo and redo are the window's, except while a text is being typed: until it is committed by Enter or left, they
///   undo what was typed;
/// * a button whose menu has closed looks as the others do where the pointer is no longer over it.
class FieldManners : public QObject {
    Q_OBJECT

  public:
    FieldManners();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void leaveButtons();
    bool leavesWheel(QObject* watched) const;
    bool leavesToWindow(QObject* watched, const QKeyEvent& event) const;
    bool isOfTyping(QObject* watched, const QKeyEvent& event) const;
    void noteTyping(QObject* watched, const QKeyEvent& event);

    QPointer<QWidget> typed_into_;  ///< the field whose text was typed and is not committed
};

}  // namespace overlap::ui
