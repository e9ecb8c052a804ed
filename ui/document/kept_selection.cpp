#include "ui/document/kept_selection.h"

#include <QScopedValueRollback>
#include <utility>

#include "core/views/members_of_result.h"
#include "ui/document/document.h"
#include "ui/document/kept_bucket.h"

namespace overlap::ui {
namespace {

/// What a collective, or the one that a wait awaits, was made of.
std::vector<NodeId> membersOf(const Evaluation& evaluation, NodeId node) {
    const Graph& graph = *evaluation.graph;
    return MembersOfResult(evaluation).of(graph.target_info(node).is_wait ? graph.awaited_start(node) : node);
}

}  // namespace

NodeId collective_counterpart(const Evaluation& from, const Evaluation& to, NodeId node) {
    const Graph& graph = *from.graph;
    const bool waits = graph.target_info(node).is_wait;
    const NodeId start = waits ? graph.awaited_start(node) : node;
    if (start == no_node || from.simulation.collective_of_node[start] < 0) return no_node;
    const MembersOfResult members_of_from(from), members_of_to(to);
    const std::vector<NodeId> found = counterparts(from, members_of_from, to, members_of_to, std::span(&start, 1));
    if (found.empty() || !waits) return found.empty() ? no_node : found.front();
    const std::int32_t collective = to.simulation.collective_of_node[found.front()];
    return collective < 0 ? no_node : to.simulation.collectives[static_cast<std::size_t>(collective)].wait;
}

KeptSelection::KeptSelection(Document& document) : document_(document) {
    connect(&document.selection(), &Selection::changed, this, &KeptSelection::remember);
    connect(&document, &Document::evaluationChanged, this, &KeptSelection::follow);
    connect(&document, &Document::graphAboutToChange, this, [this] {
        of_.reset();
        shown_.reset();
    });
    new KeptBucket(document, this);
}

void KeptSelection::remember() {
    if (following_) return;
    const Selection& selection = document_.selection();
    const auto shown = document_.evaluation();
    const bool of_result = selection.kind() == Selection::Kind::node && shown &&
                           shown->graph->find(selection.node().toStdString()) != no_node;
    of_ = shown_ = of_result ? shown : nullptr;
    node_ = selection.node();
}

void KeptSelection::follow() {
    const auto shown = document_.evaluation();
    if (!of_ || !shown || shown == shown_) return;
    const auto before = std::exchange(shown_, shown);
    // From what was selected, not from what stood for it last: after an undo that would be another one.
    const NodeId node = of_->graph->find(node_.toStdString());
    const NodeId counterpart = shown == of_ ? node : collective_counterpart(*of_, *shown, node);
    if (counterpart == no_node) return;
    const std::string_view name = shown->graph->name(counterpart);
    const auto selected = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    Selection& selection = document_.selection();
    // Under its old name it may be made of other collectives, whose modules views show as selected.
    const NodeId last = before->graph->find(selection.node().toStdString());
    const bool made_of_others =
        selection.node() == selected && last != no_node && membersOf(*before, last) != membersOf(*shown, counterpart);
    const QScopedValueRollback guard(following_, true);
    if (made_of_others)
        emit selection.changed();
    else
        selection.selectNode(selected);
}

}  // namespace overlap::ui
