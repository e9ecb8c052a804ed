#pragma once

#include <QString>
#include <memory>

#include "core/bound/step_parts.h"
#include "core/pipeline/evaluation.h"

namespace overlap::ui {

/// How far the step of a plan is above the best there can be, or why no bound is known.
struct BoundGap {
    double bound_ms = 0;
    /// Of the bound, by which the step is above it: the step with links shared where the figures do not share them.
    double share = 0;
    bool any_order = false;    ///< of the bound for any order of compute, since the plan changes it
    bool every_order = false;  ///< the bound holds whatever the order of compute
    /// The bound for any order of compute, also where the plan keeps it; 0 where none is known.
    double any_order_ms = 0;
    std::shared_ptr<const Evaluation> of;  ///< the plan's
    StepParts parts;                       ///< of its step
    QString moved;                         ///< which heavy compute the plan moves, as a clause; else empty
    QString reason;
    /// Why there is none, as a sentence without full stop, where the figures above are 0. Else empty.
    QString none;
    QString none_briefly;  ///< the same in two or three words, for the toolbar

    /// Faster than a plan with its order of compute can be: it computes with inputs that are not there yet.
    bool isBelow() const;
};

/// The bounds of a graph and its times: found once, by whichever task comes first. For worker threads.
class GraphBounds {
  public:
    /// @returns those that somebody else keeps already, where there are such.
    static std::shared_ptr<GraphBounds> of(const std::shared_ptr<const Graph>& graph,
                                           const std::shared_ptr<const TimeSource>& source);
    ~GraphBounds();

    /// @param evaluation of a plan of the graph with these times, for which hasBound() holds.
    BoundGap gapOf(const std::shared_ptr<const Evaluation>& evaluation);
    bool areOf(const std::shared_ptr<const Graph>& graph, const std::shared_ptr<const TimeSource>& source) const;

  private:
    struct Found;

    GraphBounds(std::shared_ptr<const Graph> graph, std::shared_ptr<const TimeSource> source);

    std::unique_ptr<Found> found_;
};

/// Whether it makes sense to ask for a bound: not for plans that are refused, without times or with measured ones.
bool hasBound(const Evaluation& evaluation);

/// Whose bound it is, where there are two, `order kept` or `any order`; else empty.
QString boundKind(const BoundGap& gap);
/// `above bound · order kept`
QString boundLabel(const BoundGap& gap);
/// How far a step is above a bound, `10.4 %`, as everywhere in the window.
QString shareAbove(double share);
/// `10.4 %`, `below` or `no bound`.
QString boundValue(const BoundGap& gap);
/// What the bound is and why, or why there is none.
QString boundHelp(const BoundGap& gap);

}  // namespace overlap::ui
