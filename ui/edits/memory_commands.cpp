#include "ui/edits/memory_commands.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/graph/short_names.h"
#include "core/plan/memory_edits.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/standard_strings.h"

namespace overlap::ui {
namespace {

QString joined(const std::vector<std::string>& names) {
    return textsOf(names).join(QStringLiteral(" + "));
}

}  // namespace

QString MemoryCommands::refusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return tr("The baseline is the graph as it is; choose or add a plan to edit");
    // Of a plan that has a section, it can be taken away again.
    if (document_.current()->plan().memory) return {};
    QString reason = QString::fromStdString(memory_section_refusal(*document_.graph()));
    if (!reason.isEmpty()) reason.front() = reason.front().toUpper();
    return reason;
}

bool MemoryCommands::isInEffect() const {
    const Variant* current = document_.current();
    if (!current) return false;
    const auto tags = [](const PassStep& step) { return step.enabled && step.pass == memory_tag_pass; };
    return current->plan().memory || std::ranges::any_of(current->plan().pipeline, tags);
}

QString MemoryCommands::policyOfRule() const {
    if (isInEffect() || !refusal().isEmpty()) return {};
    return tr("with policy %1").arg(QString::fromStdString(section().policy));
}

MemorySection MemoryCommands::section() const {
    const Variant* current = document_.current();
    try {
        return current ? edits::memory_in_effect(current->plan()) : MemorySection();
    } catch (const InputError&) {  // rules of a step, which its pass refuses
        return current->plan().memory.value_or(MemorySection());
    }
}

QString MemoryCommands::title(MemoryAction action) {
    switch (action) {
        case MemoryAction::save:
            return tr("Save");
        case MemoryAction::recompute:
            return tr("Recompute");
        case MemoryAction::offload:
            return tr("Offload");
        case MemoryAction::keep:
            return tr("Keep gathered");
        case MemoryAction::reshard:
            return tr("Gather again");
    }
    return {};
}

QString MemoryCommands::title(const MemoryRule& rule) {
    QString text = rule.modules.empty() ? tr("whole model") : joined(short_names(rule.modules));
    if (!rule.operators.empty()) text += QStringLiteral(" :: ") + joined(rule.operators);
    return text;
}

void MemoryCommands::edit(const QString& text, MemorySection section, const QString& merge_key) {
    if (!refusal().isEmpty() || (isInEffect() && section == this->section())) return;
    const Plan& plan = document_.current()->plan();
    // On a graph that refuses every section, one that says nothing more is taken away.
    const bool is_over = section == MemorySection() && !memory_section_refusal(*document_.graph()).empty();
    document_.editPlan(text, is_over ? edits::without_memory(plan) : edits::with_memory(plan, std::move(section)),
                       merge_key);
}

void MemoryCommands::setPolicy(const QString& policy) {
    MemorySection section = this->section();
    section.policy = policy.toStdString();
    edit(tr("Memory policy %1").arg(policy), std::move(section));
}

void MemoryCommands::clear() {
    if (!refusal().isEmpty() || !isInEffect()) return;
    document_.editPlan(tr("No memory policy"),
                       edits::without_memory_passes(edits::without_memory(document_.current()->plan())));
}

void MemoryCommands::setBudget(double gib) {
    MemorySection section = this->section();
    section.cpu_offload_budget_gb = gib;
    edit(tr("Offload budget %1 GiB").arg(gib), std::move(section), QStringLiteral("memory budget"));
}

void MemoryCommands::setPrefetch(int layers) {
    MemorySection section = this->section();
    section.prefetch_lookahead = layers;
    edit(countedText(layers, tr("Prefetch by %1 layer"), tr("Prefetch by %1 layers")), std::move(section),
         QStringLiteral("memory prefetch"));
}

void MemoryCommands::setDeferral(int layers) {
    MemorySection section = this->section();
    section.defer_n_layers = layers;
    edit(countedText(layers, tr("Defer by %1 layer"), tr("Defer by %1 layers")), std::move(section),
         QStringLiteral("memory deferral"));
}

MemorySection MemoryCommands::sectionWith(MemoryAction action, const QStringList& modules,
                                          const QStringList& operators) const {
    return edits::put_modules(section(), action, standardStrings(modules), standardStrings(operators));
}

Plan MemoryCommands::planWith(MemoryAction action, const QStringList& modules) const {
    return edits::with_memory(document_.current()->plan(), sectionWith(action, modules));
}

QString MemoryCommands::put(MemoryAction action, const QStringList& modules, const QStringList& operators) {
    if (const QString reason = refusal(); !reason.isEmpty()) return reason;
    MemoryRule rule{action, standardStrings(modules), standardStrings(operators)};
    if (const std::string error = memory_rule_error(rule); !error.empty()) return QString::fromStdString(error);
    QString text = tr("%1: %2").arg(title(action), title(rule));
    if (const QString policy = policyOfRule(); !policy.isEmpty()) text += QStringLiteral(", ") + policy;
    edit(text, edits::put_modules(section(), action, rule.modules, rule.operators));
    return {};
}

void MemoryCommands::removeRule(int rule) {
    const MemorySection before = section();
    if (rule < 0 || static_cast<std::size_t>(rule) >= before.rules.size()) return;
    const MemoryRule& removed = before.rules[static_cast<std::size_t>(rule)];
    edit(tr("No longer %1: %2").arg(title(removed.action), title(removed)),
         edits::remove_rule(before, static_cast<std::size_t>(rule)));
}

void MemoryCommands::moveRule(int from, int to) {
    if (from < 0 || to < 0) return;
    edit(tr("Move memory rule"),
         edits::move_rule(section(), static_cast<std::size_t>(from), static_cast<std::size_t>(to)));
}

QString MemoryCommands::choose(const MemoryChoice& choice) {
    if (const QString reason = refusal(); !reason.isEmpty()) return reason;
    MemorySection section = this->section();
    section.policy = choice.section.policy;
    section.rules = choice.section.rules;
    edit(tr("Memory: %1").arg(QString::fromStdString(choice.title)), std::move(section));
    return {};
}

}  // namespace overlap::ui
