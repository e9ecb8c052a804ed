#pragma once

#include <QCoreApplication>
#include <QString>
#include <vector>

#include "core/layout/box_tree.h"

namespace overlap::ui {

class BoxColours;
class BoxTexts;

/// What stays lit; the rest is dimmed, never removed.
enum class BoxSubset { everything, communication, exposed, outsideBuckets, forward, backward };

const QList<BoxSubset>& boxSubsets();
QString titleOf(BoxSubset subset);

/// Which boxes are lit by a search and a filter. A box is lit when it, something inside or something around it matches.
class BoxFilter {
    Q_DECLARE_TR_FUNCTIONS(BoxFilter)

  public:
    /// @param search words that must all occur in a box's path, class, operator, name or bucket, in any case.
    void update(const Graph& graph, const BoxTree& tree, const BoxTexts& texts, const BoxColours& colours,
                const QString& search, BoxSubset subset);

    /// Whether anything is dimmed.
    bool active() const { return !lit_.empty(); }
    bool dimmed(BoxId box) const { return active() && !lit_[box]; }
    /// Boxes that match the search by themselves, in order of execution.
    const std::vector<BoxId>& matches() const { return matches_; }

  private:
    std::vector<bool> lit_;
    std::vector<BoxId> matches_;
};

}  // namespace overlap::ui
