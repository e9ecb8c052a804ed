// The desktop application.

#include <QApplication>
#include <QCommandLineParser>
#include <QFont>
#include <QIcon>
#include <QRegularExpression>
#include <QSize>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "app/display.h"
#include "core/base/freed_memory.h"
#include "ui/diagnostics/crash_report.h"
#include "ui/diagnostics/log_file.h"
#include "ui/files/resources.h"
#include "ui/session/session.h"
#include "ui/shell/main_window.h"
#include "ui/shell/screenshot.h"
#include "ui/shell/session_controller.h"
#include "ui/theme/theme_manager.h"

namespace {

/// Qt draws a picture into memory as a whole: four bytes for each pixel, and a few times that on the way.
constexpr int longest_side = 16384;
/// Below, nothing can be read; above, no more than a corner of the window is on any screen.
constexpr double smallest_scale = 0.25, largest_scale = 8;

int wrongUsage(const QString& reason) {
    std::fprintf(stderr, "overlap-studio: %s\n", qPrintable(reason));
    return 2;
}

/// Settings that are needed before there is a QApplication: the scale. @returns the exit status, after reporting why,
/// when it is invalid.
std::optional<int> prepareScale(int argc, char** argv) {
    const std::string scale_is = "--scale=";
    for (int i = 1; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
        const std::string argument = argv[i];
        std::optional<QByteArray> scale;
        if (argument == "--scale" && i + 1 < argc) scale = argv[++i];
        if (argument.starts_with(scale_is)) scale = argument.substr(scale_is.size()).c_str();
        if (!scale) continue;
        bool is_number = false;
        const double factor = scale->toDouble(&is_number);
        if (!is_number || !(factor >= smallest_scale && factor <= largest_scale))
            return wrongUsage(QStringLiteral("--scale is a number from %1 to %2, such as 1.5, not \"%3\"")
                                  .arg(smallest_scale)
                                  .arg(largest_scale)
                                  .arg(QString::fromLocal8Bit(*scale)));
        qputenv("QT_SCALE_FACTOR", *scale);
    }
    return std::nullopt;
}

/// Parses `--size` into `size`. @returns why it is invalid, or nothing.
QString readSize(const QString& text, QSize& size) {
    static const QRegularExpression form(QStringLiteral("^(\\d{2,9})x(\\d{2,9})$"));
    const auto match = form.match(text);
    if (!match.hasMatch()) return QStringLiteral("--size is such as 1600x1000, not \"%1\"").arg(text);
    size = {match.captured(1).toInt(), match.captured(2).toInt()};
    // A picture has as many pixels as the window on a display of that scale.
    const double pixels = std::max(size.width(), size.height()) * qGuiApp->devicePixelRatio();
    if (pixels <= longest_side) return {};
    return QStringLiteral("--size %1 makes a picture with a side of %2 pixels; %3 are the most")
        .arg(text)
        .arg(pixels, 0, 'f', 0)
        .arg(longest_side);
}

}  // namespace

