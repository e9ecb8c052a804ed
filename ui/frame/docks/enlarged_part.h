#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QStringList>

class QDockWidget;
class QMainWindow;
class QWidget;

namespace overlap::ui {

class DockLayout;

/// Gives one part of the window all of its room but that of menu, toolbar and status bar: a dock with those that share
/// its tabs, or the middle. Everything else is hidden until the part is enlarged no more, which gives each border its
/// place again. Asking for anything that is hidden ends it, too, and so does closing all that has the room, or dragging
/// it out of the window. Docks that were opened, closed or dragged out meanwhile stay so. A dock in a window of its own
/// is no part of the window.
class EnlargedPart : public QObject {
    Q_OBJECT

  public:
    /// @param window whose central widget and docks are the parts. @param docks of that window; both outlive it.
    EnlargedPart(QMainWindow& window, DockLayout& docks);

    /// Whether any part is enlarged.
    bool any() const { return !layout_.isEmpty(); }
    /// The part that `inside` is in: its dock, else the middle of the window; null where it is in another window.
    QWidget* partOf(QWidget* inside) const;
    /// Whether a part is the enlarged one, or shares tabs with it.
    bool is(const QWidget* part) const;
    /// @param part a dock, or the window's central widget; nothing happens with what is in no part of the window.
    void enlarge(QWidget* part);
    /// Gives each border its place again; nothing happens where nothing is enlarged.
    void end();
    /// Enlarges the part, or ends it where it is enlarged.
    void toggle(QWidget* part);
    /// The window's layout without it, as QMainWindow::saveState(), for the session.
    QByteArray layout() const;
    /// The docks in front of that layout, see DockLayout::inFront(): those that are hidden now are so, too, and among
    /// those that share the room the one that is seen now.
    QStringList inFront() const;

  signals:
    /// Another part is enlarged now, or none.
    void changed();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QList<QWidget*> shownWith(QWidget* part) const;
    bool isInWindow(const QWidget* part) const;
    /// None of what has the room is shown in the window any more.
    bool isEmpty() const;
    /// Ends it where it is empty, once nothing is being dragged.
    void endIfEmpty();

    QMainWindow& window_;
    DockLayout& docks_;
    QByteArray layout_;       ///< before it; empty while nothing is enlarged
    QStringList in_front_;    ///< before it
    QList<QWidget*> hidden_;  ///< by it
    QList<QWidget*> enlarged_;
    bool changing_ = false;
};

}  // namespace overlap::ui
