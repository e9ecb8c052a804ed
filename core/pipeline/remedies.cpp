#include "core/pipeline/remedies.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/nearest_name.h"
#include "core/passes/registry/registry.h"
#include "core/plan/memory_edits.h"
#include "core/plan/plan_edits.h"
#include "core/plan/presets.h"

namespace overlap {
namespace {

constexpr std::size_t most_of_a_kind = 6;  ///< each is tried by running the plan

const PassOption* option_of(const PassStep& step, std::string_view name) {
    const Pass* pass = find_pass(step.pass);
    if (!pass) return nullptr;
    const auto found = std::ranges::find(pass->options(), name, &PassOption::name);
    return found == pass->options().end() ? nullptr : &*found;
}

bool is_list_of_modules(const PassStep& step, std::string_view name) {
    const PassOption* option = option_of(step, name);
    return option && option->type == PassOption::Type::module_lists;
}

/// `6`, or what no label has room for: nothing.
std::string short_text(const OptionValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* is_set = std::get_if<bool>(&value)) return *is_set ? "true" : "false";
    return {};
}

bool is_unknown(const PassStep& step) {
    return step.enabled && !find_pass(step.pass);
}

class Remedies {
  public:
    Remedies(const Plan& plan, const Evaluation& refused) : plan_(plan), refused_(refused) {
        if (!refused.refused || refused.steps.size() != plan.pipeline.size()) return;
        const auto step = std::ranges::find(refused.steps, StepOutcome::State::refused, &StepOutcome::state);
        if (refused.refusal) place_ = refused.refusal->place();
        if (step == refused.steps.end()) {
            without_part();
            return;
        }
        step_ = static_cast<std::size_t>(step - refused.steps.begin());
        take_nearest_pass();
        take_nearest_policy();
        reset_options(true);
        set_options();
        switch_on_others();
        put_before();
        split_buckets();
        move();
        reset_options(false);
        do_without();
        do_without_others();
        do_without_unknown();
        if (plan_.memory) without_memory();
    }

    std::vector<Remedy> take() { return std::move(remedies_); }

  private:
    /// The plan with the change that `change` makes of it.
    template <typename Change>
    void add(std::string label, const Change& change) {
        Remedy remedy{std::move(label), plan_, {}};
        change(remedy.plan);
        // Each is tried by a whole run, and two presets may have the same step.
        if (std::ranges::find(remedies_, remedy.plan, &Remedy::plan) == remedies_.end())
            remedies_.push_back(std::move(remedy));
    }

    const PassStep& step() const { return plan_.pipeline[step_]; }

    /// Its pass, with its number where the plan has the pass more than once.
    std::string name_of(std::size_t step) const {
        const std::string& pass = plan_.pipeline[step].pass;
        const bool is_alone = std::ranges::count(plan_.pipeline, pass, &PassStep::pass) == 1;
        return is_alone ? pass : "step " + std::to_string(step + 1) + ", " + pass;
    }

    /// What is refused is no step.
    void without_part() {
        if (plan_.memory && place_ == "memory") without_memory();
        if (!plan_.overlaps.list.empty() && place_ == "overlaps")
            add("remove all overlaps by hand", [](Plan& plan) { plan.overlaps.list.clear(); });
    }

    /// The section and the passes that carry it out are one thing, as they are to a search: passes alone would take
    /// their own defaults, which nobody asked for.
    void without_memory() {
        const bool has_passes = std::ranges::any_of(plan_.pipeline, carries_out_memory);
        add(has_passes ? "take the memory settings out, with their passes" : "take the memory settings out",
            [](Plan& plan) { plan = edits::without_memory_passes(edits::without_memory(std::move(plan))); });
    }

    /// For a name that was mistyped in a file.
    void take_nearest_pass() {
        if (!is_unknown(step())) return;
        std::vector<std::string> names;
        for (const Pass* pass : all_passes()) names.emplace_back(pass->name());
        for (const std::string& name : nearest_names(step().pass, names))
            add("take " + name + " in place of " + name_of(step_),
                [&](Plan& plan) { plan.pipeline[step_].pass = name; });
    }

