#include "ui/graph/graph_view.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/graph/graph_accessible.h"
#include "ui/graph/graph_export.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_painter.h"

namespace overlap::ui {
namespace {

constexpr double smallest_scale = 0.01;
constexpr double largest_scale = 4;
constexpr double readable_scale = 0.85;  ///< below it, fitting all at first would make text hard to read
constexpr double margin = 24;            ///< around what is fitted, pixels
constexpr double kept_in_view = 48;      ///< pixels of the graph that cannot be moved out of view
constexpr std::size_t most_places = 100;

}  // namespace

GraphView::GraphView(GraphModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    installGraphAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Graph"));
    connect(&model, &GraphModel::reset, this, &GraphView::onReset);
    connect(&model, &GraphModel::arranged, this, &GraphView::onArranged);
    connect(&model, &GraphModel::changed, this, &GraphView::repaintAll);
    whenReadingChanges(model.document(), this, [this] { repaintAll(); });
    connect(&model, &GraphModel::told, this, &GraphView::told);
    connect(&model, &GraphModel::selectionMoved, this, &GraphView::onSelectionMoved);
    onReset();
}

GraphView::~GraphView() = default;

QJsonObject GraphView::state() const {
    QJsonObject state = model_.isOpen() ? QJsonObject() : kept_;  // what waits for its graph stays
    state["colour"] = nameOf(model_.colouring());
    state["graphviz"] = model_.graphviz();
    if (!model_.isOpen()) return state;
    state["document"] = model_.document().loaded().path;
    state["open"] = QJsonArray::fromStringList(model_.openKeys());
    if (kept_corner_) {
        state["x"] = kept_corner_->x();
        state["y"] = kept_corner_->y();
    } else {
        state["centre_x"] = place_.centre.x();
        state["centre_y"] = place_.centre.y();
    }
    state["scale"] = place_.scale;
    state["fit"] = static_cast<int>(fit_);
    return state;
}

void GraphView::restore(const QJsonObject& state) {
    kept_ = state;
    model_.setGraphviz(state["graphviz"].toBool());
    for (const BoxColouring colouring : boxColourings())
        if (state["colour"].toString() == nameOf(colouring)) model_.setColouring(colouring);
}

void GraphView::restorePlace() {
    if (!model_.isOpen() || kept_["document"].toString() != model_.document().loaded().path) return;
    const QJsonObject kept = std::exchange(kept_, {});
    QStringList open;
    for (const QJsonValue value : kept["open"].toArray()) open.append(value.toString());
    model_.setOpenKeys(open);
    const double scale = kept["scale"].toDouble(1);
    const QPointF corner(kept["x"].toDouble(), kept["y"].toDouble());
    const bool has_middle = kept.contains("centre_x");
    setPlace(has_middle ? Place{{kept["centre_x"].toDouble(), kept["centre_y"].toDouble()}, scale}
                        : placeAt(corner, scale));
    fit_ = static_cast<Fit>(std::clamp(kept["fit"].toInt(), 0, static_cast<int>(Fit::all)));
    first_shown_ = fit_ != Fit::first;
    if (fit_ == Fit::all) fitAll();
    if (fit_ == Fit::none && !has_middle) kept_corner_ = corner;
    takeKeptCorner();
}

void GraphView::takeKeptCorner() {
    if (kept_corner_ && isVisible()) setPlace(placeAt(*kept_corner_, place_.scale));
}

QRectF GraphView::planeRect() const {
    return {toPlane({0, 0}), QSizeF(size()) / place_.scale};
}

QRectF GraphView::boxRect(BoxId box) const {
    const PlacedBox* placed = model_.isOpen() && box != no_box ? model_.arrangement().find(box) : nullptr;
    if (!placed) return {};
    return {toScreen(toQt(placed->rect).topLeft()), toQt(placed->rect).size() * place_.scale};
}

BoxId GraphView::boxAt(QPointF screen) const {
    if (!model_.isOpen()) return no_box;
    const QPointF plane = toPlane(screen);
    return model_.arrangement().at({plane.x(), plane.y()});
}

void GraphView::onReset() {
    back_.clear();
    forward_.clear();
    hovered_ = no_box;
    press_ = Press::none;
    shown_ = model_.isOpen() ? model_.sharedArrangement() : nullptr;
    first_shown_ = false;
    kept_corner_.reset();
    setCurrent(no_box);
    restorePlace();
    showAtFirst();
    repaintAll();
}

void GraphView::onArranged(BoxId anchor) {
    const std::shared_ptr<const Arrangement> before = std::exchange(shown_, model_.sharedArrangement());
    if (!before || before->place_of.size() != shown_->place_of.size()) return;
    hovered_ = no_box;
    const PlacedBox* from = anchor == no_box ? nullptr : before->find(anchor);
    const PlacedBox* to = anchor == no_box ? nullptr : shown_->find(anchor);
    if (from && to) {
        const QPointF moved = toQt(to->rect).topLeft() - toQt(from->rect).topLeft();
        place_.centre += moved;
        if (kept_corner_) *kept_corner_ += moved;
        fit_ = Fit::none;
    } else {
        refit();  // other figures make other boxes: nobody has moved the view
    }
    focused_once_ = false;
    if (current_ != no_box && !shown_->find(current_)) setCurrent(shown_->shown(model_.tree(), current_));
    repaintAll();
    emit stateChanged();
}

void GraphView::onSelectionMoved() {
    const auto& selected = model_.selectedBoxes();
    setCurrent(selected.empty() ? no_box : model_.arrangement().shown(model_.tree(), selected.front()));
    focused_once_ = false;
    revealSelection();
}

void GraphView::revealSelection() {
    if (current_ != no_box) ensureVisible(current_);
}

void GraphView::setCurrent(BoxId box) {
    if (box == BoxTree::root) box = no_box;
    if (box == current_) return;
    current_ = box;
    minimap_corner_stale_ = legend_corner_stale_ = true;
    announceCurrentBox(*this);
    emit currentChanged(box);
    update();
}

void GraphView::select(BoxId box) {
    if (!model_.isOpen()) return;
    if (box != no_box) model_.reveal(box);
    setCurrent(box);
    model_.select(box);
    focused_once_ = false;
    if (box != no_box) ensureVisible(box);
    update();
}

void GraphView::toggle(BoxId box) {
    if (model_.isOpen() && box != no_box) model_.setOpen(box, !model_.isOpen(box));
}

GraphView::Place GraphView::clamped(Place place) const {
    place.scale = std::clamp(place.scale, smallest_scale, largest_scale);
    if (!shown_) return place;
    const QSizeF view = QSizeF(size()) / place.scale;
    const double kept = kept_in_view / place.scale;
    const QPointF corner = cornerOf(place);
    const double x =
        std::clamp(corner.x(), kept - view.width(), std::max(kept - view.width(), shown_->size.width - kept));
    const double y =
        std::clamp(corner.y(), kept - view.height(), std::max(kept - view.height(), shown_->size.height - kept));
    return QPointF(x, y) == corner ? place : placeAt({x, y}, place.scale);
}

void GraphView::setPlace(Place place, bool remember) {
    kept_corner_.reset();
    place = clamped(place);
    if (place == place_) return;
    if (remember) {
        back_.push_back(place_);
        if (back_.size() > most_places) back_.erase(back_.begin());
        forward_.clear();
    }
    place_ = place;
    fit_ = Fit::none;
    base_stale_ = minimap_corner_stale_ = legend_corner_stale_ = true;
    update();
    emit stateChanged();
}

void GraphView::goBack() {
    if (back_.empty()) return;
    forward_.push_back(place_);
    const Place place = back_.back();
    back_.pop_back();
    setPlace(place);
}

void GraphView::goForward() {
    if (forward_.empty()) return;
    back_.push_back(place_);
    const Place place = forward_.back();
    forward_.pop_back();
    setPlace(place);
}

void GraphView::showAtFirst() {
    if (first_shown_ || !shown_ || width() < 2 || height() < 2 || !isVisible()) return;
    first_shown_ = true;
    const double fit = std::min((width() - 2 * margin) / std::max(1.0, shown_->size.width),
                                (height() - 2 * margin) / std::max(1.0, shown_->size.height));
    const double scale = std::clamp(fit, readable_scale, 1.0);
    // In the middle; what is too high begins at the top.
    const QSizeF view = QSizeF(size()) / scale;
    const double x = (shown_->size.width - view.width()) / 2;
    const double y = std::max((shown_->size.height - view.height()) / 2, -margin / scale);
    setPlace(placeAt({shown_->size.width > view.width() ? -margin / scale : x,
                      shown_->size.height > view.height() ? -margin / scale : y},
                     scale));
    fit_ = Fit::first;
}

GraphView::Place GraphView::placeOf(const QRectF& plane, double most) const {
    return {plane.center(),
            std::min({(width() - 2 * margin) / plane.width(), (height() - 2 * margin) / plane.height(), most})};
}

void GraphView::showRect(const QRectF& plane, double most) {
    if (!plane.isEmpty()) setPlace(placeOf(plane, most), true);
}

QRectF GraphView::allOfIt() const {
    return {0, 0, shown_->size.width, shown_->size.height};
}

void GraphView::fitAll() {
    if (!shown_) return;
    showRect(allOfIt(), 1);
    fit_ = Fit::all;
}

void GraphView::focusSelection() {
    if (!shown_ || (current_ == no_box && model_.selectedBoxes().empty())) return;
    const bool again = std::exchange(focused_once_, true);
    const BoxId wanted = model_.selectedBoxes().empty() ? current_ : model_.selectedBoxes().front();
    model_.reveal(wanted);
    setCurrent(wanted);
    const QRectF rect = toQt(model_.arrangement().find(wanted)->rect);
    if (again) {
        showRect(rect, largest_scale / 2);
    } else {
        const QSizeF view = QSizeF(size()) / std::max(place_.scale, readable_scale);
        const QPointF half(view.width() / 2, view.height() / 2);
        // A box that is larger than the view begins in the corner.
        const QPointF corner = rect.center() - half;
        const double border = margin / place_.scale;
        setPlace(placeAt({rect.width() > view.width() ? rect.left() - border : corner.x(),
                          rect.height() > view.height() ? rect.top() - border : corner.y()},
                         std::max(place_.scale, readable_scale)),
                 true);
    }
    focused_once_ = true;
}

void GraphView::ensureVisible(BoxId box) {
    const QRectF rect = boxRect(box);
    const QRectF view(QPointF(0, 0), QSizeF(size()));
    const QRectF seen = view.intersected(rect);
    const bool has_room = rect.width() <= view.width() && rect.height() <= view.height();
    const double wanted = has_room ? 1 : 0.5;  // what is larger than the view never comes into it
    if (!follows_ || rect.isEmpty() || seen.width() * seen.height() >= rect.width() * rect.height() * wanted) return;
    const QRectF inner = view.adjusted(margin, margin, -margin, -margin);
    QPointF move;
    if (rect.left() < inner.left() || rect.width() > inner.width())
        move.setX(rect.left() - inner.left());
    else if (rect.right() > inner.right())
        move.setX(rect.right() - inner.right());
    if (rect.top() < inner.top() || rect.height() > inner.height())
        move.setY(rect.top() - inner.top());
    else if (rect.bottom() > inner.bottom())
        move.setY(rect.bottom() - inner.bottom());
    setPlace({place_.centre + move / place_.scale, place_.scale});
}

void GraphView::zoomBy(double factor, QPointF at) {
    const QPointF fixed = toPlane(at);
    const double scale = std::clamp(place_.scale * factor, smallest_scale, largest_scale);
    setPlace(placeAt(fixed - at / scale, scale));
}

void GraphView::exportPicture() {
    if (!model_.isOpen()) return;
    auto* dialog = new QFileDialog(this, tr("Save the graph as a picture"), QString(),
                                   tr("PNG picture (*.png);;SVG drawing (*.svg)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    // Names of graphs have dots, behind which the dialog adds no suffix.
    const auto suggest = [dialog](const QString& name, const QString& suffix) {
        dialog->setDefaultSuffix(suffix);
        dialog->selectFile(name + u'.' + suffix);
    };
    const QString kind = QStringLiteral("graph"), stem = stem_ ? stem_() : QString();
    const QString first = stem.isEmpty() ? kind : stem + u'.' + kind;
    suggest(first, QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, suggest, first](const QString& filter) {
        const QFileInfo chosen(dialog->selectedFiles().value(0));
        const bool has_suffix = chosen.suffix() == u"png" || chosen.suffix() == u"svg";
        // Where no name is typed, it is the folder.
        const bool has_name = !chosen.fileName().isEmpty() && !chosen.isDir();
        suggest(!has_name    ? first
                : has_suffix ? chosen.completeBaseName()
                             : chosen.fileName(),
                filter.contains(u"svg") ? QStringLiteral("svg") : QStringLiteral("png"));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const QString problem = writeGraphPicture(model_, path);
        const QString remark = pictureRemark(model_, path);
        const QString saved = tr("The graph was saved as %1").arg(path);
        emit told(!problem.isEmpty() ? problem : remark.isEmpty() ? saved : saved + QStringLiteral(", ") + remark);
    });
    dialog->open();
}

void GraphView::refit() {
    takeKeptCorner();
    if (fit_ == Fit::first) first_shown_ = false;
    showAtFirst();
    if (fit_ == Fit::all && shown_) {
        setPlace(placeOf(allOfIt(), 1));
        fit_ = Fit::all;
    }
    if (fit_ == Fit::none) place_ = clamped(place_);
}

void GraphView::resizeEvent(QResizeEvent*) {
    refit();
    repaintAll();
}

}  // namespace overlap::ui
