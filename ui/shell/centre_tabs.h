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
/// known by an id, such as `graph`, which is also their name for pictures and for the action that goes there.
class CentreTabs : public QWidget {
    Q_OBJECT

  public:
    struct View {
        QString id;
        QString title;
        QWidget* widget = nullptr;
    };

    /// @param below the view under the tabs; becomes a child.
    explicit CentreTabs(QWidget* below, QWidget* parent = nullptr);

    /// Adds a view behind the others.
    /// @param controls stands at the right of the tabs while the view is shown; may be null.
    void addView(const QString& id, const QString& title, QWidget* widget, QWidget* controls = nullptr);
    const std::vector<View>& views() const { return views_; }
    /// The view called `id`, or nullptr.
    QWidget* view(const QString& id) const;
    /// Id of the view that is in front; empty where there is none.
    QString current() const;
    /// Brings the view called `id` to the front, and back where the tabs were closed; unknown ids change nothing.
    void showView(const QString& id);

    /// Whether the views are shown; the lower view has all the room otherwise.
    bool open() const;
    void setOpen(bool open);
    /// As it was at first: the first view in front, both halves in their first proportions.
    void reset();

    /// What the session keeps: the view in front and how the height is shared.
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
    void share(double upper);

    std::vector<View> views_;
    std::vector<QWidget*> controls_;
    QTabBar* tabs_;
    QHBoxLayout* row_;
    QStackedWidget* stack_;
    QSplitter* splitter_;
    double upper_share_;   ///< of the height, while open
    bool shared_ = false;  ///< the first share has been given
};

}  // namespace overlap::ui
