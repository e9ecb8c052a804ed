#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/passes/option_table.h"

namespace overlap {

/// The options of the passes that bucket by module. Each pass declares those that it has.
struct ModuleBucketingOptions {
    ModuleLists plans;
    bool insert_overlap_deps = false;
    std::optional<std::string> bucket_mode;
    std::optional<std::string> module_stack_fn;
    NamedIntegers fsdp_param_module_order;
    bool safe = false;
};

using ModuleBucketingTable = OptionTable<ModuleBucketingOptions>;

// Each of these declares one option. `name` is the pass's name for it.
void add_bucket_plans(ModuleBucketingTable& table, std::string_view name);
void add_insert_overlap_deps(ModuleBucketingTable& table);
void add_bucket_mode(ModuleBucketingTable& table);
void add_module_stack_fn(ModuleBucketingTable& table);
void add_parameter_order(ModuleBucketingTable& table);
void add_safe(ModuleBucketingTable& table);

}  // namespace overlap
