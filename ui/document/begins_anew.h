#pragma once

namespace overlap::ui {

/// A property of Variant::undoStack(): the plan has edits, of an earlier run of the program, from before those that can
/// be undone.
inline constexpr const char* begins_anew_property = "beginsAnew";

/// A property of the same: edits that had been undone in an earlier run are lost, from behind those that can be redone.
/// An edit makes it false.
inline constexpr const char* ends_early_property = "endsEarly";

}  // namespace overlap::ui
