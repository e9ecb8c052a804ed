#include "ui/timeline/timeline_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "core/timeline/timeline_builder.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"
#include "ui/timeline/drawing/note_marks.h"
#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/memory_hint.h"
#include "ui/timeline/memory_limit_editor.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_words.h"

namespace overlap::ui {

TimelineView::TimelineView(QWidget* parent)
    : QAbstractScrollArea(parent),
      scene_{TimelineBuilder().finish(), {}, {0, shortest_view_ns}},
      edits_(new TimelineEdits(this)),
      title_(tr("Timeline")),
      memoryHint_(new MemoryHint(viewport())),
      limitEditor_(new MemoryLimitEditor(viewport())),
      search_(viewport()),
      notes_(scene_, *edits_, *this),
      alive_(scene_),
      eventDrag_(scene_, *viewport()),
      repaint_(*viewport()) {
    measurement_.setTimeline(scene_.timeline);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline"));
    installTimelineAccessibility();
    connectParts();
    describe();
}

TimelineView::~TimelineView() = default;

void TimelineView::connectParts() {
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] { repaint_.request(); });
    connect(edits_, &TimelineEdits::changed, this, [this] {
        ++arrangement_;
        layOut();
        repaint_.request();
    });
    connect(memoryHint_, &MemoryHint::clicked, this, [this] { emit roomWanted(heightWithMemory()); });
    connect(limitEditor_, &MemoryLimitEditor::accepted, this, &TimelineView::memoryLimitTyped);
    connect(limitEditor_, &MemoryLimitEditor::refused, this, &TimelineView::told);
    connect(limitEditor_, &MemoryLimitEditor::closed, this, qOverload<>(&QWidget::setFocus));
    connect(&keys_, &KeyGlide::moved, this, &TimelineView::glide);
    connect(&search_, &EventSearch::changed, this, [this] {
        applyHighlight();
        showSearch();
        repaint_.request();
    });
    connect(&search_, &EventSearch::stepWanted, this,
            [this](int step) { goTo(search_.finder().next(selection_, scene_.range.begin_ns, step)); });
    connect(&notes_, &NoteBook::goneTo, this, &TimelineView::showNote);
    connect(&notes_, &NoteBook::closed, this, qOverload<>(&QWidget::setFocus));
    connect(&alive_, &AliveAtMoment::listed, this, [this](const AliveTensors& tensors, const QString& moment) {
        repaint_.request();
        emit aliveListed(tensors, moment);
    });
    connect(&alive_, &AliveAtMoment::listedAgain, this, &TimelineView::aliveListedAgain);
    connect(&alive_, &AliveAtMoment::forgotten, this, [this] {
        repaint_.request();
        emit aliveForgotten();
    });
    connect(&search_, &EventSearch::closed, this, [this] {
        showSearch();
        repaint_.request();
        setFocus();
    });
}

QSize TimelineView::sizeHint() const {
    return {960, 320};
}
QSize TimelineView::minimumSizeHint() const {
    return {240, 120};
}

void TimelineView::setTimeline(std::shared_ptr<const Timeline> timeline, const QString& caption) {
    if (drag_.kind() == PointerDrag::Kind::Event) finishEventDrag(false);
    const TimeRange before = scene_.timeline->range();
    const bool wasCut = cut_ && cut_->shown == scene_.range;
    const TimeRange wanted = wasCut ? cut_->wanted : scene_.range;
    const bool showedAll = (!wasCut && scene_.range == clamped(before, before)) || scene_.timeline->event_count() == 0;
    scene_.timeline = timeline ? std::move(timeline) : TimelineBuilder().finish();
    if (!caption.isNull()) caption_ = caption;
    hovered_ = {};
    drag_.end();
    chosen_.clear();
    measurement_.setTimeline(scene_.timeline);
    const TimeRange limits = scene_.timeline->range();
    ++arrangement_;
    if (showedAll) history_.clear();
    search_.setTimeline(scene_.timeline);
    notes_.placeNotes();
    layOut();
    showRange(clamped(showedAll ? limits : wanted, limits));
    cut_.reset();
    if (!showedAll && scene_.range != wanted && scene_.timeline->event_count() > 0) cut_ = {wanted, scene_.range};
    const auto found = scene_.timeline->find(selectedReference_);
    selection_ = anchorOf(*scene_.timeline, selectedReference_);
    if (found.empty()) selectedReference_ = no_reference;
    alive_.follow();
    describe();
    repaint_.request();
}

void TimelineView::setTitle(const QString& title) {
    title_ = title;
    repaint_.request();
}

