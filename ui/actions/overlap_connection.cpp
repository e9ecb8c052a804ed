#include "ui/actions/overlap_connection.h"

#include <QMenu>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/edits/overlap_commands.h"
#include "ui/modules/modules_panel.h"
#include "ui/theme/harmless_text.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// Whether the timeline shows that evaluation: it is made in the background and may be late.
bool shows(const TimelineView& view, const Evaluation& evaluation, quint32 reference) {
    const auto found = view.timeline()->find(reference);
    return !found.empty() && reference < evaluation.graph->node_count() &&
           view.timeline()->event_name(found.front().location) == evaluation.graph->name(reference);
}

}  // namespace

OverlapConnection::OverlapConnection(Document& document, TimelineView& view, QObject* parent)
    : QObject(parent), document_(document), view_(view) {
    view.setEventDragHandler({[this](quint32 reference) { return isMovable(reference); },
                              [this](const std::vector<quint32>& starts, bool byEnd) { return begin(starts, byEnd); },
                              [this](const EventDragPlace& place) { return ask(place); },
                              [this](const EventDragPlace& place) { drop(place); }, [this] { finish(); }});
    connect(&view, &TimelineView::eventMenuAboutToShow, this,
            [this](QMenu* menu, quint32 reference) { fill(*menu, reference); });
    connect(&document, &Document::graphAboutToChange, this, [this] {
        if (dialog_) dialog_->reject();
    });
}

bool OverlapConnection::isMovable(quint32 reference) const {
    const auto evaluation = shownEvaluation(document_);
    return evaluation && OverlapCommands(document_).refusal().isEmpty() && shows(view_, *evaluation, reference) &&
           evaluation->simulation.collective_of_node[reference] >= 0;
}

bool OverlapConnection::begin(const std::vector<quint32>& references, bool byEnd) {
    if (!std::ranges::all_of(references, [this](quint32 reference) { return isMovable(reference); })) return false;
    const auto evaluation = shownEvaluation(document_);
    dragged_ = std::make_unique<DraggedOverlap>(document_, evaluation, references);
    by_end_ = byEnd;
    document_.selection().selectNode(text(evaluation->graph->name(references.front())));
    highlighted_before_ = view_.highlightedReferences();
    std::vector<quint32> allowed = references;
    for (NodeId node = 0; node < evaluation->graph->node_count(); ++node)
        if (evaluation->times_ms[node] > 0 && !dragged_->isForbidden(node)) allowed.push_back(node);
    view_.highlightReferences(std::move(allowed));
    return true;
}

DraggedOverlap::Wish OverlapConnection::wishAt(const EventDragPlace& place) const {
    const QString module = modules_ ? modules_->markDropTarget(place.global) : QString();
    if (!module.isEmpty()) return dragged_->behindModule(module);
    const Evaluation& evaluation = dragged_->preview().evaluation();
    const bool on_compute =
        place.under < evaluation.graph->node_count() && evaluation.simulation.collective_of_node[place.under] < 0;
    if (on_compute && place.modifiers.testFlag(Qt::ShiftModifier)) return dragged_->behindModuleOf(place.under);
    if (on_compute) return dragged_->behind(place.under);
    const double time_ms = static_cast<double>(place.time_ns) * 1e-6;
    return by_end_ ? dragged_->waitedForAt(time_ms) : dragged_->startedAt(time_ms);
}

EventDragAnswer OverlapConnection::ask(const EventDragPlace& place) {
    const DraggedOverlap::Answer& answer = dragged_->answer(wishAt(place));
    return {answer.wish, answer.refusal, answer.left, answer.effects, true};
}

void OverlapConnection::drop(const EventDragPlace& place) {
    const QString refusal = dragged_->apply(wishAt(place));
    finish();
    if (!refusal.isEmpty()) emit told(refusal);
}

void OverlapConnection::finish() {
    dragged_.reset();
    if (modules_) modules_->clearDropTarget();
    view_.highlightReferences(std::move(highlighted_before_));
    highlighted_before_.clear();
}

