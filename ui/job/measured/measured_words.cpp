#include "ui/job/measured/measured_words.h"

#include <QCoreApplication>
#include <cmath>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr double ns_per_ms = 1e6;
constexpr std::size_t most_ranks = 3;

QString translated(const char* text) {
    return QCoreApplication::translate("MeasuredWords", text);
}

double lengthOf(const job::MeasuredSpan& span) {
    return static_cast<double>(span.time.length_ns()) / ns_per_ms;
}

QString rankOf(const job::JobPicture& picture, const job::MeasuredSpan& span) {
    return QString::fromStdString(picture.measured->rank_name(span.rank));
}

QString shown(const std::string& name) {
    return shownName(QString::fromStdString(name)).toHtmlEscaped();
}

QString linkTo(quint32 reference, const QString& text) {
    return QStringLiteral("<a href=\"node:%1\">%2</a>").arg(reference).arg(text);
}

/// What the rank waits for, as a link to its measured action where that is known.
QString peerOf(const job::JobPicture& picture, const job::MeasuredSpan& span) {
    if (!span.on) return shown(span.name);
    const job::MeasuredSpan& peer = picture.measured->spans[*span.on];
    return linkTo(picture.first_measured() + static_cast<quint32>(*span.on),
                  translated("%1 of %2").arg(shown(peer.name), rankOf(picture, peer)));
}

QString titleOf(const job::JobPicture& picture, const job::MeasuredSpan& span) {
    switch (span.kind) {
        case job::MeasuredSpan::Kind::waiting:
            return translated("waited for %1").arg(peerOf(picture, span));
        case job::MeasuredSpan::Kind::transfer:
            return span.on ? translated("what %1 sent was on its way").arg(peerOf(picture, span))
                           : translated("communication, and nothing computed");
        case job::MeasuredSpan::Kind::idle:
            return translated("nothing ran");
        case job::MeasuredSpan::Kind::compute:
            return translated("compute of no action of the schedule");
        default:
            return QStringLiteral("<b>%1</b>").arg(shown(span.name));
    }
}

/// A difference in words.
QString byText(double ms, const QString& same, const QString& more, const QString& less) {
    if (std::abs(ms) < noticed_ms) return same;
    return (ms > 0 ? more : less).arg(formatTime(std::abs(ms)));
}

}  // namespace

QString describedMeasured(const job::JobPicture& picture, const job::MeasuredSpan& span) {
    const double begin = static_cast<double>(span.time.begin_ns) / ns_per_ms;
    QStringList lines{titleOf(picture, span) + QStringLiteral(" · ") +
                      translated("measured on %1, %2 from %3")
                          .arg(rankOf(picture, span), formatTime(lengthOf(span)), formatTime(begin))};
    if (const auto difference = picture.measured->difference_ms(*picture.evaluation, span)) {
        const job::StepTimes& times = picture.evaluation->times;
        const job::NodeIndex node = *span.predicted;
        lines.append(
            linkTo(node, translated("predicted")) + QStringLiteral(" ") +
            translated("%1 from %2: measured %3, and begun %4")
                .arg(formatTime(times.end[node] - times.start[node]), formatTime(times.start[node]),
                     byText(*difference, translated("as long"), translated("%1 longer"), translated("%1 shorter")),
                     byText(begin - times.start[node], translated("then"), translated("%1 later"),
                            translated("%1 earlier"))));
    } else if (span.kind == job::MeasuredSpan::Kind::action) {
        lines.append(translated("the job's schedule does not have it"));
    }
    if (span.kind == job::MeasuredSpan::Kind::action && span.exposed_ns > 0)
        lines.append(translated("of which nothing computed for %1").arg(formatTime(span.exposed_ns / ns_per_ms)));
    return lines.join(QStringLiteral("<br>")).replace(thinSpace, QChar(QChar::Nbsp));
}

QString hintOfMeasured(const job::JobPicture& picture, const job::MeasuredSpan& span) {
    QStringList lines{translated("measured on %1").arg(rankOf(picture, span))};
    if (const auto difference = picture.measured->difference_ms(*picture.evaluation, span))
        lines.append(translated("%1 to what is predicted").arg(formatDifference(*difference, Unit::Time)));
    if (span.on) lines.append(translated("J goes to what it waited for"));
    return lines.join(QStringLiteral("<br>"));
}

QString measuredOf(const job::JobPicture& picture, job::NodeIndex node) {
    if (!picture.measured) return {};
    QStringList ranks;
    std::size_t more = 0;
    for (std::size_t i = 0; i < picture.measured->spans.size(); ++i) {
        const job::MeasuredSpan& span = picture.measured->spans[i];
        if (span.predicted != node) continue;
        if (static_cast<std::size_t>(ranks.size()) == most_ranks) {
            ++more;
            continue;
        }
        ranks.append(
            translated("%1 on %2 (%3)")
                .arg(formatTime(lengthOf(span)),
                     linkTo(picture.first_measured() + static_cast<quint32>(i), rankOf(picture, span)),
                     formatDifference(*picture.measured->difference_ms(*picture.evaluation, span), Unit::Time)));
    }
    if (ranks.isEmpty()) return {};
    if (more > 0) ranks.append(translated("%1 more").arg(more));
    return translated("measured %1").arg(ranks.join(QStringLiteral(", ")));
}

QString measuredStepText(const job::JobPicture& picture) {
    if (!picture.measured) return {};
    if (!picture.measured->not_compared.empty())
        return translated("measured %1").arg(formatTime(picture.measured->step_ms));
    const double difference = picture.measured->step_ms - picture.measured->predicted_ms;
    const bool whole = std::abs(picture.measured->predicted_ms - *picture.evaluation->result.step_ms) < noticed_ms;
    return (whole ? translated("measured %1 (%2, %3)") : translated("measured ranks %1 (%2, %3)"))
        .arg(formatTime(picture.measured->step_ms), formatDifference(difference, Unit::Time),
             formatDifference(difference / picture.measured->predicted_ms, Unit::Percent));
}

QStringList measuredNotes(const job::JobPicture& picture) {
    QStringList notes;
    if (!picture.measured) return notes;
    const job::MeasuredJob& measured = *picture.measured->measured;
    const QString step =
        measured.step.empty() ? translated("One step") : shownName(QString::fromStdString(measured.step));
    notes.append(
        measured.steps == 1
            ? step
            : translated("%1, the one of median length among %2 that all ranks have").arg(step).arg(measured.steps));
    for (const std::string& note : measured.notes) notes.append(QString::fromStdString(note));
    for (std::size_t i = 0; i < measured.ranks.size(); ++i)
        if (const std::string& reason = picture.measured->ranks[i].left_out; !reason.empty())
            notes.append(translated("rank %1 is left out: its trace %2")
                             .arg(measured.ranks[i].rank)
                             .arg(QString::fromStdString(reason)));
    if (const std::string& reason = picture.measured->not_compared; reason.empty()) {
        if (std::abs(picture.measured->predicted_ms - *picture.evaluation->result.step_ms) >= noticed_ms)
            notes.append(translated("compared with the part of the step that the same ranks are predicted to run in: "
                                    "%1, from %2")
                             .arg(formatTime(picture.measured->predicted_ms),
                                  formatTime(static_cast<double>(picture.measured->begin_ns) / ns_per_ms)));
    } else {
        notes.append(translated("steps are not compared: %1").arg(QString::fromStdString(reason)));
    }
    return notes;
}

}  // namespace overlap::ui