    void take_nearest_policy() {
        const PassOption* option = option_of(step(), "memory_policy");
        if (!option || !plan_.memory) return;
        for (const std::string& policy : nearest_names(plan_.memory->policy, option->choices))
            add("take the memory policy " + policy, [&](Plan& plan) { plan.memory->policy = policy; });
    }

    bool is_named(std::string_view option) const {
        return place_.find("option " + std::string(option)) != std::string::npos;
    }

    /// @param named those that the refusal names; else all others. Lists of modules are the user's work.
    void reset_options(bool named) {
        for (const auto& [name, value] : step().options) {
            if (is_named(name) != named || is_list_of_modules(step(), name)) continue;
            add("reset " + name + " of " + name_of(step_),
                [&, option = name](Plan& plan) { plan.pipeline[step_].options.erase(option); });
        }
    }

    void set_option(const std::string& name, const OptionValue& value) {
        const std::string text = short_text(value);
        add("set " + name + " of " + name_of(step_) + (text.empty() ? " as the graph needs it" : " to " + text),
            [&](Plan& plan) { plan.pipeline[step_].options[name] = value; });
    }

    /// To what fits the graph, and to other choices.
    void set_options() {
        const Pass* pass = find_pass(step().pass);
        if (!pass || !refused_.original) return;
        const PassStep fitting = suggested_step(*refused_.original, step().pass);
        for (const auto& [name, value] : fitting.options) {
            const OptionValue* given = step().options.find(name);
            const bool is_given = given && same_value(*given, value);
            if (!is_given && !is_list_of_modules(step(), name)) set_option(name, value);
        }
        if (const std::int64_t blocks = transformer_blocks(); blocks > 0 && option_of(step(), "n_layers")) {
            const OptionValue* given = step().options.find("n_layers");
            if (!given || !same_value(*given, blocks)) set_option("n_layers", blocks);
        }
        for (const PassOption& option : pass->options()) {
            const OptionValue* given = step().options.find(option.name);
            if (!given && !is_named(option.name)) continue;
            for (const std::string& choice : option.choices)
                if (!given || !same_value(*given, choice)) set_option(option.name, choice);
        }
    }

    /// As the modules `layers.0` and so on say; 0 where there are none.
    std::int64_t transformer_blocks() const {
        if (!refused_.resolved || !refused_.resolved->modules->exists()) return 0;
        const ModuleTree& modules = *refused_.resolved->modules;
        const ModuleTree::ModuleId layers = modules.find("layers");
        return layers == ModuleTree::no_module ? 0 : static_cast<std::int64_t>(modules.module(layers).children.size());
    }

    void switch_on_others() {
        for (std::size_t other = 0; other < step_; ++other)
            if (!plan_.pipeline[other].enabled)
                add("switch on " + name_of(other), [&](Plan& plan) { plan.pipeline[other].enabled = true; });
    }

    /// @param to where it is put.
    void put_before(const PassStep& missing, std::size_t to) {
        if (std::ranges::find(plan_.pipeline, missing.pass, &PassStep::pass) != plan_.pipeline.end()) return;
        add("put " + missing.pass + " before " + name_of(to), [&](Plan& plan) {
            plan.pipeline.insert(plan.pipeline.begin() + static_cast<std::ptrdiff_t>(to), missing);
        });
    }

    /// What a job's own pipeline runs before it, the nearest first and where it runs it, or what orders the nodes
    /// again.
    void put_before() {
        if (!refused_.original || !find_pass(step().pass)) return;
        for (const PipelinePreset& preset : pipeline_presets(*refused_.original)) {
            auto before = std::ranges::find(preset.steps, step().pass, &PassStep::pass);
            if (before == preset.steps.end()) continue;
            std::size_t to = step_;  // of the first of the steps behind it that the plan has
            for (std::size_t count = 0; before != preset.steps.begin() && count < most_of_a_kind; ++count) {
                put_before(*--before, to);
                const auto own = std::ranges::find(plan_.pipeline, before->pass, &PassStep::pass);
                to = std::min(to, static_cast<std::size_t>(own - plan_.pipeline.begin()));
            }
        }
        put_before(PassStep{"stable_topological_sort"}, step_);
    }

