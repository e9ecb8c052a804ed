// The simulated step in Perfetto's own format: a stream of TracePacket messages (protos/perfetto/trace in Perfetto's
// sources). Every row of the timeline is a track of its own, so that slices that overlap on one stream survive.

#include <algorithm>
#include <set>

#include "core/exports/formats.h"
#include "core/exports/protobuf_writer.h"
#include "core/pipeline/why_exposed.h"
#include "core/views/timeline_of.h"

namespace overlap {

namespace {

// Field numbers, by message.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace trace_packet {
constexpr std::uint32_t timestamp = 8;  // nanoseconds
constexpr std::uint32_t trusted_packet_sequence_id = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t track_descriptor = 60;
}  // namespace trace_packet
namespace track_descriptor {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t process = 3;
constexpr std::uint32_t parent_uuid = 5;
constexpr std::uint32_t counter = 8;
constexpr std::uint32_t child_ordering = 11;
constexpr std::uint32_t sibling_order_rank = 12;
constexpr std::uint64_t explicit_order = 3;  // of child_ordering
}  // namespace track_descriptor
namespace process_descriptor {
constexpr std::uint32_t pid = 1;
constexpr std::uint32_t process_name = 6;
}  // namespace process_descriptor
namespace counter_descriptor {
constexpr std::uint32_t unit = 3;
constexpr std::uint64_t size_bytes = 3;  // of unit
}  // namespace counter_descriptor
namespace track_event {
constexpr std::uint32_t debug_annotations = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t track_uuid = 11;
constexpr std::uint32_t categories = 22;
constexpr std::uint32_t name = 23;
constexpr std::uint32_t counter_value = 30;
constexpr std::uint32_t flow_ids = 47;
constexpr std::uint32_t terminating_flow_ids = 48;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, counter_type = 4;  // of type
}  // namespace track_event
namespace debug_annotation {
constexpr std::uint32_t int_value = 4;
constexpr std::uint32_t double_value = 5;
constexpr std::uint32_t string_value = 6;
constexpr std::uint32_t name = 10;
}  // namespace debug_annotation

constexpr std::uint64_t sequence = 1;
constexpr std::uint64_t incremental_state_cleared = 1;
constexpr std::uint64_t process_track = 1, memory_track = 2, first_lane_track = 3;
constexpr std::uint64_t process_id = 1;

class TraceStream {
  public:
    explicit TraceStream(const Evaluation& evaluation)
        : evaluation_(evaluation), simulation_(evaluation.simulation), timeline_(timeline_of(evaluation)) {}

    std::string write() {
        describe_tracks();
        for (std::uint32_t lane = 0; lane < timeline_->lanes().size(); ++lane) add_lane(lane);
        add_memory();
        // One stream in order of time. Of one moment, slices of a track keep their order: the end before the beginning.
        std::ranges::stable_sort(timed_, {}, &TimedPacket::time_ns);
        for (const TimedPacket& packet : timed_) append(packet.packet);
        return std::move(stream_);
    }

  private:
    struct TimedPacket {
        std::int64_t time_ns;
        ProtobufMessage packet;
    };

    void append(ProtobufMessage& packet) {
        packet.integer(trace_packet::trusted_packet_sequence_id, sequence);
        if (stream_.empty()) packet.integer(trace_packet::sequence_flags, incremental_state_cleared);
        stream_ += ProtobufMessage().message(trace::packet, packet).bytes();
    }
    void append(const ProtobufMessage& packet) {
        ProtobufMessage copy = packet;
        append(copy);
    }

    void describe(const ProtobufMessage& descriptor) {
        append(ProtobufMessage().message(trace_packet::track_descriptor, descriptor));
    }

    void describe_tracks() {
        const std::string& graph = evaluation_.graph->header().name;
        ProtobufMessage process;
        process.integer(process_descriptor::pid, process_id);
        process.text(process_descriptor::process_name, graph.empty() ? "simulation" : graph);
        ProtobufMessage root;
        root.integer(track_descriptor::uuid, process_track).message(track_descriptor::process, process);
        describe(root.integer(track_descriptor::child_ordering, track_descriptor::explicit_order));

        // Tracks of one name would be shown as one.
        std::set<std::string> names = {"memory"};
        for (std::uint32_t lane = 0; lane < timeline_->lanes().size(); ++lane) {
            const Lane& row = timeline_->lanes()[lane];
            std::string name = row.description.title;
            if (row.description.kind == LaneKind::process_group) name += ", " + row.description.subtitle;
            if (row.depth > 0) name += " (" + std::to_string(row.depth + 1) + ")";
            while (!names.insert(name).second) name += "'";
            describe(child(first_lane_track + lane, name, lane));
        }
        ProtobufMessage counter;
        counter.integer(counter_descriptor::unit, counter_descriptor::size_bytes);
        ProtobufMessage memory = child(memory_track, "memory", static_cast<std::uint32_t>(timeline_->lanes().size()));
        describe(memory.message(track_descriptor::counter, counter));
    }

