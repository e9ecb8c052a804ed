// The desktop application.

#include <QApplication>
#include <QCommandLineParser>
#include <QFont>
#include <QIcon>
#include <QRegularExpression>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ui/diagnostics/crash_report.h"
#include "ui/diagnostics/log_file.h"
#include "ui/document/session.h"
#include "ui/shell/icons.h"
#include "ui/shell/main_window.h"
#include "ui/shell/screenshot.h"
#include "ui/theme/theme_manager.h"

namespace {

/// What has to be settled before there is a QApplication: the scale, and whether a window can be shown at all.
/// Pictures and help need no display. @returns false, after saying so, when a window is wanted and there is no display.
bool prepareEnvironment(int argc, char** argv) {
    bool window = true;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--scale" && i + 1 < argc) qputenv("QT_SCALE_FACTOR", argv[i + 1]);
        if (argument.starts_with("--scale=")) qputenv("QT_SCALE_FACTOR", argument.substr(8).c_str());
        if (argument.starts_with("--screenshot") || argument == "--help" || argument == "-h" ||
            argument == "--version" || argument == "-v")
            window = false;
    }
    for (const char* display : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        if (qEnvironmentVariableIsSet(display)) return true;
    if (!window) return qputenv("QT_QPA_PLATFORM", "offscreen");
    std::fprintf(
        stderr,
        "overlap-studio: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); --screenshot OUT.png "
        "draws the window into a picture, and the program overlap does the same work on the command line\n");
    return false;
}

int wrongUsage(const QString& reason) {
    std::fprintf(stderr, "overlap-studio: %s\n", qPrintable(reason));
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (!prepareEnvironment(argc, argv)) return 1;
    QApplication application(argc, argv);
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
    parser.addPositionalArgument(QStringLiteral("files"), QStringLiteral("a graph, plans for it, and traces of a job"),
                                 QStringLiteral("[FILE...]"));
    const QCommandLineOption fresh(QStringLiteral("fresh"),
                                   QStringLiteral("start without the last session, and keep none"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or system"),
                                   QStringLiteral("name"));
    const QCommandLineOption scale(QStringLiteral("scale"), QStringLiteral("enlarge everything, such as 1.5"),
                                   QStringLiteral("factor"));
    const QCommandLineOption screenshot(QStringLiteral("screenshot"),
                                        QStringLiteral("draw the window into a picture and leave"),
                                        QStringLiteral("OUT.png"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QStringLiteral("size of the picture's window, 1600x1000 by default"),
                                  QStringLiteral("WxH"));
    const QCommandLineOption view(
        QStringLiteral("view"),
        QStringLiteral("part of the window in the picture: window, modules, buckets, "
                       "inspector, problems, passes, groups, compare, statistics, run, graph, mesh, timeline "
                       "or toolbar"),
        QStringLiteral("name"));
    const QCommandLineOption select(
        QStringLiteral("select"),
        QStringLiteral("what is selected in the picture: module:PATH, bucket:N, node:NAME, group:NAME or step:N, "
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
    if (parser.isSet(QStringLiteral("help"))) parser.showHelp(0);
    if (parser.isSet(QStringLiteral("version"))) parser.showVersion();

    const QString theme_name = parser.value(theme);
    if (!theme_name.isEmpty() && theme_name != u"light" && theme_name != u"dark" && theme_name != u"system")
        return wrongUsage(QStringLiteral("--theme is light, dark or system, not \"%1\"").arg(theme_name));
    using overlap::ui::ThemeManager, overlap::ui::ThemeMode;
    ThemeManager::instance().apply();

    if (parser.isSet(screenshot)) {
        overlap::ui::ScreenshotOptions options;
        options.output = parser.value(screenshot);
        options.select = parser.value(select);
        if (!theme_name.isEmpty()) options.theme = theme_name;
        if (parser.isSet(view)) options.view = parser.value(view);
        if (parser.isSet(size)) {
            static const QRegularExpression form(QStringLiteral("^(\\d{2,5})x(\\d{2,5})$"));
            const auto match = form.match(parser.value(size));
            if (!match.hasMatch())
                return wrongUsage(QStringLiteral("--size is such as 1600x1000, not \"%1\"").arg(parser.value(size)));
            options.size = {match.captured(1).toInt(), match.captured(2).toInt()};
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

    // The log and reports of crashes lie beside the session, also where no session is kept.
    const QString folder = overlap::ui::Session::defaultFolder();
    if (const QString problem = overlap::ui::startLogFile(folder); !problem.isEmpty())
        qWarning("%s", qPrintable(problem));
    overlap::ui::installCrashReports(folder, QStringLiteral(OVERLAP_VERSION));
    overlap::ui::MainWindow window(parser.isSet(fresh) ? QString() : folder);
    if (!theme_name.isEmpty())
        ThemeManager::instance().setMode(theme_name == u"light"  ? ThemeMode::Light
                                         : theme_name == u"dark" ? ThemeMode::Dark
                                                                 : ThemeMode::System);
    window.show();
    if (parser.positionalArguments().isEmpty()) {
        window.openSessionOrSample();
    } else {
        window.openFiles(parser.positionalArguments());
    }
    return QApplication::exec();
}
