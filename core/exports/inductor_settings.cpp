// Settings of torch._inductor.config for what a plan leaves to Inductor: the overlap scheduler and the stand-alone
// bucketing of collectives. Names and the order in which Inductor runs them: PyTorch 2.15, torch/_inductor/config.py
// and fx_passes/{post_grad,overlap_scheduling}.py.

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/exports/formats.h"
#include "core/exports/left_out.h"
#include "core/exports/python_file.h"
#include "core/exports/python_text.h"
#include "core/passes/registry/registry.h"
#include "core/plan/automatic_plan.h"

namespace overlap {

namespace {

constexpr std::string_view docstring = R"py(Settings of PyTorch 2.15's Inductor for a plan.

Call `apply()` before the first compilation, or hand `SETTINGS` to `torch.compile(model, options=SETTINGS)`.
)py";

constexpr std::string_view apply_code = R"py(

def apply():
    """Sets torch._inductor.config for the whole process."""
    from torch._inductor import config

    for name, value in SETTINGS.items():
        *path, leaf = name.split(".")
        setattr(functools.reduce(getattr, path, config), leaf, value)
)py";

constexpr std::string_view scheduling = "aten_distributed_optimizations.";

constexpr std::string_view copy_engine_pass = "replace_collectives_with_low_contention";

/// What stands for a pass in Inductor's settings, in the order in which Inductor runs them.
struct InductorPass {
    std::string_view pass;
    std::string_view setting;  ///< that switches it on; empty for what Inductor runs anyway
};
constexpr std::array inductor_passes = {
    InductorPass{"deduplicate_wait_tensors", ""},
    InductorPass{"bucket_reduce_scatter", "bucket_reduce_scatters_fx"},
    InductorPass{"bucket_all_reduce", "bucket_all_reduces_fx"},
    InductorPass{"bucket_all_gather", "bucket_all_gathers_fx"},
    InductorPass{"stable_topological_sort", ""},
    InductorPass{automatic_pass, "enable_overlap_scheduling"},
    InductorPass{copy_engine_pass, "enable_low_contention_collectives"},
};

std::size_t place_of(const PassStep& step) {
    const auto found = std::ranges::find(inductor_passes, require_pass(step.pass).name(), &InductorPass::pass);
    return static_cast<std::size_t>(found - inductor_passes.begin());
}

/// Collects lines of the dictionary and notes.
class Settings {
  public:
    void add(const PassStep& step) {
        const std::size_t place = place_of(step);
        if (place == inductor_passes.size()) {
            notes.push_back("Inductor has no settings for the step " + step.pass + ", so it was left out");
            return;
        }
        const InductorPass& known = inductor_passes[place];
        if (place < last_place_) {
            notes.push_back("Inductor runs " + step.pass + " before " + std::string(inductor_passes[last_place_].pass) +
                            ", whatever the order of the plan's steps");
        }
        last_place_ = std::max(last_place_, place);
        if (known.setting.empty()) return;
        if (std::ranges::find(seen_, known.pass) != seen_.end()) {
            notes.push_back("Inductor runs " + step.pass + " once, so the plan's further step of it was left out");
            return;
        }
        seen_.push_back(known.pass);
        if (known.pass == automatic_pass) {
            add_scheduler(step);
        } else if (known.pass == copy_engine_pass) {
            add_copy_engines(step);
        } else {
            add_bucketing(step, known);
        }
    }

    bool empty() const { return lines.empty(); }

    std::string lines;
    std::vector<std::string> notes;

  private:
    void set(std::string_view prefix, std::string_view name, const std::string& value) {
        lines += "    \"";
        lines.append(prefix).append(name).append("\": ").append(value).append(",\n");
    }

