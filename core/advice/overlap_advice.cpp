#include <algorithm>
#include <string>

#include "core/advice/collective_advice.h"
#include "core/pipeline/overlap_preview.h"
#include "core/pipeline/why_exposed.h"

namespace overlap {
namespace {

constexpr std::size_t most_blocks_before = 2;

class OverlapChanges {
  public:
    explicit OverlapChanges(const AdvisedCollective& collective)
        : collective_(collective),
          evaluation_(*collective.evaluation),
          graph_(*evaluation_.graph),
          preview_(collective.evaluation, collective.plan(), collective.timing.start) {}

    std::vector<Advice> all() {
        start_earlier();
        wait_later();
        for (const std::string& block : blocks_beside()) run_behind(block);
        return std::move(changes_);
    }

  private:
    /// Compute that could hide something.
    bool is_compute(NodeId node) const {
        return evaluation_.times_ms[node] > 0 && evaluation_.simulation.on_compute(node) &&
               !graph_.target_info(node).is_wait;
    }

    /// What the collective's explanation names is listed with the reason where it cannot be made; other changes are
    /// left out then.
    enum class Named { no, yes };

    void add(const OverlapDirective& directive, const std::string& what, Named named = Named::no,
             bool moves_dependents = false) {
        OverlapPreview::Effect effect = preview_.effect_of(directive);
        const std::string refusal = effect.refusal();
        if (!refusal.empty() && named == Named::no) return;
        Advice advice{
            collective_.name + ' ' + what, {}, collective_.plan(), refusal, {}, moves_dependents, named == Named::yes};
        if (refusal.empty()) {
            advice.plan.overlaps = std::move(effect.overlaps);
        } else {
            advice.plan.overlaps.list.push_back(directive);
        }
        changes_.push_back(std::move(advice));
    }

    void start_before(NodeId node) {
        OverlapDirective directive = preview_.directive();
        directive.hide_behind.clear();
        directive.start_before = graph_.name(node);
        add(directive, "is issued before " + directive.start_before, Named::yes);
    }

    /// Before what would hide it, and before what holds its stream.
    void start_earlier() {
        const CollectiveTiming& timing = collective_.timing;
        if (timing.start_before != no_node) start_before(timing.start_before);
        if (timing.cause == ExposureCause::group_busy && timing.blocker != timing.start_before)
            start_before(timing.blocker);
    }

    void wait_after(NodeId node, Named named, bool moves_dependents) {
        OverlapDirective directive = preview_.directive();
        directive.hide_behind.clear();
        directive.wait_after = graph_.name(node);
        add(directive,
            (moves_dependents ? "and what needs it wait until after " : "is waited for after ") + directive.wait_after,
            named, moves_dependents);
    }

    /// To right before the first node that needs it, after the last compute that does not; and to what its explanation
    /// names, which may be beyond that: what needs it comes later then.
    void wait_later() {
        if (collective_.timing.wait == no_node) return;
        NodeId last = no_node;
        for (NodeId node = collective_.timing.wait + 1; node < graph_.node_count() && !preview_.is_dependent(node);
             ++node)
            if (is_compute(node)) last = node;
        const std::int32_t index = evaluation_.simulation.collective_of_node[collective_.timing.start];
        const LaterWait later = later_wait(evaluation_, static_cast<std::size_t>(index));
        // An explanation tells of later waits where nothing else helps.
        const Named named = collective_.timing.cause == ExposureCause::producer_late ? Named::yes : Named::no;
        if (last != no_node) wait_after(last, later.after == last ? named : Named::no, false);
        if (later.after != no_node && later.after != last) wait_after(later.after, named, later.moves_dependents);
    }

    void run_behind(const std::string& block) {
        OverlapDirective directive;
        directive.collective = preview_.collective();
        directive.hide_behind = block;
        add(directive, "runs behind " + block);
    }

    /// Blocks whose compute is right before the collective's start, and the one right after its wait.
    std::vector<std::string> blocks_beside() const {
        std::vector<std::string> blocks;
        const auto add_block = [&](NodeId node) {
            if (!is_compute(node)) return;
            std::string block = block_of(evaluation_, node);
            if (!block.empty() && std::ranges::find(blocks, block) == blocks.end()) blocks.push_back(std::move(block));
        };
        for (NodeId node = collective_.timing.start; node-- > 0 && blocks.size() < most_blocks_before;) add_block(node);
        if (collective_.timing.wait == no_node) return blocks;
        const std::size_t most = blocks.size() + 1;
        for (NodeId node = collective_.timing.wait; node < graph_.node_count() && blocks.size() < most; ++node)
            add_block(node);
        return blocks;
    }

    const AdvisedCollective& collective_;
    const Evaluation& evaluation_;
    const Graph& graph_;
    OverlapPreview preview_;
    std::vector<Advice> changes_;
};

}  // namespace

std::vector<Advice> overlap_advice(const AdvisedCollective& collective) {
    return OverlapChanges(collective).all();
}

}  // namespace overlap
