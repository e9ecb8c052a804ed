#include "core/explain/explain_memory.h"

#include <algorithm>
#include <optional>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/memory/counted_memory.h"
#include "core/memory/memory_kinds.h"
#include "core/memory/storage_lives.h"
#include "core/passes/memory/memory_operators.h"
#include "core/passes/memory/memory_rule_matches.h"
#include "core/passes/memory/recompute_tags.h"
#include "core/plan/memory_edits.h"

namespace overlap {

namespace {

using memory::RecomputeTag;

/// What selective_activation_remat_pass appends to the name of a node that it computes again.
constexpr std::string_view again_suffix = "_recomputed";

std::string tag_meaning(RecomputeTag tag) {
    switch (tag) {
        case RecomputeTag::must_save:
        case RecomputeTag::prefer_save:
            return "to be kept for the backward pass";
        case RecomputeTag::must_recompute:
        case RecomputeTag::prefer_recompute:
            return "to be computed again where the backward pass needs it";
        case RecomputeTag::must_cpu_offload:
        case RecomputeTag::prefer_cpu_offload:
            return "to be kept on the host";
        case RecomputeTag::none:
            break;
    }
    return "";
}

class MemoryExplainer {
  public:
    MemoryExplainer(const Evaluation& evaluation, std::string_view name)
        : evaluation_(evaluation), graph_(*evaluation.graph), name_(name), node_(graph_.find(name)) {
        // A pass may give a name that it took away to a node of its own.
        const NodeId input = evaluation.input->find(name);
        if (node_ != no_node && input != no_node && evaluation.origin[node_] != input) node_ = no_node;
        gathers_ = input != no_node && evaluation.input->op(input) == NodeOp::call_function &&
                   evaluation.input->target_info(input).starts == CollectiveKind::all_gather;
    }

    std::vector<std::string> sentences() {
        if (name_.ends_with(again_suffix)) say_of_what();
        if (node_ != no_node && !returns_tensor()) return {};
        if (node_ != no_node) tell_tag();
        tell_again();
        if (node_ != no_node) {
            tell_offload();
            tell_held();
        }
        return std::move(sentences_);
    }

  private:
    void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

    bool returns_tensor() const {
        return std::ranges::any_of(graph_.outputs(node_), [](const TensorMeta& tensor) { return tensor.is_tensor; });
    }

    bool runs_memory_passes() const {
        if (!evaluation_.resolved || evaluation_.refused) return false;
        return std::ranges::any_of(evaluation_.resolved->steps,
                                   [](const ResolvedStep& resolved) { return resolved.step.pass == memory_tag_pass; });
    }

    /// Of a node that is computed again: everything else that is said is of the copy.
    void say_of_what() {
        const std::string first = name_.substr(0, name_.size() - again_suffix.size());
        say("It is " + first + ", computed again for the backward pass");
        is_copy_ = true;
    }

    void tell_tag() {
        if (is_copy_) return;  // the tag of what it repeats
        const RecomputeTag tag = memory::recompute_tag(graph_, node_);
        if (tag == RecomputeTag::none) return;
        const std::string who = decided_by();
        say("It is tagged " + std::string(recompute_tag_name(tag)) + ", " + tag_meaning(tag) +
            (who.empty() ? "" : ": " + who));
    }

    /// The plan's rule that counts for the node, or its policy; empty where the graph came with its tags.
    std::string decided_by() const {
        const NodeId origin = evaluation_.origin[node_];
        if (!runs_memory_passes() || origin == no_node) return "";
        const MemorySection section = edits::memory_in_effect(evaluation_.resolved->plan);
        const memory::RuleMatches matches(*evaluation_.input, section.rules);
        for (std::size_t rule = section.rules.size(); rule-- > 0;) {
            if (is_of_gathers(section.rules[rule].action) != gathers_ || !matches.has(rule, origin)) continue;
            return "the last rule that names it is " + std::to_string(rule + 1) + ", " +
                   memory_rule_text(section.rules[rule]);
        }
        return "by policy " + section.policy;
    }

