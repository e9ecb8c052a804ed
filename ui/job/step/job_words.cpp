#include "ui/job/step/job_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/job/pipeline/standstill.h"
#include "core/job/rank_texts.h"
#include "core/job/step/reached.h"
#include "ui/job/measured/measured_words.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr std::size_t most_named_ranks = 4;

QString translated(const char* text) {
    return QCoreApplication::translate("JobWords", text);
}

QString shown(const std::string& name) {
    return shownName(QString::fromStdString(name)).toHtmlEscaped();
}

QString whoText(const job::JobEvaluation& evaluation, job::NodeIndex node) {
    return translated("%1 of rank %2").arg(shown(evaluation.names.op(node))).arg(evaluation.names.rank(node));
}

/// To where it is seen.
QString linkTo(const job::JobPicture& picture, job::NodeIndex node) {
    const QString who = whoText(*picture.evaluation, node);
    const quint32 place = picture.seen_at(node);
    return place == no_reference ? who : QStringLiteral("<a href=\"node:%1\">%2</a>").arg(place).arg(who);
}

/// @param same_as_before the span before it is of the same peer.
QString spanText(const job::JobPicture& picture, const job::StandstillSpan& span, bool same_as_before) {
    const QString time = formatTime(span.length_ms()), since = formatTime(span.begin_ms);
    const bool self = span.on && *span.on == span.node;
    switch (span.kind) {
        case job::StandstillSpan::Kind::stuck:
            return span.on ? translated("waits for ever since %1, for %2").arg(since, linkTo(picture, *span.on))
                           : translated("waits for ever since %1: %2")
                                 .arg(since, shown(job::never_comes_text(*picture.evaluation, span)));
        case job::StandstillSpan::Kind::waiting:
            return span.on ? translated("%1 until %2 was there").arg(time, linkTo(picture, *span.on))
                           : translated("%1 until all were there").arg(time);
        case job::StandstillSpan::Kind::transfer:
            if (self || !span.on) return translated("%1 for the collective itself").arg(time);
            if (same_as_before) return translated("%1 while what it sent was on its way").arg(time);
            return translated("%1 while what %2 sent was on its way").arg(time, linkTo(picture, *span.on));
        case job::StandstillSpan::Kind::within:
            return translated("%1 exposed within").arg(time);
        case job::StandstillSpan::Kind::after:
            return span.on ? translated("%1 with nothing left but to wait for %2").arg(time, linkTo(picture, *span.on))
                           : translated("%1 with nothing left to do in this step").arg(time);
    }
    return {};
}

/// What a rank stood still for there: `12 ms: 10 ms until …, 2 ms while …`.
QString standstillText(const job::JobPicture& picture, quint32 reference) {
    double sum = 0;
    QStringList parts;
    std::optional<job::NodeIndex> before;
    for (const job::StandstillSpan& span : picture.spans_at(reference)) {
        sum += span.length_ms();
        parts.append(spanText(picture, span, span.on && span.on == before));
        before = span.on;
    }
    if (parts.isEmpty()) return {};
    return parts.size() == 1 ? parts.front()
                             : translated("%1: %2").arg(formatTime(sum), parts.join(QStringLiteral(", ")));
}

QString kindText(const job::PipelineStep& step, job::NodeIndex node) {
    const job::Piece& piece = step.piece(node);
    if (piece.role == job::PieceRole::gradient_sync)
        return translated("gradients of stage %1, reduced").arg(static_cast<int>(piece.cell));
    const job::NodeAction action = job::action_of(step, node);
    if (action.microbatch < 0) return translated("stage %1").arg(action.stage);
    return (action.forward ? translated("forward of stage %1, microbatch %2")
                           : translated("backward of stage %1, microbatch %2"))
        .arg(action.stage)
        .arg(action.microbatch);
}

QString ranksOf(const job::JobPicture& picture, job::NodeIndex node) {
    const job::RankRow& row = picture.rows[job::row_of(*picture.evaluation, node)];
    return QString::fromStdString(job::ranks_text(row.ranks, most_named_ranks));
}

/// Who came last to a node's meeting, where it waited.
QString lastText(const job::JobPicture& picture, job::NodeIndex node) {
    const job::JobEvaluation& evaluation = *picture.evaluation;
    if (evaluation.graph().rendezvous_of(node) == job::no_rendezvous || !evaluation.has_ended(node)) return {};
    const job::NodeIndex last = job::last_arrived(evaluation.graph(), evaluation.times, node);
    return last == node ? translated("came last, so all others waited for it")
                        : translated("%1 came last").arg(linkTo(picture, last));
}

}  // namespace

