#include "ui/timeline/timeline_accessible.h"

#include <QCoreApplication>
#include <QPointer>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("TimelineView", text);
}

QString timeText(std::int64_t time_ns) {
    return formatTime(static_cast<double>(time_ns) * 1e-6);
}

/// A lane, or an event of one: an event where the location is valid().
class Part : public QAccessibleInterface, public QAccessibleActionInterface {
  public:
    Part(TimelineView* view, EventLocation location) : view_(view), timeline_(view->timeline()), location_(location) {}

    bool isValid() const override { return view_ && view_->timeline() == timeline_; }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* childAt(int x, int y) const override {
        if (!isValid() || isEvent()) return nullptr;
        const EventLocation found = view_->eventAt(view_->viewport()->mapFromGlobal(QPoint(x, y)));
        return found.valid() && found.lane == location_.lane ? root()->part(found) : nullptr;
    }
    QAccessibleInterface* parent() const override {
        if (!isValid()) return nullptr;
        return isEvent() ? root()->part({location_.lane, no_event}) : static_cast<QAccessibleInterface*>(root());
    }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        return root()->part({location_.lane, static_cast<std::uint32_t>(index)});
    }
    int childCount() const override { return isEvent() || !isValid() ? 0 : static_cast<int>(lane().size()); }
    int indexOfChild(const QAccessibleInterface* child) const override {
        const auto* part = dynamic_cast<const Part*>(child);
        return part && part->isEvent() && part->location_.lane == location_.lane
                   ? static_cast<int>(part->location_.event)
                   : -1;
    }

    QString text(QAccessible::Text kind) const override {
        if (!isValid()) return {};
        if (kind == QAccessible::Name) return shownName(isEvent() ? eventName() : laneName());
        if (kind == QAccessible::Description && isEvent()) return eventDescription();
        return {};
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect place =
            isEvent() ? view_->eventRect(location_).toAlignedRect() : view_->geometryOfParts().row(location_.lane);
        const QRect visible = place.intersected(view_->geometryOfParts().clip(location_.lane));
        return {view_->viewport()->mapToGlobal(visible.topLeft()), visible.size()};
    }
    QAccessible::Role role() const override { return isEvent() ? QAccessible::ListItem : QAccessible::List; }
    QAccessible::State state() const override {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        state.offscreen = rect().isEmpty();
        if (isEvent()) {
            state.focusable = state.selectable = true;
            state.selected = view_->selection() == location_;
            state.focused = state.selected && view_->hasFocus();
        } else {
            state.collapsed = view_->geometryOfParts().rows.collapsed[location_.lane];
            state.expanded = !state.collapsed;
        }
        return state;
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return isEvent() && type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                                 : nullptr;
    }
    QStringList actionNames() const override { return {pressAction(), setFocusAction()}; }
    void doAction(const QString& name) override {
        if (isValid() && (name == pressAction() || name == setFocusAction())) view_->selectEvent(location_);
    }
    QStringList keyBindingsForAction(const QString&) const override { return {}; }

  private:
    bool isEvent() const { return location_.valid(); }
    const Lane& lane() const { return timeline_->lanes()[location_.lane]; }
    TimelineAccessible* root() const {
        return static_cast<TimelineAccessible*>(QAccessible::queryAccessibleInterface(view_));
    }

    QString laneName() const {
        const LaneDescription& description = lane().description;
        QStringList words{QString::fromStdString(description.title)};
        if (lane().depth > 0) words.append(translated("row %1").arg(lane().depth + 1));
        if (!description.subtitle.empty()) words.append(QString::fromStdString(description.subtitle));
        words.append(translated("%1 events").arg(formatCount(static_cast<std::int64_t>(lane().size()))));
        return words.join(QStringLiteral(", "));
    }
    QString eventName() const {
        const std::string_view name = timeline_->event_name(location_);
        const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        return lane().role[location_.event] == EventRole::exposed ? translated("waits for %1").arg(text) : text;
    }
    QString eventDescription() const {
        if (timeline_->is_open_ended(location_)) return durationText(*timeline_, location_);
        const TimeRange time = timeline_->event(location_);
        QString text = translated("%1 from %2").arg(timeText(time.length_ns()), timeText(time.begin_ns));
        if (const std::int64_t exposed = timeline_->exposed_ns(location_); exposed > 0)
            text += translated(", exposed %1").arg(timeText(exposed));
        return text;
    }

    QPointer<TimelineView> view_;
    std::shared_ptr<const Timeline> timeline_;
    EventLocation location_;
};