    void split_buckets() {
        std::vector<std::size_t> several;
        for (std::size_t entry = 0; entry < plan_.buckets.size(); ++entry)
            if (plan_.buckets[entry].modules.size() > 1) several.push_back(entry);
        for (std::size_t index = 0; index < std::min(several.size(), most_of_a_kind); ++index)
            add("split the bucket " + display_name(plan_.buckets[several[index]]),
                [&](Plan& plan) { plan.buckets = edits::split(std::move(plan.buckets), several[index]); });
        if (several.size() < 2) return;
        add("split all buckets of several modules", [&](Plan& plan) {
            for (auto entry = several.rbegin(); entry != several.rend(); ++entry)
                plan.buckets = edits::split(std::move(plan.buckets), *entry);
        });
    }

    void move() {
        std::size_t moves = 0;
        for (std::size_t to = step_ + 1; to < plan_.pipeline.size() && moves < most_of_a_kind; ++to)
            if (plan_.pipeline[to].enabled) move_to(to, " behind "), ++moves;
        for (std::size_t to = step_; to-- > 0 && moves < most_of_a_kind;)
            if (plan_.pipeline[to].enabled) move_to(to, " before "), ++moves;
    }

    void move_to(std::size_t to, std::string_view where) {
        add("move " + name_of(step_) + std::string(where) + name_of(to), [&](Plan& plan) {
            PassStep step = std::move(plan.pipeline[step_]);
            plan.pipeline.erase(plan.pipeline.begin() + static_cast<std::ptrdiff_t>(step_));
            plan.pipeline.insert(plan.pipeline.begin() + static_cast<std::ptrdiff_t>(to), std::move(step));
        });
        remedies_.back().moved = to;
    }

    void switch_off(std::size_t step) {
        add("switch off " + name_of(step), [&](Plan& plan) { plan.pipeline[step].enabled = false; });
    }

    void do_without() { switch_off(step_); }

    /// A step before it may have made what it refuses.
    void do_without_others() {
        std::size_t count = 0;
        for (std::size_t other = step_; other-- > 0 && count < most_of_a_kind;)
            if (plan_.pipeline[other].enabled) switch_off(other), ++count;
    }

    void do_without_unknown() {
        const auto count = std::ranges::count_if(plan_.pipeline, is_unknown);
        if (count < 2) return;
        add("switch off the " + std::to_string(count) + " steps whose passes are not known", [](Plan& plan) {
            for (PassStep& step : plan.pipeline)
                if (is_unknown(step)) step.enabled = false;
        });
    }

    const Plan& plan_;
    const Evaluation& refused_;
    std::string place_;  ///< of the refusal, in the plan
    std::size_t step_ = 0;
    std::vector<Remedy> remedies_;
};

bool mends(const Remedy& remedy, const Execution& execution) {
    const auto is_error = [](const Problem& problem) { return problem.severity == Severity::error; };
    if (execution.refused || std::ranges::any_of(execution.problems, is_error)) return false;
    // Where it finds nothing to do, a step is as good as gone, and should say so.
    return !remedy.moved || !execution.steps[*remedy.moved].difference->empty();
}

}  // namespace

std::vector<Remedy> possible_remedies(const Plan& plan, const Evaluation& refused) {
    return Remedies(plan, refused).take();
}

std::optional<Remedy> find_remedy(const Plan& plan, const Evaluation& refused, std::stop_token stop) {
    for (Remedy& remedy : possible_remedies(plan, refused)) {
        const auto execution = execute(resolve(refused.original, remedy.plan), {.stop = stop, .cache = refused.cache});
        if (!execution) return std::nullopt;
        if (mends(remedy, *execution)) return std::move(remedy);
    }
    return std::nullopt;
}

}  // namespace overlap
