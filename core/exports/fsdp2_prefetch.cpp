// FSDP2's explicit prefetching (torch/distributed/fsdp/_fully_shard, set_modules_to_forward_prefetch and
// set_modules_to_backward_prefetch), as the result's order has it: which bucket's parameters are gathered while which
// bucket's modules compute.

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/exports/formats.h"
#include "core/exports/left_out.h"
#include "core/exports/python_file.h"
#include "core/exports/python_text.h"
#include "core/files/ordered_json.h"
#include "core/graph/direction.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/pipeline/manual_start.h"
#include "core/plan/automatic_plan.h"

namespace overlap {

namespace {

constexpr std::string_view docstring = R"py(Explicit prefetching for PyTorch's FSDP2, as a plan orders gathers.

Shard the model with one `fully_shard` call for each unit of `UNITS` (a list of modules, where a unit has several, and
the root last), then call `set_prefetch(model)`. A unit that is sharded otherwise is an error.
)py";

constexpr std::string_view prefetch_code = R"py(

def unit_module(model, names):
    """The module that stands for a unit: all modules of a unit share one FSDP state."""
    from torch.distributed.fsdp import FSDPModule

    modules = [model.get_submodule(name) for name in names]
    for name, module in zip(names, modules):
        if not isinstance(module, FSDPModule):
            raise ValueError(f"{name!r} is not sharded by a fully_shard call of its own, as the plan's unit {names!r} asks")
        if module._get_fsdp_state() is not modules[0]._get_fsdp_state():
            raise ValueError(f"the modules {names!r} are one unit of the plan: shard them by one call, fully_shard([...])")
    return modules[0]


def set_prefetch(model):
    """Sets what each unit gathers ahead, in forward and in backward, on a model that has been sharded."""
    units = [unit_module(model, names) for names in UNITS]
    for unit, ahead in FORWARD_PREFETCH.items():
        units[unit].set_modules_to_forward_prefetch([units[other] for other in ahead])
    for unit, ahead in BACKWARD_PREFETCH.items():
        units[unit].set_modules_to_backward_prefetch([units[other] for other in ahead])
)py";

/// By unit: the units whose gathers start while it computes, in order.
using Prefetches = std::map<std::size_t, std::vector<std::size_t>>;

/// Reads prefetches off the order of a result.
class PrefetchReader {
  public:
    explicit PrefetchReader(const ExportInput& input)
        : result_(*input.result), graph_(*result_.graph), input_eligibility_(*result_.input) {
        find_merged_members();
        std::vector<Gather> issued;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (const auto gather = parameter_gather(node)) {
                issued.push_back(*gather);
            } else if (is_compute(node)) {
                overlap_with(node, issued);
                issued.clear();
            }
        }
    }

    Prefetches forward, backward;
    std::size_t gathered_once = 0;   ///< buckets that merge gathers for the forward pass with gathers for the backward
    std::size_t without_unit = 0;    ///< gathers of parameters that are in no entry of the plan
    std::size_t across_passes = 0;   ///< gathers for the backward pass that start while the forward pass computes
    std::size_t several_groups = 0;  ///< units whose gathers run on more than one process group

  private:
    struct Gather {
        std::int32_t unit;
        bool backward;
    };

    void find_merged_members() {
        for (const FinalBucket& bucket : final_buckets(result_)) {
            if (bucket.members.empty()) continue;
            first_member_[bucket.start] = bucket.members.front();
            const auto of_backward = [&](const std::string& member) {
                const NodeId node = result_.input->find(member);
                return node != no_node && is_backward(*result_.input, node);
            };
            const auto count = std::ranges::count_if(bucket.members, of_backward);
            const NodeId start = graph_.find(bucket.start);
            const bool gathers = start != no_node && graph_.target_info(start).starts == CollectiveKind::all_gather;
            if (gathers && count > 0 && count < std::ssize(bucket.members)) ++gathered_once;
        }
    }

    /// The node of the input that identifies a gather: itself, or the first that was merged into it.
    NodeId original(NodeId node) const {
        if (result_.origin[node] != no_node) return result_.origin[node];
        const auto member = first_member_.find(std::string(graph_.name(node)));
        return member == first_member_.end() ? no_node : result_.input->find(member->second);
    }

    std::optional<Gather> parameter_gather(NodeId node) {
        if (graph_.target_info(node).starts != CollectiveKind::all_gather) return std::nullopt;
        const NodeId before = original(node);
        if (before == no_node || !input_eligibility_.eligible(before)) return std::nullopt;
        const std::int32_t unit = result_.entry_of_node[node];
        if (unit < 0) {
            ++without_unit;
            return std::nullopt;
        }
        std::string& group = group_of_unit_[unit];
        if (!group.empty() && group != graph_.group_name(node)) ++several_groups;
        group = graph_.group_name(node);
        return Gather{unit, is_backward(*result_.input, before)};
    }

    bool is_compute(NodeId node) const {
        return result_.entry_of_node[node] >= 0 && result_.bucket_of_node[node] < 0 && result_.times_ms[node] > 0 &&
               result_.simulation.collective_of_node[node] < 0 && graph_.awaited_start(node) == no_node;
    }

    void overlap_with(NodeId compute, const std::vector<Gather>& issued) {
        const auto unit = static_cast<std::size_t>(result_.entry_of_node[compute]);
        const bool computes_backward = is_backward(graph_, compute);
        for (const Gather& gather : issued) {
            const auto gathered = static_cast<std::size_t>(gather.unit);
            if (gathered == unit) continue;
            if (gather.backward != computes_backward) {
                ++across_passes;
                continue;
            }
            std::vector<std::size_t>& ahead = (computes_backward ? backward : forward)[unit];
            if (std::ranges::find(ahead, gathered) == ahead.end()) ahead.push_back(gathered);
        }
    }

    const Evaluation& result_;
    const Graph& graph_;
    BucketingEligibility input_eligibility_;
    std::map<std::string, std::string> first_member_;
    std::map<std::int32_t, std::string> group_of_unit_;
};

