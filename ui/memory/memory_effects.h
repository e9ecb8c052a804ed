#pragma once

#include <QObject>
#include <QString>
#include <array>
#include <memory>
#include <optional>

#include "ui/memory/memory_target.h"
#include "ui/memory/policy_search.h"

namespace overlap::ui {

/// What putting the selection under each memory action would change, found in the background: before a click, for all
/// views that offer one.
class MemoryEffects : public QObject {
    Q_OBJECT

  public:
    explicit MemoryEffects(Document& document, QObject* parent = nullptr);

    /// Begins for what is selected now, unless that is known or under way. Views call it while they are seen, also when
    /// modules are others: while those of newer rules are being made, nothing is known.
    void find();
    /// What the effects are of; nothing where nothing is selected that a rule could name, or where the plan's graph
    /// takes no memory section.
    const std::optional<MemoryTarget>& target() const { return target_; }
    /// The differences of step and peak as text, `refused`, or `matches nothing` of names that the graph lacks; empty
    /// where they are not known yet. Steps are with links shared, and said to be, where the figures do not share them.
    /// Of a plan without a policy it says which one the rule would give it.
    const QString& text(MemoryAction action) const { return texts_[static_cast<std::size_t>(action)]; }
    /// That without policy and links, for rows where both are told beside them: they have no room for more.
    const QString& brief(MemoryAction action) const { return briefs_[static_cast<std::size_t>(action)]; }
    /// Whether the action is known to change anything and is not refused.
    bool isWorthAClick(MemoryAction action) const { return useful_[static_cast<std::size_t>(action)]; }
    /// Whether any known difference is with links shared: what shows brief() says so beside the rows.
    bool anyWithLinksShared() const { return links_shared_; }
    bool busy() const { return search_.busy(); }

  signals:
    /// Another target, or one more effect is known.
    void changed();

  private:
    void add(const PolicyPoint& point);

    Document& document_;
    std::shared_ptr<const Evaluation> evaluation_;  ///< that the differences are from
    std::shared_ptr<const ModuleTree> modules_;     ///< that rules would name; null while others are being made
    std::optional<MemoryTarget> selected_, target_;
    std::array<QString, memory_actions.size()> texts_, briefs_;
    std::array<bool, memory_actions.size()> useful_{};
    bool links_shared_ = false;
    PolicySearch search_;
};

}  // namespace overlap::ui
