#pragma once

#include <QBasicTimer>
#include <QJsonObject>
#include <QPixmap>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/graph/graph_model.h"
#include "ui/timeline/held_keys.h"

class QMenu;

namespace overlap::ui {

/// The graph as nested boxes: looks at a GraphModel through a window that is moved and zoomed.
///
/// Boxes and edges are painted into a pixmap when something about them changed; pointer, selection and minimap are
/// painted above it, so that hovering touches no box. Opening a box leaves it where it is on the screen. Paint times go
/// to the logging category `overlap.graph.frametime`.
///
/// Keys: arrows go to the box in that direction, Ctrl+Down into a box and Ctrl+Up to the one around, Enter opens and
/// closes, `.` `,` next and previous in order of execution, `]` `[` along the largest flow of data; W S zoom, A D and
/// Page Up, Page Down pan, F focus the selection and again to fit it, Home and 0 fit all, Backspace and Alt+Left the
/// view before, Alt+Right forward, Menu the menu of the box, Escape clears the selection.
///
/// Several modules: Ctrl and a click add a box or take it out, Shift and a click add all from the current box to it,
/// Shift or Ctrl and a drag add what is marked.
class GraphView : public QWidget {
    Q_OBJECT

  public:
    explicit GraphView(GraphModel& model, QWidget* parent = nullptr);
    ~GraphView() override;

    GraphModel& model() { return model_; }
    const GraphModel& model() const { return model_; }
    /// The box that keys start from, drawn or not; no_box where none is selected.
    BoxId current() const { return current_; }
    /// Pixels of the screen for each unit of the arrangement.
    double scale() const { return place_.scale; }
    QPointF toScreen(QPointF plane) const { return (plane - corner()) * place_.scale; }
    QPointF toPlane(QPointF screen) const { return screen / place_.scale + corner(); }
    /// Where a drawn box is on the screen; empty where it is not drawn.
    QRectF boxRect(BoxId box) const;
    /// The innermost box at a point of the screen, or no_box.
    BoxId boxAt(QPointF screen) const;
    /// Where the minimap is; empty while all is in view, and where it would cover a box or an edge's label in every
    /// corner.
    QRectF minimapRect() const;
    /// Where it is said what colours mean. Empty where there is nothing to say, and in a low view where it would cover
    /// some of the few boxes that are seen.
    QRectF legendRect() const;
    /// How often boxes were painted so far.
    int renderCount() const { return render_count_; }

    /// What the session keeps: of which document, what is open, the place, the colours.
    QJsonObject state() const;
    /// Takes effect when its document is opened; the colours at once.
    void restore(const QJsonObject& state);

    /// The menu of a box, or of the empty plane; the caller owns it.
    QMenu* makeMenu(BoxId box);

    QSize sizeHint() const override { return {800, 400}; }
    QSize minimumSizeHint() const override { return {200, 100}; }
    /// @param stem what names of pictures begin with, asked when one is suggested; without it they have no beginning.
    void nameFilesAfter(std::function<QString()> stem) { stem_ = std::move(stem); }

  public slots:
    void fitAll();
    /// Brings the selection into the middle, opening what is around it; once more to fill the view with it.
    void focusSelection();
    /// Moves what is selected into view, where not all of it is seen, and opens nothing.
    void revealSelection();
    /// @param at stays where it is on the screen.
    void zoomBy(double factor, QPointF at);
    void panBy(QPointF pixels);
    void goBack();
    void goForward();
    void select(overlap::BoxId box);
    void toggle(overlap::BoxId box);
    /// Selects the next (or previous) match of the search, opening what is around it.
    void stepMatch(int step);
    /// The search is another: which match was told last is no longer so.
    void endMatches();
    /// Asks for a file and writes what is open into it.
    void exportPicture();

  signals:
    void currentChanged(overlap::BoxId box);
    /// The result of state() has changed.
    void stateChanged();
    /// One sentence about something that was done or could not be.
    void told(const QString& sentence);

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    /// The part of the plane that is in view: what is in the middle, which stays there in a view of another size, and
    /// how large.
    struct Place {
        QPointF centre;
        double scale = 1;
        bool operator==(const Place&) const = default;
    };
    /// What a view of another size, or with another arrangement, shows again: what it did at first, or all.
    enum class Fit { none, first, all };
    enum class Press { none, box, plane, marquee, band, minimap };

