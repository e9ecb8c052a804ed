#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLoggingCategory>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTimerEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/timeline/range_statistics.h"
#include "core/timeline/timeline_builder.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/drawing/note_marks.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/find_bar.h"
#include "ui/timeline/measurement.h"
#include "ui/timeline/timeline_accessible.h"

namespace overlap::ui {
namespace {

Q_LOGGING_CATEGORY(frameTime, "overlap.timeline.frametime", QtInfoMsg)

constexpr int frameMs = 16;

}  // namespace

TimelineView::TimelineView(QWidget* parent)
    : QAbstractScrollArea(parent),
      timeline_(TimelineBuilder().finish()),
      edits_(new TimelineEdits(this)),
      title_(tr("Timeline")),
      findBar_(new FindBar(viewport())) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline"));
    installTimelineAccessibility();
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] { refresh(); });
    connect(edits_, &TimelineEdits::changed, this, [this] {
        ++arrangement_;
        placeNotes();
        layOut();
        refresh();
    });
    connect(findBar_, &FindBar::queryChanged, this, &TimelineView::findEvents);
    connect(findBar_, &FindBar::durationChosen, this, &TimelineView::chooseDuration);
    connect(findBar_, &FindBar::stepWanted, this, &TimelineView::stepMatch);
    connect(findBar_, &FindBar::closed, this, qOverload<>(&QWidget::setFocus));
    describe();
}

TimelineView::~TimelineView() = default;

QSize TimelineView::sizeHint() const {
    return {960, 320};
}
QSize TimelineView::minimumSizeHint() const {
    return {240, 120};
}

void TimelineView::setTimeline(std::shared_ptr<const Timeline> timeline, const QString& caption) {
    if (drag_ == Drag::Event) finishEventDrag(false);
    const TimeRange before = timeline_->range();
    const bool showedAll = range_ == clamped(before, before) || timeline_->event_count() == 0;
    timeline_ = timeline ? std::move(timeline) : TimelineBuilder().finish();
    if (!caption.isNull()) caption_ = caption;
    hovered_ = {};
    drag_ = Drag::None;
    measure(std::nullopt);
    rangeSums_.reset();
    const TimeRange limits = timeline_->range();
    ++arrangement_;
    if (showedAll) history_.clear();
    findEvents(finder_.query());
    placeNotes();
    if (alivePanel_) alivePanel_->hide();
    aliveTime_.reset();
    layOut();
    showRange(clamped(showedAll ? limits : range_, limits));
    const auto found = timeline_->find(selectedReference_);
    selection_ = anchorOf(*timeline_, selectedReference_);
    if (found.empty()) selectedReference_ = no_reference;
    describe();
    refresh();
}

void TimelineView::setTitle(const QString& title) {
    title_ = title;
    refresh();
}

void TimelineView::setMemoryNotes(const QStringList& notes, const QString& help) {
    memoryNotes_ = notes;
    memoryHelp_ = help;
    layOut();
    refresh();
}

void TimelineView::setMemoryLimit(qint64 bytes) {
    memoryLimit_ = bytes;
    refresh();
}

void TimelineView::setToolTipProvider(std::function<QString(quint32)> provider) {
    toolTipProvider_ = std::move(provider);
}

void TimelineView::setVisibleRange(TimeRange range) {
    changeRange(range, ViewHistory::Motion::Jump);
}

void TimelineView::selectReference(quint32 reference) {
    const auto found = timeline_->find(reference);
    selectedReference_ = found.empty() ? no_reference : reference;
    // A selection that is one of the reference's events already stays where it is.
    const bool kept = std::ranges::any_of(
        found, [this](const Timeline::Occurrence& occurrence) { return occurrence.location == selection_; });
    if (!kept) selection_ = anchorOf(*timeline_, reference);
    if (selection_.valid() && !kept) ensureVisible(selection_);
    describe();
    refresh();
}

void TimelineView::highlightReferences(std::vector<quint32> references) {
    highlightedReferences_ = std::move(references);
    applyHighlight();
    refresh();
}

