#include "core/views/timeline_of.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <set>

#include "core/base/number_text.h"
#include "core/memory/memory_kinds.h"
#include "core/plan/automatic_plan.h"
#include "core/timeline/timeline_builder.h"
#include "core/views/batch_halves.h"
#include "core/views/bucket_hues.h"

namespace overlap {

namespace {

std::string_view kind_in_plural(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return "gathers";
        case CollectiveKind::reduce_scatter:
            return "scatters";
        case CollectiveKind::all_reduce:
            return "reductions";
        case CollectiveKind::all_to_all:
            return "all-to-all";
        case CollectiveKind::point_to_point:
            return "sends";
        case CollectiveKind::broadcast:
            return "broadcasts";
        case CollectiveKind::none:
            break;
    }
    return "collectives";
}

class Drawing {
  public:
    explicit Drawing(const Evaluation& evaluation)
        : evaluation_(evaluation),
          graph_(*evaluation.graph),
          simulation_(evaluation.simulation),
          halves_(graph_),
          applied_(evaluation.resolved && takes_entries(evaluation.resolved->plan)),
          bucket_of_start_(evaluation.bucket_of_node) {
        if (evaluation.resolved) hues_ = bucket_hues(*evaluation.resolved->modules, evaluation.resolved->plan.buckets);
        mark_buckets_without_entry();
    }

    std::shared_ptr<const Timeline> run(StorageRule rule) {
        add_compute();
        add_groups();
        add_transfers();
        builder_.include({0, nanoseconds(simulation_.step_ms)});
        add_memory(rule);
        return builder_.finish();
    }

    EventRole role_of(const CollectiveTiming& timing) const {
        return role_of(timing.start, bucket_of_start_[timing.start], EventRole::unbucketed);
    }

  private:
    TimelineEvent event(NodeId node, double start_ms, double end_ms, EventRole role) {
        TimelineEvent made;
        made.time = {nanoseconds(start_ms), nanoseconds(end_ms)};
        made.name = builder_.intern(graph_.name(node));
        made.role = role;
        made.reference = node;
        return made;
    }

    /// Buckets that a pass chose itself are distinguished from what is in no bucket, and from their neighbours; hues of
    /// the plan's entries are theirs first.
    void mark_buckets_without_entry() {
        std::int32_t number =
            evaluation_.resolved ? static_cast<std::int32_t>(evaluation_.resolved->plan.buckets.size()) : 0;
        for (const std::int32_t entry : evaluation_.entry_of_node) number = std::max(number, entry + 1);
        for (const PassReport& report : evaluation_.reports) {
            for (const BucketReport& bucket : report.buckets) {
                if (bucket.plan_entry) continue;
                const NodeId start = graph_.find(bucket.start);
                if (start != no_node && bucket_of_start_[start] < 0) bucket_of_start_[start] = number++;
            }
        }
    }

    /// Halves come before buckets: they are what overlaps.
    EventRole role_of(NodeId node, std::int32_t entry, EventRole otherwise) const {
        const int half = halves_.half_of(node);
        if (half >= 0) return half == 0 ? EventRole::first_half : EventRole::second_half;
        return role_or(entry, otherwise);
    }

    EventRole role_or(std::int32_t entry, EventRole otherwise) const {
        if (entry < 0) return otherwise;
        const auto bucket = static_cast<std::uint32_t>(entry);
        return bucket_role(bucket < hues_.size() ? hues_[bucket] : bucket);
    }

