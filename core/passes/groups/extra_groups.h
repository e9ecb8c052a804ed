#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/graph/graph.h"
#include "core/passes/pass.h"

namespace overlap {

/// Process groups that torchtitan's passes create in addition to those of the job: the same ranks, a separate
/// communicator and stream (torchtitan/experiments/graph_trainer/fsdp_passes.py, `_get_or_create_extra_pg`).
///
/// torch names such a group by a digest of its ranks and of a counter of all groups that the job has created, which
/// graph files do not carry; here its name is the source's followed by the purpose, such as `41#fsdp_extra`.
class ExtraGroups {
  public:
    /// @param graph whose groups these are; it must outlive this.
    /// @param purpose the group's description, `fsdp_extra` or `ep_extra`.
    /// @param high_priority whether its stream has priority over others.
    ExtraGroups(std::string_view pass, const Graph& graph, std::string_view purpose, bool high_priority);

    struct Replacement {
        std::string source;
        std::string name;  ///< of the extra group
    };
    /// Creates the extra group of `source`, or takes the one that an earlier run has created.
    /// @param user name of a collective of that group, for the message.
    /// @throws PassRefusal when the document does not know the source.
    void add(std::string_view source, std::string_view user);

    /// The replacement of a group, or nullptr.
    const Replacement* find(std::string_view source) const;
    const std::vector<Replacement>& replacements() const { return replacements_; }
    bool empty() const { return replacements_.empty(); }

    /// The document's header with the new groups; each has the link of its source in the cost model.
    GraphHeader header() const;

    /// Adds the new group to a report, and what the user should know about it: that it is created and why, and ranks
    /// whose order changes.
    /// @param reason a clause that says what the group is for.
    /// @param moved names of the nodes that move to the new group.
    void tell(const Replacement& replacement, std::string_view reason, std::vector<std::string> moved,
              PassReport& report) const;

  private:
    std::string pass_, purpose_;
    bool high_priority_;
    const GraphHeader& header_;
    std::vector<Replacement> replacements_;
};

/// Collectives that move to extra groups.
class GroupMoves {
  public:
    explicit GroupMoves(const ExtraGroups& groups) : groups_(groups), moved_(groups.replacements().size()) {}

    /// Gives a collective new positional arguments, in which its group's replacement is at `place`.
    /// @returns false, and changes nothing, where the group has no replacement.
    bool move(GraphEditor& editor, NodeId node, std::string_view group, std::vector<Value> arguments,
              std::size_t place);
    /// Adds all moves to a report. @param reason a clause that says what the new groups are for.
    void report(std::string_view reason, PassReport& report);

  private:
    const ExtraGroups& groups_;
    std::vector<std::vector<std::string>> moved_;  ///< names of collectives, by replacement
};

}  // namespace overlap