    void tell_again() {
        const std::string again = name_ + std::string(again_suffix);
        const std::string how =
            gathers_ ? "The backward pass gathers it again, " : "The backward pass computes it again, ";
        if (const NodeId copy = graph_.find(again); copy != no_node) {
            const std::int32_t collective = evaluation_.simulation.collective_of_node[copy];
            double took_ms = evaluation_.times_ms[copy];
            if (collective >= 0) {
                const CollectiveTiming& timing =
                    evaluation_.simulation.collectives[static_cast<std::size_t>(collective)];
                took_ms = timing.end_ms - timing.start_ms;
            }
            return say(how + "as " + again + (evaluation_.times_known ? ", in " + time_text(took_ms) : ""));
        }
        for (const PassReport& report : evaluation_.reports)
            for (const BucketReport& bucket : report.buckets)
                if (std::ranges::find(bucket.members, again) != bucket.members.end())
                    return say(how + "as " + again + ", merged into " + bucket.start);
        if (is_copy_) return;
        if (gathers_ && runs_memory_passes()) {
            sentences_.emplace_back("The backward pass does not gather it again");
        } else if (node_ != no_node && is_recomputable(memory::recompute_tag(graph_, node_))) {
            sentences_.emplace_back("The backward pass does not read it, so nothing computes it again");
        }
    }

    NodeId user_with(NodeId of, std::string_view target) const {
        for (const NodeId user : graph_.users(of))
            if (graph_.op(user) == NodeOp::call_function && graph_.target(user) == target) return user;
        return no_node;
    }

    void tell_offload() {
        const NodeId away = user_with(node_, memory::offload_operator);
        if (away == no_node) return;
        std::string sentence = std::string(graph_.name(away)) + " copies it to the host" + lasting(away);
        const NodeId awaited = user_with(away, memory::transfer_wait_operator);
        const NodeId back = awaited == no_node ? no_node : user_with(awaited, memory::reload_operator);
        if (back != no_node) sentence += ", " + std::string(graph_.name(back)) + " brings it back" + lasting(back);
        say(std::move(sentence));
    }

    std::string lasting(NodeId node) const {
        return evaluation_.times_known ? " in " + time_text(evaluation_.times_ms[node]) : "";
    }

    void tell_held() {
        const CountedMemory memory(graph_, StorageRule::corrected);
        const StorageTable& table = memory.table();
        const StorageLives lives(graph_);
        const std::vector<MemoryKind> kinds = memory_kinds(memory.graph(), table);
        for (const StorageIndex index : table.held_by(node_)) {
            const Storage& storage = table.storages()[index];
            if (storage.allocator != node_)
                say("It lies in the memory of " + std::string(graph_.name(storage.allocator)));
            if (const std::optional<StorageLife> life = lives.of(storage))
                tell_life(storage, *life, kinds[index]);
            else if (!storage.counted)
                say("Its " + bytes_text(storage.bytes) + " lie on the host");
        }
    }

    void tell_life(const Storage& storage, const StorageLife& life, MemoryKind kind) {
        const bool released = life.until != StorageLife{}.until;
        std::string sentence = bytes_text(storage.bytes) + " (" + memory_kind_title(kind) + ") are held from ";
        sentence += life.from == 0 ? "the beginning" : std::string(graph_.name(storage.allocator));
        sentence += released ? " to " + std::string(graph_.name(storage.released_by)) : " to the end of the step";
        if (evaluation_.times_known) {
            const double from_ms = life.from == 0 ? 0 : evaluation_.simulation.nodes[storage.allocator].start_ms;
            const double to_ms =
                released ? evaluation_.simulation.nodes[storage.released_by].end_ms : evaluation_.simulation.step_ms;
            sentence += ", " + time_text(std::max(0.0, to_ms - from_ms));
        }
        const std::size_t peak = peak_point(evaluation_.corrected_memory);
        sentence += life.from <= peak && peak < life.until ? ", at the peak too" : ", not at the peak";
        say(std::move(sentence));
    }

    const Evaluation& evaluation_;
    const Graph& graph_;
    std::string name_;
    NodeId node_;
    bool gathers_ = false, is_copy_ = false;
    std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> explain_memory(const Evaluation& evaluation, std::string_view node) {
    return MemoryExplainer(evaluation, node).sentences();
}

}  // namespace overlap