std::optional<quint32> awaitedBy(const job::JobPicture& picture, quint32 reference) {
    if (reference == no_reference) return std::nullopt;
    if (const job::MeasuredSpan* span = picture.measured_at(reference))
        return span->on ? std::optional(picture.first_measured() + static_cast<quint32>(*span->on)) : std::nullopt;
    const job::NodeIndex node = picture.node_of(reference);
    if (node >= picture.evaluation->graph().node_count()) return std::nullopt;
    std::optional<quint32> longest;
    double longest_ms = 0;
    for (const job::StandstillSpan& span : picture.spans_at(reference)) {
        if (!span.on || *span.on == node || span.length_ms() <= longest_ms) continue;
        longest = span.on;
        longest_ms = span.length_ms();
    }
    // Of what never starts, the place where its rank stands still.
    if (longest) longest = picture.seen_at(*longest);
    return longest == no_reference ? std::nullopt : longest;
}

QString describedReference(const job::JobPicture& picture, quint32 reference) {
    if (reference == no_reference) return {};
    if (const job::MeasuredSpan* span = picture.measured_at(reference)) return describedMeasured(picture, *span);
    const job::JobEvaluation& evaluation = *picture.evaluation;
    const job::NodeIndex node = picture.node_of(reference);
    if (node >= evaluation.graph().node_count()) return {};
    const bool standstill = picture.is_standstill(reference);
    const bool after = picture.is_after(reference);
    QStringList lines;
    if (standstill) {
        const QString title = after ? translated("after %1").arg(linkTo(picture, node))
                              : !evaluation.has_ended(node)
                                  ? translated("stands before %1").arg(whoText(evaluation, node))
                                  : translated("bubble before %1").arg(linkTo(picture, node));
        lines.append(QStringLiteral("<b>%1</b> · %2").arg(title, standstillText(picture, reference)));
    } else {
        QString line = QStringLiteral("<b>%1</b>").arg(shown(evaluation.names.op(node)));
        if (evaluation.pipeline) line += QStringLiteral(" · ") + kindText(*evaluation.pipeline, node);
        line += QStringLiteral(" · ") + translated("%1 from %2")
                                            .arg(formatTime(evaluation.times.end[node] - evaluation.times.start[node]),
                                                 formatTime(evaluation.times.start[node]));
        lines.append(line);
        if (const QString waited = standstillText(picture, reference); !waited.isEmpty())
            lines.append(translated("stood still before: %1").arg(waited));
    }
    if (const QString last = lastText(picture, node); !after && !last.isEmpty()) lines.append(last);
    if (const QString measured = measuredOf(picture, node); !standstill && !measured.isEmpty()) lines.append(measured);
    lines.append(ranksOf(picture, node));
    return lines.join(QStringLiteral("<br>")).replace(thinSpace, QChar(QChar::Nbsp));
}

QString hintOf(const job::JobPicture& picture, quint32 reference) {
    if (reference == no_reference) return {};
    if (const job::MeasuredSpan* span = picture.measured_at(reference)) return hintOfMeasured(picture, *span);
    const job::JobEvaluation& evaluation = *picture.evaluation;
    const job::NodeIndex node = picture.node_of(reference);
    if (node >= evaluation.graph().node_count()) return {};
    QStringList lines;
    const bool standstill = picture.is_standstill(reference);
    if (!standstill && evaluation.pipeline) lines.append(kindText(*evaluation.pipeline, node));
    for (const job::StandstillSpan& span : picture.spans_at(reference)) {
        // Of what waits for ever the name says all; it has no length.
        if (span.kind == job::StandstillSpan::Kind::stuck) continue;
        lines.append(
            QStringLiteral("%1: %2").arg(formatTime(span.length_ms()), shown(job::standstill_text(evaluation, span))));
    }
    lines.append(ranksOf(picture, node));
    if (standstill && awaitedBy(picture, reference)) lines.append(translated("J goes to what it waits for"));
    return lines.join(QStringLiteral("<br>"));
}

