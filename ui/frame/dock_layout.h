#pragma once

#include <QList>
#include <QMainWindow>

class QDockWidget;

namespace overlap::ui {

class DockWidths;

/// The docks of a window and where they are: the layout at first, their widths when the window becomes narrow, their
/// heights when they are first seen, and the way back to the first layout.
class DockLayout : public QObject {
    Q_OBJECT

  public:
    /// Which heading a dock has.
    enum class Heading {
        always,
        floating,  ///< a row of tabs has the title as long as the dock is in it
    };

    explicit DockLayout(QMainWindow& window);

    /// Adds a dock behind the others.
    /// @param id name of the object, which is stable: sessions know the dock by it.
    /// @param controls stand in the heading; may be null.
    QDockWidget* add(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area,
                     Heading heading, QWidget* controls = nullptr);
    /// All docks in the order in which they were added.
    const QList<QDockWidget*>& all() const { return docks_; }
    /// The dock called `id`, or nullptr.
    QDockWidget* find(const QString& id) const;
    /// Gives the dock more height than its neighbours in the tabs when it is first seen. A person may take it away.
    void giveHeightWhenSeen(QDockWidget* dock);
    /// Puts the docks below into one row of tabs, in this order, with the first in front.
    void putInTabs(const QList<QDockWidget*>& docks);

    /// Takes what the window shows now as its first layout. To be called once all docks and bars are there.
    void keepAsFirst();
    /// Shows all docks where they were at first. Without a first layout nothing changes.
    void reset();
    /// To be called when the window has been resized.
    void windowResized(const QSize& before);

  private:
    QMainWindow& window_;
    DockWidths* widths_;
    QList<QDockWidget*> docks_;
    QByteArray first_;
};

}  // namespace overlap::ui