void TimelineView::setMemoryNotes(const QStringList& notes, const QString& help) {
    memoryNotes_ = notes;
    memoryHelp_ = help;
    layOut();
    repaint_.request();
}

void TimelineView::setMemoryLimit(qint64 bytes) {
    memoryLimit_ = bytes;
    repaint_.request();
}

void TimelineView::setToolTipProvider(std::function<QString(quint32)> provider) {
    toolTipProvider_ = std::move(provider);
}

void TimelineView::setEventDragHandler(EventDragHandler handler) {
    chosen_.setMovable(handler.movable);
    eventDrag_.setHandler(std::move(handler));
}

void TimelineView::setVisibleRange(TimeRange range) {
    changeRange(range, ViewHistory::Motion::Jump);
}

void TimelineView::selectReference(quint32 reference, Scrolling scrolling) {
    const auto found = scene_.timeline->find(reference);
    selectedReference_ = found.empty() ? no_reference : reference;
    // A selection that is one of the reference's events already stays where it is.
    const bool kept = std::ranges::any_of(
        found, [this](const Timeline::Occurrence& occurrence) { return occurrence.location == selection_; });
    if (!kept) selection_ = anchorOf(*scene_.timeline, reference);
    if (selection_.valid() && !kept && scrolling == Scrolling::toSelection) ensureVisible(selection_);
    describe();
    repaint_.request();
}

void TimelineView::chooseReferences(const std::vector<quint32>& references) {
    chosen_.set(*scene_.timeline, references);
    describe();
    repaint_.request();
}

void TimelineView::highlightReferences(std::vector<quint32> references) {
    highlightedReferences_ = std::move(references);
    applyHighlight();
    repaint_.request();
}

/// What a search finds stands out; without one, what views ask for.
void TimelineView::applyHighlight() {
    if (search_.finder().active()) {
        highlight_ = layer_.setHighlight(*scene_.timeline, search_.finder().matches().events);
        return;
    }
    std::vector<EventLocation> locations;
    for (const quint32 reference : highlightedReferences_) {
        for (const auto& occurrence : scene_.timeline->find(reference)) locations.push_back(occurrence.location);
    }
    highlight_ = layer_.setHighlight(*scene_.timeline, locations);
}

void TimelineView::setSearchTextProvider(EventFinder::MoreText provider) {
    search_.setMoreText(std::move(provider));
}

void TimelineView::openFind() {
    search_.open();
    showSearch();
}

void TimelineView::find(const QString& query) {
    search_.find(query);
    showSearch();
}

/// In the header, at its right; over all of it where the window is narrow.
void TimelineView::showSearch() {
    search_.show(selection_, scene_.geometry.header.adjusted(0, 0, 0, -1));
    scene_.geometry.headerTaken = std::max(memoryHint_->taken(), search_.width());
}

void TimelineView::setArrows(std::vector<TimelineArrow> arrows) {
    arrows_ = std::move(arrows);
    repaint_.request();
}

void TimelineView::fitAll() {
    changeRange(scene_.timeline->range(), ViewHistory::Motion::Jump);
}

void TimelineView::focusSelection() {
    if (!selection_.valid()) return fitAll();
    const TimeRange event = scene_.timeline->event(selection_);
    const std::int64_t margin = std::max<std::int64_t>(event.length_ns() / 3, 1);
    const TimeRange focused = clamped({event.begin_ns - margin, event.end_ns + margin}, scene_.timeline->range());
    if (scene_.range == focused) return fitAll();
    changeRange(focused, ViewHistory::Motion::Jump);
}

void TimelineView::goBack() {
    if (history_.canGoBack()) showRange(clamped(history_.back(scene_.range), scene_.timeline->range()));
}

void TimelineView::goForward() {
    if (history_.canGoForward()) showRange(clamped(history_.forward(scene_.range), scene_.timeline->range()));
}

void TimelineView::clearMeasurement() {
    measurement_.measure(std::nullopt);
    repaint_.request();
}

void TimelineView::layOut() {
    const int labels = usualLabelTextWidth();
    scene_.geometry = TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline, edits_->lanes()),
                                           viewport()->size(), labels, verticalScrollBar()->value());
    memoryHint_->place(scene_.geometry.header, !scene_.timeline->memory().empty() && scene_.geometry.memory.isEmpty());
    scene_.geometry.headerTaken = std::max(memoryHint_->taken(), search_.width());
    verticalScrollBar()->setPageStep(std::max(1, scene_.geometry.lanes.height()));
    verticalScrollBar()->setSingleStep(24);
    verticalScrollBar()->setRange(0, std::max(0, scene_.geometry.scrollMaximum()));
}

