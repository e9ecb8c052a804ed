#pragma once

#include <QAbstractScrollArea>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/timeline/timeline.h"
#include "ui/theme/limit_text.h"
#include "ui/timeline/alive/alive_at_moment.h"
#include "ui/timeline/chosen_events.h"
#include "ui/timeline/drawing/lane_layer.h"
#include "ui/timeline/drawing/timeline_overlay.h"
#include "ui/timeline/drawing/timeline_picture.h"
#include "ui/timeline/drawing/timeline_scene.h"
#include "ui/timeline/event_drag.h"
#include "ui/timeline/event_search.h"
#include "ui/timeline/key_glide.h"
#include "ui/timeline/notes/note_book.h"
#include "ui/timeline/notes/timeline_edits.h"
#include "ui/timeline/paced_repaint.h"
#include "ui/timeline/pointer_drag.h"
#include "ui/timeline/range_measurement.h"
#include "ui/timeline/view_history.h"

class QMenu;

namespace overlap::ui {

class MemoryHint;
class MemoryLimitEditor;

/// The timeline of one step: lanes, ruler, overview and memory curve, with everything that mouse and keyboard do there.
///
/// Shows an immutable Timeline; selection and highlights use the timeline's opaque references. Drawing is a cached
/// image of the events (LaneLayer) under an overlay of what follows the pointer, so that hovering touches no event.
/// Input is applied at once and painted at most every 16 ms. Paint times go to the logging category
/// `overlap.timeline.frametime`.
///
/// The user's additions (arrangement of lanes, notes) are in edits(), to be undone and kept.
///
/// Keys, by their place on the keyboard: W S zoom, A D pan, Left Right pan, Up Down lane, `.` `,` next and previous
/// event, `[` `]` along the selection's flow, F focus the selection and again to fit all, 0 fit all, Home End,
/// Backspace and Alt+Left back, Alt+Right forward, E the most exposed collective and the next ones, R measure the
/// selection, C choose the selection, P pin, Space collapse and Alt+Up Alt+Down move the lane, N note, B next bookmark,
/// M what is alive, Ctrl+F find, Ctrl+C copy, Enter activates, Escape clears the selection; Alt moves four times as
/// fast.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    /// Whether the view scrolls to what is selected.
    enum class Scrolling { toSelection, none };

    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;

    std::shared_ptr<const Timeline> timeline() const { return scene_.timeline; }
    TimeRange visibleRange() const { return scene_.range; }
    /// The selected event, or one that is not valid().
    EventLocation selection() const { return selection_; }
    /// What is not dimmed; empty while all is shown alike.
    const std::vector<quint32>& highlightedReferences() const { return highlightedReferences_; }
    /// The span measured on the ruler.
    std::optional<TimeRange> measured() const { return measurement_.range(); }
    /// True while nothing moves and no change waits to be painted.
    bool atRest() const { return !keys_.moving() && !repaint_.pending(); }
    /// True from the press of a mouse button until it is released or the drag is cancelled.
    bool dragging() const { return drag_.active(); }
    /// What a drag moves together, in the order in which it was chosen; see chooseReferences().
    const std::vector<quint32>& chosenReferences() const { return chosen_.references(); }
    /// What setMemoryLimit() gave.
    qint64 memoryLimit() const { return memoryLimit_; }
    const TimelineGeometry& geometryOfParts() const { return scene_.geometry; }
    /// Where `location` is drawn, in the viewport's coordinates.
    QRectF eventRect(EventLocation location) const { return scene_.eventRect(location); }
    /// How often events were rasterised so far.
    std::uint64_t renderCount() const { return layer_.renderCount(); }
    /// Arrangement of the lanes, notes and bookmarks.
    TimelineEdits& edits() { return *edits_; }
    const TimelineEdits& edits() const { return *edits_; }
    /// Arrows that setArrows() gave.
    const std::vector<TimelineArrow>& arrows() const { return arrows_; }
    /// The event at `position` of the viewport, or one that is not valid().
    EventLocation eventAt(QPointF position) const { return scene_.eventAt(position); }
    /// A picture of what is visible, or of the whole timeline, with this view's width.
    TimelinePicture picture(bool visibleOnly) const;
    /// What Ctrl+C copies: figures of the measured range by lane, or of the selected event, as lines of fields between
    /// tabs with a heading; empty where there is neither.
    QString copyText() const;

