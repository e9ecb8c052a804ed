#include "ui/measure/measured_event.h"

#include <QObject>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/timeline/time_axis.h"
#include "core/trace/thread_number.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
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

/// To the microsecond however long the trace is, as the ruler has it.
QString momentText(std::int64_t time_ns) {
    constexpr std::int64_t step_ns = 1'000;
    return withUnbrokenUnits(QString::fromStdString(tick_label(time_ns / step_ns * step_ns, step_ns, time_ns)));
}

QString trackText(const MeasuredTrack& track) {
    if (track.is_gpu) return QObject::tr("GPU %1, stream %2").arg(text(track.process), text(track.thread));
    const QString thread = text(track.thread_name.empty() ? thread_number(track.thread) : track.thread_name);
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

/// Names of the kernels that computed on the same GPU meanwhile, those that ran longest first.
QString besideText(const Measurement& measurement, std::size_t rank, EventLocation of) {
    const Timeline& timeline = *measurement.timeline;
    const Lane& own = timeline.lanes()[of.lane];
    const TimeRange range = own.event(of.event);
    std::map<std::string_view, std::int64_t> times;
    for (std::uint32_t number = 0; number < timeline.lanes().size(); ++number) {
        const Lane& lane = timeline.lanes()[number];
        if (lane.description.computing != own.description.computing) continue;
        for (std::uint32_t event = lane.first_ending_after(range.begin_ns);
             event < lane.size() && lane.start_ns[event] < range.end_ns; ++event) {
            const std::uint32_t in_trace = lane.reference[event] - measurement.first_references[rank];
            const GpuActivity* activity = activityOf(*measurement.traces[rank], in_trace);
            if (activity && activity->work == GpuWork::compute)
                times[timeline.event_name({number, event})] += overlap_ns(lane.event(event), range);
        }
    }
    std::vector<std::pair<std::int64_t, std::string_view>> longest;
    for (const auto& [name, time_ns] : times) longest.emplace_back(-time_ns, name);
    std::ranges::sort(longest);
    constexpr std::size_t told = 3;
    QStringList parts;
    for (std::size_t i = 0; i < std::min(told, longest.size()); ++i)
        parts.append(QObject::tr("%1 %2").arg(text(longest[i].second), formatTime(milliseconds(-longest[i].first))));
    if (longest.size() > told) parts.append(QObject::tr("%1 more").arg(longest.size() - told));
    return parts.join(QStringLiteral(", "));
}

/// How long a collective was exposed, and what hid the rest of it.
void addExposure(InspectorContent& content, const Measurement& measurement, Measurement::Event at) {
    const auto drawn = measurement.timeline->find(measurement.first_references[at.rank] + at.event);
    if (drawn.empty()) return;
    const EventLocation location = drawn.front().location;
    const Lane& lane = measurement.timeline->lanes()[location.lane];
    const std::int64_t exposed = lane.exposed_ns[location.event];
    content.rows.push_back(
        row(QObject::tr("Exposed"), formatTime(milliseconds(exposed)), exposed > 0 ? Tone::exposed : Tone::plain));
    const std::int64_t hidden = lane.event(location.event).length_ns() - exposed;
    content.rows.push_back(row(QObject::tr("Behind compute"), formatTime(milliseconds(hidden))));
    if (const QString beside = besideText(measurement, at.rank, location); !beside.isEmpty())
        content.rows.push_back(row(QObject::tr("Beside it"), beside));
}

/// Whom a collective waited for, where several ranks recorded it.
void addPeers(InspectorContent& content, const Measurement& measurement, std::size_t rank, std::uint32_t collective) {
    const auto own = [&](const CollectiveMember& member) {
        return member.rank == rank && member.collective == collective;
    };
    const auto& matches = measurement.aligned.matches;
    const auto match = std::ranges::find_if(
        matches, [&](const CollectiveMatch& one) { return std::ranges::any_of(one.members, own); });
    if (match == matches.end() || match->members.size() < 2) return;
    if (match->last_rank == rank) {
        content.rows.push_back(
            row(QObject::tr("Arrived last"),
                QObject::tr("others waited up to %1").arg(formatTime(milliseconds(match->waiting_ns())))));
        return;
    }
    const MeasuredTrace& trace = *measurement.traces[rank];
    const std::int64_t start = trace.range(trace.activities()[trace.collectives()[collective].activity]).begin_ns +
                               measurement.aligned.ranks[rank].clock_offset_ns;
    content.rows.push_back(row(QObject::tr("Waited for"),
                               QObject::tr("%1, %2").arg(measurement.rankName(match->last_rank),
                                                         formatTime(milliseconds(match->last_start_ns - start)))));
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
        shown += countedText(size, QObject::tr(", %1 rank"), QObject::tr(", %1 ranks"));
    }
    return shown;
}

InspectorContent describeEvent(const Measurement& measurement, Measurement::Event at) {
    const MeasuredTrace& trace = *measurement.traces[at.rank];
    const TimeRange range = trace.events().range(at.event);
    InspectorContent content{QStringLiteral("event"), text(trace.name(at.event)), {}};
    const QString category = text(trace.category_names()[trace.events().category[at.event]]);
    content.rows.push_back(row(measurement.isSimulated() ? QObject::tr("Simulated") : QObject::tr("Measured"),
                               category.isEmpty() ? QObject::tr("event") : category));
    if (measurement.traces.size() > 1) content.rows.push_back(row(QObject::tr("Rank"), measurement.rankName(at.rank)));
    content.rows.push_back(row(QObject::tr("On"), trackText(trace.tracks()[trace.events().track[at.event]])));
    const std::int64_t start =
        range.begin_ns + measurement.aligned.ranks[at.rank].clock_offset_ns - measurement.origin_ns;
    content.rows.push_back(row(QObject::tr("Starts at"), momentText(start)));
    content.rows.push_back(row(QObject::tr("Duration"), formatTime(milliseconds(range.length_ns()))));
    const GpuActivity* activity = activityOf(trace, at.event);
    if (activity && activity->work == GpuWork::communication) {
        addExposure(content, measurement, at);
        addPeers(content, measurement, at.rank, activity->collective);
    }
    if (activity) addActivity(content, trace, *activity);
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
    return shownName(parts.join(QStringLiteral(" · "))).toHtmlEscaped();
}

}  // namespace overlap::ui
