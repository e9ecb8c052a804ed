#include "core/simulate/chrome_trace.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/base/trace_origin.h"
#include "core/cost/profile_guided_times.h"
#include "core/files/json_writer.h"

namespace overlap {

namespace {

constexpr std::int64_t process = 0;
constexpr std::int64_t compute_thread = 0;
constexpr double us_per_ms = 1e3;

class TraceWriter {
  public:
    TraceWriter(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory,
                const AppliedContention* contention, const TracedRank* measured)
        : graph_(graph),
          simulation_(simulation),
          memory_(memory),
          contention_(contention),
          measured_(measured),
          awaited_by_(graph.node_count(), -1) {
        for (const CollectiveTiming& timing : simulation.collectives)
            add_awaited(timing.wait, {timing.start, thread_of(timing.group), timing.start_ms});
        for (const TransferTiming& timing : simulation.transfers)
            add_awaited(timing.wait, {timing.start, transfer_thread(), timing.start_ms});
    }

    std::string write() {
        json_.begin_object();
        json_.member("displayTimeUnit", "ms");
        json_.key("otherData").begin_object();
        json_.member("graph", std::string_view(graph_.header().name));
        json_.member("step_ms", simulation_.step_ms);
        json_.member("exposed_ms", simulation_.exposed_ms);
        json_.member("contention", contention_ ? "applied" : "none");
        json_.member(trace_times_member, measured_ ? measured_trace_times : simulated_trace_times);
        json_.end_object();
        if (const GraphHeader& header = graph_.header(); measured_ || (header.rank && header.world_size)) {
            json_.key("distributedInfo").begin_object();
            json_.member("rank", measured_ ? measured_->rank : *header.rank);
            json_.member("world_size", measured_ ? measured_->ranks : *header.world_size).end_object();
        }
        json_.key("traceEvents").begin_array();
        names();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (const std::int32_t index = simulation_.collective_of_node[node]; index >= 0) {
                collective(static_cast<std::size_t>(index));
            } else if (!simulation_.on_compute(node)) {
                transfer(simulation_.transfers[static_cast<std::size_t>(simulation_.transfer_of_node[node])]);
            } else if (awaited_by_[node] >= 0) {
                wait(node, static_cast<std::size_t>(awaited_by_[node]));
            } else {
                compute(node);
            }
            held_bytes(node);
        }
        transfer_rates();
        json_.end_array();
        json_.end_object();
        return json_.take();
    }

  private:
    /// A collective or a copy that compute may wait for.
    struct Awaited {
        NodeId start = no_node;
        std::int64_t thread = 0;
        double start_ms = 0;
    };

    void add_awaited(NodeId wait, const Awaited& awaited) {
        if (wait == no_node) return;
        awaited_by_[wait] = static_cast<std::int32_t>(awaited_.size());
        awaited_.push_back(awaited);
    }

    void metadata(std::string_view what, std::int64_t thread, std::string_view key, std::string_view text) {
        json_.begin_object().member("ph", "M").member("name", what).member("pid", process).member("tid", thread);
        json_.key("args").begin_object().member(key, text).end_object().end_object();
    }

    void names() {
        const std::string& graph_name = graph_.header().name;
        metadata("process_name", compute_thread, "name",
                 graph_name.empty() ? std::string_view("simulation") : graph_name);
        metadata("thread_name", compute_thread, "name", "compute");
        for (std::size_t group = 0; group < simulation_.groups.size(); ++group) {
            const std::string& group_name = simulation_.groups[group].process_group;
            const ProcessGroup* known = graph_.header().process_group(group_name);
            std::string lane = "process group " + group_name;
            if (known && !known->description.empty()) lane += " (" + known->description + ")";
            metadata("thread_name", thread_of(group), "name", lane);
        }
        if (!simulation_.transfers.empty()) metadata("thread_name", transfer_thread(), "name", "host copies");
        const std::int64_t last = transfer_thread() - (simulation_.transfers.empty() ? 1 : 0);
        for (std::int64_t thread = 0; thread <= last; ++thread) {
            json_.begin_object().member("ph", "M").member("name", "thread_sort_index").member("pid", process);
            json_.member("tid", thread);
            json_.key("args").begin_object().member("sort_index", thread).end_object().end_object();
        }
    }

    /// Of copies between device and host: behind the process groups.
    std::int64_t transfer_thread() const { return thread_of(simulation_.groups.size()); }

    static std::int64_t thread_of(std::size_t group) { return static_cast<std::int64_t>(group) + 1; }