    void add_compute() {
        const std::string detail = evaluation_.times_known ? time_text(simulation_.compute_ms) : "no times";
        const std::uint32_t lane = builder_.add_lane({"Compute", detail, LaneKind::compute, EventRole::compute});
        std::vector<std::int32_t> awaited(graph_.node_count(), -1);
        const auto mark = [&](NodeId wait, NodeId start) {
            if (wait != no_node) awaited[wait] = static_cast<std::int32_t>(start);
        };
        for (const CollectiveTiming& timing : simulation_.collectives) mark(timing.wait, timing.start);
        for (const TransferTiming& timing : simulation_.transfers) mark(timing.wait, timing.start);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const NodeTiming& timing = simulation_.nodes[node];
            if (!simulation_.on_compute(node) || timing.end_ms <= timing.start_ms) continue;
            if (awaited[node] >= 0) {
                const auto start = static_cast<NodeId>(awaited[node]);
                builder_.add(lane, event(start, timing.start_ms, timing.end_ms, EventRole::exposed));
            } else {
                const std::int32_t entry = applied_ ? evaluation_.entry_of_node[node] : -1;
                const EventRole role = role_of(node, entry, EventRole::compute);
                builder_.add(lane, event(node, timing.start_ms, timing.end_ms, role));
            }
        }
    }

    /// In the order in which the file lists them, as the table of groups has them, and not of first use: a lane must
    /// not change its place with each edit. Groups that are not listed come behind, in order of first use.
    std::vector<std::size_t> ordered_groups() const {
        const std::vector<ProcessGroup>& listed = graph_.header().process_groups;
        const auto place = [&](std::size_t group) {
            return std::ranges::find(listed, simulation_.groups[group].process_group, &ProcessGroup::name) -
                   listed.begin();
        };
        std::vector<std::size_t> groups(simulation_.groups.size());
        std::iota(groups.begin(), groups.end(), std::size_t{0});
        std::ranges::stable_sort(groups, {}, place);
        return groups;
    }

    void add_groups() {
        std::vector<std::uint32_t> lanes(simulation_.groups.size());
        for (const std::size_t group : ordered_groups()) {
            const GroupTiming& timing = simulation_.groups[group];
            std::string subtitle = "group " + timing.process_group;
            if (const ProcessGroup* ranks = graph_.header().process_group(timing.process_group)) {
                subtitle +=
                    ", " + std::to_string(ranks->ranks.size()) + (ranks->ranks.size() == 1 ? " rank" : " ranks");
            }
            lanes[group] = builder_.add_lane(
                {group_title(evaluation_, group), std::move(subtitle), LaneKind::process_group, EventRole::unbucketed});
        }
        for (const CollectiveTiming& timing : simulation_.collectives) {
            TimelineEvent drawn = event(timing.start, timing.start_ms, timing.end_ms, role_of(timing));
            drawn.exposed_ns = std::min(nanoseconds(timing.exposed_ms), drawn.time.length_ns());
            builder_.add(lanes[timing.group], drawn);
        }
    }

    void add_transfers() {
        if (simulation_.transfers.empty()) return;
        const std::uint32_t lane =
            builder_.add_lane({"Host copies", "offloaded and back", LaneKind::process_group, EventRole::unbucketed});
        for (const TransferTiming& timing : simulation_.transfers) {
            TimelineEvent drawn = event(timing.start, timing.start_ms, timing.end_ms, EventRole::unbucketed);
            drawn.exposed_ns = std::min(nanoseconds(timing.exposed_ms), drawn.time.length_ns());
            builder_.add(lane, drawn);
        }
    }

