#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/passes/overlaps/directed_order.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

/// What a directive for one collective would change, computed while a pointer drags it. Keeps what does not change from
/// one query to the next: the graph before any directive, its times, and the order that the plan's other directives
/// make. The figures are those that evaluate() would return for with().
class OverlapPreview {
  public:
    struct Effect {
        std::string refusal;  ///< why the directive cannot hold; the figures are then those without a directive
        double step_ms = 0;
        double exposed_ms = 0;
        std::int64_t peak_bytes = 0;  ///< as Evaluation::corrected_memory counts it
    };

    /// @param evaluation of `plan`, not refused.
    /// @param start of a collective in `evaluation->graph`.
    OverlapPreview(std::shared_ptr<const Evaluation> evaluation, const Plan& plan, NodeId start);
    OverlapPreview(const OverlapPreview&) = delete;
    OverlapPreview& operator=(const OverlapPreview&) = delete;

    const Evaluation& evaluation() const { return *evaluation_; }
    /// The collective, in evaluation().graph.
    NodeId start() const { return start_; }
    /// Its name that stays valid when buckets change: of its first member where it is a bucket.
    const std::string& collective() const { return collective_; }
    /// What the plan requests for it already, the first directive where there are several; else an empty directive.
    const OverlapDirective& directive() const { return directive_; }

    /// Whether the start could come before a node of evaluation().graph, or the wait after it, and why not.
    std::string refusal(OverlapWish wish, NodeId node) const;
    /// True for nodes that must come before the start, and for nodes that must come after the wait.
    bool is_needed(NodeId node) const;
    bool is_dependent(NodeId node) const;

    Effect effect_of(const OverlapDirective& directive);
    /// What the plan's overlaps would be: the directive comes last, in place of those that the collective has.
    OverlapDirectives with(const OverlapDirective& directive) const;

  private:
    std::vector<double> times_of(const PassResult& result) const;
    Effect measured(const PassResult& result) const;

    std::shared_ptr<const Evaluation> evaluation_;
    const Graph& undirected_;
    NodeId start_;
    std::shared_ptr<const ModuleTree> modules_;
    MergedCollectives merged_;
    OverlapDirectives others_;  ///< the plan's, without those of this collective
    DirectedOrder order_;
    std::vector<NodeId> undirected_of_;  ///< by node of evaluation().graph
    OverlapReach reach_;
    std::vector<double> times_ms_;  ///< of the graph before any directive
    std::string collective_;
    OverlapDirective directive_;
};

}  // namespace overlap