    // graph_view.cpp
    void onReset();
    void onArranged(BoxId anchor);
    void onSelectionMoved();
    void setCurrent(BoxId box);
    /// Of the plane, in the upper left of the view.
    QPointF corner() const { return cornerOf(place_); }
    QPointF cornerOf(const Place& place) const { return place.centre - QPointF(width(), height()) / 2 / place.scale; }
    Place placeAt(QPointF corner, double scale) const {
        return {corner + QPointF(width(), height()) / 2 / scale, scale};
    }
    void setPlace(Place place, bool remember = false);
    Place clamped(Place place) const;
    void restorePlace();
    void takeKeptCorner();
    void showAtFirst();
    /// In a view of another size, or with another arrangement: what was fitted is fitted anew.
    void refit();
    void showRect(const QRectF& plane, double largest_scale);
    Place placeOf(const QRectF& plane, double largest_scale) const;
    QRectF allOfIt() const;
    void ensureVisible(BoxId box);
    void repaintAll();
    void paintBase();
    void paintMinimap(QPainter& painter);
    QRectF inCorner(Qt::Corner corner, QSizeF size) const;
    struct CornerChoice {
        Qt::Corner corner = Qt::BottomRightCorner;
        double covered = 0;  ///< pixels of boxes
    };
    /// @param taken what an area must keep clear of.
    /// @param texts further places that are not to be covered.
    CornerChoice freestCorner(Qt::Corner now, QSizeF size, const QRectF& taken,
                              const std::vector<QRectF>& texts = {}) const;
    /// Where the labels of edges are, on the screen.
    std::vector<QRectF> edgeTexts() const;
    void findMinimapPlace() const;
    /// Where a box covers what is behind it on the screen: of an open one, the title; the rest of it is boxes and free
    /// space.
    QRectF closedPart(BoxId box) const;
    void paintLegend(QPainter& painter) const;
    void paintEmpty(QPainter& painter) const;
    QRectF planeRect() const;

    // graph_view_input.cpp
    bool navigationKey(const QKeyEvent& event);
    bool boxKey(const QKeyEvent& event);
    void stepTowards(QPointF direction);
    void stepInOrder(int step);
    void stepAlongData(bool forward);
    void glide(const HeldKeys::Motion& motion);
    bool onTriangle(BoxId box, QPointF screen) const;
    bool canDrag(BoxId box, QPointF screen) const;
    void startDrag(BoxId box);
    void clickBox();
    bool isOfSeveral(BoxId box) const;
    void selectMarked(const QRectF& marked);
    void centreOnMinimap(QPointF screen);
    void hover(QPointF screen);
    void copyText(BoxId box) const;

    GraphModel& model_;
    std::shared_ptr<const Arrangement> shown_;  ///< as it was painted last
    Place place_;
    std::vector<Place> back_, forward_;
    QJsonObject kept_;  ///< of the session, until its document is open
    /// Where older sessions have the view, until it has its size, which tells the middle.
    std::optional<QPointF> kept_corner_;
    bool first_shown_ = false;
    Fit fit_ = Fit::none;
    bool focused_once_ = false;
    BoxId current_ = no_box;
    BoxId hovered_ = no_box;
    QPixmap base_, minimap_;
    // Found when they are asked for, since all boxes are looked at.
    mutable Qt::Corner minimap_corner_ = Qt::BottomRightCorner;
    mutable bool minimap_corner_stale_ = true;
    mutable Qt::Corner legend_corner_ = Qt::BottomLeftCorner;
    mutable bool legend_corner_stale_ = true;
    mutable bool legend_covers_ = false;   ///< boxes: no corner is free
    mutable bool minimap_covers_ = false;  ///< boxes or the legend: no corner is free
    mutable QSizeF minimap_area_;
    bool follows_ = true;  ///< whether what is selected is brought into view
    bool base_stale_ = true, minimap_stale_ = true;
    int render_count_ = 0;
    double worst_frame_ms_ = 0;

    Press press_ = Press::none;
    BoxId pressed_ = no_box;
    Qt::KeyboardModifiers press_modifiers_;
    QPointF press_at_, press_now_;
    HeldKeys held_;
    QBasicTimer glide_timer_;
    std::function<QString()> stem_;
    bool match_told_ = false;  ///< in the status bar
};

}  // namespace overlap::ui
