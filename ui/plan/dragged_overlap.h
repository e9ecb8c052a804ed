#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/pipeline/overlap_preview.h"

namespace overlap::ui {

class Document;

/// A collective of the current evaluation while the user decides when it starts and when it is waited for: the
/// directive that a place means, and the directive's effect. Made when the collective is taken; the answer for the last
/// directive is kept.
class DraggedOverlap {
    Q_DECLARE_TR_FUNCTIONS(DraggedOverlap)

  public:
    /// @pre OverlapCommands::refusal() is empty, and `start` starts a collective of `evaluation->graph`.
    DraggedOverlap(Document& document, std::shared_ptr<const Evaluation> evaluation, NodeId start);

    const OverlapPreview& preview() const { return preview_; }

    /// Its beginning dragged to `time_ms`: before the compute that runs then, or after it where that is later than now.
    OverlapDirective startedAt(double time_ms) const;
    /// Its end dragged to `time_ms`: waited for after the compute that runs then.
    OverlapDirective waitedForAt(double time_ms) const;
    /// Dropped on a compute node, to run behind it.
    OverlapDirective behind(NodeId compute) const;
    /// Dropped on a compute node, to run behind the block of modules that the node is in; as behind() where it is in
    /// none.
    OverlapDirective behindModuleOf(NodeId compute) const;

    /// Dropped on a module, to run behind its compute.
    OverlapDirective behindModule(const QString& path) const;

    /// Whether a directive about this node alone is impossible: not before it and not after it.
    bool isForbidden(NodeId node) const;

    struct Answer {
        QString wish;         ///< the directive in words
        QString refusal;      ///< why it cannot hold, or empty
        QStringList effects;  ///< step time, exposed time and peak memory with their differences
    };
    const Answer& answer(const OverlapDirective& directive);
    /// Makes the directive part of the plan. @returns why not, or nothing.
    QString apply(const OverlapDirective& directive);

  private:
    NodeId computeFrom(double time_ms) const;
    NodeId computeUntil(double time_ms) const;
    OverlapDirective changed() const;

    Document& document_;
    OverlapPreview preview_;
    std::vector<NodeId> compute_;  ///< what takes time on the compute stream, in order
    OverlapDirective asked_;
    Answer answer_;
};

}  // namespace overlap::ui
