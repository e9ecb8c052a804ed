#include "ui/inspector/inspector_content.h"

#include <algorithm>

#include "core/explain/explain.h"
#include "core/explain/explain_memory.h"
#include "core/views/batch_halves.h"
#include "core/views/exposed_time.h"
#include "core/views/process_groups.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/group_setting_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/groups/process_groups_model.h"
#include "ui/memory/memory_effects.h"
#include "ui/theme/known_time.h"

namespace overlap::ui {
namespace {

constexpr std::size_t listed_neighbours = 16;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}
QString times(const QString& a, const QString& b) {
    return a + QStringLiteral(" · ") + b;
}

InspectorPiece nodeLink(const Graph& graph, NodeId node) {
    return {text(graph.name(node)), QStringLiteral("node:") + text(graph.name(node)), Tone::plain};
}
InspectorPiece moduleLink(const QString& path) {
    return {path, QStringLiteral("module:") + path, Tone::plain};
}
InspectorPiece bucketLink(Document& document, int bucket) {
    return {BucketCommands(document).title(bucket), QStringLiteral("bucket:%1").arg(bucket), Tone::plain};
}
InspectorPiece bare(const QString& value, Tone tone = Tone::plain) {
    return {value, {}, tone};
}

/// Rows of a description, added in order of reading.
class Rows {
  public:
    explicit Rows(InspectorContent& content) : rows_(content.rows) {}
    void add(const QString& label, const QString& value, Tone tone = Tone::plain) {
        if (!value.isEmpty()) rows_.push_back({label, {bare(value, tone)}, false});
    }
    void add(const QString& label, std::vector<InspectorPiece> pieces) {
        if (!pieces.empty()) rows_.push_back({label, std::move(pieces), false});
    }
    void sentence(const QString& value, Tone tone) {
        if (!value.isEmpty()) rows_.push_back({{}, {bare(withUnbrokenUnits(value), tone)}, true});
    }

