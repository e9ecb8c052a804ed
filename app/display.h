#pragma once

namespace overlap {

/// Whether a window can be shown: the X server that DISPLAY names, or the Wayland compositor of WAYLAND_DISPLAY,
/// answers. To be asked before there is a QApplication, which ends the program where none does. Chooses Qt's platform
/// where just one of the two answers. A platform that QT_QPA_PLATFORM names is taken at its word.
bool is_there_a_display();

}  // namespace overlap
