// What the pass is called and which options it has; run() is in manual_overlap_bucketing.cpp.

#include <array>

#include "core/passes/bucketing/manual_overlap_bucketing.h"

namespace overlap {

std::string_view ManualOverlapBucketing::name() const {
    return "manual_overlap_bucketing";
}

std::string_view ManualOverlapBucketing::summary() const {
    return "Merges the FSDP collectives of the modules that the plan names into buckets, and moves each bucket's "
           "gather "
           "and reduction over its neighbour's compute";
}

std::span<const PassOption> ManualOverlapBucketing::options() const {
    static const std::array<PassOption, 5> declared = {
        PassOption{.name = "module_bucket_plans",
                   .type = PassOption::Type::module_lists,
                   .default_value = nullptr,
                   .help = "The buckets in order: each entry is a module's dotted path or a list of them.",
                   .choices = {},
                   .required = true},
        PassOption{.name = "insert_overlap_deps",
                   .type = PassOption::Type::boolean,
                   .default_value = false,
                   .help = "Adds the overlaps to the graph as explicit dependencies, so that later passes keep them.",
                   .choices = {}},
        PassOption{.name = "bucket_mode",
                   .type = PassOption::Type::text,
                   .default_value = nullptr,
                   .help = "How merged tensors are packed and unpacked; unset means custom_ops.",
                   .choices = {"custom_ops", "custom_ops_multidtype", "default", "coalesced"},
                   .empty_is_unset = true},
        PassOption{.name = "module_stack_fn",
                   .type = PassOption::Type::text,
                   .default_value = nullptr,
                   .help =
                       "Where a node's modules are read from: unset means its module stack, custom.module_fqn means "
                       "the one name that torchtitan's graph trainer gives it.",
                   .choices = {"custom.module_fqn"}},
        PassOption{.name = "safe",
                   .type = PassOption::Type::boolean,
                   .default_value = false,
                   .help = "Not PyTorch's result: adds the edges that PyTorch forgets, so that no gathered buffer can "
                           "be read before it is filled, and leaves out explicit overlaps that would make a cycle.",
                   .choices = {},
                   .of_reference = false},
    };
    return declared;
}

}  // namespace overlap
