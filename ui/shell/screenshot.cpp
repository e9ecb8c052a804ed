#include "ui/shell/screenshot.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QImage>
#include <QImageWriter>
#include <QMouseEvent>
#include <QScopeGuard>
#include <QToolBar>
#include <QToolButton>
#include <cstdio>

#include "ui/advice/advice_panel.h"
#include "ui/collectives/collectives_panel.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/files/write_file.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/inspector/inspector_content.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/statistics_panel.h"
#include "ui/memory/memory_panel.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/graph_chooser.h"
#include "ui/panels/problems_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plans/plans_panel.h"
#include "ui/run/run_panel.h"
#include "ui/search/search_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

QtMessageHandler previous_handler = nullptr;
constexpr int longest_wait_ms = 300'000;  ///< for the largest graphs on the slowest machines
constexpr int settle_ms = 120;            ///< layouts and fades that follow the last result

void fail(const QString& reason) {
    std::fprintf(stderr, "%s\n", qPrintable(reason));
}

void runEventsFor(int ms) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < ms) QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
}

bool waitUntilIdle(const MainWindow& window) {
    QElapsedTimer timer;
    timer.start();
    // Work is passed from reader to evaluator to timeline by queued calls: idle twice in a row means that no work is
    // left.
    for (int idle = 0; idle < 2; idle = window.idle() ? idle + 1 : 0) {
        if (timer.elapsed() > longest_wait_ms) return false;
        runEventsFor(10);
    }
    return true;
}

/// Why a picture cannot have this name: its extension is its format. Nothing where it can.
QString wrongFormat(const QString& output) {
    const QList<QByteArray> formats = QImageWriter::supportedImageFormats();
    if (formats.contains(QFileInfo(output).suffix().toLower().toLatin1())) return {};
    return QStringLiteral("--screenshot %1: the name of a picture ends in its format: .%2")
        .arg(output, QString::fromLatin1(formats.join(", .")));
}

QWidget* part(MainWindow& window, const QString& name) {
    if (name == u"window" || name == u"chooser") return &window;
    if (name == u"modules") return window.workspace().modulesPanel().parentWidget();
    if (name == u"buckets") return window.workspace().bucketBoard().parentWidget();
    if (name == u"inspector") return window.workspace().inspector().parentWidget();
    if (name == u"problems") return &window.workspace().problems();
    if (name == u"passes") return &window.workspace().passes();
    if (name == u"groups") return &window.workspace().processGroups();
    if (name == u"collectives") return &window.workspace().collectives();
    if (name == u"advice") return &window.workspace().advice();
    if (name == u"memory") return &window.workspace().memory();
    if (name == u"plans") return &window.workspace().plans();
    if (name == u"search") return &window.workspace().search();
    if (name == u"compare") return &window.workspace().compare();
    if (name == u"statistics") return &window.workspace().statistics();
    if (name == u"run") return &window.workspace().run();
    if (name == u"timeline") return &window.workspace().timeline();
    if (name == u"toolbar") return window.findChild<QToolBar*>();
    return window.workspace().centre().view(name);
}

/// Raises the dock that contains a part of the window above others in the same tabs.
void bringToFront(QWidget* part) {
    while (part && !qobject_cast<QDockWidget*>(part)) part = part->parentWidget();
    if (part) part->raise();
}

/// Pictures are drawn without a display, by a plugin that reports everything that it lacks.
void quietPlatform(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (message.contains(QLatin1String("propagateSizeHints"))) return;
    if (previous_handler) previous_handler(type, context, message);
}

/// Takes the selected event, else the most exposed collective, with the left button and moves it, as a user would; the
/// button stays down.
void holdCollective(TimelineView& timeline, double by_ms) {
    constexpr double ms = 1e6;  // nanoseconds
    if (!timeline.selection().valid()) timeline.selectMostExposed();
    const EventLocation taken = timeline.selection();
    if (!taken.valid()) return;
    const TimeRange time = timeline.timeline()->event(taken);
    const auto moved = static_cast<std::int64_t>(by_ms * ms);
    const std::int64_t around = time.length_ns() + std::abs(moved);
    timeline.setVisibleRange({time.begin_ns - around, time.end_ns + around});
    const QRectF drawn = timeline.eventRect(taken);
    const QPointF from = drawn.center();
    const QPointF to =
        from + QPointF(static_cast<double>(moved) * drawn.width() / static_cast<double>(time.length_ns()), 0);
    QWidget* area = timeline.viewport();
    const auto send = [area](QEvent::Type type, QPointF at, Qt::MouseButton button) {
        QMouseEvent event(type, at, area->mapToGlobal(at), button, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(area, &event);
    };
    send(QEvent::MouseButtonPress, from, Qt::LeftButton);
    send(QEvent::MouseMove, (from + to) / 2, Qt::NoButton);
    send(QEvent::MouseMove, to, Qt::NoButton);
}

/// Why `link` cannot be selected, or nothing.
QString wrongSelection(Document& document, const QString& link) {
    const QString what = link.section(u':', 0, 0);
    const QString which = link.section(u':', 1);
    if (what == u"compare") return {};
    if (what == u"step") {
        bool number = false;
        const int step = which.toInt(&number);
        const int count = PipelineCommands(document).count();
        return number && step >= 1 && step <= count
                   ? QString()
                   : QStringLiteral("there is no step \"%1\"; the plan has %2").arg(which, QString::number(count));
    }
    if (what == u"bucket") {
        bool number = false;
        const int bucket = which.toInt(&number);
        const auto count = static_cast<int>(document.buckets().size());
        if (number && bucket >= 0 && bucket < count) return {};
        return count == 0 ? QStringLiteral("the plan has no bucket to select")
                          : QStringLiteral("there is no bucket \"%1\"; buckets are 0 to %2")
                                .arg(which, QString::number(count - 1));
    }
    if (what == u"module")
        return document.modules().find(which.toStdString()) != ModuleTree::no_module
                   ? QString()
                   : QStringLiteral("there is no module \"%1\"").arg(which);
    if (what == u"modules") {
        for (const QString& path : which.split(u','))
            if (document.modules().find(path.toStdString()) == ModuleTree::no_module)
                return QStringLiteral("there is no module \"%1\"").arg(path);
        return {};
    }
    if (what == u"node")
        return document.findNode(which).node != no_node ? QString()
                                                        : QStringLiteral("there is no node \"%1\"").arg(which);
    if (what == u"group") {
        const auto evaluation = document.evaluation();
        const bool known = evaluation && evaluation->graph->header().process_group(which.toStdString());
        return known ? QString() : QStringLiteral("there is no process group \"%1\"").arg(which);
    }
    return QStringLiteral(
               "--select is module:PATH, modules:PATH,PATH, bucket:N, node:NAME, group:NAME, step:N or compare, not "
               "\"%1\"")
        .arg(link);
}

}  // namespace