int main(int argc, char** argv) {
    overlap::keep_freed_memory();
    if (const std::optional<int> status = prepareScale(argc, argv)) return *status;
    // Help, the version, wrong usage and pictures need none.
    const overlap::Display display = overlap::find_display(argc, argv);
    if (display.platform) qputenv("QT_QPA_PLATFORM", display.platform);
    QApplication application(argc, argv);
    if (display.platform) qunsetenv("QT_QPA_PLATFORM");  // child processes of the window choose themselves
    overlap::ui::loadResources();
    QApplication::setApplicationName(QStringLiteral("Overlap Studio"));
    QApplication::setApplicationVersion(QStringLiteral(OVERLAP_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("overlap-studio"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/overlap-studio.svg")));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Shows and plans the overlap of communication and compute in a distributed training step."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("files"),
                                 QStringLiteral("a graph, plans for it, a job, and traces of one"),
                                 QStringLiteral("[FILE...]"));
    const QCommandLineOption fresh(QStringLiteral("fresh"),
                                   QStringLiteral("start without the last session, and keep none"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or system"),
                                   QStringLiteral("name"));
    const QCommandLineOption scale(QStringLiteral("scale"),
                                   QStringLiteral("enlarge everything: a number from 0.25 to 8, such as 1.5"),
                                   QStringLiteral("factor"));
    const QCommandLineOption screenshot(QStringLiteral("screenshot"),
                                        QStringLiteral("draw the window into a picture and exit"),
                                        QStringLiteral("OUT.png"));
    const QCommandLineOption size(
        QStringLiteral("size"),
        QStringLiteral("size of the picture's window, 1600x1000 by default; 16384 pixels a side at most"),
        QStringLiteral("WxH"));
    const QCommandLineOption view(
        QStringLiteral("view"),
        QStringLiteral("part of the window in the picture: %1").arg(overlap::ui::screenshotViews()),
        QStringLiteral("name"));
    const QCommandLineOption select(
        QStringLiteral("select"),
        QStringLiteral("what is selected in the picture: module:PATH, modules:PATH,PATH, bucket:N, node:NAME, "
                       "group:NAME or step:N, "
                       "or compare: both steps of Compare, in the timeline"),
        QStringLiteral("what"));
    const QCommandLineOption zoom(QStringLiteral("zoom"),
                                  QStringLiteral("share of the step in the picture's timeline, such as 0.1"),
                                  QStringLiteral("share"));
    const QCommandLineOption drag(
        QStringLiteral("drag"),
        QStringLiteral(
            "hold what --select chose, or the most exposed collective, that far from where it is, such as -20"),
        QStringLiteral("milliseconds"));
    parser.addOptions({fresh, theme, scale, screenshot, size, view, select, zoom, drag});
    if (!parser.parse(QApplication::arguments())) return wrongUsage(parser.errorText());
    // Ends the program where help or the version is requested; help of all options includes Qt's own.
    parser.process(QApplication::arguments());

    const QString theme_name = parser.value(theme);
    if (!theme_name.isEmpty() && theme_name != u"light" && theme_name != u"dark" && theme_name != u"system")
        return wrongUsage(QStringLiteral("--theme is light, dark or system, not \"%1\"").arg(theme_name));
    if (!parser.isSet(screenshot)) {
        for (const QCommandLineOption* of_pictures : {&size, &view, &select, &zoom, &drag})
            if (parser.isSet(*of_pictures))
                return wrongUsage(QStringLiteral("--%1 is for pictures; --screenshot OUT.png makes one")
                                      .arg(of_pictures->names().constFirst()));
    }
    using overlap::ui::ThemeManager, overlap::ui::ThemeMode;
    ThemeManager::instance().apply();

    if (parser.isSet(screenshot)) {
        overlap::ui::ScreenshotOptions options;
        options.output = parser.value(screenshot);
        options.select = parser.value(select);
        if (!theme_name.isEmpty()) options.theme = theme_name;
        if (parser.isSet(view)) options.view = parser.value(view);
        if (parser.isSet(size)) {
            if (const QString reason = readSize(parser.value(size), options.size); !reason.isEmpty())
                return wrongUsage(reason);
        }
        if (parser.isSet(zoom)) {
            bool number = false;
            options.zoom = parser.value(zoom).toDouble(&number);
            if (!number || !(options.zoom > 0 && options.zoom <= 1))
                return wrongUsage(
                    QStringLiteral("--zoom is a share of the step above 0 and up to 1, such as 0.1, not \"%1\"")
                        .arg(parser.value(zoom)));
        }
        if (parser.isSet(drag)) {
            bool number = false;
            options.drag_ms = parser.value(drag).toDouble(&number);
            if (!number)
                return wrongUsage(QStringLiteral("--drag is a time in milliseconds, such as -20, not \"%1\"")
                                      .arg(parser.value(drag)));
        }
        return overlap::ui::renderScreenshot(parser.positionalArguments(), options);
    }

    if (!display.exists) {
        std::fprintf(
            stderr,
            "overlap-studio: there is no display (neither DISPLAY nor WAYLAND_DISPLAY names one that answers); "
            "--screenshot OUT.png draws the window into a picture, and the program overlap does the same work "
            "on the command line\n");
        return 1;
    }
    // The log and crash reports are beside the session, also where no session is kept.
    const QString folder = overlap::ui::Session::defaultFolder();
    if (const QString problem = overlap::ui::startLogFile(folder); !problem.isEmpty())
        qWarning("%s", qPrintable(problem));
    overlap::ui::installCrashReports(folder, QStringLiteral(OVERLAP_VERSION), !parser.isSet(fresh));
    overlap::ui::MainWindow window(parser.isSet(fresh) ? QString() : folder);
    if (!theme_name.isEmpty())
        ThemeManager::instance().setMode(theme_name == u"light"  ? ThemeMode::Light
                                         : theme_name == u"dark" ? ThemeMode::Dark
                                                                 : ThemeMode::System);
    window.showOnScreen();
    if (parser.positionalArguments().isEmpty()) {
        window.openSessionOrSample();
    } else {
        window.openFiles(parser.positionalArguments());
    }
    const int status = QApplication::exec();
    // The window has gone, and may have left plans that are in no file.
    if (const QString words = window.session().partingWords(); !words.isEmpty())
        std::fprintf(stderr, "overlap-studio: %s\n", words.toLocal8Bit().constData());
    return status;
}
