#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/pipeline/overlap_preview.h"

namespace overlap::ui {

class Document;

/// A collective of the current evaluation, or several, while the user decides when they start and when they are waited
/// for: the directives that a place means, and their effect. The pointer holds the first; the others move by the same
/// time. Made when the collective is taken; the answer for the last directives is kept.
class DraggedOverlap {
    Q_DECLARE_TR_FUNCTIONS(DraggedOverlap)

  public:
    /// What is asked for: one directive for each collective, in the order in which they were given.
    struct Wish {
        std::vector<OverlapDirective> directives;
        QString words;
    };

    /// @param starts of collectives of `evaluation->graph`, at least one, none twice; the pointer holds the first.
    /// @pre OverlapCommands::refusal() is empty.
    DraggedOverlap(Document& document, std::shared_ptr<const Evaluation> evaluation, std::vector<NodeId> starts);

    const OverlapPreview& preview() const { return preview_; }

    /// Its beginning dragged to `time_ms`: before the compute that runs then, or after it where that is later than now.
    Wish startedAt(double time_ms) const;
    /// Its end dragged to `time_ms`: waited for after the compute that runs then.
    Wish waitedForAt(double time_ms) const;
    /// Dropped on a compute node, to run behind it.
    Wish behind(NodeId compute) const;
    /// Dropped on a compute node, to run behind the block of modules that the node is in; as behind() where it is in
    /// none.
    Wish behindModuleOf(NodeId compute) const;
    /// Dropped on a module, to run behind its compute.
    Wish behindModule(const QString& path) const;
    /// This directive for each of them; whose `collective` it names does not matter. Where there are several, each
    /// keeps what it has in the fields that are left open.
    Wish of(const OverlapDirective& directive) const;

    /// Whether a directive about this node alone is impossible for the held one: not before it and not after it.
    bool isForbidden(NodeId node) const;

    struct Answer {
        QString wish;     ///< the directives in words, those of several that can hold: `2 of 41 collectives start …`
        QString refusal;  ///< why none can hold, or empty
        /// How many of several stay where they are, how many overlaps of the plan no longer hold, and why the first
        /// does or does not; or empty.
        QString left;
        QStringList effects;  ///< step time, exposed time and peak memory with their differences
    };
    const Answer& answer(const Wish& wish);
    /// Makes those directives that can hold part of the plan, as one edit. @returns why none can, or nothing.
    QString apply(const Wish& wish);

  private:
    NodeId computeFrom(double time_ms) const;
    NodeId computeUntil(double time_ms) const;
    OverlapDirective changed(std::size_t index) const;
    OverlapDirective startedAt(std::size_t index, double time_ms) const;
    OverlapDirective waitedForAt(std::size_t index, double time_ms) const;
    /// What `directive(index)` gives for each, in words: those of the directive for one, else `several`.
    Wish alike(OverlapDirective directive) const;
    QString words(const Wish& wish) const;
    template <typename Directive>
    Wish each(Directive directive, const QString& several) const;

    Document& document_;
    OverlapPreview preview_;
    std::vector<NodeId> compute_;  ///< what takes time on the compute stream, in order
    std::vector<OverlapDirective> asked_;
    std::ptrdiff_t stays_ = 0;    ///< how many of several cannot be where they were asked last
    OverlapDirectives overlaps_;  ///< of the plan with what was asked last
    Answer answer_;
};

}  // namespace overlap::ui
