#pragma once

#include <QAccessibleWidget>
#include <QHash>
#include <memory>

#include "core/timeline/timeline.h"

namespace overlap::ui {

class TimelineView;

/// The timeline for screen readers: besides the view's widgets a child for each lane, from top to bottom, which has a
/// child for each event. Both are made when they are asked for. An event can be selected as by a click.
class TimelineAccessible : public QAccessibleWidget {
  public:
    explicit TimelineAccessible(TimelineView* view);
    ~TimelineAccessible() override;

    int childCount() const override;
    QAccessibleInterface* child(int index) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    QAccessibleInterface* focusChild() const override;

    TimelineView& view() const;
    /// The interface of a lane, or of an event of it.
    QAccessibleInterface* part(EventLocation location) const;

  private:
    void forgetOldParts() const;

    mutable std::shared_ptr<const Timeline> timeline_;  ///< what the parts are of
    mutable QHash<quint64, QAccessible::Id> parts_;
};

/// Makes QAccessible know timelines; may be called often.
void installTimelineAccessibility();
/// Tells assistive programs that the selection is another.
void announceSelection(TimelineView& view);

}  // namespace overlap::ui
