#include "core/passes/bucketing/module_bucketing_options.h"

namespace overlap {

void add_bucket_plans(ModuleBucketingTable& table, std::string_view name) {
    table.add({.name = std::string(name),
               .help = "The buckets in order: each entry is a module's dotted path or a list of them.",
               .required = true},
              &ModuleBucketingOptions::plans);
}

void add_insert_overlap_deps(ModuleBucketingTable& table) {
    table.add({.name = "insert_overlap_deps",
               .help = "Adds the overlaps to the graph as explicit dependencies, so that later passes keep them."},
              &ModuleBucketingOptions::insert_overlap_deps);
}

void add_bucket_mode(ModuleBucketingTable& table) {
    table.add({.name = "bucket_mode",
               .help = "How merged tensors are packed and unpacked; unset means custom_ops.",
               .choices = {"custom_ops", "custom_ops_multidtype", "default", "coalesced"},
               .empty_is_unset = true},
              &ModuleBucketingOptions::bucket_mode);
}

void add_module_stack_fn(ModuleBucketingTable& table) {
    table.add({.name = "module_stack_fn",
               .help = "Where a node's modules are read from: unset means its module stack, custom.module_fqn means "
                       "the one name that torchtitan's graph trainer gives it.",
               .choices = {"custom.module_fqn"}},
              &ModuleBucketingOptions::module_stack_fn);
}

void add_parameter_order(ModuleBucketingTable& table) {
    table.add({.name = "fsdp_param_module_order",
               .help = "Place of each module's parameters in the job: buckets are packed in this order; unset means "
                       "the order of the graph."},
              &ModuleBucketingOptions::fsdp_param_module_order);
}

void add_safe(ModuleBucketingTable& table) {
    table.add({.name = "safe",
               .help = "Not PyTorch's result: adds the edges that PyTorch forgets, so that no gathered buffer can "
                       "be read before it is filled, and leaves out explicit overlaps that would make a cycle.",
               .of_reference = false},
              &ModuleBucketingOptions::safe);
}

}  // namespace overlap