int TimelineView::heightWithMemory() const {
    constexpr int lowestCurve = 32, step = 4, highest = 2000;
    const LaneRows rows = LaneRows::of(*scene_.timeline, edits_->lanes());
    const QSize size = viewport()->size();
    int more = 0;
    const auto fits = [&] {
        const QSize higher(size.width(), size.height() + more);
        const auto geometry = TimelineGeometry::of(*scene_.timeline, rows, higher, usualLabelTextWidth(), 0);
        return geometry.memory.height() >= lowestCurve;
    };
    while (!fits() && size.height() + more < highest) more += step;
    return height() + more;
}

void TimelineView::changeRange(TimeRange range, ViewHistory::Motion motion) {
    const TimeRange wanted = clamped(range, scene_.timeline->range());
    if (wanted == scene_.range) return;
    history_.leaving(scene_.range, motion);
    showRange(wanted);
}

void TimelineView::showRange(TimeRange range) {
    if (range == scene_.range) return;
    scene_.range = range;
    repaint_.request();
    emit visibleRangeChanged(scene_.range);
}

void TimelineView::select(EventLocation location, bool tell) {
    selection_ = location;
    selectedReference_ = location.valid() ? scene_.timeline->reference(location) : no_reference;
    describe();
    repaint_.request();
    if (tell) emit eventSelected(selectedReference_, location.valid() ? static_cast<int>(location.lane) : -1);
}

void TimelineView::selectEvent(EventLocation location) {
    select(location, true);
    if (location.valid()) ensureVisible(location);
}

void TimelineView::ensureVisible(EventLocation location) {
    const TimeRange event = scene_.timeline->event(location);
    if (event.end_ns <= scene_.range.begin_ns || event.begin_ns >= scene_.range.end_ns) {
        const std::int64_t middle = event.begin_ns + event.length_ns() / 2;
        const std::int64_t half = scene_.range.length_ns() / 2;
        changeRange({middle - half, middle - half + scene_.range.length_ns()}, ViewHistory::Motion::Jump);
    }
    const QRect row = scene_.geometry.row(location.lane);
    const QRect visible = scene_.geometry.clip(location.lane);
    const int above = visible.top() - row.top();
    const int below = row.top() + row.height() - (visible.top() + visible.height());
    if (above > 0)
        verticalScrollBar()->setValue(verticalScrollBar()->value() - above);
    else if (below > 0)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + below);
}

/// Says in words what is shown, for those who do not see it.
void TimelineView::describe() {
    setAccessibleDescription(timelineDescription(*scene_.timeline, selection_, chosen_.references()));
    announceSelection(*this);
    showSearch();
}

void TimelineView::resizeEvent(QResizeEvent*) {
    layOut();
    showSearch();
    notes_.layOut();
    repaint_.request();
}

void TimelineView::scrollContentsBy(int, int) {
    layOut();
    repaint_.request();
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        layOut();
        repaint_.request();
    }
    QAbstractScrollArea::changeEvent(event);
}

bool TimelineView::event(QEvent* event) {
    // Keys that mean something else in the window mean the timeline while one works there.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Find) || key->matches(QKeySequence::Copy) || key->key() == Qt::Key_Slash) {
            event->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        showToolTip(help->globalPos(), toolTipAt(help->pos()), viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) unhover();
    return QAbstractScrollArea::viewportEvent(event);
}

/// Of a note's flag, of the memory area, of a lane's title, or of an event.
QString TimelineView::toolTipAt(QPoint position) const {
    if (const int note = notes_.at(position); note >= 0)
        return shownName(noteTitle(edits_->notes()[static_cast<std::size_t>(note)])).toHtmlEscaped();
    const QRect& memory = scene_.geometry.memory;
    if (!memory.isEmpty() && position.y() >= memory.top() && position.y() <= memory.bottom()) return memoryHelp_;
    if (const int lane = scene_.geometry.laneAt(position.y()); lane >= 0 && position.x() < scene_.geometry.labelWidth)
        return laneToolTip(*scene_.timeline, static_cast<std::uint32_t>(lane));
    const EventLocation location = scene_.eventAt(position);
    if (!location.valid()) return {};
    const quint32 reference = scene_.timeline->reference(location);
    const bool hasMore = toolTipProvider_ && reference != no_reference;
    return eventToolTip(*scene_.timeline, location, hasMore ? toolTipProvider_(reference) : QString());
}

}  // namespace overlap::ui
