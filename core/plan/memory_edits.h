#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/memory_section.h"
#include "core/plan/plan.h"

namespace overlap::edits {

/// The plan with this memory section. Passes that carry it out are added to the pipeline where they are missing, and
/// their steps lose options of their own that would overrule the section.
Plan with_memory(Plan plan, MemorySection section);
/// The plan without a memory section: steps get their own defaults again.
Plan without_memory(Plan plan);
/// The plan without the steps that carry a memory section out. Steps that are off stay, and so does the section.
Plan without_memory_passes(Plan plan);

/// Sets what an option of a pass that carries the section out says: `memory_policy`, `rules`, …
/// @returns false for options that the section does not have, or values of another type; the section is then as it was.
/// @throws InputError for rules that cannot be read.
bool set_option(MemorySection& section, std::string_view option, const OptionValue& value);
/// What counts in a plan: its section, or what one would be without, and in their place what its steps say themselves.
/// @throws InputError for rules of a step that cannot be read.
MemorySection memory_in_effect(const Plan& plan);

/// Pure edits of a section's rules. Indices that are out of range change nothing.

/// Makes `action` what counts for all of `modules`: other rules of the same operators and kind no longer name them, nor
/// modules within them, and the last rule of that action that nothing overrules takes them, else a new one at the end.
/// @param modules empty: the whole model. @param operators empty: all.
MemorySection put_modules(MemorySection section, MemoryAction action, const std::vector<std::string>& modules,
                          const std::vector<std::string>& operators = {});
/// Takes modules out of one rule, which disappears when that empties it.
MemorySection take_modules(MemorySection section, std::size_t rule, const std::vector<std::string>& modules);
MemorySection remove_rule(MemorySection section, std::size_t rule);
/// Moves a rule to its final position `to`: the last rule that names a node counts.
MemorySection move_rule(MemorySection section, std::size_t from, std::size_t to);

}  // namespace overlap::edits
