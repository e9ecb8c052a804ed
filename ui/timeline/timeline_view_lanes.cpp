// Titles of lanes: pinned, collapsed and moved by mouse and keys; a part of TimelineView.
#include <QKeyEvent>
#include <QMouseEvent>

#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// The lane whose title is under the pointer, or -1.
int TimelineView::hoveredLane() const {
    if (!pointer_ || pointer_->x() >= scene_.geometry.labelWidth || drag_.active()) return -1;
    return scene_.geometry.laneAt(static_cast<int>(pointer_->y()));
}

/// The lane that keys are about: the one whose title is under the pointer, else the selection's.
std::optional<std::uint32_t> TimelineView::laneForKeys() const {
    if (const int lane = hoveredLane(); lane >= 0) return static_cast<std::uint32_t>(lane);
    if (selection_.valid()) return selection_.lane;
    return std::nullopt;
}

void TimelineView::togglePinned(std::uint32_t lane) {
    LaneArrangement lanes = edits_->lanes();
    const QString key = laneKeys(*scene_.timeline).value(static_cast<qsizetype>(lane));
    lanes.pinned = toggled(lanes.pinned, key);
    edits_->arrange(lanes.pinned.contains(key) ? tr("pin %1").arg(key) : tr("unpin %1").arg(key), lanes);
}

void TimelineView::toggleCollapsed(std::uint32_t lane) {
    LaneArrangement lanes = edits_->lanes();
    const QString key = laneKeys(*scene_.timeline).value(static_cast<qsizetype>(lane));
    lanes.collapsed = toggled(lanes.collapsed, key);
    edits_->arrange(lanes.collapsed.contains(key) ? tr("collapse %1").arg(key) : tr("expand %1").arg(key), lanes);
}

void TimelineView::stepLanePlace(std::uint32_t lane, int step) {
    edits_->arrange(tr("move %1").arg(laneKeys(*scene_.timeline).value(static_cast<qsizetype>(lane))),
                    withLaneStepped(edits_->lanes(), *scene_.timeline, lane, step));
}

bool TimelineView::laneKey(const QKeyEvent& event) {
    const auto lane = laneForKeys();
    if (!lane) return false;
    const bool alt = event.modifiers() & Qt::AltModifier;
    switch (event.key()) {
        case Qt::Key_P:
            togglePinned(*lane);
            return true;
        case Qt::Key_Space:
            toggleCollapsed(*lane);
            return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
            if (!alt) return false;
            stepLanePlace(*lane, event.key() == Qt::Key_Up ? -1 : 1);
            return true;
        default:
            return false;
    }
}

void TimelineView::pressLane(std::uint32_t lane, QPointF position) {
    switch (laneButtonAt(scene_.geometry, lane, position)) {
        case LaneButton::Pin:
            return togglePinned(lane);
        case LaneButton::Collapse:
            return toggleCollapsed(lane);
        case LaneButton::None:
            drag_.pressLane(scene_, lane, position);
            dragBegan();
    }
}

void TimelineView::dropLane() {
    if (!drag_.isFar()) return;
    edits_->arrange(tr("move %1").arg(laneKeys(*scene_.timeline).value(static_cast<qsizetype>(drag_.lane()))),
                    withLaneMoved(edits_->lanes(), *scene_.timeline, drag_.lane(),
                                  laneDropPlaceAt(scene_, drag_.position()).before));
}

}  // namespace overlap::ui
