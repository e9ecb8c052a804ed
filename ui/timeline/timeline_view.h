#pragma once

#include <QAbstractScrollArea>
#include <QBasicTimer>
#include <QElapsedTimer>
#include <QRegion>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/trace/timeline.h"
#include "ui/timeline/held_keys.h"
#include "ui/timeline/lane_layer.h"
#include "ui/timeline/timeline_geometry.h"
#include "ui/timeline/timeline_overlay.h"
#include "ui/timeline/view_history.h"

namespace overlap::ui {

/// The timeline of one step: lanes, ruler, overview and memory curve, with everything that mouse and keyboard do there.
///
/// Shows an immutable Timeline; selection and highlights are told and asked for by the timeline's opaque references.
/// Drawing is a cached image of the events (LaneLayer) under an overlay of what follows the pointer, so that hovering
/// touches no event. Input is applied at once and painted at most every 16 ms. Paint times go to the logging category
/// `overlap.timeline.frametime`.
///
/// Keys, by their place on the keyboard: W S zoom, A D pan, Left Right pan, Up Down lane, `.` `,` next and previous
/// event, F focus the selection and again to fit all, 0 fit all, Home End, Backspace and Alt+Left back, Alt+Right
/// forward, Enter activates, Escape lets go; Alt moves four times as fast.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;

    std::shared_ptr<const Timeline> timeline() const { return timeline_; }
    TimeRange visibleRange() const { return range_; }
    /// The selected event, or one that is not valid().
    EventLocation selection() const { return selection_; }
    /// What is not dimmed; empty while all is shown alike.
    const std::vector<quint32>& highlightedReferences() const { return highlightedReferences_; }
    /// The span measured on the ruler.
    std::optional<TimeRange> measured() const { return measured_; }
    const TimelineGeometry& geometryOfParts() const { return geometry_; }
    /// Where `location` is drawn, in the viewport's coordinates.
    QRectF eventRect(EventLocation location) const;
    /// How often events were rasterised so far.
    std::uint64_t renderCount() const { return layer_.renderCount(); }

    /// Further lines for the tool tip of what a reference stands for, as rich text.
    void setToolTipProvider(std::function<QString(quint32 reference)> provider);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  public slots:
    /// Shows another timeline. The visible range stays if it still fits, so that an edited plan appears in place; so do
    /// selection and highlight, by reference.
    void setTimeline(std::shared_ptr<const overlap::Timeline> timeline, const QString& caption = {});
    void setTitle(const QString& title);
    void setCaption(const QString& caption);
    /// Short lines below the memory area's title that say what its figure is, and the area's tool tip.
    void setMemoryNotes(const QStringList& notes, const QString& help);
    /// A dashed line in the memory area; 0 for none.
    void setMemoryLimit(qint64 bytes);
    void setVisibleRange(overlap::TimeRange range);

    /// Selects what `reference` stands for and brings it into view; no_reference lets go. Emits nothing.
    void selectReference(quint32 reference);
    /// Dims all but these; none to show all alike.
    void highlightReferences(std::vector<quint32> references);
    /// Thin curves between events, for the selection's flow. Arrows to what has no event are left out.
    void setArrows(std::vector<overlap::ui::TimelineArrow> arrows);

    void fitAll();
    void focusSelection();
    void goBack();
    void goForward();
    void clearMeasurement();

  signals:
    /// The user selected an event; no_reference and -1 when they let go.
    void eventSelected(quint32 reference, int lane);
    /// Double click or Enter.
    void eventActivated(quint32 reference, int lane);
    /// no_reference and -1 when the pointer left.
    void eventHovered(quint32 reference, int lane);
    void visibleRangeChanged(overlap::TimeRange range);

  protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;

  private:
    enum class Drag { None, Press, Pan, Marquee, Measure, OverviewMove, OverviewBegin, OverviewEnd };

    // timeline_view.cpp
    void layOut();
    void changeRange(TimeRange range, ViewHistory::Motion motion);
    void showRange(TimeRange range);
    void select(EventLocation location, bool tell);
    void ensureVisible(EventLocation location);
    void describe();
    void measure(std::optional<TimeRange> range);
    void refresh();
    void refresh(const QRegion& region);
    void flush();
    OverlayScene overlayScene() const;
    QString toolTipText(EventLocation location) const;

    // timeline_view_input.cpp
    EventLocation eventAt(QPointF position) const;
    std::int64_t timeAt(double x) const;
    std::int64_t overviewTimeAt(double x) const;
    void zoom(double factor, double x);
    void moveBy(double share);
    void glide(const HeldKeys::Motion& motion);
    void hover(QPointF position);
    void unhover();
    void beginDrag(Drag drag, QPointF position);
    void continueDrag(QPointF position);
    void finishDrag(QPointF position);
    void pressRuler(QPointF position);
    void pressOverview(QPointF position);
    bool stepKey(const QKeyEvent& event);
    void stepEvent(int step);
    void stepLane(int step);

    std::shared_ptr<const Timeline> timeline_;
    QString title_;
    QString caption_;
    QStringList memoryNotes_;
    QString memoryHelp_;
    TimelineGeometry geometry_;
    TimeRange range_{0, shortest_view_ns};
    ViewHistory history_;
    LaneLayer layer_;
    std::uint64_t highlight_ = 0;
    std::vector<quint32> highlightedReferences_;
    std::vector<TimelineArrow> arrows_;
    std::int64_t memoryLimit_ = 0;
    std::function<QString(quint32)> toolTipProvider_;

    EventLocation selection_;
    quint32 selectedReference_ = no_reference;
    EventLocation hovered_;
    std::optional<QPointF> pointer_;
    std::optional<TimeRange> measured_;
    QString measurement_;

    Drag drag_ = Drag::None;
    QPointF dragStart_;
    QPointF dragNow_;
    TimeRange dragRange_;             ///< the visible range when the drag began
    std::int64_t dragAnchor_ns_ = 0;  ///< the end that stays
    HeldKeys held_;
    QBasicTimer glideTimer_;

    QRegion dirty_;
    QBasicTimer paintTimer_;
    QElapsedTimer sincePaint_;
    double worstFrame_ms_ = 0;
};

}  // namespace overlap::ui
