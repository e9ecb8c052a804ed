#include "ui/edits/overlap_commands.h"

#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/evaluation_failure.h"
#include "ui/document/graph_reading.h"

namespace overlap::ui {
namespace {

const OverlapDirectives none;

}  // namespace

const OverlapDirectives& OverlapCommands::overlaps() const {
    return document_.editable() ? document_.current()->plan().overlaps : none;
}

std::vector<std::string> OverlapCommands::collectives() const {
    std::vector<std::string> names;
    for (const OverlapDirective& directive : overlaps().list) names.push_back(directive.collective);
    const auto evaluation = document_.evaluation();
    if (names.empty() || !evaluation || !evaluation->undirected) return names;
    // By name, since the evaluation may be of the plan before the newest edit.
    const MergedCollectives merged = merged_collectives(evaluation->reports);
    for (std::string& name : names) {
        if (evaluation->undirected->find(name) != no_node) continue;
        const auto found = std::ranges::find(merged, name, &MergedCollectives::value_type::first);
        if (found != merged.end()) name = found->second;
    }
    return names;
}

QString OverlapCommands::words(OverlapDirective directive, std::string_view collective) {
    directive.collective = collective;
    return QString::fromStdString(describe(directive));
}

QString OverlapCommands::refusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return tr("The baseline is the graph as it is; choose or add a plan to edit");
    const auto evaluation = document_.evaluation();
    if (!evaluation || document_.evaluating()) return whyNotEvaluated(document_);
    if (evaluation->refused) return tr("The plan is refused, see Problems");
    return {};
}

void OverlapCommands::edit(const QString& text, OverlapDirectives overlaps) {
    if (!document_.editable() || overlaps == document_.current()->plan().overlaps) return;
    Plan plan = document_.current()->plan();
    plan.overlaps = std::move(overlaps);
    document_.editPlan(text, std::move(plan));
}

void OverlapCommands::put(OverlapDirectives overlaps, const QString& what) {
    edit(tr("Overlap: %1").arg(what), std::move(overlaps));
}

void OverlapCommands::remove(int index) {
    OverlapDirectives overlaps = this->overlaps();
    if (index < 0 || static_cast<std::size_t>(index) >= overlaps.list.size()) return;
    const QString collective = QString::fromStdString(collectives()[static_cast<std::size_t>(index)]);
    overlaps.list.erase(overlaps.list.begin() + index);
    edit(tr("Remove the overlap of %1").arg(collective), std::move(overlaps));
}

bool OverlapCommands::isAbout(std::size_t directive, const QString& node) const {
    if (overlaps().list[directive].collective == node.toStdString()) return true;
    const auto evaluation = document_.evaluation();
    if (!evaluation || directive >= evaluation->overlaps.directives.size()) return false;
    const NodeId start = evaluation->overlaps.directives[directive].start;
    return start != no_node && evaluation->undirected->name(start) == node.toStdString();
}

bool OverlapCommands::has(const QString& node) const {
    for (std::size_t index = 0; index < overlaps().list.size(); ++index)
        if (isAbout(index, node)) return true;
    return false;
}

void OverlapCommands::removeOf(const QStringList& nodes) {
    OverlapDirectives kept = overlaps();
    kept.list.clear();
    for (std::size_t index = 0; index < overlaps().list.size(); ++index)
        if (std::ranges::none_of(nodes, [&](const QString& node) { return isAbout(index, node); }))
            kept.list.push_back(overlaps().list[index]);
    edit(nodes.size() == 1 ? tr("Remove the overlap of %1").arg(nodes.front())
                           : tr("Remove the overlaps of %1 collectives").arg(nodes.size()),
         std::move(kept));
}

void OverlapCommands::setKeepGroupOrder(bool keep) {
    OverlapDirectives overlaps = this->overlaps();
    overlaps.keep_group_order = keep;
    edit(keep ? tr("Keep the order of process groups") : tr("Let collectives overtake one another"),
         std::move(overlaps));
}

void OverlapCommands::setInsertOverlapDeps(bool insert) {
    OverlapDirectives overlaps = this->overlaps();
    overlaps.insert_overlap_deps = insert;
    edit(insert ? tr("Keep overlaps by control_deps") : tr("Leave out control_deps of overlaps"), std::move(overlaps));
}

}  // namespace overlap::ui
