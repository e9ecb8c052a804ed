#include "ui/memory/memory_effects.h"

#include <algorithm>
#include <vector>

#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/edits/memory_commands.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

/// A bucket may name modules that the graph does not have.
bool matchesNothing(const ModuleTree& tree, const MemoryTarget& target) {
    const auto is_missing = [&](const QString& module) {
        return tree.find(module.toStdString()) == ModuleTree::no_module;
    };
    return !target.modules.isEmpty() && std::ranges::all_of(target.modules, is_missing);
}

}  // namespace

MemoryEffects::MemoryEffects(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&search_, &PolicySearch::pointFound, this, &MemoryEffects::add);
}

void MemoryEffects::find() {
    std::optional<MemoryTarget> selected = selectedTarget(document_);
    auto evaluation = document_.evaluation();
    auto modules = document_.repairing() ? nullptr : document_.sharedModules();
    if (selected == selected_ && evaluation == evaluation_ && modules == modules_) return;
    search_.cancel();
    briefs_.fill({});
    useful_.fill(false);
    links_shared_ = false;
    selected_ = std::move(selected);
    evaluation_ = std::move(evaluation);
    modules_ = std::move(modules);
    const bool can = modules_ && evaluation_ && !evaluation_->refused &&
                     MemoryCommands(document_).refusal().isEmpty() && !document_.current()->stale();
    target_ = can ? selected_ : std::nullopt;
    // A rule of it would bring the plan a policy at most, whose effect is not that of the rule.
    if (target_ && matchesNothing(*modules_, *target_)) briefs_.fill(tr("matches nothing"));
    texts_ = briefs_;
    emit changed();
    if (!target_ || !texts_.front().isEmpty()) return;
    std::vector<MemoryChoice> choices;
    for (const MemoryAction action : memory_actions) {
        choices.push_back(
            {std::string(memory_action_name(action)),
             {},
             MemoryCommands(document_).sectionWith(action, target_->modules, target_->operatorsFor(action))});
    }
    search_.start(document_.graph(), document_.current()->plan(), std::move(choices),
                  document_.times() ? document_.times()->source : nullptr, document_.passResults());
}

void MemoryEffects::add(const PolicyPoint& point) {
    const auto action = memory_action_by_name(point.choice.name);
    if (!action || !evaluation_) return;
    const double step_ms = point.step_ms - step_with_links_shared(*evaluation_);
    const auto peak = static_cast<double>(point.peak_bytes - evaluation_->corrected_memory.peak_bytes);
    const auto place = static_cast<std::size_t>(*action);
    useful_[place] = !point.refused && (step_ms != 0 || peak != 0);
    if (point.refused) {
        briefs_[place] = tr("refused");
    } else if (!useful_[place]) {
        briefs_[place] = tr("changes nothing");
    } else {
        briefs_[place] =
            formatDifference(step_ms, Unit::Time) + QStringLiteral("   ") + formatDifference(peak, Unit::Bytes);
    }
    texts_[place] = briefs_[place];
    if (useful_[place] && (point.shared || evaluation_->on_shared_links)) {
        texts_[place] += QStringLiteral("   ") + linksSharedLabel();
        links_shared_ = true;
    }
    if (const QString policy = MemoryCommands(document_).policyOfRule(); !policy.isEmpty() && !point.refused)
        texts_[place] += QStringLiteral("   ") + policy;
    emit changed();
}

}  // namespace overlap::ui
