#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/passes/overlaps/directed_order.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What directives for one collective, or one for each of several, would change, computed while a pointer drags them.
/// Keeps what does not change from one query to the next: the graph before any directive, its times, and the order that
/// the plan's other directives make. The figures are those that evaluate() would return for Effect::overlaps.
class OverlapPreview {
  public:
    struct Effect {
        std::vector<std::string> refusals;  ///< why a directive cannot hold, one for each asked for; empty if it does
        /// Those of the plan: what is asked for comes last, in place of what the collectives have. One whose directive
        /// is refused keeps what it has.
        OverlapDirectives overlaps;
        /// What such a collective has and what cannot hold beside the new directives of the others: why, one for each.
        std::vector<std::string> displaced;
        /// What would be wrong with what the job computes, a buffer that is read before it is filled; or why no overlap
        /// can be asked for in this plan, and then there are no figures. Else empty.
        std::string hazard{};
        /// That what is asked for anew holds already and no node would move; else empty. The figures are those of now.
        std::string unchanged{};
        double step_ms = 0;
        double exposed_ms = 0;
        std::int64_t peak_bytes = 0;  ///< as Evaluation::corrected_memory counts it
        /// With links shared, where Evaluation::on_shared_links has such a step beside that of the figures.
        std::optional<double> shared_step_ms{}, shared_exposed_ms{};

        /// The hazard; else the first refusal where no directive holds; else that nothing would change; else empty.
        std::string refusal() const;
    };

    /// @param evaluation of `plan`, not refused.
    /// @param starts of collectives in `evaluation->graph`, at least one, none twice; the first is the one that is
    /// held.
    OverlapPreview(std::shared_ptr<const Evaluation> evaluation, const Plan& plan, std::vector<NodeId> starts);
    OverlapPreview(std::shared_ptr<const Evaluation> evaluation, const Plan& plan, NodeId start)
        : OverlapPreview(std::move(evaluation), plan, std::vector<NodeId>{start}) {}
    OverlapPreview(const OverlapPreview&) = delete;
    OverlapPreview& operator=(const OverlapPreview&) = delete;

    const Evaluation& evaluation() const { return *evaluation_; }
    std::size_t count() const { return moved_.size(); }
    /// The collective, in evaluation().graph.
    NodeId start(std::size_t index = 0) const { return moved_[index].start; }
    /// Its name that stays valid when buckets change: of its first member where it is a bucket.
    const std::string& collective(std::size_t index = 0) const { return moved_[index].collective; }
    /// What the plan requests for it already, the first directive where there are several; else an empty directive.
    OverlapDirective directive(std::size_t index = 0) const;

    /// Whether the start of the held one could come before a node of evaluation().graph, or its wait after it, and why
    /// not.
    std::string refusal(OverlapWish wish, NodeId node) const;
    /// True for nodes that must come before the start, and for nodes that must come after the wait, of the held one.
    bool is_needed(NodeId node) const;
    bool is_dependent(NodeId node) const;

    /// @param directives one for each collective, in order; those beyond the last keep what they have.
    Effect effect_of(std::span<const OverlapDirective> directives);
    Effect effect_of(const OverlapDirective& directive) { return effect_of(std::span(&directive, 1)); }

  private:
    struct Own {
        OverlapDirective directive;
        bool holds = false;  ///< in the evaluation
    };
    struct Moved {
        NodeId start = no_node;
        std::string collective;
        std::vector<Own> own;  ///< what the plan has for it
    };

    std::vector<Moved> moved_of(const Plan& plan, const std::vector<NodeId>& starts) const;
    OverlapDirectives without_moved(const OverlapDirectives& overlaps) const;
    std::vector<double> times_of(const PassResult& result) const;
    std::string new_hazard(const Graph& result) const;
    std::string why_unchanged(std::span<const OverlapDirective> directives, const PassResult& result) const;

    std::shared_ptr<const Evaluation> evaluation_;
    const Graph& undirected_;
    std::shared_ptr<const ModuleTree> modules_;
    MergedCollectives merged_;
    std::vector<NodeId> undirected_of_;  ///< by node of evaluation().graph
    std::vector<Moved> moved_;
    OverlapDirectives others_;  ///< the plan's, without those of these collectives
    DirectedOrder order_;
    OverlapReach reach_;            ///< of the held one
    std::vector<double> times_ms_;  ///< of the graph before any directive
    std::string out_of_order_;      ///< why an evaluation refuses every overlap, where a pass has left nodes unsorted
};

}  // namespace overlap