    /// Opens a complete event up to its args, which the caller writes and closes with `end_event`.
    void begin_event(std::string_view name, std::string_view category, std::int64_t thread, const NodeTiming& timing) {
        json_.begin_object().member("ph", "X").member("name", name).member("cat", category);
        json_.member("pid", process).member("tid", thread);
        json_.member("ts", timing.start_ms * us_per_ms).member("dur", (timing.end_ms - timing.start_ms) * us_per_ms);
        json_.key("args").begin_object();
    }

    void end_event() { json_.end_object().end_object(); }

    /// Null where a kernel computed this node alone.
    const std::vector<NodeId>* nodes_of_kernel(NodeId node) const {
        if (!measured_) return nullptr;
        const auto found = measured_->kernels.find(node);
        return found == measured_->kernels.end() ? nullptr : &found->second;
    }

    void compute(NodeId node) {
        const NodeTiming& timing = simulation_.nodes[node];
        if (timing.end_ms <= timing.start_ms) return;
        begin_event(graph_.name(node), "kernel", compute_thread, timing);
        json_.member("stream", compute_thread);
        if (const std::vector<NodeId>* together = nodes_of_kernel(node)) {
            // What it takes is no time of the operator that a profile would be asked for.
            json_.member("target", "fused kernel");
            json_.key("nodes").begin_array();
            for (const NodeId member : *together) json_.value(graph_.name(member));
            json_.end_array();
        } else {
            json_.member("target", graph_.target(node));
            if (measured_) operator_arguments(node);
        }
        end_event();
    }

    void collective(std::size_t index) {
        const CollectiveTiming& timing = simulation_.collectives[index];
        const std::string& group = simulation_.groups[timing.group].process_group;
        begin_event(graph_.name(timing.start), "kernel", thread_of(timing.group), {timing.start_ms, timing.end_ms});
        json_.member("stream", thread_of(timing.group));
        profiler_arguments(timing, group);
        json_.member("kind", collective_kind_name(timing.kind));
        json_.member("process_group", std::string_view(group));
        json_.member("bytes", timing.bytes);
        json_.member("exposed_ms", timing.exposed_ms);
        json_.member("cause", exposure_cause_name(timing.cause));
        if (timing.wait != no_node) json_.member("wait", graph_.name(timing.wait));
        if (timing.blocker != no_node) json_.member("blocker", graph_.name(timing.blocker));
        if (timing.cause != ExposureCause::none) {
            json_.member("explanation", std::string_view(simulation_.explain(graph_, index)));
        }
        end_event();
    }

    void transfer(const TransferTiming& timing) {
        begin_event(graph_.name(timing.start), "gpu_memcpy", transfer_thread(), {timing.start_ms, timing.end_ms});
        json_.member("stream", transfer_thread());
        json_.member("bytes", timing.bytes);
        json_.member("exposed_ms", timing.exposed_ms);
        if (timing.wait != no_node) json_.member("wait", graph_.name(timing.wait));
        end_event();
    }

    void sizes(std::string_view key, const TensorSizes& of_tensors) {
        json_.key(key).begin_array();
        for (const std::vector<std::int64_t>& of_tensor : of_tensors) {
            json_.begin_array();
            for (const std::int64_t size : of_tensor) json_.value(size);
            json_.end_array();
        }
        json_.end_array();
    }

    void operator_arguments(NodeId node) {
        const std::optional<ProfiledOperator> known = profiled_operator(graph_, node);
        if (!known || !known->dtype) return;
        json_.member("operator", std::string_view(known->name));
        sizes("Input Dims", known->shapes);
        sizes("Input Strides", known->strides);
        json_.member("Output type", dtype_info(*known->dtype).name);
    }

    const ProcessGroup* group_called(const std::string& name) const {
        if (!measured_) return graph_.header().process_group(name);
        const auto found = std::find_if(measured_->groups.begin(), measured_->groups.end(),
                                        [&](const ProcessGroup& group) { return group.name == name; });
        return found == measured_->groups.end() ? nullptr : &*found;
    }