    /// Points of the profile at the times at which the compute stream gets to them. A collective allocates when the
    /// stream has come to where it is issued, not when its own stream starts it.
    void add_memory(StorageRule rule) {
        const bool by_reference = rule == StorageRule::reference;
        const MemoryProfile& profile = by_reference ? evaluation_.memory : evaluation_.corrected_memory;
        if (profile.points.empty()) return;
        // torch's estimator gives recomputed tensors the storage of others, so that its pieces have no kind.
        const std::vector<BytesByKind> kinds = by_reference ? std::vector<BytesByKind>() : memory_by_kind(graph_);
        MemoryCurve curve;
        if (!kinds.empty()) curve.layers.resize(memory_kind_count);
        std::int64_t now_ns = 0;
        const auto add = [&](std::int64_t time_ns, std::size_t point) {
            now_ns = std::max(now_ns, time_ns);
            curve.time_ns.push_back(now_ns);
            curve.bytes.push_back(profile.points[point]);
            std::int64_t height = 0;
            for (std::size_t kind = 0; kind < curve.layers.size(); ++kind)
                curve.layers[kind].push_back(height += kinds[point][kind]);
        };
        add(0, 0);
        std::size_t point = 1;
        for (NodeId node = 0; node < graph_.node_count() && point + 1 < profile.points.size(); ++node) {
            const NodeOp op = graph_.op(node);
            if (op == NodeOp::placeholder || op == NodeOp::get_attr || op == NodeOp::output) continue;
            const std::int32_t collective = simulation_.collective_of_node[node];
            NodeTiming timing = simulation_.nodes[node];
            if (collective < 0 && !simulation_.on_compute(node)) {
                // A copy is given to its stream when compute has come there.
                timing.start_ms = timing.end_ms = static_cast<double>(now_ns) / 1e6;
            } else if (collective >= 0) {
                timing.start_ms = simulation_.collectives[static_cast<std::size_t>(collective)].ready_ms;
                timing.end_ms = timing.start_ms;
            }
            add(nanoseconds(timing.start_ms), point);
            add(nanoseconds(timing.end_ms), point + 1);
            point += 2;
        }
        builder_.set_memory(std::move(curve));
    }

    const Evaluation& evaluation_;
    const Graph& graph_;
    const Simulation& simulation_;
    BatchHalves halves_;
    bool applied_;                               ///< the plan's entries are taken by a step
    std::vector<std::uint32_t> hues_;            ///< of the plan's entries
    std::vector<std::int32_t> bucket_of_start_;  ///< by node: what colours a collective
    TimelineBuilder builder_;
};

}  // namespace

std::string group_title(const Evaluation& evaluation, std::size_t group) {
    const Simulation& simulation = evaluation.simulation;
    std::set<CollectiveKind> kinds;
    for (const CollectiveTiming& timing : simulation.collectives) {
        if (timing.group == group) kinds.insert(timing.kind);
    }
    const ProcessGroup* known = evaluation.graph->header().process_group(simulation.groups[group].process_group);
    std::string title = known ? group_purpose(known->description) : std::string();
    if (kinds.size() > 2) return title.empty() ? "Collectives" : title + " collectives";
    std::string what;
    for (const CollectiveKind kind : kinds) {
        what += what.empty() ? "" : " + ";
        what += kind_in_plural(kind);
    }
    if (!title.empty()) return title + " " + what;
    if (!what.empty()) what[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(what[0])));
    return what;
}

std::string group_title_and_name(const Evaluation& evaluation, std::size_t group) {
    const std::string& name = evaluation.simulation.groups[group].process_group;
    const std::string title = group_title(evaluation, group);
    return title.empty() || title == name ? name : title + " · " + name;
}

std::string group_purpose(const std::string& description) {
    if (description.empty() || description == "default_pg" || description == "undefined") return {};
    std::string name = description;
    if (name.starts_with("mesh_")) name.erase(0, 5);
    if (name.ends_with("_extra")) name.erase(name.size() - 6);
    // Names of mesh dimensions are abbreviations (fsdp, tp, ep); longer ones are words.
    if (name.size() <= 5)
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return name;
}

std::shared_ptr<const Timeline> timeline_of(const Evaluation& evaluation, StorageRule rule) {
    return Drawing(evaluation).run(rule);
}

std::vector<EventRole> collective_roles(const Evaluation& evaluation) {
    const Drawing drawing(evaluation);
    std::vector<EventRole> roles;
    for (const CollectiveTiming& timing : evaluation.simulation.collectives) roles.push_back(drawing.role_of(timing));
    return roles;
}

}  // namespace overlap
