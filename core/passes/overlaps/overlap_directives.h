#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/unknown_fields.h"
#include "core/passes/pass.h"

namespace overlap {

/// An overlap that the user requests: when one collective is issued and when it is waited for. Empty fields leave it
/// open.
struct OverlapDirective {
    /// Name of the node that starts it, or of one of the collectives that were merged into it.
    std::string collective;
    std::string start_after{};   ///< a node that it is issued after
    std::string start_before{};  ///< a node that it is issued before
    std::string wait_after{};    ///< a node that its wait comes after
    /// Path of a module that it is to run behind: it is issued before the module's first node and waited for after the
    /// last one (core/passes/overlaps/directed_order.h says which nodes count).
    std::string hide_behind{};
    UnknownFields extra{};

    bool operator==(const OverlapDirective&) const = default;
};

struct OverlapDirectives {
    std::vector<OverlapDirective> list;
    /// Collectives of one process group keep the order in which they are issued; earlier ones move with it. Off, a
    /// collective may overtake others of its group: every rank must then run the same plan.
    bool keep_group_order = true;
    /// Keeps the order for later passes, by `higher_order.control_deps` as the manual pass does.
    bool insert_overlap_deps = false;

    bool operator==(const OverlapDirectives&) const = default;
};

/// One directive in words, such as `all_gather_5 is issued before mm_3 and is waited for after mm_9`.
std::string describe(const OverlapDirective& directive);

/// Buckets made so far: by a merged collective's name, the one that took its place.
using MergedCollectives = std::vector<std::pair<std::string, std::string>>;
MergedCollectives merged_collectives(std::span<const PassReport> reports);

}  // namespace overlap
