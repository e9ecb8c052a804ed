#include "ui/collectives/collective_rows.h"

#include <QStringList>
#include <algorithm>

#include "core/views/bucket_hues.h"
#include "core/views/timeline_of.h"
#include "ui/document/links_shared_step.h"

namespace overlap::ui {
namespace {

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

QString searchText(const CollectiveRows& rows, const CollectiveFigures& figures) {
    const CollectiveTiming& timing = rows.timing(figures.timing);
    const Graph& graph = *rows.evaluation->graph;
    QStringList all{text(graph.name(timing.start)), kindText(timing.kind), causeText(timing.cause),
                    QString::fromStdString(figures.bucket), rows.groups[timing.group]};
    if (figures.hidden_by != no_node) all.append(text(graph.name(figures.hidden_by)));
    for (const std::string& module : figures.modules) all.append(QString::fromStdString(module));
    return all.join(u'\n').toLower();
}

}  // namespace

QString kindText(CollectiveKind kind) {
    return text(collective_kind_name(kind)).replace(u'_', u'-');
}

QString causeText(ExposureCause cause) {
    return cause == ExposureCause::none ? QString() : text(exposure_cause_name(cause)).replace(u'_', u' ');
}

int CollectiveRows::rowOf(const QString& name) const {
    const std::string key = name.toStdString();
    NodeId node = evaluation->graph->find(key);
    if (node != no_node) {
        if (evaluation->graph->target_info(node).is_wait) node = evaluation->graph->awaited_start(node);
        return node == no_node ? -1 : evaluation->simulation.collective_of_node[node];
    }
    if ((node = evaluation->input->find(key)) == no_node) return -1;
    const auto made_of = std::ranges::find_if(figures, [&](const CollectiveFigures& made) {
        return std::ranges::find(made.members, node) != made.members.end();
    });
    return made_of == figures.end() ? -1 : static_cast<int>(made_of - figures.begin());
}

std::shared_ptr<const CollectiveRows> collectiveRows(std::shared_ptr<const Evaluation> evaluation,
                                                     std::shared_ptr<const ModuleTree> modules, std::stop_token stop) {
    auto rows = std::make_shared<CollectiveRows>();
    rows->evaluation = withLinksShared(evaluation);
    rows->modules = std::move(modules);
    rows->figures = collective_figures(*rows->evaluation, *rows->modules);
    if (const auto& resolved = rows->evaluation->resolved)
        rows->hues = bucket_hues(*resolved->modules, resolved->plan.buckets);
    for (std::size_t group = 0; group < rows->evaluation->simulation.groups.size(); ++group)
        rows->groups.push_back(QString::fromStdString(group_title_and_name(*rows->evaluation, group)));
    for (const CollectiveFigures& figures : rows->figures) {
        if (stop.stop_requested()) return nullptr;
        rows->search.push_back(searchText(*rows, figures));
    }
    return rows;
}

}  // namespace overlap::ui
