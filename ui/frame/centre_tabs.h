#pragma once

#include <QJsonObject>
#include <QStringList>
#include <QWidget>
#include <vector>

class QHBoxLayout;
class QSplitter;
class QStackedWidget;
class QTabBar;

namespace overlap::ui {

/// The middle of the window: views that share one place under tabs, above a lower view that is always there. Views are
/// known by an id, such as `graph`, which is also their name for pictures and for the action that shows them.
class CentreTabs : public QWidget {
    Q_OBJECT

  public:
    struct View {
        QString id;
        QString title;
        QWidget* widget = nullptr;
        QWidget* controls = nullptr;  ///< at the right of the tabs; may be null
        double first_share = 0;       ///< of the height, at first
        double upper_share = 0;       ///< of the height, while open and in front
        int alone_below = 0;          ///< height of both views under which it stands alone
    };
    static constexpr double half = 0.5;

    /// @param below the view under the tabs; becomes a child.
    explicit CentreTabs(QWidget* below, QWidget* parent = nullptr);

    /// Adds a view behind the others.
    /// @param controls is shown at the right of the tabs with the view; may be null.
    /// @param first_share of the height, until the user drags it; each view has its own.
    void addView(const QString& id, const QString& title, QWidget* widget, QWidget* controls = nullptr,
                 double first_share = half);
    /// While the view called `id` is in front and there is less height than that, the lower view makes room.
    void setAloneBelow(const QString& id, int height);
    /// A button at the right end of the row of tabs; to be added behind all views.
    void addCorner(QWidget* corner);
    const std::vector<View>& views() const { return views_; }
    /// The view called `id`, or nullptr.
    QWidget* view(const QString& id) const;
    /// Id of the view that is in front; empty where there is none.
    QString current() const;
    /// Brings the view called `id` to the front, and opens closed tabs; unknown ids change nothing.
    void showView(const QString& id);

    /// Shows the lower view where the one in front stands alone: another comes to the front.
    void uncoverBelow();
    /// Whether the lower view can have this height with the views above it still to be seen.
    bool hasRoomBelow(int height) const;
    /// Gives the lower view at least this height, as a drag of the border would, where it hasRoomBelow().
    void giveBelow(int height);
    /// Whether the views are shown; otherwise the lower view has all the space.
    bool open() const;
    void setOpen(bool open);
    /// Closes the views for room that something else asked for: the user did not, so a session keeps them as open.
    void closeForRoom();
    /// Restores the initial state: the first view in front, every view's height in its first proportion.
    void reset();

    /// What the session keeps: the view in front and how the height is shared with each view.
    QJsonObject state() const;
    void restore(const QJsonObject& state);

  signals:
    void currentChanged(const QString& id);
    /// The views were shown or hidden.
    void openChanged(bool open);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    int indexOf(const QString& id) const;
    void share();
    void coverBelow();

    std::vector<View> views_;
    QTabBar* tabs_;
    QHBoxLayout* row_;
    QStackedWidget *stack_, *controls_;
    QSplitter* splitter_;
    bool shared_ = false;           ///< the first share has been given
    bool closed_for_room_ = false;  ///< not by the user
};

}  // namespace overlap::ui