    /// Further lines for the tool tip of what a reference represents, as rich text.
    void setToolTipProvider(std::function<QString(quint32 reference)> provider);
    /// Further text that a search looks at, such as an event's module.
    void setSearchTextProvider(EventFinder::MoreText provider);
    /// What is alive at a point of the timeline's memory curve.
    void setAliveProvider(AliveAtMoment::Provider provider);
    const EventFinder& finder() const { return search_.finder(); }

    /// What dragging an event of a process group does; without it, the view is panned.
    void setEventDragHandler(EventDragHandler handler);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  public slots:
    /// Shows another timeline. The visible range stays if it still fits, so that an edited plan appears in place; so do
    /// selection and highlight, by reference. Where it does not fit, it comes back with a timeline that it fits, unless
    /// another was chosen meanwhile: an undone edit leaves the view as it was.
    void setTimeline(std::shared_ptr<const overlap::Timeline> timeline, const QString& caption = {});
    void setTitle(const QString& title);
    /// Short lines below the memory area's title that say what its figure is, and the area's tool tip.
    void setMemoryNotes(const QStringList& notes, const QString& help);
    /// A dashed line in the memory area; 0 for none.
    void setMemoryLimit(qint64 bytes);
    /// Another limit can be typed, counted from what `names` has when it is.
    /// @param typed what the limit was typed as, asked when it is to be changed; without it, it was not typed.
    void setLimitNames(std::function<std::vector<overlap::ui::NamedBytes>()> names,
                       std::function<QString()> typed = {});
    /// Opens the line in which it is typed, where the limit stands.
    void editMemoryLimit();
    void setVisibleRange(overlap::TimeRange range);

    /// Selects what `reference` represents and scrolls to it; no_reference clears the selection. Emits nothing.
    /// @param scrolling none: the same selection as before, in another timeline, which is shown in its place.
    void selectReference(quint32 reference, Scrolling scrolling = Scrolling::toSelection);
    /// Selects the event and brings it into view, as a click there would.
    void selectEvent(overlap::EventLocation location);
    /// Chooses events of process groups, so that dragging one of them moves all.
    void chooseReferences(const std::vector<quint32>& references);
    /// Dims all but these; none to show all alike.
    void highlightReferences(std::vector<quint32> references);
    /// Thin curves between events, for the selection's flow. Arrows to what has no event are left out.
    void setArrows(std::vector<overlap::ui::TimelineArrow> arrows);

    void fitAll();
    void focusSelection();
    void goBack();
    void goForward();
    void clearMeasurement();
    void openFind();
    /// Opens the search with `query` and dims what does not match.
    void find(const QString& query);
    /// Marks that moment and tells what is alive then; see aliveListed().
    void showAlive(std::int64_t time_ns);
    /// The same for the memory curve's peak.
    void showAliveAtPeak();
    /// Whether the list is seen that aliveListed() fills: while it is not, aliveListedAgain() waits until it is.
    void setAliveSeen(bool seen);
    /// What was told of the listed moment is no longer right.
    void listAliveAgain();
    /// Selects what allocates a tensor that aliveListed() told, also where it is no event of the timeline.
    void selectAllocator(quint32 reference);
    /// Opens a line to type a note on what is measured, else selected, else under the pointer.
    void startNote();
    /// Lists all notes and bookmarks.
    void listNotes();
    /// Measures the selected event, or all that is visible without one.
    void measureSelection();
    void copy() const;
    /// Selects the collective that compute waits for longest, whatever else is selected; each further call the next one
    /// down the list, or the one before for -1.
    void selectMostExposed(int step = 1);
    /// Selects what the flow's arrows lead to, or come from for -1.
    void followFlow(int step);

    /// Does what `event`, a pressed key, means here; TimelineKeys asks for it while another view has the focus.
    /// @returns whether it means something.
    bool useKey(const QKeyEvent& event);
    /// A key was released, or with stopKeys() it will not be seen that it is.
    void releaseKey(const QKeyEvent& event);
    void stopKeys();

  signals:
    /// The user selected an event; no_reference and -1 when the selection was cleared.
    void eventSelected(quint32 reference, int lane);
    void visibleRangeChanged(overlap::TimeRange range);
    /// The mouse button was released, or the drag cancelled, and what that does is done.
    void dragEnded();
    /// The user asks what is alive at a moment, which is given as text.
    void aliveListed(const overlap::ui::AliveTensors& tensors, const QString& moment);
    /// The moment that is listed is of another timeline now.
    void aliveListedAgain(const overlap::ui::AliveTensors& tensors, const QString& moment);
    /// That moment is no longer marked.
    void aliveForgotten();
    /// Another limit of the peak was typed, which readLimit() understands; empty: what the device holds.
    void memoryLimitTyped(const QString& typed);
    /// Why a key does nothing, or what was typed is not taken; one sentence without full stop.
    void told(const QString& sentence);
    /// The user asks for a file of what is visible, or of all.
    void exportWanted(bool visibleOnly);
    /// The user wants to see the memory curve, which takes a view of this height.
    void roomWanted(int height);
    /// The menu of an event is about to show, or of no event; items may be added.
    void eventMenuAboutToShow(QMenu* menu, quint32 reference);

