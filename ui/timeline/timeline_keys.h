#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>
#include <functional>
#include <vector>

class QKeyEvent;

namespace overlap::ui {

class TimelineView;

/// Gives a timeline its keys that are letters or marks (W A S D, E, F, `.`, `[` and so on) while another view of its
/// window, or of a page of its own, has the focus. Not while a text is typed there, nor where the view itself does
/// something with the key; lists give up finding rows by their first letter for it. Escape lets go of what the timeline
/// has, unless the view itself does something with it. Keys with Ctrl, arrows, Enter and the like stay with the view
/// that has the focus.
class TimelineKeys : public QObject {
    Q_OBJECT

  public:
    /// @param timeline owns the object.
    explicit TimelineKeys(TimelineView& timeline);
    /// Of a timeline that has the keys of a page alone, and nowhere else.
    /// @param use what a key means there; true where it means something.
    TimelineKeys(TimelineView& timeline, QWidget& page, std::function<bool(const QKeyEvent&)> use);
    /// A page within the window has keys of its own.
    void leaveTo(const QWidget& page) { others_.push_back(&page); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    bool isBeside(const QWidget& widget) const;
    bool isOwn(const QWidget* focused) const;
    bool isMeant(const QObject* watched, const QKeyEvent& event) const;

    TimelineView& timeline_;
    const QWidget* page_ = nullptr;  ///< null: the whole window, but the pages of others
    std::vector<QPointer<const QWidget>> others_;
    std::function<bool(const QKeyEvent&)> use_;
};

}  // namespace overlap::ui
