#pragma once

#include <QHash>
#include <QList>
#include <QMainWindow>
#include <QStringList>

class QDockWidget;

namespace overlap::ui {

class DockSizes;
class DockTabs;

/// The docks of a window and their places: the initial layout, their sizes when the window becomes small, and the
/// reset to the initial layout. Nothing else moves a border that the user has set.
class DockLayout : public QObject {
    Q_OBJECT

  public:
    /// Which heading a dock has.
    enum class Heading {
        always,
        floating,  ///< a row of tabs shows the title as long as the dock is in it
    };

    explicit DockLayout(QMainWindow& window);

    /// Adds a dock behind the others.
    /// @param id name of the object, which is stable: sessions identify the dock by it.
    /// @param controls are in the heading; may be null.
    QDockWidget* add(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area,
                     Heading heading, QWidget* controls = nullptr);
    /// All docks in the order in which they were added.
    const QList<QDockWidget*>& all() const { return docks_; }
    /// The dock called `id`, or nullptr.
    QDockWidget* find(const QString& id) const;
    /// Puts the docks below into one row of tabs, in this order, with the first in front.
    void putInTabs(const QList<QDockWidget*>& docks);

    /// What holds for all that a dock shows, such as whose figures those are: in its heading, at the end of the row of
    /// tabs while it is in front there, and in its window's title while it floats. Empty: nothing.
    void setNote(const QString& id, const QString& note);

    /// Widths of docks at the sides by their names, those that the user gave them: a narrow window leaves less of them,
    /// and a session keeps them. Names that no dock has are ignored.
    void setWidths(const QHash<QString, int>& widths);
    QHash<QString, int> widths() const;

    /// Names of the docks in front of those that share a row of tabs with them. Restoring the window's layout before
    /// the window is shown does not bring them to the front again.
    QStringList inFront() const;
    /// Brings docks to the front. Names that no dock has are ignored.
    void bringToFront(const QStringList& names);

    /// Takes the current state of the window as its initial layout. To be called once all docks and bars exist.
    void keepAsFirst();
    /// Shows all docks in their initial places. Without an initial layout nothing changes.
    void reset();
    /// To be called when the window has been resized.
    void windowResized(const QSize& before);
    /// Whether the sizes that docks get are the user's; not while one part has the whole window.
    void setSizesKept(bool kept);

  signals:
    /// The dock is to have the whole window, or no more.
    void enlargeWanted(QDockWidget* dock);
    /// The tab of a dock was clicked, which is in front already or will be.
    void tabClicked(QDockWidget* dock);

  private:
    void showFloatingNote(QDockWidget* dock);

    QMainWindow& window_;
    DockSizes* sizes_;
    DockTabs* tabs_;
    QList<QDockWidget*> docks_;
    QHash<QDockWidget*, QString> titles_;  ///< without their notes, of those in tabs that ever had one
    QByteArray first_;
};

}  // namespace overlap::ui