  protected:
    bool event(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
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
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;

  private:
    // timeline_view.cpp
    void connectParts();
    void layOut();
    /// The least height at which the memory curve can be read.
    int heightWithMemory() const;
    void changeRange(TimeRange range, ViewHistory::Motion motion);
    void showRange(TimeRange range);
    void select(EventLocation location, bool tell);
    void ensureVisible(EventLocation location);
    void describe();
    void applyHighlight();
    void showSearch();
    OverlayScene overlayScene() const;
    void paintTop(QPainter& painter, const OverlayScene& overlay);
    void paintLanes(QPainter& painter, const QRect& dirty);
    void paintMemory(QPainter& painter);
    QString toolTipAt(QPoint position) const;

    // timeline_view_pointer.cpp
    void zoom(double factor, double x);
    void moveBy(double share);
    int hoveredLane() const;
    void hover(QPointF position);
    void unhover();
    bool isInTime(QPointF position) const;
    void press(QPointF position);
    void pressRuler(QPointF position);
    void pressOverview(QPointF position);
    void pressLane(std::uint32_t lane, QPointF position);
    void dragBegan();
    void continueDrag(QPointF position);
    void finishDrag(QPointF position);
    void dropLane();
    void finishEventDrag(bool dropped);
    void click(QPointF position);
    void choose(EventLocation location);
    void cancelDrag();

    // timeline_view_keys.cpp: what returns a bool says whether the key means something
    void glide(const HeldKeys::Motion& motion);
    bool stepKey(const QKeyEvent& event);
    bool rangeKey(const QKeyEvent& event);
    bool selectionKey(const QKeyEvent& event);
    bool letGo();
    std::optional<std::uint32_t> laneForKeys() const;
    bool laneKey(const QKeyEvent& event);
    bool taskKey(const QKeyEvent& event);
    bool noteKey(const QKeyEvent& event);

    // timeline_view_tasks.cpp
    void goTo(EventLocation location);
    void stepEvent(int step);
    void stepLane(int step);
    void showNote(const PlacedNote& place);
    void showAliveAtSelection();
    void showAliveAt(QPointF position);
    bool isOnPeak(QPointF position) const;
    bool isOnLimit(QPointF position) const;
    void togglePinned(std::uint32_t lane);
    void toggleCollapsed(std::uint32_t lane);
    void stepLanePlace(std::uint32_t lane, int step);

    // timeline_view_menu.cpp
    void addMemoryItems(QMenu& menu, QPointF position);
    void addNoteItems(QMenu& menu, int note);
    void addLaneItems(QMenu& menu, std::uint32_t lane);
    void addEventItems(QMenu& menu, EventLocation location);

    TimelineScene scene_;
    TimelineEdits* edits_;
    std::uint64_t arrangement_ = 0;  ///< how often lanes were rearranged
    QString title_;
    QString caption_;
    MemoryHint* memoryHint_;
    QStringList memoryNotes_;
    QString memoryHelp_;
    ViewHistory history_;
    /// A visible range that does not fit the timeline, and what of it is shown.
    struct CutRange {
        TimeRange wanted, shown;
    };
    std::optional<CutRange> cut_;
    LaneLayer layer_;
    std::uint64_t highlight_ = 0;
    std::vector<quint32> highlightedReferences_;
    std::vector<TimelineArrow> arrows_;
    std::int64_t memoryLimit_ = 0;
    std::function<std::vector<NamedBytes>()> limitNames_;
    std::function<QString()> limitTyped_;
    MemoryLimitEditor* limitEditor_;
    std::function<QString(quint32)> toolTipProvider_;

    EventLocation selection_;
    quint32 selectedReference_ = no_reference;
    EventLocation steppedTo_;  ///< what selectMostExposed() selected last
    EventLocation hovered_;
    std::optional<QPointF> pointer_;
    RangeMeasurement measurement_;

    EventSearch search_;
    NoteBook notes_;
    AliveAtMoment alive_;

    PointerDrag drag_;
    ChosenEvents chosen_;
    EventDrag eventDrag_;
    KeyGlide keys_;

    PacedRepaint repaint_;
};

}  // namespace overlap::ui
