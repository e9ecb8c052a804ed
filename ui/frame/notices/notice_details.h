#pragma once

#include <QFrame>
#include <QPointer>
#include <QStringList>

class QPlainTextEdit;

namespace overlap::ui {

/// What a notice unfolds. It floats over what is below the notice, as high as its lines are; where they are many, they
/// scroll. It has the focus while it is open. Escape folds it away, as does the focus that goes elsewhere; then the
/// focus is where it was before.
class NoticeDetails : public QFrame {
    Q_OBJECT

  public:
    /// @param notice owns it.
    explicit NoticeDetails(QWidget& notice);
    ~NoticeDetails() override;

    void setLines(const QStringList& lines);
    QString text() const;

    /// The focus goes to the lines.
    void open();
    /// The focus goes back, where it is still in the lines.
    void fold();

  signals:
    /// Escape was pressed, or the focus is elsewhere.
    void foldWanted();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();
    void followFocus(QWidget* now);

    QWidget& notice_;
    QPlainTextEdit* lines_;
    QPointer<QWidget> focus_before_;
};

}  // namespace overlap::ui