QString screenshotViews() {
    return QStringLiteral(
        "window, modules, buckets, inspector, problems, collectives, advice, memory, search, plans, passes, groups, "
        "compare, statistics, run, chooser, graph, mesh, job, timeline or toolbar");
}

int renderScreenshot(const QStringList& files, const ScreenshotOptions& options) {
    if (const QString reason = wrongFormat(options.output); !reason.isEmpty()) {
        fail(QStringLiteral("overlap-studio: ") + reason);
        return 2;
    }
    previous_handler = qInstallMessageHandler(quietPlatform);
    const auto restore = qScopeGuard([] { qInstallMessageHandler(previous_handler); });
    ThemeManager::instance().setMode(options.theme == u"light" ? ThemeMode::Light : ThemeMode::Dark);
    MainWindow window;
    QWidget* wanted = part(window, options.view);
    if (!wanted) {
        fail(QStringLiteral("overlap-studio: there is no view \"%1\"; choose %2").arg(options.view, screenshotViews()));
        return 2;
    }
    window.resize(options.size);
    window.show();
    files.isEmpty() ? window.openSessionOrSample() : window.openFiles(files);
    if (!waitUntilIdle(window)) {
        fail(QStringLiteral("overlap-studio: the files were not open after %1 s").arg(longest_wait_ms / 1000));
        return 1;
    }
    if (auto* chooser = window.findChild<GraphChooser*>()) {
        if (options.view == u"chooser") {
            chooser->resize(chooser->size().boundedTo(options.size));
            wanted = chooser;
        } else {
            const GraphSource source = chooser->source();
            fail(QStringLiteral("overlap-studio: %1 has several graphs; the picture shows number %2")
                     .arg(source.file)
                     .arg(source.number));
            chooser->accept();
            waitUntilIdle(window);
        }
    }
    if (const QString notice = window.workspace().notice().text(); !notice.isEmpty()) {
        fail(notice);
        return 1;
    }
    if (!options.select.isEmpty()) {
        if (const QString reason = wrongSelection(window.document(), options.select); !reason.isEmpty()) {
            fail(QStringLiteral("overlap-studio: ") + reason);
            return 2;
        }
        followInspectorLink(window.document(), options.select);
        if (options.select.startsWith(u"step:")) {
            bringToFront(&window.workspace().passes());
            window.workspace().passes().selectStep(options.select.section(u':', 1).toInt() - 1);
        }
        if (window.document().selection().kind() == Selection::Kind::group)
            bringToFront(&window.workspace().processGroups());
    }
    if (options.select == u"compare") {
        bringToFront(&window.workspace().compare());
        waitUntilIdle(window);
        window.workspace().compare().both()->setChecked(true);
    }
    const auto nothing_to_show = [&] {
        if (waitUntilIdle(window)) return false;
        fail(QStringLiteral("overlap-studio: nothing to show after %1 s").arg(longest_wait_ms / 1000));
        return true;
    };
    if (nothing_to_show()) return 1;  // explanations of a selection may take a while
    bringToFront(wanted);
    window.workspace().centre().showView(options.view);
    if (nothing_to_show()) return 1;  // panels work nothing out before they are seen
    if (wanted == &window.workspace().graphView() && !options.select.isEmpty())
        window.workspace().graphView().focusSelection();
    if (options.zoom > 0 && options.zoom < 1 && window.workspace().timeline().timeline()) {
        const TimeRange whole = window.workspace().timeline().timeline()->range();
        const auto length = static_cast<double>(whole.end_ns - whole.begin_ns);
        const auto begin = whole.begin_ns + static_cast<std::int64_t>(length * (1 - options.zoom) / 2);
        window.workspace().timeline().setVisibleRange(
            {begin, begin + static_cast<std::int64_t>(length * options.zoom)});
    }
    if (options.drag_ms) holdCollective(window.workspace().timeline(), *options.drag_ms);
    runEventsFor(settle_ms);
    if (const QString problem = writePicture(options.output, wanted->grab().toImage()); !problem.isEmpty()) {
        fail(QStringLiteral("overlap-studio: ") + problem);
        return 1;
    }
    return 0;
}

}  // namespace overlap::ui
