#pragma once

#include <QObject>

class QKeyEvent;
class QWidget;

namespace overlap::ui {

class TimelineView;

/// Gives a timeline its keys that are letters or marks (W A S D, E, F, `.`, `[` and so on) while another view of its
/// window has the focus. Not while a text is typed there, nor where the view itself
/// does something with the key; lists give up finding rows by their first letter for it. Keys with Ctrl, arrows, Enter
/// and the like stay with the view that has the focus.
class TimelineKeys : public QObject {
    Q_OBJECT

  public:
    /// @param timeline owns the object.
    explicit TimelineKeys(TimelineView& timeline);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    bool isBeside(const QWidget& widget) const;
    bool isMeant(const QObject* watched, const QKeyEvent& event) const;

    TimelineView& timeline_;
};

}  // namespace overlap::ui
