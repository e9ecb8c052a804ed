#pragma once

#include <QWidget>
#include <vector>

class QToolButton;

namespace overlap::ui {

/// Buttons at the right, in as many rows as it takes: they never widen the window. One that is wider than it is cut.
class ButtonRows : public QWidget {
  public:
    explicit ButtonRows(QWidget* parent = nullptr);

    /// Takes the button as a child. @param before null: behind the others.
    void add(QToolButton* button, const QToolButton* before = nullptr);
    /// Gives the button no more room; it stays a child, and is the caller's to hide and delete.
    void remove(QToolButton* button);

    /// In one row.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    int heightForWidth(int width) const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    std::vector<std::vector<QToolButton*>> rowsOf(int width) const;
    void place();

    std::vector<QToolButton*> buttons_;
};

}  // namespace overlap::ui