/// What a search finds stands out; without one, what views ask for.
void TimelineView::applyHighlight() {
    if (finder_.active()) {
        highlight_ = layer_.setHighlight(*timeline_, finder_.matches().events);
        return;
    }
    std::vector<EventLocation> locations;
    for (const quint32 reference : highlightedReferences_) {
        for (const auto& occurrence : timeline_->find(reference)) locations.push_back(occurrence.location);
    }
    highlight_ = layer_.setHighlight(*timeline_, locations);
}

void TimelineView::setArrows(std::vector<TimelineArrow> arrows) {
    arrows_ = std::move(arrows);
    refresh();
}

void TimelineView::fitAll() {
    changeRange(timeline_->range(), ViewHistory::Motion::Jump);
}

void TimelineView::focusSelection() {
    if (!selection_.valid()) return fitAll();
    const TimeRange event = timeline_->event(selection_);
    const std::int64_t margin = std::max<std::int64_t>(event.length_ns() / 3, 1);
    const TimeRange focused = clamped({event.begin_ns - margin, event.end_ns + margin}, timeline_->range());
    if (range_ == focused) return fitAll();
    changeRange(focused, ViewHistory::Motion::Jump);
}

void TimelineView::goBack() {
    if (history_.canGoBack()) showRange(clamped(history_.back(range_), timeline_->range()));
}

void TimelineView::goForward() {
    if (history_.canGoForward()) showRange(clamped(history_.forward(range_), timeline_->range()));
}

void TimelineView::clearMeasurement() {
    measure(std::nullopt);
    refresh();
}

const RangeSums& TimelineView::rangeSums() const {
    if (!rangeSums_) rangeSums_.emplace(timeline_);
    return *rangeSums_;
}

void TimelineView::measure(std::optional<TimeRange> range) {
    if (range == measured_) return;
    measured_ = range;
    const RangeStatistics sums = range ? rangeSums().of(*range) : RangeStatistics();
    measurement_ = range ? measurementText(sums, *range) : QString();
    laneFigures_ = range ? laneFigures(*timeline_, sums, *range) : QStringList();
}

QRectF TimelineView::eventRect(EventLocation location) const {
    return geometry_.eventRect(*timeline_, location, range_);
}

void TimelineView::layOut() {
    const int labels = labelTextWidth(*timeline_, memoryNotes_);
    geometry_ = TimelineGeometry::of(*timeline_, LaneRows::of(*timeline_, edits_->lanes()), viewport()->size(), labels,
                                     verticalScrollBar()->value());
    verticalScrollBar()->setPageStep(std::max(1, geometry_.lanes.height()));
    verticalScrollBar()->setSingleStep(24);
    verticalScrollBar()->setRange(0, std::max(0, geometry_.scrollMaximum()));
}

void TimelineView::changeRange(TimeRange range, ViewHistory::Motion motion) {
    const TimeRange wanted = clamped(range, timeline_->range());
    if (wanted == range_) return;
    history_.leaving(range_, motion);
    showRange(wanted);
}

void TimelineView::showRange(TimeRange range) {
    if (range == range_) return;
    range_ = range;
    refresh();
    emit visibleRangeChanged(range_);
}

void TimelineView::select(EventLocation location, bool tell) {
    selection_ = location;
    selectedReference_ = location.valid() ? timeline_->reference(location) : no_reference;
    describe();
    refresh();
    if (tell) emit eventSelected(selectedReference_, location.valid() ? static_cast<int>(location.lane) : -1);
}

void TimelineView::selectEvent(EventLocation location) {
    select(location, true);
    if (location.valid()) ensureVisible(location);
}

TimelinePicture TimelineView::picture(bool visibleOnly) const {
    return {
        timeline_,    edits_->lanes(), edits_->notes(),    visibleOnly ? range_ : timeline_->range(), title_, caption_,
        memoryLimit_, memoryNotes_,    viewport()->width()};
}

void TimelineView::ensureVisible(EventLocation location) {
    const TimeRange event = timeline_->event(location);
    if (event.end_ns <= range_.begin_ns || event.begin_ns >= range_.end_ns) {
        const std::int64_t middle = event.begin_ns + event.length_ns() / 2;
        const std::int64_t half = range_.length_ns() / 2;
        changeRange({middle - half, middle - half + range_.length_ns()}, ViewHistory::Motion::Jump);
    }
    const QRect row = geometry_.row(location.lane);
    const QRect visible = geometry_.clip(location.lane);
    const int above = visible.top() - row.top();
    const int below = row.top() + row.height() - (visible.top() + visible.height());
    if (above > 0)
        verticalScrollBar()->setValue(verticalScrollBar()->value() - above);
    else if (below > 0)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + below);
}

