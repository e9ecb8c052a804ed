#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include "core/graph/tensor.h"
#include "core/trace/measured_links.h"
#include "core/trace/process_group_ranks.h"

namespace overlap {

namespace {

constexpr std::uint32_t activities_between = 1 << 17;
constexpr std::string_view operator_name = "record_param_comms";

/// Letters and digits alone, in lower case: `nccl:_all_gather_base` and `AllGather` are then alike.
std::string plain(std::string_view name) {
    std::string letters;
    for (const char letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        if (std::isalnum(byte)) letters += static_cast<char>(std::tolower(byte));
    }
    return letters;
}

/// Bytes of an element of a type as c10's ScalarType (`Float`, `BFloat16`) or torch calls it; 0 where it is unknown.
std::int64_t element_bytes(std::string_view scalar_type) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> names = {{
        {"float", "float32"},
        {"double", "float64"},
        {"half", "float16"},
        {"int", "int32"},
        {"long", "int64"},
        {"short", "int16"},
        {"char", "int8"},
        {"byte", "uint8"},
        {"bool", "bool"},
    }};
    std::string name(scalar_type);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
    const std::optional<Dtype> dtype = dtype_by_name(found != names.end() ? found->second : name);
    return dtype ? dtype_info(*dtype).bytes : 0;
}

class CollectiveFinder {
  public:
    CollectiveFinder(const MeasuredTrace& trace, std::span<const CollectiveArguments> arguments,
                     std::span<GpuActivity> activities, const std::function<void()>& between)
        : trace_(trace), events_(trace.events()), arguments_(arguments), activities_(activities), between_(between) {
        tables_.groups = trace.header().groups;
        find_operators();
        between_();
    }

    CollectiveTables run() {
        for (std::uint32_t index = 0; index < activities_.size(); ++index) {
            if (index % activities_between == 0) between_();
            classify(index);
        }
        infer_groups_from_streams();
        return std::move(tables_);
    }

  private:
    /// `record_param_comms` by thread and start. They do not contain one another but for coalescing, where the inner
    /// one is the later one.
    void find_operators() {
        for (std::uint32_t event = 0; event < events_.size(); ++event) {
            if (events_.is_interval(event) && trace_.category(event) == EventCategory::cpu_op &&
                trace_.name(event) == operator_name) {
                operators_.emplace_back(events_.track[event], events_.start_ns[event], event);
            }
        }
        std::sort(operators_.begin(), operators_.end());
    }

    const CollectiveArguments* arguments_of(std::uint32_t event) const {
        const auto found =
            std::lower_bound(arguments_.begin(), arguments_.end(), event,
                             [](const auto& entry, std::uint32_t wanted) { return entry.event < wanted; });
        return found != arguments_.end() && found->event == event ? &*found : nullptr;
    }

    /// The `record_param_comms` during which an event of the host began, or no_index.
    std::uint32_t operator_around(std::uint32_t host_event) const {
        if (host_event == no_index) return no_index;
        const std::tuple wanted(events_.track[host_event], events_.start_ns[host_event], no_index);
        auto place = std::upper_bound(operators_.begin(), operators_.end(), wanted);
        if (place == operators_.begin()) return no_index;
        const auto [track, start_ns, event] = *--place;
        const bool contains =
            track == events_.track[host_event] && events_.range(event).end_ns >= events_.start_ns[host_event];
        return contains ? event : no_index;
    }

    /// Whether the operator that an activity's External id names is one that communicates. Old traces use numbers of
    /// another kind there, so the launch must lie within a `record_param_comms` as well.
    bool is_launched_to_communicate(const GpuActivity& activity, std::uint32_t around) const {
        if (around == no_index || activity.operation == no_index) return false;
        return activity.operation == around || trace_.name(activity.operation).starts_with("nccl:");
    }

    void classify(std::uint32_t index) {
        GpuActivity& activity = activities_[index];
        const EventCategory category = trace_.category(activity.event);
        if (category == EventCategory::synchronization) {
            activity.work = GpuWork::waiting;
            return;
        }
        const std::uint32_t around = operator_around(activity.launch);
        const CollectiveArguments* own = arguments_of(activity.event);
        const bool communicates =
            own || is_launched_to_communicate(activity, around) || is_communication_kernel(trace_.name(activity.event));
        if (!communicates) {
            activity.work = category == EventCategory::kernel ? GpuWork::compute : GpuWork::memory;
            return;
        }
        activity.work = GpuWork::communication;
        activity.collective = static_cast<std::uint32_t>(tables_.collectives.size());
        MeasuredCollective& collective = tables_.collectives.emplace_back();
        collective.activity = index;
        const CollectiveArguments* of_operator = around == no_index ? nullptr : arguments_of(around);
        if (const CollectiveArguments* arguments = own ? own : of_operator) {
            describe(collective, *arguments);
            collective.source = own ? CollectiveSource::kernel : CollectiveSource::operation;
        }
        if (collective.kind == CollectiveKind::none && activity.operation != no_index) {
            collective.kind = collective_kind_of(trace_.name(activity.operation));
        }
        if (collective.kind == CollectiveKind::none) {
            collective.kind = collective_kind_of(trace_.name(activity.event));
        }
    }

