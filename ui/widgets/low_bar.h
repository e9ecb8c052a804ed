#pragma once

#include <QObject>

class QWidget;

namespace overlap::ui {

/// Panels that are lower than this have little room for what stands beside their content.
inline constexpr int low_panel_height = 220;

/// Takes the space around a bar of controls away while its panel is low, so that the content has more rows.
class LowBar : public QObject {
    Q_OBJECT

  public:
    /// @param bar has a layout; it owns the object.
    LowBar(QWidget& panel, QWidget& bar);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget& bar_;
};

}  // namespace overlap::ui
