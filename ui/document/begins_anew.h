#pragma once

namespace overlap::ui {

/// A property of Variant::undoStack(): the plan has edits, of an earlier run of the program, from before those that can
/// be undone.
inline constexpr const char* begins_anew_property = "beginsAnew";

}  // namespace overlap::ui