    static ProtobufMessage child(std::uint64_t uuid, const std::string& name, std::uint32_t rank) {
        ProtobufMessage descriptor;
        descriptor.integer(track_descriptor::uuid, uuid).text(track_descriptor::name, name);
        descriptor.integer(track_descriptor::parent_uuid, process_track);
        return descriptor.integer(track_descriptor::sibling_order_rank, rank);
    }

    void add(std::int64_t time_ns, const ProtobufMessage& event) {
        ProtobufMessage packet;
        packet.integer(trace_packet::timestamp, static_cast<std::uint64_t>(time_ns));
        timed_.push_back({time_ns, packet.message(trace_packet::track_event, event)});
    }

    static ProtobufMessage event(std::uint64_t type, std::uint64_t track) {
        ProtobufMessage made;
        return made.integer(track_event::type, type).integer(track_event::track_uuid, track);
    }

    void add_lane(std::uint32_t lane) {
        const Lane& row = timeline_->lanes()[lane];
        const std::uint64_t track = first_lane_track + lane;
        for (std::uint32_t index = 0; index < row.size(); ++index) {
            ProtobufMessage begin = event(track_event::slice_begin, track);
            describe_event(row, {lane, index}, begin);
            add(row.start_ns[index], begin);
            add(row.end_ns[index], event(track_event::slice_end, track));
        }
    }

    /// Name, category and arguments; a flow leads from a collective to the stall of compute that waits for it.
    void describe_event(const Lane& row, EventLocation location, ProtobufMessage& begin) const {
        const NodeId node = row.reference[location.event];
        const std::int32_t index = simulation_.collective_of_node[node];
        const bool stall = row.role[location.event] == EventRole::exposed;
        std::string name = stall ? "wait: " : "";
        begin.text(track_event::name, name.append(timeline_->event_name(location)));
        if (index < 0) {
            begin.text(track_event::categories, "compute");
            annotate(begin, "target", evaluation_.graph->target(node));
            return;
        }
        const CollectiveTiming& timing = simulation_.collectives[static_cast<std::size_t>(index)];
        begin.text(track_event::categories, stall ? "wait" : "communication");
        const auto flow = static_cast<std::uint64_t>(index) + 1;
        if (timing.exposed_ms > 0) begin.fixed(stall ? track_event::terminating_flow_ids : track_event::flow_ids, flow);
        if (stall) return;
        annotate(begin, "kind", collective_kind_name(timing.kind));
        annotate(begin, "process_group", simulation_.groups[timing.group].process_group);
        begin.message(track_event::debug_annotations,
                      ProtobufMessage()
                          .text(debug_annotation::name, "bytes")
                          .integer(debug_annotation::int_value, static_cast<std::uint64_t>(timing.bytes)));
        begin.message(track_event::debug_annotations, ProtobufMessage()
                                                          .text(debug_annotation::name, "exposed_ms")
                                                          .number(debug_annotation::double_value, timing.exposed_ms));
        annotate(begin, "cause", exposure_cause_name(timing.cause));
        if (timing.cause == ExposureCause::none) return;
        annotate(begin, "explanation", why_exposed(evaluation_, static_cast<std::size_t>(index)));
    }

    static void annotate(ProtobufMessage& begin, std::string_view name, std::string_view value) {
        begin.message(track_event::debug_annotations,
                      ProtobufMessage().text(debug_annotation::name, name).text(debug_annotation::string_value, value));
    }

    void add_memory() {
        const MemoryCurve& curve = timeline_->memory();
        for (std::size_t point = 0; point < curve.time_ns.size(); ++point) {
            if (point > 0 && curve.bytes[point] == curve.bytes[point - 1]) continue;
            ProtobufMessage value = event(track_event::counter_type, memory_track);
            value.integer(track_event::counter_value, static_cast<std::uint64_t>(curve.bytes[point]));
            add(curve.time_ns[point], value);
        }
    }

    const Evaluation& evaluation_;
    const Simulation& simulation_;
    std::shared_ptr<const Timeline> timeline_;
    std::vector<TimedPacket> timed_;
    std::string stream_;
};

}  // namespace

ExportOutput export_perfetto_trace(const ExportInput& input) {
    return {TraceStream(*input.result).write(), {}};
}

}  // namespace overlap
