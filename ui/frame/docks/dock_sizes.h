#pragma once

#include <QHash>
#include <QMainWindow>
#include <QSize>

class QDockWidget;

namespace overlap::ui {

/// Remembers the widths that the user gave the docks at the sides, by a drag of their borders, and the heights of those
/// below. A window that is narrow, or a wide view in its centre, shrinks the former, and would keep them so: when the
/// window widens they return to their own widths. A
/// window that becomes low would take its whole loss from the middle: those below keep their share of it, and return to
/// their height with it.
class DockSizes : public QObject {
    Q_OBJECT

  public:
    explicit DockSizes(QMainWindow& window);

    void watch(QDockWidget* dock);
    /// Widths as if the user had given them, by the docks' names; the window has less where there is less room.
    void setWidths(const QHash<QString, int>& widths);
    /// Those that the user gave the docks, and not what a narrow window leaves of them.
    QHash<QString, int> widths() const;
    /// To be called when the window has been resized.
    void windowResized(const QSize& before);
    /// Whether the sizes that docks get are the user's. Where they are again, docks get those that they had.
    void setKept(bool kept);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    /// Of the docks below, which share a place.
    struct Below {
        int wanted = 0;     ///< height that the user gave them
        int of_window = 0;  ///< the window's height then; 0 before there is one
        int shown = 0;      ///< height that they have
    };

    bool isIn(QDockWidget* dock, Qt::DockWidgetAreas areas) const;
    bool isInFront(QDockWidget* dock) const;
    /// Of the row of tabs that a dock shares with others; 0 for a dock alone.
    int tabsHeight(const QDockWidget* dock) const;
    void widen();
    void lower();

    QMainWindow& window_;
    QSize window_size_;                ///< the docks have been laid out for it
    QHash<QDockWidget*, int> wanted_;  ///< widths
    Below below_;
    bool lowering_ = false;
    bool kept_ = true;
    bool pressed_ = false;  ///< the mouse, on the window itself: on a border between docks
};

}  // namespace overlap::ui