/// Says in words what is shown, for those who do not see it.
void TimelineView::describe() {
    QString text = tr("%1 events in %2 lanes over %3.")
                       .arg(formatCount(static_cast<std::int64_t>(timeline_->event_count())))
                       .arg(timeline_->lanes().size())
                       .arg(formatTime(static_cast<double>(timeline_->range().length_ns()) * 1e-6));
    if (selection_.valid()) {
        const Lane& lane = timeline_->lanes()[selection_.lane];
        const auto name = timeline_->event_name(selection_);
        text = tr("Selected: %1, %2, in %3. ")
                   .arg(shownName(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))),
                        formatTime(static_cast<double>(timeline_->event(selection_).length_ns()) * 1e-6),
                        shownName(QString::fromStdString(lane.description.title))) +
               text;
    }
    setAccessibleDescription(text);
    announceSelection(*this);
    placeFindBar();
}

void TimelineView::refresh() {
    refresh(viewport()->rect());
}

/// Changes gather here; at most one repaint every 16 ms comes of them.
void TimelineView::refresh(const QRegion& region) {
    dirty_ += region;
    if (paintTimer_.isActive()) return;
    const qint64 waited = sincePaint_.isValid() ? sincePaint_.elapsed() : frameMs;
    paintTimer_.start(static_cast<int>(std::max<qint64>(0, frameMs - waited)), Qt::PreciseTimer, this);
}

void TimelineView::flush() {
    paintTimer_.stop();
    viewport()->update(dirty_);
    dirty_ = {};
}

void TimelineView::timerEvent(QTimerEvent* event) {
    if (event->timerId() == paintTimer_.timerId()) {
        flush();
    } else if (event->timerId() == glideTimer_.timerId()) {
        if (held_.any())
            glide(held_.elapsedMotion());
        else
            glideTimer_.stop();
    } else {
        QAbstractScrollArea::timerEvent(event);
    }
}

OverlayScene TimelineView::overlayScene() const {
    std::optional<TimeRange> marquee;
    if (drag_ == Drag::Marquee) {
        const std::int64_t now = timeAt(dragNow_.x());
        marquee = {std::min(dragAnchor_ns_, now), std::max(dragAnchor_ns_, now)};
    }
    int dropLine_y = -1;
    if (drag_ == Drag::Lane && (dragNow_ - dragStart_).manhattanLength() >= QApplication::startDragDistance())
        dropPlace(dragNow_, &dropLine_y);
    return {*timeline_, geometry_,    currentTheme(), range_,     selection_, selectedReference_, hovered_, pointer_,
            measured_,  measurement_, marquee,        dropLine_y, arrows_};
}