std::vector<TimelineArrow> arrowsOf(const job::JobPicture& picture, quint32 reference) {
    std::vector<TimelineArrow> arrows;
    if (reference == no_reference) return arrows;
    if (const auto awaited = picture.measured_at(reference) ? awaitedBy(picture, reference) : std::nullopt)
        arrows.push_back({*awaited, reference, false});
    const job::StepGraph& graph = picture.evaluation->graph();
    const job::NodeIndex node = picture.node_of(reference);
    if (node >= graph.node_count() || picture.is_after(reference)) return arrows;
    if (!picture.evaluation->has_ended(node)) {
        if (const auto awaited = awaitedBy(picture, reference)) arrows.push_back({*awaited, reference, true});
        return arrows;
    }
    for (std::uint32_t i = graph.first_dependency(node); i < graph.first_dependency(node + 1); ++i)
        if (graph.rank(graph.on()[i]) != graph.rank(node)) arrows.push_back({graph.on()[i], node, false});
    if (const auto last = job::last_arrived(graph, picture.evaluation->times, node); last != node)
        arrows.push_back({last, node, true});
    if (picture.is_standstill(reference)) return arrows;
    // Who waits for it is nowhere listed by node; one pass over numbers.
    job::NodeIndex waiting = 0;
    for (std::uint32_t i = 0; i < graph.on().size(); ++i) {
        while (i >= graph.first_dependency(waiting + 1)) ++waiting;
        if (graph.on()[i] == node && graph.rank(waiting) != graph.rank(node) && picture.evaluation->has_ended(waiting))
            arrows.push_back({node, waiting, false});
    }
    return arrows;
}

int stageOf(const job::JobPicture& picture, quint32 reference) {
    const job::JobEvaluation& evaluation = *picture.evaluation;
    if (reference == no_reference || !evaluation.pipeline) return -1;
    if (const job::MeasuredSpan* span = picture.measured_at(reference)) return span->action.stage;
    const job::NodeIndex node = picture.node_of(reference);
    return node < evaluation.graph().node_count() ? job::action_of(*evaluation.pipeline, node).stage : -1;
}

QStringList figureTexts(const JobFigures& figures, const std::optional<JobFigures>& opened) {
    const auto share = [&](const char* name, double JobFigures::*part) {
        QString text = QStringLiteral("%1 %2").arg(translated(name), formatPercent(figures.*part));
        if (opened && std::abs(figures.*part - (*opened).*part) >= 0.0005)
            // A share of the step less another share is no share of anything.
            text += QStringLiteral(" (%1)").arg(
                formatDifference(figures.*part - (*opened).*part, Unit::Percent).replace(u'%', translated("points")));
        return text;
    };
    QString step = translated("step %1").arg(formatTime(figures.step_ms));
    // Steps on another number of ranks are not compared: throughput is.
    if (opened && figures.step_ms != opened->step_ms && figures.ranks == opened->ranks)
        step += QStringLiteral(" (%1, %2)")
                    .arg(formatDifference(figures.step_ms - opened->step_ms, Unit::Time),
                         formatDifference(figures.step_ms / opened->step_ms - 1, Unit::Percent));
    QString ranks = translated("%1 ranks").arg(formatCount(figures.ranks));
    if (opened && figures.ranks != opened->ranks)
        ranks += translated(" (opened with %1)").arg(formatCount(opened->ranks));
    QStringList texts{step};
    if (const auto gain = opened ? throughputGain(figures, *opened) : std::nullopt)
        texts.append(translated("throughput a rank %1").arg(formatDifference(*gain, Unit::Percent)));
    texts.append({share("bubble", &JobFigures::idle_share), share("waits for peers", &JobFigures::waiting_share),
                  share("transfer exposed", &JobFigures::transfer_share),
                  share("nothing left to do", &JobFigures::done_share), ranks});
    return texts;
}

QString problemText(const OpenJob& job) {
    if (!job.refusal().isEmpty()) return job.refusal();
    if (!job.picture() || job.picture()->evaluation->result.step_ms) return {};
    QStringList lines;
    for (const job::JobProblem& problem : job.picture()->evaluation->result.problems) {
        const std::string_view kind = job::problem_kind_name(problem.kind);
        lines.append(QStringLiteral("%1: %2").arg(QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())),
                                                  QString::fromStdString(problem.message)));
    }
    if (lines.isEmpty()) lines.append(translated("the job cannot run"));
    if (const std::string reached = job::reached_text(job.picture()->evaluation->result); !reached.empty())
        lines.append(translated("Until then %1").arg(QString::fromStdString(reached)));
    return lines.join(u'\n');
}

}  // namespace overlap::ui
