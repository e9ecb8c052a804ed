#include "ui/timeline/timeline_words.h"

#include <QCoreApplication>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/drawing/timeline_overlay.h"

namespace overlap::ui {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("TimelineView", text);
}

QString timeText(std::int64_t time_ns) {
    return formatTime(static_cast<double>(time_ns) * 1e-6);
}

QString eventName(const Timeline& timeline, EventLocation location) {
    const std::string_view name = timeline.event_name(location);
    return shownName(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
}

QString laneTitle(const Timeline& timeline, EventLocation location) {
    return shownName(QString::fromStdString(timeline.lanes()[location.lane].description.title));
}

}  // namespace

QString eventToolTip(const Timeline& timeline, EventLocation location, const QString& more) {
    const TimeRange event = timeline.event(location);
    QStringList lines{QStringLiteral("<b>%1</b>").arg(eventName(timeline, location).toHtmlEscaped())};
    if (timeline.is_open_ended(location)) {
        lines << durationText(timeline, location);
    } else {
        lines << translated("%1, from %2").arg(timeText(event.length_ns()), momentText(event.begin_ns, {event, 100}));
        const std::int64_t exposed_ns = timeline.exposed_ns(location);
        if (exposed_ns > 0) lines << translated("exposed %1").arg(timeText(exposed_ns));
    }
    lines << laneTitle(timeline, location).toHtmlEscaped();
    if (!more.isEmpty()) lines << more;
    // Rich text takes every other space for one that breaks.
    return lines.join(QStringLiteral("<br>")).replace(thinSpace, QChar(QChar::Nbsp));
}

QString laneToolTip(const Timeline& timeline, std::uint32_t lane) {
    const auto& description = timeline.lanes()[lane].description;
    QStringList lines{shownName(QString::fromStdString(description.title)).toHtmlEscaped()};
    if (!description.subtitle.empty()) lines << shownName(QString::fromStdString(description.subtitle)).toHtmlEscaped();
    return QStringLiteral("<qt>%1</qt>").arg(lines.join(QStringLiteral("<br>")));
}

QString chosenText(const Timeline& timeline, const std::vector<quint32>& chosen) {
    if (chosen.size() < 2) return {};
    std::int64_t length_ns = 0, exposed_ns = 0;
    for (const quint32 reference : chosen) {
        const EventLocation location = anchorOf(timeline, reference);
        if (!location.valid()) continue;
        length_ns += timeline.event(location).length_ns();
        exposed_ns += timeline.exposed_ns(location);
    }
    return translated("%1 collectives chosen, %2, exposed %3: drag one to move all, Esc lets go")
        .arg(chosen.size())
        .arg(timeText(length_ns), timeText(exposed_ns));
}

QString timelineDescription(const Timeline& timeline, EventLocation selection, const std::vector<quint32>& chosen) {
    // Whole sentences, which a translation may put as its language does.
    QStringList sentences;
    if (selection.valid())
        sentences.append(translated("Selected: %1, %2, in %3.")
                             .arg(eventName(timeline, selection), durationText(timeline, selection),
                                  laneTitle(timeline, selection)));
    if (const QString together = chosenText(timeline, chosen); !together.isEmpty())
        sentences.append(translated("%1.").arg(together));
    const QString events = formatCount(static_cast<std::int64_t>(timeline.event_count()));
    const QString lanes = QString::number(timeline.lanes().size());
    sentences.append(
        timeline.has_times()
            ? translated("Events: %1, lanes: %2, over %3.").arg(events, lanes, timeText(timeline.range().length_ns()))
            : translated("Events: %1, lanes: %2, without times.").arg(events, lanes));
    return sentences.join(u' ');
}

}  // namespace overlap::ui
