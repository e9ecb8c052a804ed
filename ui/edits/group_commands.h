#pragma once

#include <QString>

namespace overlap::ui {

class Document;

/// Edits of the current plan that give collectives process groups of their own. Each is one command that can be undone.
class GroupCommands {
  public:
    /// isolate_experts: the all-to-alls of expert parallelism leave a group that others use as well;
    /// separate_gathers: the all-gathers of parameters leave the group of the reductions.
    enum class Move { isolate_experts, separate_gathers };

    explicit GroupCommands(Document& document) : document_(document) {}

    /// Whether the plan has the pass, switched on.
    bool applied(Move move) const;
    /// Why apply() would refuse, as a sentence without full stop; empty where it would not.
    QString refusal(Move move) const;
    /// Puts the pass where it belongs in the pipeline, or switches on the one it has, which moves if it comes too late;
    /// nothing happens where it is refused or applied already.
    void apply(Move move);
    /// Takes the pass out of the pipeline.
    void remove(Move move);

  private:
    Document& document_;
};

}  // namespace overlap::ui