void TimelineView::paintEvent(QPaintEvent* event) {
    QElapsedTimer frame;
    frame.start();
    sincePaint_.start();
    const Theme& theme = currentTheme();
    layer_.render({timeline_, range_, viewport()->size(), geometry_.scroll, devicePixelRatioF(), theme.dark, highlight_,
                   arrangement_, memoryLimit_},
                  geometry_, theme);

    QPainter painter(viewport());
    painter.setClipRegion(event->region());
    painter.fillRect(event->rect() & QRect(0, 0, viewport()->width(), geometry_.ruler.bottom() + 1), theme.panel);
    paintHeader(painter, geometry_, title_, caption_, theme, hasFocus());
    if (timeline_->event_count() == 0) {
        const QRect free = viewport()->rect().adjusted(0, geometry_.header.height(), 0, 0);
        painter.fillRect(free, theme.background);
        painter.setFont(textFont());
        painter.setPen(theme.dim);
        painter.drawText(free, Qt::AlignCenter, tr("No timeline yet"));
        return;
    }
    const OverlayScene scene = overlayScene();
    painter.drawImage(geometry_.overview.topLeft(), layer_.overview());
    paintOverviewRange(painter, scene);
    if (finder_.active()) paintDensity(painter, geometry_.overview, finder_.density(geometry_.overview.width()), theme);
    paintRuler(painter, geometry_.ruler, range_, theme);
    paintNotes(painter, geometry_, edits_->notes(), placedNotes_, timeline_->range(), range_, theme);
    // Around the images only: they cover most of the window, and are opaque.
    QRegion ground(QRect(0, geometry_.ruler.bottom() + 1, viewport()->width(), viewport()->height()));
    ground = ground.intersected(event->rect()) - geometry_.lanes - geometry_.memory;
    for (const QRect& part : ground) painter.fillRect(part, theme.background);
    paintLaneLabels(painter, geometry_, *timeline_, theme, {selection_, laneFigures_, hoveredLane()});
    painter.drawImage(geometry_.lanes.topLeft(), layer_.lanes());
    if (!geometry_.memory.isEmpty()) {
        painter.drawImage(geometry_.memory.topLeft(), layer_.memory());
        paintMemoryMarks(painter, geometry_, *timeline_, range_, memoryLimit_, memoryNotes_, theme);
        if (aliveTime_) {
            const double x = geometry_.lanes.left() + std::floor(geometry_.axis(range_).x_of(*aliveTime_));
            if (x >= geometry_.memory.left())
                painter.fillRect(QRectF(x, geometry_.memory.top(), 1, geometry_.memory.height()), theme.accent);
        }
    }
    paintOverlay(painter, scene);
    if (drag_ == Drag::Event)
        paintEventDrag(painter, *timeline_, geometry_, range_, grip_, eventDragPlace().time_ns, dragNow_, dragAnswer_,
                       theme);

    const double took_ms = static_cast<double>(frame.nsecsElapsed()) * 1e-6;
    worstFrame_ms_ = std::max(worstFrame_ms_, took_ms);
    qCDebug(frameTime, "frame %.2f ms, worst %.2f ms, rasterised %llu times", took_ms, worstFrame_ms_,
            static_cast<unsigned long long>(layer_.renderCount()));
}

void TimelineView::resizeEvent(QResizeEvent*) {
    layOut();
    placeFindBar();
    placeAlivePanel();
    placeNotesPanel();
    refresh();
}

void TimelineView::scrollContentsBy(int, int) {
    layOut();
    refresh();
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        layOut();
        refresh();
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
        const QRect& memory = geometry_.memory;
        const bool in_memory = help->pos().y() >= memory.top() && help->pos().y() <= memory.bottom();
        const int note = noteAt(geometry_, placedNotes_, range_, help->pos());
        const QString text = note >= 0
                                 ? shownName(noteTitle(edits_->notes()[static_cast<std::size_t>(note)])).toHtmlEscaped()
                             : in_memory && !memory.isEmpty() ? memoryHelp_
                                                              : toolTipText(eventAt(help->pos()));
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) unhover();
    return QAbstractScrollArea::viewportEvent(event);
}

QString TimelineView::toolTipText(EventLocation location) const {
    if (!location.valid()) return {};
    const Lane& lane = timeline_->lanes()[location.lane];
    const TimeRange event = timeline_->event(location);
    const auto name = timeline_->event_name(location);
    QString text =
        QStringLiteral("<b>%1</b><br>%2, %3 %4")
            .arg(shownName(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))).toHtmlEscaped(),
                 formatTime(static_cast<double>(event.length_ns()) * 1e-6), tr("from"),
                 momentText(event.begin_ns, {{event.begin_ns, event.end_ns}, 100}));
    if (lane.exposed_ns[location.event] > 0) {
        text += QStringLiteral("<br>") +
                tr("exposed %1").arg(formatTime(static_cast<double>(lane.exposed_ns[location.event]) * 1e-6));
    }
    text += QStringLiteral("<br>") + shownName(QString::fromStdString(lane.description.title)).toHtmlEscaped();
    const quint32 reference = timeline_->reference(location);
    if (toolTipProvider_ && reference != no_reference) {
        const QString more = toolTipProvider_(reference);
        if (!more.isEmpty()) text += QStringLiteral("<br>") + more;
    }
    // Rich text takes every other space for one that breaks.
    return text.replace(thinSpace, QChar(QChar::Nbsp));
}

}  // namespace overlap::ui
