#include "core/io/timeline_events.h"

#include <algorithm>

#include "core/base/trace_origin.h"
#include "core/files/csv_table.h"
#include "core/files/json_writer.h"

namespace overlap {
namespace {

constexpr double ns_per_ms = 1e6;
constexpr double ns_per_us = 1e3;
constexpr std::int64_t process = 0;

std::string_view kind_of(EventRole role) {
    switch (role) {
        case EventRole::idle:
            return "idle";
        case EventRole::compute:
            return "compute";
        case EventRole::exposed:
            return "exposed";
        case EventRole::hidden:
            return "hidden";
        case EventRole::unbucketed:
            return "unbucketed";
        case EventRole::first_half:
            return "first half";
        case EventRole::second_half:
            return "second half";
        default:
            return "bucket";
    }
}

template <typename Visit>
void for_each_event(const Timeline& timeline, TimeRange range, const Visit& visit) {
    const auto lanes = timeline.lanes();
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
        for (std::uint32_t event = lanes[lane].first_ending_after(range.begin_ns);
             event < lanes[lane].size() && lanes[lane].start_ns[event] < range.end_ns; ++event) {
            visit(EventLocation{lane, event});
        }
    }
}

class TraceText {
  public:
    TraceText(const Timeline& timeline, TimeRange range, bool simulated)
        : timeline_(timeline), range_(range), simulated_(simulated) {}

    std::string write() {
        json_.begin_object().member("displayTimeUnit", "ms").key("otherData").begin_object();
        json_.member(trace_times_member, simulated_ ? simulated_trace_times : measured_trace_times).end_object();
        json_.key("traceEvents").begin_array();
        name_threads();
        for_each_event(timeline_, range_, [this](EventLocation location) { event(location); });
        held_bytes();
        json_.end_array().end_object();
        return json_.take();
    }

  private:
    void metadata(std::string_view name, std::int64_t thread, std::string_view member, const auto& value) {
        json_.begin_object().member("ph", "M").member("name", name).member("pid", process).member("tid", thread);
        json_.key("args").begin_object().member(member, value).end_object().end_object();
    }

    void name_threads() {
        for (std::size_t lane = 0; lane < timeline_.lanes().size(); ++lane) {
            const Lane& row = timeline_.lanes()[lane];
            std::string title = row.description.title;
            if (row.depth > 0) title.append(" (").append(std::to_string(row.depth + 1)).append(")");
            const auto thread = static_cast<std::int64_t>(lane);
            metadata("thread_name", thread, "name", std::string_view(title));
            metadata("thread_sort_index", thread, "sort_index", thread);
        }
    }

    void event(EventLocation location) {
        const Lane& lane = timeline_.lanes()[location.lane];
        const TimeRange time = timeline_.event(location);
        json_.begin_object().member("ph", "X").member("name", timeline_.event_name(location));
        json_.member("cat", kind_of(lane.role[location.event])).member("pid", process);
        json_.member("tid", static_cast<std::int64_t>(location.lane));
        json_.member("ts", static_cast<double>(time.begin_ns) / ns_per_us);
        json_.member("dur", static_cast<double>(time.length_ns()) / ns_per_us);
        if (const std::int64_t exposed_ns = timeline_.exposed_ns(location); exposed_ns > 0) {
            json_.key("args").begin_object();
            json_.member("exposed_ms", static_cast<double>(exposed_ns) / ns_per_ms).end_object();
        }
        json_.end_object();
    }

    /// The amount that is held when the range begins, and where it changes.
    void held_bytes() {
        const MemoryCurve& curve = timeline_.memory();
        const auto begin = std::ranges::upper_bound(curve.time_ns, range_.begin_ns) - curve.time_ns.begin();
        for (auto point = static_cast<std::size_t>(std::max<std::ptrdiff_t>(begin - 1, 0));
             point < curve.time_ns.size() && curve.time_ns[point] < range_.end_ns; ++point) {
            json_.begin_object().member("ph", "C").member("name", "memory").member("pid", process);
            json_.member("ts", static_cast<double>(curve.time_ns[point]) / ns_per_us);
            json_.key("args").begin_object().member("bytes", curve.bytes[point]).end_object().end_object();
        }
    }

    const Timeline& timeline_;
    TimeRange range_;
    bool simulated_;
    JsonWriter json_;
};

}  // namespace

std::string timeline_csv(const Timeline& timeline, TimeRange range) {
    CsvTable table({"lane", "row", "name", "kind", "start_ms", "duration_ms", "exposed_ms"});
    for_each_event(timeline, range, [&](EventLocation location) {
        const Lane& lane = timeline.lanes()[location.lane];
        const TimeRange time = timeline.event(location);
        table.text(lane.description.title).number(std::int64_t{lane.depth}).text(timeline.event_name(location));
        table.text(kind_of(lane.role[location.event]));
        for (const std::int64_t time_ns : {time.begin_ns, time.length_ns(), timeline.exposed_ns(location)})
            table.number(static_cast<double>(time_ns) / ns_per_ms);
        table.end_row();
    });
    return table.take();
}

std::string timeline_chrome_trace(const Timeline& timeline, TimeRange range, bool simulated) {
    return TraceText(timeline, range, simulated).write();
}

}  // namespace overlap
