#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/graph/group_settings.h"

namespace overlap::ui {

class Document;

/// Edits of the current plan's settings of process groups: how a run and a job set up their communicators and streams.
class GroupSettingCommands {
  public:
    explicit GroupSettingCommands(Document& document) : document_(document) {}

    /// Why settings cannot be edited now, as a sentence without full stop; empty where they can.
    QString refusal() const;
    /// What holds for a group of the current evaluation: what the plan asks, or else what the pass does that creates
    /// it. Nothing where the graph lists no such group, or the plan's field cannot be read.
    std::optional<GroupSettings> settings(const QString& group) const;
    /// What the plan asks of a group, for display: `high priority, 4 to 8 CTAs`; empty where it asks nothing.
    QString askedText(const QString& group) const;
    /// Whether the plan asks anything of the group.
    bool given(const QString& group) const;
    /// Writes settings into the plan: one undoable edit; nothing happens where editing is refused or they hold already.
    /// A priority that the group has anyway is not written, so that passes which are added later still decide it.
    /// @param merge_key edits in a row with one non-empty key are undone together.
    void set(const GroupSettings& settings, const QString& merge_key = {});
    /// Takes what the plan asks of the group out of it.
    void reset(const QString& group);

  private:
    void edit(const QString& text, std::vector<GroupSettings> process_groups, const QString& merge_key);

    Document& document_;
};

}  // namespace overlap::ui
