// What the inspector says of a module, and of several that are selected together.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "core/views/computed_time.h"
#include "core/views/exposed_time.h"
#include "core/views/recomputed_time.h"
#include "core/views/removed_collectives.h"
#include "core/views/several_modules.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/removed_collectives.h"
#include "ui/document/selected_modules.h"
#include "ui/edits/bucket_commands.h"
#include "ui/inspector/inspector_rows.h"
#include "ui/theme/known_time.h"

namespace overlap::ui {
namespace {

using ModuleId = ModuleTree::ModuleId;

constexpr std::size_t most_buckets = 8;  ///< that are named

/// Their classes, where these are few.
void addClasses(const ModuleTree& tree, std::span<const ModuleId> modules, InspectorRows& rows) {
    // The base class says nothing; graphs with `module_fqn` have no other.
    QStringList classes;
    for (const ModuleId module : modules) {
        const QString name = QString::fromStdString(tree.module(module).own_class);
        if (!classes.contains(name)) classes.append(name);
    }
    constexpr int most_classes = 3;
    classes.removeIf([](const QString& name) { return name.isEmpty() || name.section(u'.', -1) == u"Module"; });
    if (classes.size() <= most_classes) rows.add(Document::tr("class"), classes.join(QStringLiteral(", ")));
}

/// Whether a bucket has these modules and no others.
bool haveOwnBucket(const Buckets& buckets, const QStringList& paths) {
    return std::ranges::any_of(buckets, [&](const BucketEntry& entry) {
        return std::ssize(entry.modules) == paths.size() &&
               std::ranges::all_of(entry.modules, [&](const std::string& module) {
                   return paths.contains(QString::fromStdString(module));
               });
    });
}

/// The buckets that modules are in, and what puts them into new ones.
void addBuckets(Document& document, const QStringList& paths, InspectorRows& rows) {
    std::set<int> buckets;
    for (const QString& path : paths)
        if (const int bucket = bucket_of_module(document.buckets(), path.toStdString()); bucket >= 0)
            buckets.insert(bucket);
    std::vector<InspectorPiece> pieces;
    for (const int bucket : buckets) {
        if (pieces.size() == most_buckets) {
            pieces.push_back(bare(Document::tr("and %1 more").arg(buckets.size() - most_buckets), Tone::faint));
            break;
        }
        pieces.push_back(bucketLink(document, bucket));
    }
    const QString label = pieces.size() == 1 ? Document::tr("bucket") : Document::tr("buckets");
    if (!buckets.empty()) std::ranges::move(bucketRemark(document), std::back_inserter(pieces));
    rows.add(label, std::move(pieces));
    if (paths.contains(QString()) || !document.editable()) return;  // the whole model goes into no bucket
    // What is in a bucket with the module around it stays there.
    const auto is_entry = [&](const QString& path) {
        return std::ranges::any_of(document.buckets(), [module = path.toStdString()](const BucketEntry& entry) {
            return std::ranges::find(entry.modules, module) != entry.modules.end();
        });
    };
    if (std::ranges::any_of(paths, is_entry))
        rows.add(Document::tr("take"),
                 {{paths.size() > 1 ? Document::tr("out of their buckets") : Document::tr("out of its bucket"),
                   QStringLiteral("put:out"), Tone::plain}});
    if (!BucketCommands(document).refusal(paths, -1).isEmpty()) return;
    // What has a bucket of its own already would get the same again.
    std::vector<InspectorPiece> actions;
    if (!haveOwnBucket(document.buckets(), paths))
        actions.push_back({paths.size() > 1 ? Document::tr("a new bucket of all") : Document::tr("a new bucket"),
                           QStringLiteral("put:together"), Tone::plain});
    if (paths.size() > 1 &&
        !std::ranges::all_of(paths, [&](const QString& path) { return haveOwnBucket(document.buckets(), {path}); }))
        actions.push_back({Document::tr("a new bucket each"), QStringLiteral("put:apart"), Tone::plain});
    if (!actions.empty()) rows.add(Document::tr("put into"), std::move(actions));
}

void addFigures(Document& document, std::span<const ModuleId> modules, InspectorRows& rows) {
    const Graph& graph = *document.graph();
    const ModuleTree& tree = document.modules();
    const std::vector<NodeId> nodes = nodes_together(graph, tree, modules);
    const ModuleFiguresTable& table = document.moduleFigures();
    const ModuleFigures as_traced = modules.size() == 1
                                        ? table.modules[modules.front()]
                                        : figures_together(graph, table, modules, nodes, document.baseline().times_ms);
    const ModuleFigures taken = communicated_in(graph, nodes, removedCollectives(document));
    const ModuleFigures figures = communicating_without(as_traced, taken);
    const bool known = document.baseline().times_known;
    rows.add(Document::tr("forward as traced"), formatKnownTime(figures.forward_ms, known));
    rows.add(Document::tr("backward as traced"), formatKnownTime(figures.backward_ms, known));
    const auto evaluation = shownEvaluation(document);
    if (evaluation && evaluation->times_known && evaluation->original == document.graph())
        if (const std::vector<double> again = recomputed_ms_of_input(*evaluation); !again.empty())
            if (const double sum_ms = sum_of_nodes(nodes, again); sum_ms > 0)
                rows.add(Document::tr("computed again by the plan"), formatTime(sum_ms));
    if (evaluation && evaluation->times_known && !evaluation->refused && evaluation->original == document.graph()) {
        const ComputedTime computed = computed_time(*evaluation, tree);
        const double sum_ms = sum_of_nodes(nodes, computed.nodes_ms) + made_in(computed, tree, modules);
        constexpr double seen_ms = 0.0005;
        if (std::abs(sum_ms - figures.compute_ms()) > seen_ms)
            rows.add(Document::tr("compute in the plan"), formatTime(sum_ms));
    }
    const auto bytes = [&](const QString& label, std::int64_t value) {
        if (value > 0) rows.add(label, formatBytes(static_cast<double>(value)));
    };
    bytes(Document::tr("gathers"), figures.gather_bytes);
    bytes(Document::tr("scatters"), figures.scatter_bytes);
    bytes(Document::tr("other communication"), figures.other_bytes);
    // Of the graph: what a plan merges is no module's any more.
    if (as_traced.collectives > 0)
        rows.add(Document::tr("collectives as traced"),
                 bothTexts(formatCount(as_traced.collectives), formatKnownTime(as_traced.communication_ms, known)));
    if (taken.collectives > 0)
        rows.add(
            Document::tr("taken away by the plan"),
            bothTexts(formatCount(taken.collectives), formatBytes(static_cast<double>(taken.communication_bytes()))));
    if (figures.collectives > 0 && evaluation && evaluation->times_known) {
        const double sum_ms = sum_of_nodes(nodes, exposed_ms_of_input(*evaluation));
        rows.add(exposedRowLabel(*evaluation), evaluation->refused
                                                   ? Document::tr("%1 without the plan").arg(formatTime(sum_ms))
                                                   : formatTime(sum_ms));
    }
    if (figures.parameters > 0)
        rows.add(
            Document::tr("parameters"),
            bothTexts(formatCount(figures.parameters),
                      Document::tr("%1 on this rank").arg(formatBytes(static_cast<double>(figures.parameter_bytes)))));
    rows.add(Document::tr("nodes"), formatCount(figures.nodes));
}

}  // namespace

InspectorContent describeModules(Document& document) {
    const Selection& selection = document.selection();
    const ModuleTree& tree = document.modules();
    const std::vector<ModuleId> modules = selectedModules(selection, tree);
    const bool several = selection.kind() == Selection::Kind::modules;
    const QString path = selection.module();
    InspectorContent content{Document::tr("module"), path.isEmpty() ? Document::tr("model") : path, {}};
    if (several) {
        content.kind = Document::tr("modules");
        content.title = Document::tr("%1 modules").arg(selection.modules().size());
    }
    InspectorRows rows(content);
    const auto missing = static_cast<std::size_t>(selection.modules().size()) - modules.size();
    if (missing > 0)
        rows.sentence(several ? Document::tr("This graph lacks %1 of them").arg(missing)
                              : Document::tr("This graph has no such module"),
                      Tone::faint);
    if (modules.empty()) return content;
    if (several) rows.add(Document::tr("modules"), moduleLinks(selectedPaths(document)));
    addClasses(tree, modules, rows);
    addBuckets(document, selectedPaths(document), rows);
    addFigures(document, modules, rows);
    return content;
}

}  // namespace overlap::ui
