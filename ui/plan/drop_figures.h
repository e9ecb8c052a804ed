#pragma once

#include <QWidget>

class QPainter;

namespace overlap::ui {

/// What a drop would do, over the window: for a list of cards that has no room for it. Takes no events.
class DropFigures : public QWidget {
    Q_OBJECT

  public:
    /// @param view beside which it is shown.
    explicit DropFigures(QWidget& view);

    /// Shows the text beside the view, with its top at `y` of it where the window has the room.
    /// @param allowed whether the drop is.
    /// @param dragged what the picture of the drag covers of the view: the text is below it then, or above.
    void showBeside(const QString& text, bool allowed, int y, const QRect& dragged = {});
    const QString& text() const { return text_; }

    /// The plate of such a text, at most as wide as `room`.
    static QRect plateOf(const QString& text, const QRect& room);
    static void paintPlate(QPainter& painter, const QRect& plate, const QString& text, bool allowed);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QWidget& view_;
    QString text_;
    bool allowed_ = true;
};

}  // namespace overlap::ui
