#pragma once

#include <QHash>
#include <QMainWindow>
#include <QSize>

class QDockWidget;

namespace overlap::ui {

/// Remembers the widths that the user gave the docks at the sides. A window that becomes narrow shrinks them, and would
/// keep them so: when it widens again they return to their own widths.
class DockWidths : public QObject {
    Q_OBJECT

  public:
    explicit DockWidths(QMainWindow& window);

    void watch(QDockWidget* dock);
    /// To be called when the window has been resized.
    void windowResized(const QSize& before);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QMainWindow& window_;
    QSize window_size_;  ///< the docks have been laid out for it
    QHash<QDockWidget*, int> wanted_;
};

}  // namespace overlap::ui
