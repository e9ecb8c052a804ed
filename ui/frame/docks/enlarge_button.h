#pragma once

#include <QToolButton>

namespace overlap::ui {

/// Asks for the whole window for the part that it stands beside, and for the other parts again.
class EnlargeButton : public QToolButton {
    Q_OBJECT

  public:
    explicit EnlargeButton(QWidget* parent = nullptr);

    /// Whether the part has the whole window.
    void setEnlarged(bool enlarged);

  private:
    void showIcon();

    bool enlarged_ = false;
};

}  // namespace overlap::ui
