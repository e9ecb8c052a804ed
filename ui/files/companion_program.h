#pragma once

#include <QString>

namespace overlap::ui {

/// The path of a program of this project that the window starts, such as `overlap-layout`: beside the application, as
/// in a build folder, or in the folder for such programs where it is installed. Beside the application where it is in
/// neither, so that starting it fails with the path where it was expected.
QString companionProgram(const QString& name);

}  // namespace overlap::ui