void OverlapConnection::fill(QMenu& menu, quint32 reference) {
    const auto evaluation = shownEvaluation(document_);
    if (!evaluation || !shows(view_, *evaluation, reference)) return;
    if (evaluation->simulation.collective_of_node[reference] < 0) return;
    const QString node = text(evaluation->graph->name(reference));
    const QString refusal = OverlapCommands(document_).refusal();
    if (const std::vector<NodeId> chosen = withChosen(reference); chosen.size() > 1)
        menu.addSection(tr("%1 collectives").arg(chosen.size()));
    else
        menu.addSeparator();
    menu.setToolTipsVisible(true);
    const auto add = [&](const QString& title, bool possible, std::function<void()> act) {
        QAction* action = menu.addAction(title, this, std::move(act));
        action->setEnabled(possible && refusal.isEmpty());
        if (!refusal.isEmpty()) action->setToolTip(shownName(refusal));
    };
    using Field = OverlapDialog::Field;
    add(tr("Start before…"), true, [this, node] { edit(node, Field::start_before); });
    add(tr("Start after…"), true, [this, node] { edit(node, Field::start_after); });
    add(tr("Wait after…"), true, [this, node] { edit(node, Field::wait_after); });
    add(tr("Hide behind module…"), true, [this, node] { edit(node, Field::hide_behind); });
    const std::vector<NodeId> starts = withChosen(reference);
    const bool has = std::ranges::any_of(
        starts, [&](NodeId start) { return OverlapCommands(document_).has(text(evaluation->graph->name(start))); });
    add(starts.size() == 1 ? tr("Remove my overlap") : tr("Remove my overlaps of %1 collectives").arg(starts.size()),
        has, [this, reference] { remove(reference); });
}

NodeId OverlapConnection::collectiveOf(const QString& node) {
    if (const QString refusal = OverlapCommands(document_).refusal(); !refusal.isEmpty()) {
        emit told(refusal);
        return no_node;
    }
    const Evaluation& evaluation = *shownEvaluation(document_);
    NodeId start = evaluation.graph->find(node.toStdString());
    if (start != no_node && evaluation.simulation.collective_of_node[start] < 0)
        start = evaluation.graph->awaited_start(start);
    if (start != no_node && evaluation.simulation.collective_of_node[start] >= 0) return start;
    emit told(node.isEmpty() ? tr("Select a collective first") : tr("%1 is no collective").arg(node));
    return no_node;
}

std::vector<NodeId> OverlapConnection::withChosen(NodeId start) const {
    std::vector<NodeId> starts{start};
    const std::vector<quint32>& chosen = view_.chosenReferences();
    if (std::ranges::find(chosen, start) == chosen.end()) return starts;
    for (const quint32 reference : chosen)
        if (reference != start && isMovable(reference)) starts.push_back(reference);
    return starts;
}

void OverlapConnection::edit(const QString& node, OverlapDialog::Field first) {
    const NodeId start = collectiveOf(node);
    if (start == no_node) return;
    if (dialog_) dialog_->reject();
    dialog_ = new OverlapDialog(
        document_, std::make_unique<DraggedOverlap>(document_, shownEvaluation(document_), withChosen(start)), first,
        view_.window());
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    dialog_->setModal(true);
    dialog_->open();
}

void OverlapConnection::editSelection(OverlapDialog::Field first) {
    const Selection& selection = document_.selection();
    edit(selection.kind() == Selection::Kind::node ? selection.node() : QString(), first);
}

void OverlapConnection::removeOfSelection() {
    const Selection& selection = document_.selection();
    const NodeId start = collectiveOf(selection.kind() == Selection::Kind::node ? selection.node() : QString());
    if (start != no_node) remove(start);
}

void OverlapConnection::remove(NodeId start) {
    QStringList names;
    for (const NodeId each : withChosen(start)) names.append(text(shownEvaluation(document_)->graph->name(each)));
    OverlapCommands(document_).removeOf(names);
}

}  // namespace overlap::ui