    void describe(MeasuredCollective& collective, const CollectiveArguments& arguments) {
        collective.kind = collective_kind_of(trace_.text(arguments.name));
        collective.sequence = arguments.sequence;
        const std::int64_t bytes = element_bytes(trace_.text(arguments.dtype));
        collective.input_bytes = saturating_product(arguments.input_elements, bytes);
        collective.output_bytes = saturating_product(arguments.output_elements, bytes);
        collective.group = group_of(arguments);
    }

    static std::int64_t saturating_product(std::int64_t elements, std::int64_t bytes) {
        std::int64_t product = 0;
        if (elements < 0 || __builtin_mul_overflow(elements, bytes, &product)) return 0;
        return product;
    }

    std::uint32_t group_of(const CollectiveArguments& arguments) {
        const auto key = std::pair(arguments.group_name, arguments.group_ranks);
        const auto [place, is_new] = group_ids_.try_emplace(key, no_index);
        const std::string_view name = trace_.text(arguments.group_name);
        const std::string_view ranks_text = trace_.text(arguments.group_ranks);
        const std::optional<std::vector<std::int64_t>> ranks = ranks_in(ranks_text);
        if (!ranks && !ranks_text.empty()) ++tables_.unreadable_group_ranks;
        if (!is_new) return place->second;
        if (name.empty() && ranks_text.empty()) return no_index;
        std::vector<MeasuredGroup>& groups = tables_.groups;
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const MeasuredGroup& group) {
            return group.name == name && (!ranks || group.ranks.empty() || group.ranks == *ranks);
        });
        place->second = static_cast<std::uint32_t>(same - groups.begin());
        MeasuredGroup& group = same != groups.end() ? *same : groups.emplace_back();
        group.name = name;
        if (group.description.empty()) group.description = trace_.text(arguments.group_description);
        if (group.ranks.empty() && ranks) group.ranks = *ranks;
        if (group.size == 0) {
            group.size = group.ranks.empty() ? arguments.group_size : static_cast<std::int64_t>(group.ranks.size());
        }
        return place->second;
    }

    /// Coalesced collectives carry nothing. A communicator has a stream of its own, so where all that is known of a
    /// stream is one group, the others on it are of that group.
    void infer_groups_from_streams() {
        constexpr std::uint32_t several = no_index - 1;
        std::map<std::uint32_t, std::uint32_t> group_of_track;
        for (const MeasuredCollective& collective : tables_.collectives) {
            if (collective.group == no_index) continue;
            const std::uint32_t track = events_.track[activities_[collective.activity].event];
            const auto [place, is_new] = group_of_track.try_emplace(track, collective.group);
            if (place->second != collective.group) place->second = several;
        }
        for (MeasuredCollective& collective : tables_.collectives) {
            if (collective.group != no_index) continue;
            const auto found = group_of_track.find(events_.track[activities_[collective.activity].event]);
            if (found == group_of_track.end() || found->second == several) continue;
            collective.group = found->second;
            collective.source = CollectiveSource::stream;
        }
    }

    const MeasuredTrace& trace_;
    const MeasuredEvents& events_;
    std::span<const CollectiveArguments> arguments_;
    std::span<GpuActivity> activities_;
    const std::function<void()>& between_;
    std::vector<std::tuple<std::uint32_t, std::int64_t, std::uint32_t>> operators_;
    std::map<std::pair<StringId, StringId>, std::uint32_t> group_ids_;
    CollectiveTables tables_;
};

}  // namespace

bool is_communication_kernel(std::string_view name) {
    if (name.starts_with("nccl")) return true;
    static constexpr std::array<std::string_view, 7> parts = {
        "ncclKernel", "ncclDevKernel",       "ncclSymkDevKernel",   "ncclSymDevKernel",
        "multimem_",  "one_shot_all_reduce", "two_shot_all_reduce",
    };
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

CollectiveKind collective_kind_of(std::string_view name) {
    // A kernel's arguments and template parameters may name anything.
    const std::string words = plain(name.substr(0, name.find('(')));
    static constexpr std::array<std::pair<std::string_view, CollectiveKind>, 8> kinds = {{
        {"allreduce", CollectiveKind::all_reduce},
        {"allgather", CollectiveKind::all_gather},
        {"reducescatter", CollectiveKind::reduce_scatter},
        {"alltoall", CollectiveKind::all_to_all},
        {"broadcast", CollectiveKind::broadcast},
        {"sendrecv", CollectiveKind::none},  // a kernel of all-to-all as well as of sends
        {"send", CollectiveKind::point_to_point},
        {"recv", CollectiveKind::point_to_point},
    }};
    for (const auto& [word, kind] : kinds) {
        if (words.find(word) != std::string::npos) return kind;
    }
    return CollectiveKind::none;
}

CollectiveTables find_collectives(const MeasuredTrace& trace, std::span<const CollectiveArguments> arguments,
                                  std::span<GpuActivity> activities, const std::function<void()>& between) {
    return CollectiveFinder(trace, arguments, activities, between).run();
}

}  // namespace overlap
