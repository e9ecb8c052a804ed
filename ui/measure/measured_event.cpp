#include "ui/measure/measured_event.h"

#include <QObject>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/theme/numbers.h"

namespace overlap::ui {

namespace {

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

double milliseconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

InspectorRow row(const QString& label, const QString& value, Tone tone = Tone::plain) {
    return {label, {{value, {}, tone}}, false};
}

QString trackText(const MeasuredTrack& track) {
    if (track.is_gpu) return QObject::tr("GPU %1, stream %2").arg(text(track.process), text(track.thread));
    const QString thread = track.thread_name.empty() ? text(track.thread) : text(track.thread_name);
    return QObject::tr("process %1, thread %2").arg(text(track.process), thread);
}

/// Activities are in the order of events.
const GpuActivity* activityOf(const MeasuredTrace& trace, std::uint32_t event) {
    const auto activities = trace.activities();
    const auto found =
        std::lower_bound(activities.begin(), activities.end(), event,
                         [](const GpuActivity& activity, std::uint32_t wanted) { return activity.event < wanted; });
    return found != activities.end() && found->event == event ? &*found : nullptr;
}

QString kindText(CollectiveKind kind) {
    return kind == CollectiveKind::none ? QObject::tr("collective of unknown kind")
                                        : text(collective_kind_name(kind)).replace(u'_', u'-');
}

void addCollective(InspectorContent& content, const MeasuredTrace& trace, const MeasuredCollective& collective) {
    content.rows.push_back(row(QObject::tr("Collective"), kindText(collective.kind)));
    content.rows.push_back(row(QObject::tr("Process group"), measuredGroupText(trace, collective.group)));
    const auto bytes = [](std::int64_t count) {
        return count > 0 ? formatBytes(static_cast<double>(count)) : QObject::tr("unknown");
    };
    content.rows.push_back(row(QObject::tr("Bytes in, out"),
                               bytes(collective.input_bytes) + QStringLiteral(", ") + bytes(collective.output_bytes)));
    if (collective.sequence != no_id)
        content.rows.push_back(row(QObject::tr("Sequence"), QString::number(collective.sequence)));
}

void addActivity(InspectorContent& content, const MeasuredTrace& trace, const GpuActivity& activity) {
    if (activity.collective != no_index) addCollective(content, trace, trace.collectives()[activity.collective]);
    if (activity.operation != no_index)
        content.rows.push_back(row(QObject::tr("Operator"), text(trace.name(activity.operation))));
    if (activity.launch == no_index) {
        content.rows.push_back(row(QObject::tr("Launch"), QObject::tr("not in the trace"), Tone::faint));
        return;
    }
    const std::int64_t latency = trace.range(activity).begin_ns - trace.events().range(activity.launch).begin_ns;
    content.rows.push_back(
        row(QObject::tr("Launch"), QObject::tr("%1, %2 before it started")
                                       .arg(text(trace.name(activity.launch)), formatTime(milliseconds(latency)))));
}

}  // namespace

QString measuredGroupText(const MeasuredTrace& trace, std::uint32_t index) {
    if (index == no_index) return QObject::tr("unknown group");
    const MeasuredGroup& group = trace.groups()[index];
    QString shown = text(group.description.empty() ? group.name : group.description);
    if (!group.ranks.empty() && group.ranks.size() <= 8) {
        QStringList ranks;
        for (const std::int64_t rank : group.ranks) ranks.append(QString::number(rank));
        shown += QObject::tr(", ranks %1").arg(ranks.join(u' '));
    } else if (const auto size = std::max(group.size, static_cast<std::int64_t>(group.ranks.size())); size > 0) {
        shown += QObject::tr(", %1 ranks").arg(formatCount(size));
    }
    return shown;
}

InspectorContent describeEvent(const Measurement& measurement, Measurement::Event at) {
    const MeasuredTrace& trace = *measurement.traces[at.rank];
    const TimeRange range = trace.events().range(at.event);
    InspectorContent content{QStringLiteral("event"), text(trace.name(at.event)), {}};
    const QString category = text(trace.category_names()[trace.events().category[at.event]]);
    content.rows.push_back(row(QObject::tr("Measured"), category.isEmpty() ? QObject::tr("event") : category));
    if (measurement.traces.size() > 1) content.rows.push_back(row(QObject::tr("Rank"), measurement.rankName(at.rank)));
    content.rows.push_back(row(QObject::tr("On"), trackText(trace.tracks()[trace.events().track[at.event]])));
    const std::int64_t start =
        range.begin_ns + measurement.aligned.ranks[at.rank].clock_offset_ns - measurement.origin_ns;
    content.rows.push_back(row(QObject::tr("Starts at"), formatTime(milliseconds(start))));
    content.rows.push_back(row(QObject::tr("Duration"), formatTime(milliseconds(range.length_ns()))));
    if (const GpuActivity* activity = activityOf(trace, at.event)) addActivity(content, trace, *activity);
    return content;
}

void addArguments(InspectorContent& content, const std::string& json) {
    const auto event = nlohmann::ordered_json::parse(json, nullptr, false);
    if (!event.is_object() || !event.contains("args") || !event["args"].is_object()) return;
    content.rows.push_back({{}, {{QObject::tr("Arguments in the trace"), {}, Tone::faint}}, true});
    for (const auto& [name, value] : event["args"].items()) {
        const std::string shown = value.is_string()
                                      ? value.get<std::string>()
                                      : value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        content.rows.push_back(row(text(name), text(shown)));
    }
}

QString eventToolTip(const Measurement& measurement, Measurement::Event at) {
    const MeasuredTrace& trace = *measurement.traces[at.rank];
    QStringList parts;
    const GpuActivity* activity = activityOf(trace, at.event);
    if (activity && activity->collective != no_index) {
        const MeasuredCollective& collective = trace.collectives()[activity->collective];
        parts.append(kindText(collective.kind));
        if (const std::int64_t bytes = std::max(collective.input_bytes, collective.output_bytes); bytes > 0)
            parts.append(formatBytes(static_cast<double>(bytes)));
        parts.append(measuredGroupText(trace, collective.group));
    } else {
        parts.append(trackText(trace.tracks()[trace.events().track[at.event]]));
    }
    return parts.join(QStringLiteral(" · ")).toHtmlEscaped();
}

}  // namespace overlap::ui