    /// The driver copies a setting only where it is not None, so every option is set: defaults of the settings are not
    /// those of the pass.
    void add_scheduler(const PassStep& step) {
        set(scheduling, "enable_overlap_scheduling", "True");
        for (const PassOption& option : require_pass(step.pass).options()) {
            const OptionValue value = option_value(step, option);
            const bool unlimited = is_null(value) && !is_null(option.default_value);
            if (option.name == "max_off_bucket_gb" || unlimited) {
                note_inexpressible(option, value);
            } else if (option.name == "pge_profile_path") {
                set(scheduling, "profile_guided_estimations_profile_path", python_value(value));
            } else {
                set(scheduling, option.name, python_value(value));
            }
        }
        if (option_of(step, "insert_overlap_deps") != OptionValue(true)) {
            notes.emplace_back(
                "insert_overlap_deps is off, as in the plan: nothing then keeps Inductor's own scheduling "
                "(reorder_for_peak_memory, enable_simple_overlap) from moving collectives afterwards");
        }
        notes.emplace_back(
            "the job schedules by the times that its own estimators give, so its result is the plan's only where those "
            "times are the graph's");
    }

    void add_copy_engines(const PassStep& step) {
        set(scheduling, "enable_low_contention_collectives", "True");
        for (const PassOption& option : require_pass(step.pass).options())
            set(scheduling, option.name, python_value(option_value(step, option)));
    }

    static OptionValue option_of(const PassStep& step, std::string_view name) {
        for (const PassOption& option : require_pass(step.pass).options()) {
            if (option.name == name) return option_value(step, option);
        }
        return {};
    }

    /// Options without a setting, and values that a setting cannot have; the job then runs with the pass's default.
    void note_inexpressible(const PassOption& option, const OptionValue& value) {
        if (same_value(value, option.default_value)) return;
        notes.push_back("Inductor has no setting for the option " + option.name + " with the value " +
                        python_value(value) + ", so the job runs with " + python_value(option.default_value));
    }

    void add_bucketing(const PassStep& step, const InductorPass& known) {
        set("", known.setting, "\"all\"");
        const OptionValue mode = option_of(step, "mode");
        const bool unset = is_null(mode) || mode == OptionValue("");
        const OptionValue mode_or_default = unset ? OptionValue("default") : mode;
        if (known.pass != "bucket_all_reduce") {
            const std::string stem(known.setting.substr(0, known.setting.size() - std::string_view("_fx").size()));
            set("", stem + "_bucket_mode", python_value(mode_or_default));
        } else if (mode_or_default != OptionValue("default")) {
            // Inductor hands the pass its own setting as the mode, which for all-reduces changes nothing.
            notes.emplace_back(
                "Inductor has no setting for the option mode of bucket_all_reduce, which has one way alone");
        }
        const OptionValue cap = option_of(step, "bucket_cap_mb");
        if (is_null(cap) || same_value(cap, require_option(require_pass(step.pass), "bucket_cap_mb").default_value))
            return;
        set("", std::string(known.setting) + "_bucket_size_determinator", "lambda bucket_index: " + python_value(cap));
    }

    std::size_t last_place_ = 0;
    std::vector<std::string_view> seen_;
};

}  // namespace

ExportOutput export_inductor_settings(const ExportInput& input) {
    Settings settings;
    for (const PassStep& step : steps_that_run(input.plan, input.result.get())) settings.add(step);
    if (settings.empty()) {
        throw InputError("pipeline",
                         "no step is one that Inductor's settings know: schedule_overlap_bucketing, "
                         "bucket_all_gather, bucket_reduce_scatter or bucket_all_reduce");
    }
    ExportOutput output;
    output.notes = parts_left_out(input.plan, "Inductor");
    output.notes.insert(output.notes.end(), settings.notes.begin(), settings.notes.end());
    output.bytes = python_file_head(input, docstring, "import functools\n", output.notes);
    output.bytes += "\nSETTINGS = {\n" + settings.lines + "}\n";
    output.bytes += apply_code;
    return output;
}

}  // namespace overlap
