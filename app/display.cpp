#include "app/display.h"

#include <QDir>
#include <QLibrary>
#include <QLibraryInfo>
#include <string_view>

namespace overlap {
namespace {

/// A session that has ended may leave DISPLAY set, for example in terminals that outlive it.
bool x_server_answers() {
    if (qEnvironmentVariableIsEmpty("DISPLAY")) return false;
    // Connects as Qt does, with the same authority. Without this library Qt has no platform for X either.
    QLibrary library(QStringLiteral("xcb"), 1);
    const auto connect = reinterpret_cast<void* (*)(const char*, int*)>(library.resolve("xcb_connect"));
    const auto error_of = reinterpret_cast<int (*)(void*)>(library.resolve("xcb_connection_has_error"));
    const auto disconnect = reinterpret_cast<void (*)(void*)>(library.resolve("xcb_disconnect"));
    if (!connect || !error_of || !disconnect) return false;
    void* const connection = connect(nullptr, nullptr);
    const bool answers = error_of(connection) == 0;
    disconnect(connection);
    return answers;
}

bool compositor_answers() {
    if (qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) return false;
    // An inherited connection cannot be tried without taking it from Qt.
    if (qEnvironmentVariableIsSet("WAYLAND_SOCKET")) return true;
    const bool has_other_plugins =
        qEnvironmentVariableIsSet("QT_PLUGIN_PATH") || qEnvironmentVariableIsSet("QT_QPA_PLATFORM_PLUGIN_PATH");
    const QDir platforms(QLibraryInfo::path(QLibraryInfo::PluginsPath) + QStringLiteral("/platforms"));
    if (!has_other_plugins && platforms.entryList({QStringLiteral("libqwayland*")}).isEmpty()) return false;
    QLibrary library(QStringLiteral("wayland-client"), 0);
    const auto connect = reinterpret_cast<void* (*)(const char*)>(library.resolve("wl_display_connect"));
    const auto disconnect = reinterpret_cast<void (*)(void*)>(library.resolve("wl_display_disconnect"));
    if (!connect || !disconnect) return false;
    void* const display = connect(nullptr);
    if (!display) return false;
    disconnect(display);
    return true;
}

/// Qt's own option, which QApplication takes from the arguments.
bool is_platform_an_argument(int argc, const char* const* argv) {
    for (int index = 1; index + 1 < argc; ++index) {
        const std::string_view argument = argv[index];
        if (argument == "-platform" || argument == "--platform") return true;
    }
    return false;
}

}  // namespace

Display find_display(int argc, const char* const* argv) {
    if (!qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") || is_platform_an_argument(argc, argv)) return {.exists = true};
    const bool x_server = x_server_answers(), compositor = compositor_answers();
    if (x_server && compositor) return {.exists = true};
    if (x_server || compositor) return {.exists = true, .platform = x_server ? "xcb" : "wayland"};
    return {.exists = false, .platform = "offscreen"};
}

}  // namespace overlap
