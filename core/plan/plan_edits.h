#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace overlap {

/// Buckets of a plan, in order.
using Buckets = std::vector<BucketEntry>;

/// Pure edits of a plan's buckets: each returns the buckets that result. Indices that are out of range change nothing.
/// A module is in at most one entry afterwards, and entries that an edit empties disappear.
namespace edits {

/// Inserts `entries` before position `at` (clamped).
Buckets add(Buckets buckets, std::size_t at, const Buckets& entries);
Buckets remove(Buckets buckets, std::vector<std::size_t> entries);
/// Moves the modules, wherever they are, to the end of entry `target`.
Buckets move_modules(Buckets buckets, const std::vector<std::string>& modules, std::size_t target);
/// Moves the modules into a new entry before position `at`.
Buckets move_modules_to_new(Buckets buckets, const std::vector<std::string>& modules, std::size_t at);
/// Takes the modules out of whichever entries have them.
Buckets take_out(Buckets buckets, const std::vector<std::string>& modules);
/// Joins the entries into the first of them, modules in order of the entries.
Buckets merge(Buckets buckets, std::vector<std::size_t> entries);
/// One entry for each module of the entry.
Buckets split(Buckets buckets, std::size_t entry);
/// Gives the entry a title chosen by the user; an empty one returns to the names of its modules.
Buckets rename(Buckets buckets, std::size_t entry, const std::string& title);
/// Moves an entry to its final position `to`.
Buckets move_entry(Buckets buckets, std::size_t from, std::size_t to);
/// Moves a module within its entry to its final position `to`.
Buckets move_module_within(Buckets buckets, std::size_t entry, std::size_t from, std::size_t to);
/// Puts `replacement` where the entry names `module`.
Buckets replace_module(Buckets buckets, std::size_t entry, const std::string& module, const std::string& replacement);

/// Takes one module out of one entry, which disappears when that empties it.
Buckets remove_module(Buckets buckets, std::size_t entry, const std::string& module);
/// Takes modules out of all entries that name them; those that this empties disappear.
Buckets without_modules(Buckets buckets, const std::vector<std::string>& modules);

/// The plan with torchtitan's pass that buckets each entry once for either direction, in place of the first that merges
/// gathers of both and reads modules where torchtitan's does; other options stay. Nothing where there is none.
std::optional<Plan> with_directions_apart(const Plan& plan);

/// The plan with a problem's fix, where that is an edit of its entries, overlaps or steps; nothing otherwise, and
/// nothing where buckets are taken by no step: a step that is added has options of the graph's presets, see
/// with_entries_taken().
/// @param problem of an evaluation of the plan.
std::optional<Plan> with_fix(const Plan& plan, const Problem& problem);

}  // namespace edits

/// The entry that has the module at `path` or one that contains it; -1 where none has.
int bucket_of_module(const Buckets& buckets, const std::string& path);

}  // namespace overlap
