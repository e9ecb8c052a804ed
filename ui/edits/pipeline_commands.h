#pragma once

#include <QCoreApplication>
#include <QString>
#include <optional>

#include "core/plan/expert_overlap.h"
#include "core/plan/plan.h"
#include "core/plan/presets.h"

namespace overlap::ui {

class Document;

/// Edits of the pipeline of the current plan, by mouse, key or menu: one undoable edit each, with a text that says what
/// was done. Steps that do not exist, and plans that cannot be edited, stay as they are.
class PipelineCommands {
    Q_DECLARE_TR_FUNCTIONS(PipelineCommands)

  public:
    explicit PipelineCommands(Document& document) : document_(document) {}

    /// Switches a step on or off.
    void setEnabled(int step, bool enabled);
    /// Moves a step so that it ends up at position `to`. Moves of one step in a row are undone together.
    void move(int from, int to);
    /// Adds a step of a pass before position `at`, with the options that fit the graph.
    /// @returns the position of the new step; -1 where it was not added.
    int add(const QString& pass, int at);
    void remove(int step);
    /// Sets an option, or returns it to its default with nullopt. Edits of one option in a row are undone together.
    /// @returns why the value is refused, as a sentence without full stop; empty where it was set.
    QString setOption(int step, const QString& option, std::optional<OptionValue> value);
    /// Returns all options of a step to their defaults, as far as they have any.
    void resetOptions(int step);
    /// The passes that carry out an overlap of experts, all of them, or none with nothing.
    /// @param text what the edit is called.
    void setExpertOverlap(const std::optional<ExpertOverlap>& overlap, const QString& text);
    /// Makes a step take the plan's buckets, see with_entries_taken(). Nothing happens where one does.
    void takeBuckets();
    /// What takeBuckets() is called; empty where a step takes the buckets.
    QString titleOfTakingBuckets() const;
    /// What takeBuckets() would do, as a sentence without full stop; empty where a step takes the buckets.
    QString wayToTakeBuckets() const;
    /// Replaces all steps. A plan without buckets is given the preset's.
    void startFrom(const PipelinePreset& preset);

    int count() const;

  private:
    bool has(int step) const;
    std::optional<Plan> withBucketsTaken() const;
    QString name(int step) const;

    Document& document_;
};

}  // namespace overlap::ui
