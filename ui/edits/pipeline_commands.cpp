#include "ui/edits/pipeline_commands.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/passes/registry/registry.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/memory_edits.h"
#include "ui/document/document.h"

namespace overlap::ui {
namespace {

std::size_t position(int step) {
    return static_cast<std::size_t>(step);
}

/// What the plan's memory section says of an option is said there, where the panel Memory shows it.
/// @param value nothing: the option's default. @returns false where the section does not say it.
bool setInSection(Plan& plan, const PassStep& step, const std::string& option,
                  const std::optional<OptionValue>& value) {
    if (!plan.memory || !takes_memory_section(step.pass)) return false;
    if (option == "rules" && !value) {
        plan.memory->rules.clear();
        return true;
    }
    for (const PassOption& declared : require_pass(step.pass).options())
        if (declared.name == option)
            return edits::set_option(*plan.memory, option, value ? *value : declared.default_value);
    return false;
}

/// A value as an edit names it.
QString valueText(const OptionValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return QString::fromStdString(text ? in_quotes(*text) : describe(value));
}

}  // namespace

int PipelineCommands::count() const {
    return document_.isOpen() ? static_cast<int>(document_.current()->plan().pipeline.size()) : 0;
}

bool PipelineCommands::has(int step) const {
    return document_.editable() && step >= 0 && step < count();
}

QString PipelineCommands::name(int step) const {
    return QString::fromStdString(document_.current()->plan().pipeline[position(step)].pass);
}

void PipelineCommands::setEnabled(int step, bool enabled) {
    if (!has(step)) return;
    Plan plan = document_.current()->plan();
    plan.pipeline[position(step)].enabled = enabled;
    document_.editPlan((enabled ? tr("Switch on %1") : tr("Switch off %1")).arg(name(step)), std::move(plan));
}

void PipelineCommands::move(int from, int to) {
    if (!has(from)) return;
    to = std::clamp(to, 0, count() - 1);
    Plan plan = document_.current()->plan();
    const auto steps = plan.pipeline.begin();
    if (from < to) {
        std::rotate(steps + from, steps + from + 1, steps + to + 1);
    } else {
        std::rotate(steps + to, steps + from, steps + from + 1);
    }
    document_.editPlan(tr("Move %1 to place %2").arg(name(from), QString::number(to + 1)), std::move(plan),
                       QStringLiteral("move step:") + name(from));
}

int PipelineCommands::add(const QString& pass, int at) {
    if (!document_.editable() || !find_pass(pass.toStdString())) return -1;
    at = std::clamp(at, 0, count());
    Plan plan = document_.current()->plan();
    const LoadedGraph& loaded = document_.loaded();
    plan.pipeline.insert(plan.pipeline.begin() + at,
                         suggested_step(loaded.empty_plan, *loaded.presets, pass.toStdString()));
    document_.editPlan(tr("Add %1").arg(pass), std::move(plan));
    return at;
}

void PipelineCommands::remove(int step) {
    if (!has(step)) return;
    Plan plan = document_.current()->plan();
    plan.pipeline.erase(plan.pipeline.begin() + step);
    document_.editPlan(tr("Remove %1").arg(name(step)), std::move(plan));
}

QString PipelineCommands::setOption(int step, const QString& option, std::optional<OptionValue> value) {
    if (!has(step)) return {};
    Plan plan = document_.current()->plan();
    PassStep& edited = plan.pipeline[position(step)];
    const QString text = value ? tr("Set %1 to %2").arg(option, valueText(*value)) : tr("Reset %1").arg(option);
    try {
        if (setInSection(plan, edited, option.toStdString(), value)) {
            edited.options.erase(option.toStdString());
        } else if (value) {
            edited.options[option.toStdString()] = std::move(*value);
        } else {
            edited.options.erase(option.toStdString());
        }
        check_options(require_pass(edited.pass), lower(plan, edited).options);
    } catch (const InputError& error) {
        return QString::fromStdString(error.problem());
    }
    document_.editPlan(text, std::move(plan), QStringLiteral("option:%1:%2").arg(step).arg(option));
    return {};
}

void PipelineCommands::resetOptions(int step) {
    if (!has(step)) return;
    const Pass* pass = find_pass(name(step).toStdString());
    if (!pass) return;
    Plan plan = document_.current()->plan();
    PassStep& edited = plan.pipeline[position(step)];
    Options kept;
    for (const PassOption& option : pass->options()) {
        // Buckets return to the plan's; other options that must be given have nothing to return to.
        const bool lasting = option.required && option.type != PassOption::Type::module_lists;
        if (!lasting) continue;
        if (const OptionValue* given = edited.options.find(option.name)) kept[option.name] = *given;
    }
    edited.options = std::move(kept);
    document_.editPlan(tr("Reset options of %1").arg(name(step)), std::move(plan));
}

void PipelineCommands::setExpertOverlap(const std::optional<ExpertOverlap>& overlap, const QString& text) {
    if (!document_.editable()) return;
    const Plan& plan = document_.current()->plan();
    Plan edited = overlap ? edits::with_expert_overlap(plan, *overlap) : edits::without_expert_overlap(plan);
    if (!does_the_same(edited, plan)) document_.editPlan(text, std::move(edited));
}

/// Nothing where a step takes them.
std::optional<Plan> PipelineCommands::withBucketsTaken() const {
    if (!document_.editable()) return std::nullopt;
    const Plan& plan = document_.current()->plan();
    if (takes_entries(plan)) return std::nullopt;
    const LoadedGraph& loaded = document_.loaded();
    return with_entries_taken(plan, suggested_step(loaded.empty_plan, *loaded.presets, entries_pass));
}

QString PipelineCommands::titleOfTakingBuckets() const {
    if (!withBucketsTaken()) return {};
    const std::optional<EntriesTaker> taker = entries_taker(document_.current()->plan());
    if (!taker) return tr("Add manual bucketing");
    return taker->is_off ? tr("Switch manual bucketing on") : tr("Drop the step's own buckets");
}

QString PipelineCommands::wayToTakeBuckets() const {
    if (!withBucketsTaken()) return {};
    const Plan& plan = document_.current()->plan();
    const std::optional<EntriesTaker> taker = entries_taker(plan);
    const QString pass = taker ? name(static_cast<int>(taker->step)) : QString::fromUtf8(entries_pass);
    std::vector<std::string> off;
    for (const PassStep& step : plan.pipeline)
        if (step.enabled && decides_buckets(step.pass)) off.push_back(step.pass);
    QString way = !taker           ? tr("Adds %1").arg(pass)
                  : !taker->is_off ? tr("Gives %1 the plan's buckets in place of its own").arg(pass)
                  : taker->has_own ? tr("Switches %1 on with the plan's buckets in place of its own").arg(pass)
                                   : tr("Switches %1 on").arg(pass);
    return off.empty() ? way : tr("%1 and switches %2 off").arg(way, QString::fromStdString(overlap::listed(off)));
}

void PipelineCommands::takeBuckets() {
    if (std::optional<Plan> taking = withBucketsTaken()) document_.editPlan(titleOfTakingBuckets(), std::move(*taking));
}

void PipelineCommands::startFrom(const PipelinePreset& preset) {
    if (!document_.editable()) return;
    Plan plan = document_.current()->plan();
    plan.pipeline = preset.steps;
    if (plan.buckets.empty()) plan.buckets = preset.buckets;
    document_.editPlan(tr("Start from %1").arg(QString::fromStdString(preset.title)), std::move(plan));
}

}  // namespace overlap::ui
