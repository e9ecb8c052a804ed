#include "core/exports/left_out.h"

#include "core/base/wording.h"
#include "core/passes/registry/registry.h"
#include "core/redistribution/device_orders.h"

namespace overlap {

std::vector<std::string> parts_left_out(const Plan& plan, std::string_view reader) {
    std::vector<std::string> notes;
    const auto left_out = [&](const std::string& what) {
        notes.push_back(what + " of the plan cannot be given to " + std::string(reader) + " and was left out");
    };
    for (const OverlapDirective& directive : plan.overlaps.list) {
        left_out("the overlap by hand \"" + describe(directive) + "\"");
    }
    for (const DeviceOrder& order : plan.device_orders) left_out("the device order " + display_name(order));
    if (!plan.process_groups.empty() || plan.unread_process_groups) left_out("the field \"process_groups\"");
    for (const auto& [field, ignored] : plan.extra) left_out("the field \"" + field + "\"");
    return notes;
}

OptionValue option_value(const PassStep& step, const PassOption& option) {
    const OptionValue* given = step.options.find(option.name);
    return given ? *given : option.default_value;
}

std::vector<std::string> own_options_left_out(const PassStep& step) {
    std::vector<std::string> notes;
    for (const PassOption& option : require_pass(step.pass).options()) {
        if (option.of_reference || same_value(option_value(step, option), option.default_value)) continue;
        notes.push_back("the option " + option.name + " of " + step.pass +
                        " is not PyTorch's, so the job runs without it and its result is another than the one shown");
    }
    return notes;
}

}  // namespace overlap