QAccessibleInterface* makeTimelineAccessible(const QString&, QObject* object) {
    auto* view = qobject_cast<TimelineView*>(object);
    return view ? new TimelineAccessible(view) : nullptr;
}

}  // namespace

TimelineAccessible::TimelineAccessible(TimelineView* view)
    : QAccessibleWidget(view, QAccessible::Grouping), timeline_(view->timeline()) {}

TimelineAccessible::~TimelineAccessible() {
    for (const QAccessible::Id id : std::as_const(parts_)) QAccessible::deleteAccessibleInterface(id);
}

TimelineView& TimelineAccessible::view() const {
    return *static_cast<TimelineView*>(widget());
}

void TimelineAccessible::forgetOldParts() const {
    if (timeline_ == view().timeline()) return;
    timeline_ = view().timeline();
    for (const QAccessible::Id id : std::as_const(parts_)) QAccessible::deleteAccessibleInterface(id);
    parts_.clear();
}

QAccessibleInterface* TimelineAccessible::part(EventLocation location) const {
    forgetOldParts();
    const quint64 key = quint64{location.lane} << 32 | location.event;
    auto found = parts_.constFind(key);
    if (found == parts_.constEnd())
        found = parts_.insert(key, QAccessible::registerAccessibleInterface(new Part(&view(), location)));
    return QAccessible::accessibleInterface(*found);
}

int TimelineAccessible::childCount() const {
    return QAccessibleWidget::childCount() + static_cast<int>(view().geometryOfParts().rows.laneOfRow.size());
}

QAccessibleInterface* TimelineAccessible::child(int index) const {
    const int widgets = QAccessibleWidget::childCount();
    if (index < widgets) return QAccessibleWidget::child(index);
    const auto& lanes = view().geometryOfParts().rows.laneOfRow;
    const auto row = static_cast<std::size_t>(index - widgets);
    return row < lanes.size() ? part({lanes[row], no_event}) : nullptr;
}

int TimelineAccessible::indexOfChild(const QAccessibleInterface* child) const {
    const int widgets = QAccessibleWidget::childCount();
    for (int index = widgets; index < childCount(); ++index) {
        if (this->child(index) == child) return index;
    }
    return QAccessibleWidget::indexOfChild(child);
}

QAccessibleInterface* TimelineAccessible::childAt(int x, int y) const {
    const int lane = view().geometryOfParts().laneAt(view().viewport()->mapFromGlobal(QPoint(x, y)).y());
    if (lane >= 0) return part({static_cast<std::uint32_t>(lane), no_event});
    return QAccessibleWidget::childAt(x, y);
}

QAccessibleInterface* TimelineAccessible::focusChild() const {
    if (view().hasFocus() && view().selection().valid()) return part(view().selection());
    return QAccessibleWidget::focusChild();
}

void installTimelineAccessibility() {
    QAccessible::installFactory(makeTimelineAccessible);  // it keeps each factory once
}

void announceSelection(TimelineView& view) {
    if (!QAccessible::isActive() || !view.selection().valid()) return;
    auto* root = dynamic_cast<TimelineAccessible*>(QAccessible::queryAccessibleInterface(&view));
    if (!root) return;
    QAccessibleEvent event(root->part(view.selection()), QAccessible::Focus);
    QAccessible::updateAccessibility(&event);
}

}  // namespace overlap::ui
