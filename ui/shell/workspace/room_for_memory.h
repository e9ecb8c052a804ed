#pragma once

#include <QObject>

namespace overlap::ui {

class CentreTabs;
class EnlargedPart;
class TimelineView;

/// Gives the timeline the room of its memory curve, when the user asks for it, and takes no more of other views than
/// that needs: the view above the timeline becomes lower, or closes; where even that is not enough, panels are hidden,
/// and the view above stays as far as there is room beside the curve.
class RoomForMemory : public QObject {
    Q_OBJECT

  public:
    /// @param timeline in the lower part of `centre`, which is the middle of the window of `enlarged`. All outlive this
    /// object.
    RoomForMemory(TimelineView& timeline, CentreTabs& centre, EnlargedPart& enlarged, QObject* parent = nullptr);

  signals:
    /// What is hidden now, and how it comes back; a sentence without full stop.
    void told(const QString& sentence);

  private:
    void give(int height);
    /// Only now is it known whether the curve is there.
    void tell(bool hides, bool closes);

    TimelineView& timeline_;
    CentreTabs& centre_;
    EnlargedPart& enlarged_;
};

}  // namespace overlap::ui
