#include "ui/inspector/inspector_content.h"

#include <algorithm>

#include "core/views/process_groups.h"
#include "ui/document/applied_buckets.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/selected_modules.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/group_setting_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/groups/process_groups_model.h"
#include "ui/inspector/inspector_rows.h"
#include "ui/memory/memory_effects.h"
#include "ui/theme/known_time.h"

namespace overlap::ui {
namespace {

/// The collective that replaced a bucket's collective: a later step merged it again, possibly more than once.
void describeMergedAgain(const Evaluation& evaluation, const BucketReport& bucket, InspectorRows& rows) {
    QString step;
    std::string into = bucket.start;
    for (const PassReport& report : evaluation.reports)
        for (const BucketReport& later : report.buckets) {
            if (later.start == into || std::ranges::find(later.members, into) == later.members.end()) continue;
            step = QString::fromStdString(report.pass);
            into = later.start;
        }
    const QString kind = inspectorText(collective_kind_name(bucket.kind)).replace(u'_', u' ');
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
    InspectorRows rows(content);
    if (static_cast<std::size_t>(index) >= buckets.size()) return {};
    QStringList modules;
    for (const std::string& module : buckets[static_cast<std::size_t>(index)].modules)
        modules.append(QString::fromStdString(module));
    rows.add(Document::tr("modules"), moduleLinks(modules));
    if (const QString why = whyBucketsAreNotApplied(document); !why.isEmpty()) rows.sentence(why, Tone::caution);
    const auto evaluation = shownEvaluation(document);
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
            rows.add(inspectorText(collective_kind_name(bucket.kind)).replace(u'_', u' '), std::move(pieces));
        }
    for (const Problem& problem : evaluation->problems)
        if (problem.plan_entry == index)
            rows.sentence(QString::fromStdString(problem.message),
                          problem.severity == Severity::error ? Tone::exposed : Tone::caution);
    return content;
}

InspectorContent describeGroup(Document& document, const QString& name) {
    InspectorContent content{Document::tr("process group"), Document::tr("group %1").arg(name), {}};
    InspectorRows rows(content);
    const auto evaluation = shownEvaluation(document);
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
        rows.add(inspectorText(collective_kind_name(kind.kind)).replace(u'_', u' '),
                 bothTexts(formatCount(kind.collectives),
                           bothTexts(formatBytes(static_cast<double>(kind.bytes)),
                                     formatKnownTime(kind.comm_ms, evaluation->times_known))));
    if (group->collectives > 0) {
        rows.add(Document::tr("time"), formatKnownTime(group->comm_ms, evaluation->times_known));
        rows.add(exposedRowLabel(*evaluation), formatKnownTime(group->exposed_ms, evaluation->times_known),
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
        case Selection::Kind::modules:
            return describeModules(document);
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
    if (what == u"modules") document.selection().selectModules(which.split(u','));
    if (what == u"put") {
        const QStringList modules = selectedPaths(document);
        if (which == u"together") return BucketCommands(document).putIntoNew(modules);
        if (which == u"apart") return BucketCommands(document).putIntoNewEach(modules);
        BucketCommands(document).takeOut(modules);
    }
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
        if (effects.isWorthAClick(action))
            piece.link = QStringLiteral("memory:") + inspectorText(memory_action_name(action));
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