std::string prefetch_value(const Prefetches& prefetches) {
    std::string text = "{\n";
    for (const auto& [unit, ahead] : prefetches) {
        text += "    " + std::to_string(unit) + ": " + python_value(Json(ahead)) + ",\n";
    }
    return prefetches.empty() ? "{}" : text + "}";
}

/// What FSDP2 does in its own way, whatever the plan says.
std::vector<std::string> notes_on(const ExportInput& input, const PrefetchReader& read) {
    const Plan& plan = input.plan;
    std::vector<std::string> notes = parts_left_out(plan, "FSDP2");
    std::vector<std::string> spanning;
    for (const BucketEntry& entry : plan.buckets) {
        if (entry.modules.size() > 1) spanning.push_back(display_name(entry));
    }
    if (!spanning.empty()) {
        notes.push_back(counted(spanning.size(), "bucket") + " of several modules, " + enumerated(spanning) +
                        ": shard the modules of each by one fully_shard call with a list");
    }
    if (read.gathered_once > 0) {
        notes.push_back(counted(read.gathered_once, "bucket") +
                        " gathered once for forward and backward: shard with reshard_after_forward=False");
    }
    if (read.without_unit > 0) {
        notes.push_back(
            counted(read.without_unit, "gather") +
            (read.without_unit == 1
                 ? " of parameters is in no bucket of the plan; FSDP2 gathers it with the unit that holds it"
                 : " of parameters are in no bucket of the plan; FSDP2 gathers them with the unit that holds them"));
    }
    if (read.across_passes > 0) {
        notes.push_back(counted(read.across_passes, "gather") +
                        (read.across_passes == 1 ? " for one pass starts" : " for one pass start") +
                        " while the other computes, which FSDP2 cannot do");
    }
    if (read.several_groups > 0) {
        notes.emplace_back("gathers of one bucket run on several process groups, and FSDP2 gathers a unit on one");
    }
    for (const PassStep& step : steps_that_run(plan, input.result.get())) {
        if (!takes_buckets(step.pass))
            notes.push_back("FSDP2 has nothing like the step " + step.pass + ", so it was left out");
    }
    if (!plan.module_rules.empty())
        notes.emplace_back("modules are called as the plan's rules call them; FSDP2 finds those that the model has");
    notes.emplace_back(
        "FSDP2 starts a gather when the unit before it begins to compute, and places reduce-scatters and waits itself");
    return notes;
}

}  // namespace

ExportOutput export_fsdp2_prefetch(const ExportInput& input) {
    const Plan& plan = input.plan;
    if (plan.buckets.empty()) {
        throw InputError("buckets", "the plan has none, and FSDP2's units are made from them");
    }
    const PrefetchReader read(input);
    ExportOutput output;
    output.notes = notes_on(input, read);
    output.bytes = python_file_head(input, docstring, "", output.notes);
    Json units = Json::array();
    for (const BucketEntry& entry : plan.buckets) units.push_back(entry.modules);
    output.bytes += "\n# Modules that are gathered together, a unit for each bucket.";
    output.bytes += python_assignment("UNITS", units);
    output.bytes += "\n# By unit: the units whose parameters are gathered while it computes.\n";
    output.bytes += "FORWARD_PREFETCH = " + prefetch_value(read.forward) + "\n";
    output.bytes += "BACKWARD_PREFETCH = " + prefetch_value(read.backward) + "\n";
    output.bytes += prefetch_code;
    return output;
}

}  // namespace overlap
