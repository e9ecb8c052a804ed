#pragma once

#include <QScrollArea>

namespace overlap::ui {

/// As high as its content wants to be for its width. Where a layout has less room the content is scrolled, instead of
/// words and buttons being squeezed over one another.
class FittingScrollArea : public QScrollArea {
    Q_OBJECT

  public:
    /// @param content is owned.
    explicit FittingScrollArea(QWidget* content, QWidget* parent = nullptr);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showBarIfLow();
};

}  // namespace overlap::ui
