#pragma once

namespace overlap {

/// Where windows go.
struct Display {
    bool exists = false;
    /// What QT_QPA_PLATFORM is to be while QApplication is made; nullptr where Qt's own choice is right.
    const char* platform = nullptr;
};

/// A window can be shown where the X server that DISPLAY names, or the Wayland compositor of WAYLAND_DISPLAY, answers.
/// To be asked before there is a QApplication, which ends the program where none does. A platform that QT_QPA_PLATFORM
/// or the option -platform names is taken at its word.
Display find_display(int argc, const char* const* argv);

}  // namespace overlap