  private:
    std::vector<InspectorRow>& rows_;
};

QString numbers(std::span<const std::int64_t> values) {
    QStringList parts;
    for (const std::int64_t value : values) parts.append(QString::number(value));
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

InspectorPiece groupLink(const QString& name) {
    return {name, QStringLiteral("group:") + name, Tone::plain};
}

/// The group as a link, what it is for and how many ranks it has.
std::vector<InspectorPiece> groupPieces(const Graph& graph, std::string_view name) {
    if (name.empty()) return {};
    std::vector<InspectorPiece> pieces{groupLink(text(name))};
    const ProcessGroup* group = graph.header().process_group(name);
    if (!group) return pieces;
    if (!group->description.empty()) pieces.push_back(bare(QString::fromStdString(group->description)));
    pieces.push_back(bare(rankCount(group->ranks.size())));
    return pieces;
}

std::vector<InspectorPiece> nodeList(const Graph& graph, std::span<const NodeId> nodes) {
    std::vector<InspectorPiece> pieces;
    for (const NodeId node : nodes) {
        if (pieces.size() == listed_neighbours) {
            pieces.push_back(bare(Document::tr("and %1 more").arg(nodes.size() - listed_neighbours), Tone::faint));
            break;
        }
        pieces.push_back(nodeLink(graph, node));
    }
    return pieces;
}

/// @param exposed of the value for exposed time: figures of a graph that the plan has left behind are no alarm.
void describeCollective(const Graph& graph, const Evaluation& evaluation, std::size_t index, Tone exposed, Rows& rows) {
    const CollectiveTiming& collective = evaluation.simulation.collectives[index];
    const double duration = collective.end_ms - collective.start_ms;
    rows.add(Document::tr("group"), groupPieces(graph, graph.group_name(collective.start)));
    rows.add(Document::tr("bytes · time"), times(formatBytes(static_cast<double>(collective.bytes)),
                                                 formatKnownTime(duration, evaluation.times_known)));
    if (!evaluation.times_known) {
        if (collective.wait != no_node) rows.add(Document::tr("wait"), {nodeLink(graph, collective.wait)});
        return;
    }
    rows.add(Document::tr("on its stream"),
             Document::tr("%1 to %2").arg(formatTime(collective.start_ms), formatTime(collective.end_ms)));
    // What the group's stream was busy with when the collective could have begun.
    if (const double queued = collective.start_ms - std::max(collective.issue_ms, collective.ready_ms); queued > 1e-9)
        rows.add(Document::tr("queued before"), formatTime(queued));
    const double hidden = std::max(0.0, duration - collective.exposed_ms);
    rows.add(Document::tr("hidden"), formatTime(hidden), hidden > 0 ? Tone::hidden : Tone::plain);
    if (collective.exposed_ms > 0) {
        const QString cause = text(exposure_cause_name(collective.cause)).replace(u'_', u' ');
        rows.add(Document::tr("exposed"), QStringLiteral("%1: %2").arg(formatTime(collective.exposed_ms), cause),
                 exposed);
        if (collective.blocker != no_node) rows.add(Document::tr("because of"), {nodeLink(graph, collective.blocker)});
        if (evaluation.resolved)  // a plan, which can be changed
            rows.add(Document::tr("advice"),
                     {InspectorPiece{Document::tr("what helps"), inspector_advice_link, Tone::plain}});
    }
    if (collective.wait != no_node) rows.add(Document::tr("wait"), {nodeLink(graph, collective.wait)});
}

/// With whom a collective, or what a wait awaits, is bucketed or why not; why it is exposed or what hides it. What
/// becomes of the node's output between forward and backward.
void describeWhy(Document& document, const Document::NodePlace& place, Rows& rows) {
    const auto evaluation = document.evaluation();
    if (!evaluation) return;
    const CollectiveExplanation explanation =
        place.evaluated ? explain_result(*evaluation, place.node, Introduction::left_out)
                        : explain_collective(*place.graph, place.node, evaluation.get(), Introduction::left_out);
    if (!explanation.collective.empty())
        for (const std::string& sentence : explanation.sentences)
            rows.sentence(QString::fromStdString(sentence), Tone::plain);
    for (const std::string& sentence : explain_memory(*evaluation, place.graph->name(place.node)))
        rows.sentence(QString::fromStdString(sentence), Tone::plain);
}

void describeMerged(const Evaluation& evaluation, const QString& name, Rows& rows) {
    for (const PassReport& report : evaluation.reports)
        for (const BucketReport& bucket : report.buckets) {
            if (bucket.start != name.toStdString()) continue;
            std::vector<InspectorPiece> pieces;
            for (const std::string& member : bucket.members) {
                const QString member_name = QString::fromStdString(member);
                pieces.push_back({member_name, QStringLiteral("node:") + member_name, Tone::plain});
            }
            rows.add(Document::tr("merged of %1").arg(bucket.members.size()), std::move(pieces));
        }
}

/// Which half of a batch the node computes, where expert overlap halves it.
void describeHalf(const Evaluation& evaluation, NodeId node, Rows& rows) {
    const BatchHalves halves(*evaluation.graph);
    const int half = halves.half_of(node);
    if (half < 0) return;
    rows.add(Document::tr("half"), {bare(half == 0 ? Document::tr("first of") : Document::tr("second of")),
                                    moduleLink(text(halves.module_of(node)))});
    const std::int32_t collective = evaluation.simulation.collective_of_node[node];
    if (collective < 0 || !evaluation.times_known) return;
    const double hidden_ms = hidden_by_other_half_ms(evaluation, halves, static_cast<std::size_t>(collective));
    rows.add(Document::tr("by other half"),
             hidden_ms > 0 ? Document::tr("%1 hidden").arg(formatTime(hidden_ms)) : Document::tr("nothing hidden"),
             hidden_ms > 0 ? Tone::hidden : Tone::plain);
}

InspectorContent describeNode(Document& document, const QString& name) {
    InspectorContent content{Document::tr("node"), name, {}};
    Rows rows(content);
    const Document::NodePlace place = document.findNode(name);
    if (place.node == no_node) {
        rows.sentence(Document::tr("This plan's graph has no such node"), Tone::faint);
        return content;
    }
    const Graph& graph = *place.graph;
    const Evaluation& evaluation = place.evaluated ? *document.evaluation() : document.baseline();
    const NodeId node = place.node;
    // What follows is then of the graph that the plan started from.
    if (!place.evaluated)
        rows.sentence(Document::tr("In the graph as it was read; the plan has replaced this node"), Tone::caution);
    describeWhy(document, place, rows);
    if (!place.evaluated) rows.sentence(Document::tr("Figures of the baseline:"), Tone::faint);
    rows.add(Document::tr("op"), graph.op(node) == NodeOp::call_function
                                     ? text(graph.target(node))
                                     : times(text(node_op_name(graph.op(node))), text(graph.target(node))));
    if (const int bucket = document.bucketOfNode(place); bucket >= 0)
        rows.add(Document::tr("bucket"), {bucketLink(document, bucket)});
    const NodeId input = place.evaluated ? evaluation.origin[node] : node;
    if (input != no_node)
        if (const auto module = document.modules().innermost(input); module != ModuleTree::no_module)
            rows.add(Document::tr("module"), {moduleLink(text(document.modules().path(module)))});
    if (const auto backward = graph.metadata(node).autograd_backward)
        rows.add(Document::tr("direction"), *backward ? Document::tr("backward") : Document::tr("forward"));
    describeHalf(evaluation, node, rows);
    if (const std::int32_t collective = evaluation.simulation.collective_of_node[node]; collective >= 0) {
        describeCollective(graph, evaluation, static_cast<std::size_t>(collective),
                           place.evaluated ? Tone::exposed : Tone::plain, rows);
        describeMerged(evaluation, name, rows);
    } else {
        rows.add(Document::tr("time"), formatKnownTime(evaluation.times_ms[node], evaluation.times_known));
        const NodeTiming& timing = evaluation.simulation.nodes[node];
        if (evaluation.times_known)
            rows.add(Document::tr("runs"),
                     Document::tr("%1 to %2").arg(formatTime(timing.start_ms), formatTime(timing.end_ms)));
        if (const NodeId start = graph.awaited_start(node); graph.target_info(node).is_wait && start != no_node)
            rows.add(Document::tr("waits for"), {nodeLink(graph, start)});
    }
    for (const TensorMeta& tensor : graph.outputs(node)) {
        if (!tensor.is_tensor) continue;
        rows.add(Document::tr("output"), times(text(dtype_info(tensor.dtype).name) + numbers(graph.shape(tensor)),
                                               formatBytes(static_cast<double>(graph.tensor_bytes(tensor)))));
    }
    if (place.node < evaluation.corrected_memory.while_node.size())
        rows.add(Document::tr("memory then"),
                 formatBytes(static_cast<double>(evaluation.corrected_memory.while_node[node])));
    rows.add(Document::tr("inputs"), nodeList(graph, graph.inputs(node)));
    rows.add(Document::tr("users"), nodeList(graph, graph.users(node)));
    return content;
}

InspectorContent describeModule(Document& document, const QString& path) {
    InspectorContent content{Document::tr("module"), path.isEmpty() ? Document::tr("model") : path, {}};
    Rows rows(content);
    const ModuleTree& tree = document.modules();
    const auto module = path.isEmpty() && tree.exists() ? ModuleTree::root : tree.find(path.toStdString());
    if (module == ModuleTree::no_module) {
        rows.sentence(Document::tr("This graph has no such module"), Tone::faint);
        return content;
    }
    // The base class says nothing; graphs with `module_fqn` have no other.
    const QString class_name = QString::fromStdString(tree.module(module).own_class);
    if (class_name.section(u'.', -1) != u"Module") rows.add(Document::tr("class"), class_name);
    if (const int bucket = bucket_of_module(document.buckets(), path.toStdString()); bucket >= 0)
        rows.add(Document::tr("bucket"), {bucketLink(document, bucket)});
    const ModuleFigures& figures = document.moduleFigures().modules[module];
    const bool known = document.baseline().times_known;
    rows.add(Document::tr("forward"), formatKnownTime(figures.forward_ms, known));
    rows.add(Document::tr("backward"), formatKnownTime(figures.backward_ms, known));
    const auto bytes = [&](const QString& label, std::int64_t value) {
        if (value > 0) rows.add(label, formatBytes(static_cast<double>(value)));
    };
    bytes(Document::tr("gathers"), figures.gather_bytes);
    bytes(Document::tr("scatters"), figures.scatter_bytes);
    bytes(Document::tr("other communication"), figures.other_bytes);
    if (figures.collectives > 0)
        rows.add(Document::tr("collectives"),
                 times(formatCount(figures.collectives), formatKnownTime(figures.communication_ms, known)));
    if (const auto evaluation = document.evaluation();
        figures.collectives > 0 && evaluation && evaluation->times_known) {
        const std::vector<double> exposed_ms = exposed_ms_of_input(*evaluation);
        double sum_ms = 0;
        for (const NodeId node : tree.nodes(path.toStdString())) sum_ms += exposed_ms[node];
        rows.add(Document::tr("exposed"), evaluation->refused
                                              ? Document::tr("%1 without the plan").arg(formatTime(sum_ms))
                                              : formatTime(sum_ms));
    }
    if (figures.parameters > 0)
        rows.add(Document::tr("parameters"),
                 times(formatCount(figures.parameters),
                       Document::tr("%1 on this rank").arg(formatBytes(static_cast<double>(figures.parameter_bytes)))));
    rows.add(Document::tr("nodes"), formatCount(figures.nodes));
    return content;
}

/// The collective that replaced a bucket's collective: a later step merged it again, possibly more than once.
void describeMergedAgain(const Evaluation& evaluation, const BucketReport& bucket, Rows& rows) {
    QString step;
    std::string into = bucket.start;
    for (const PassReport& report : evaluation.reports)
        for (const BucketReport& later : report.buckets) {
            if (later.start == into || std::ranges::find(later.members, into) == later.members.end()) continue;
            step = QString::fromStdString(report.pass);
            into = later.start;
        }
    const QString kind = text(collective_kind_name(bucket.kind)).replace(u'_', u' ');
    const QString start = QString::fromStdString(bucket.start);
    if (step.isEmpty()) {
        rows.add(kind, {bare(start), bare(Document::tr("a later step has removed it"), Tone::caution)});
        return;
    }
    const QString merged = QString::fromStdString(into);
    rows.add(kind, {bare(start), bare(Document::tr("merged again by %1 into").arg(step), Tone::caution),
                    InspectorPiece{merged, QStringLiteral("node:") + merged, Tone::plain}});
}

InspectorContent describeBucket(Document& document, int index) {
    const Buckets& buckets = document.buckets();
    InspectorContent content{Document::tr("bucket"), BucketCommands(document).title(index), {}};
    Rows rows(content);
    if (static_cast<std::size_t>(index) >= buckets.size()) return {};
    std::vector<InspectorPiece> modules;
    for (const std::string& module : buckets[static_cast<std::size_t>(index)].modules)
        modules.push_back(moduleLink(QString::fromStdString(module)));
    rows.add(Document::tr("modules"), std::move(modules));
    const auto evaluation = document.evaluation();
    if (!evaluation) return content;
    for (const PassReport& report : evaluation->reports)
        for (const BucketReport& bucket : report.buckets) {
            const NodeId start = evaluation->graph->find(bucket.start);
            if (start == no_node && bucket.plan_entry == static_cast<std::size_t>(index))
                describeMergedAgain(*evaluation, bucket, rows);
            if (start == no_node || evaluation->bucket_of_node[start] != index) continue;
            std::vector<InspectorPiece> pieces{{QString::fromStdString(bucket.start),
                                                QStringLiteral("node:") + QString::fromStdString(bucket.start),
                                                Tone::plain}};
            pieces.push_back(bare(Document::tr("%1 merged").arg(bucket.members.size())));
            pieces.push_back(bare(formatBytes(static_cast<double>(bucket.bytes))));
            if (evaluation->simulation.collective_of_node[start] >= 0) {
                const auto& timing =
                    evaluation->simulation
                        .collectives[static_cast<std::size_t>(evaluation->simulation.collective_of_node[start])];
                pieces.push_back(bare(formatKnownTime(timing.end_ms - timing.start_ms, evaluation->times_known)));
                if (timing.exposed_ms > 0)
                    pieces.push_back(
                        bare(Document::tr("%1 exposed").arg(formatTime(timing.exposed_ms)), Tone::exposed));
            }
            rows.add(text(collective_kind_name(bucket.kind)).replace(u'_', u' '), std::move(pieces));
        }
    for (const Problem& problem : evaluation->problems)
        if (problem.plan_entry == index)
            rows.sentence(QString::fromStdString(problem.message),
                          problem.severity == Severity::error ? Tone::exposed : Tone::caution);
    return content;
}

InspectorContent describeGroup(Document& document, const QString& name) {
    InspectorContent content{Document::tr("process group"), Document::tr("group %1").arg(name), {}};
    Rows rows(content);
    const auto evaluation = document.evaluation();
    const auto groups = evaluation ? process_group_figures(*evaluation) : std::vector<ProcessGroupFigures>();
    const auto group = std::ranges::find(groups, name.toStdString(), &ProcessGroupFigures::name);
    if (group == groups.end()) {
        rows.sentence(Document::tr("This plan's graph has no such group"), Tone::faint);
        return content;
    }
    rows.add(Document::tr("for"), QString::fromStdString(group->title));
    rows.add(Document::tr("described as"), QString::fromStdString(group->description));
    if (group->created) {
        rows.add(Document::tr("created by"), QString::fromStdString(group->creator->pass));
        rows.add(Document::tr("made from"), {groupLink(QString::fromStdString(group->created->source))});
    }
    if (group->listed) {
        rows.add(Document::tr("size"), rankCount(group->ranks.size()));
        rows.add(Document::tr("ranks"), QString::fromStdString(ranks_text(group->ranks)));
        rows.add(Document::tr("this process"), Document::tr("is rank %1 of the group").arg(group->rank));
    } else {
        rows.sentence(Document::tr("The file does not list it, so its ranks are not known"), Tone::caution);
    }
    if (const QString asked = GroupSettingCommands(document).askedText(name); !asked.isEmpty())
        rows.add(Document::tr("asked for a run"), asked);
    rows.add(Document::tr("stream"), group->high_priority ? Document::tr("high priority") : Document::tr("default"));
    for (const GroupKindFigures& kind : group->kinds)
        rows.add(text(collective_kind_name(kind.kind)).replace(u'_', u' '),
                 times(formatCount(kind.collectives), times(formatBytes(static_cast<double>(kind.bytes)),
                                                            formatKnownTime(kind.comm_ms, evaluation->times_known))));
    if (group->collectives > 0) {
        rows.add(Document::tr("time"), formatKnownTime(group->comm_ms, evaluation->times_known));
        rows.add(Document::tr("exposed"), formatKnownTime(group->exposed_ms, evaluation->times_known),
                 group->exposed_ms > 0 ? Tone::exposed : Tone::plain);
    }
    for (const QString& sentence : queueSentences(*group)) rows.sentence(sentence, Tone::plain);
    return content;
}

}  // namespace

InspectorContent inspect(Document& document) {
    if (!document.isOpen()) return {};
    const Selection& selection = document.selection();
    switch (selection.kind()) {
        case Selection::Kind::node:
            return describeNode(document, selection.node());
        case Selection::Kind::module:
            return describeModule(document, selection.module());
        case Selection::Kind::bucket:
            return describeBucket(document, selection.bucket());
        case Selection::Kind::group:
            return describeGroup(document, selection.group());
        case Selection::Kind::nothing:
            break;
    }
    return {};
}

QString followInspectorLink(Document& document, const QString& link) {
    const QString what = link.section(u':', 0, 0);
    const QString which = link.section(u':', 1);
    if (what == u"node") document.selection().selectNode(which);
    if (what == u"module") document.selection().selectModule(which);
    if (what == u"bucket") document.selection().selectBucket(which.toInt());
    if (what == u"group") document.selection().selectGroup(which);
    if (what == u"memory") {
        const auto action = memory_action_by_name(which.toStdString());
        const std::optional<MemoryTarget> target = selectedTarget(document);
        if (action && target)
            return MemoryCommands(document).put(*action, target->modules, target->operatorsFor(*action));
    }
    return {};
}

std::vector<InspectorRow> memoryRows(const MemoryEffects& effects, const Graph& graph, const Selection& selection) {
    if (!effects.target()) return {};
    bool of_gathers = true, of_others = true;
    if (selection.kind() == Selection::Kind::node) {
        const NodeId node = graph.find(selection.node().toStdString());
        of_gathers = node != no_node && graph.target_info(node).starts == CollectiveKind::all_gather;
        of_others = !of_gathers;
    }
    std::vector<InspectorRow> rows;
    for (const MemoryAction action : memory_actions) {
        if (!(is_of_gathers(action) ? of_gathers : of_others)) continue;
        const QString& known = effects.text(action);
        InspectorPiece piece = bare(known.isEmpty() ? QStringLiteral("…") : known, Tone::faint);
        if (effects.isWorthAClick(action)) piece.link = QStringLiteral("memory:") + text(memory_action_name(action));
        rows.push_back({MemoryCommands::title(action), {std::move(piece)}, false});
    }
    return rows;
}

QString plainText(const InspectorContent& content) {
    QStringList lines{content.title};
    for (const InspectorRow& row : content.rows) {
        QStringList pieces;
        for (const InspectorPiece& piece : row.pieces) pieces.append(piece.text);
        lines.append(row.block ? pieces.join(u' ') : row.label + u'\t' + pieces.join(QStringLiteral(", ")));
    }
    return lines.join(u'\n');
}

}  // namespace overlap::ui
