#include "core/pipeline/remedies.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/passes/registry/registry.h"
#include "core/plan/memory_edits.h"

namespace overlap {
namespace {

constexpr std::size_t most_moves = 6;  ///< each is tried by running the plan

bool is_list_of_modules(const PassStep& step, std::string_view name) {
    const Pass* pass = find_pass(step.pass);
    return pass && std::ranges::any_of(pass->options(), [&](const PassOption& option) {
               return option.name == name && option.type == PassOption::Type::module_lists;
           });
}

class Remedies {
  public:
    Remedies(const Plan& plan, const Evaluation& refused) : plan_(plan) {
        if (!refused.refused || refused.steps.size() != plan.pipeline.size()) return;
        const auto step = std::ranges::find(refused.steps, StepOutcome::State::refused, &StepOutcome::state);
        if (refused.refusal) place_ = refused.refusal->place();
        if (step == refused.steps.end()) {
            without_part();
            return;
        }
        step_ = static_cast<std::size_t>(step - refused.steps.begin());
        reset_options(true);
        switch_on_others();
        move();
        reset_options(false);
        do_without();
        if (plan_.memory) without_memory();
    }

    std::vector<Remedy> take() { return std::move(remedies_); }

  private:
    /// The plan with the change that `change` makes of it.
    template <typename Change>
    void add(std::string label, const Change& change) {
        Remedy remedy{std::move(label), plan_};
        change(remedy.plan);
        remedies_.push_back(std::move(remedy));
    }

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

    /// @param named those that the refusal names; else all others. Lists of modules are the user's work.
    void reset_options(bool named) {
        const PassStep& step = plan_.pipeline[step_];
        for (const auto& [name, value] : step.options) {
            const bool is_named = place_.find("option " + name) != std::string::npos;
            if (is_named != named || is_list_of_modules(step, name)) continue;
            add("reset " + name + " of " + name_of(step_),
                [&, option = name](Plan& plan) { plan.pipeline[step_].options.erase(option); });
        }
    }

    void switch_on_others() {
        for (std::size_t other = 0; other < step_; ++other)
            if (!plan_.pipeline[other].enabled)
                add("switch on " + name_of(other), [&](Plan& plan) { plan.pipeline[other].enabled = true; });
    }

    void move() {
        std::size_t moves = 0;
        for (std::size_t to = step_ + 1; to < plan_.pipeline.size() && moves < most_moves; ++to)
            if (plan_.pipeline[to].enabled) move_to(to, " behind "), ++moves;
        for (std::size_t to = step_; to-- > 0 && moves < most_moves;)
            if (plan_.pipeline[to].enabled) move_to(to, " before "), ++moves;
    }

    void move_to(std::size_t to, std::string_view where) {
        add("move " + name_of(step_) + std::string(where) + name_of(to), [&](Plan& plan) {
            PassStep step = std::move(plan.pipeline[step_]);
            plan.pipeline.erase(plan.pipeline.begin() + static_cast<std::ptrdiff_t>(step_));
            plan.pipeline.insert(plan.pipeline.begin() + static_cast<std::ptrdiff_t>(to), std::move(step));
        });
    }

    void do_without() {
        add("switch off " + name_of(step_), [&](Plan& plan) { plan.pipeline[step_].enabled = false; });
    }

    const Plan& plan_;
    std::string place_;  ///< of the refusal, in the plan
    std::size_t step_ = 0;
    std::vector<Remedy> remedies_;
};

}  // namespace

std::vector<Remedy> possible_remedies(const Plan& plan, const Evaluation& refused) {
    return Remedies(plan, refused).take();
}

std::optional<Remedy> find_remedy(const Plan& plan, const Evaluation& refused, std::stop_token stop) {
    for (Remedy& remedy : possible_remedies(plan, refused)) {
        const auto execution = execute(resolve(refused.original, remedy.plan), {.stop = stop, .cache = refused.cache});
        if (!execution) return std::nullopt;
        const auto is_error = [](const Problem& problem) { return problem.severity == Severity::error; };
        if (!execution->refused && std::ranges::none_of(execution->problems, is_error)) return std::move(remedy);
    }
    return std::nullopt;
}

}  // namespace overlap