    /// What PyTorch's profiler says of a collective. Elements are counted as bytes, but of one tensor that was
    /// measured.
    void profiler_arguments(const CollectiveTiming& timing, const std::string& group) {
        json_.member("Collective name", collective_kind_name(timing.kind));
        const ProcessGroup* known = group_called(group);
        const std::span<const TensorMeta> outputs = graph_.outputs(timing.start);
        const bool as_elements = measured_ && outputs.size() == 1 && outputs[0].is_tensor;
        if (as_elements) {
            const std::int64_t size = dtype_info(outputs[0].dtype).bytes;
            const std::int64_t received = graph_.element_count(outputs[0]);
            const bool gathers = timing.kind == CollectiveKind::all_gather && known && !known->ranks.empty();
            const std::int64_t sent =
                gathers ? received / static_cast<std::int64_t>(known->ranks.size()) : timing.bytes / size;
            json_.member("dtype", std::string_view(c10_dtype_name(outputs[0].dtype)));
            json_.member("In msg nelems", sent);
            json_.member("Out msg nelems", received);
        } else {
            json_.member("dtype", "Byte").member("In msg nelems", timing.bytes).member("Out msg nelems", timing.bytes);
        }
        const bool own = measured_ && measured_->rank != 0 &&
                         std::find(measured_->alone.begin(), measured_->alone.end(), group) != measured_->alone.end();
        const std::string own_name = group + " of rank " + std::to_string(measured_ ? measured_->rank : 0);
        json_.member("Process Group Name", std::string_view(own ? own_name : group));
        if (!known || own) return;
        json_.member("Process Group Description", std::string_view(known->description));
        json_.member("Group size", static_cast<std::int64_t>(known->ranks.size()));
        std::string ranks;
        for (const int rank : known->ranks) ranks.append(ranks.empty() ? "[" : ", ").append(std::to_string(rank));
        json_.member("Process Group Ranks", std::string_view(ranks.append(ranks.empty() ? "[]" : "]")));
    }

    void wait(NodeId node, std::size_t index) {
        const NodeTiming& timing = simulation_.nodes[node];
        if (timing.end_ms <= timing.start_ms) return;
        const Awaited& awaited = awaited_[index];
        begin_event("wait: " + std::string(graph_.name(awaited.start)), "cuda_sync", compute_thread, timing);
        json_.member("stream", compute_thread);
        json_.member("node", graph_.name(node));
        end_event();
        flow("s", index, awaited.thread, awaited.start_ms);
        flow("f", index, compute_thread, timing.start_ms);
    }

    void flow(std::string_view phase, std::size_t index, std::int64_t thread, double time_ms) {
        json_.begin_object().member("ph", phase).member("name", "awaits").member("cat", "wait");
        json_.member("id", static_cast<std::int64_t>(index)).member("pid", process).member("tid", thread);
        json_.member("ts", time_ms * us_per_ms);
        if (phase == "f") json_.member("bp", "e");
        json_.end_object();
    }

    /// A point of the counter track wherever the amount changes.
    void held_bytes(NodeId node) {
        const std::int64_t held = memory_.while_node[node];
        const double time_ms = issued_ms(node);
        if (held == last_held_) return;
        last_held_ = held;
        json_.begin_object().member("ph", "C").member("name", "memory").member("pid", process);
        json_.member("ts", time_ms * us_per_ms);
        json_.key("args").begin_object().member("bytes", held).end_object().end_object();
    }

    /// A counter track for each group: the share of its full rate at which it moves data.
    void transfer_rates() {
        if (!contention_) return;
        for (const TransferSegment& segment : contention_->transfers) {
            rate_point(segment.collective, segment.start_ms, segment.rate);
            rate_point(segment.collective, segment.end_ms, 0);
        }
    }

    void rate_point(std::uint32_t collective, double time_ms, double rate) {
        const std::string& group = simulation_.groups[simulation_.collectives[collective].group].process_group;
        json_.begin_object().member("ph", "C").member("name", "rate of process group " + group);
        json_.member("pid", process).member("ts", time_ms * us_per_ms);
        json_.key("args").begin_object().member("share", rate).end_object().end_object();
    }

    /// Memory is held from the moment at which the compute stream comes to a node; collectives take theirs then too.
    double issued_ms(NodeId node) const {
        const std::int32_t index = simulation_.collective_of_node[node];
        if (index < 0) return simulation_.nodes[node].start_ms;  // of a copy nearly: it waits for compute as well
        const CollectiveTiming& timing = simulation_.collectives[static_cast<std::size_t>(index)];
        return std::max(timing.issue_ms, timing.ready_ms);
    }

    const Graph& graph_;
    const Simulation& simulation_;
    const MemoryProfile& memory_;
    const AppliedContention* contention_;
    const TracedRank* measured_;
    std::vector<Awaited> awaited_;
    std::vector<std::int32_t> awaited_by_;  ///< by node: an index of `awaited_`, or -1
    std::int64_t last_held_ = -1;
    JsonWriter json_;
};

}  // namespace

std::string chrome_trace_json(const Graph& graph, const Simulation& simulation, const MemoryProfile& memory,
                              const AppliedContention* contention, const TracedRank* measured) {
    return TraceWriter(graph, simulation, memory, contention, measured).write();
}

}  // namespace overlap
