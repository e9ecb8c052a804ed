#pragma once

namespace overlap {

/// The platform that shows windows.
struct Display {
    bool exists = false;
    /// The value of QT_QPA_PLATFORM while QApplication is created; nullptr where Qt's own choice is right.
    const char* platform = nullptr;
};

/// A window can be shown where the X server that DISPLAY names, or the Wayland compositor of WAYLAND_DISPLAY, answers.
/// To be called before there is a QApplication, which ends the program where none does. A platform that QT_QPA_PLATFORM
/// or the option -platform names is not checked.
Display find_display(int argc, const char* const* argv);

}  // namespace overlap
