#pragma once

#include <QComboBox>

namespace overlap::ui {

/// A list of choices that may be narrower than what is chosen: that ends in an ellipsis then, and is in the tool tip.
class ElidedBox : public QComboBox {
    Q_OBJECT

  public:
    using QComboBox::QComboBox;

    /// What is chosen, as it is written.
    QString shownText() const;
    /// Where the ellipsis is: at the end at first. Names that differ at their ends have it in their middle.
    void setElideMode(Qt::TextElideMode mode);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    Qt::TextElideMode elide_mode_ = Qt::ElideRight;
};

}  // namespace overlap::ui
