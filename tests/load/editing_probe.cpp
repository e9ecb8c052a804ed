// editing_probe hours GRAPH: eight hours of a ScriptedPerson's edits, as fast as they can be answered: every edit is
// evaluated, and the cards are made anew. Prints one JSON object: see edit_and_print_memory().
//
// editing_probe window GRAPH: the same in the application's window with a session: every edit is drawn, each view and
// theme comes to the front in turn, and plans are saved.
//
// editing_probe undo GRAPH PLAN: a thousand edits of a plan, all of them taken back and done again. Prints one JSON
// object: buckets, steps that the history has, the slowest edit, undo and redo, and what all undos and redos take, in
// milliseconds. A plan that does not come back as it was is a failure.

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "tests/load/scripted_person.h"
#include "ui/document/document.h"
#include "ui/frame/actions.h"
#include "ui/frame/centre_tabs.h"
#include "ui/plan/bucket_model.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"

namespace {

using namespace overlap;
using namespace overlap::ui;

constexpr int undone_steps = 1000;

void wait_for_evaluation(const Document& document) {
    while (document.evaluating()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

void edit_for_hours(const QString& graph) {
    Document document;
    document.setGraph(loadGraph(graph));
    const BucketModel cards(document);
    ScriptedPerson person(document);
    edit_and_print_memory([&](int) {
        person.edit();
        wait_for_evaluation(document);
    });
}

void edit_in_window_for_hours(const QString& graph) {
    constexpr int edits_in_a_view = 16, edits_between_saves = 50;
    // One an hour: of each change of colours Qt keeps pixmaps, until they are ten megabytes.
    constexpr int edits_in_a_theme = 1200;
    constexpr int wait_ms = 60'000;
    const QTemporaryDir folder;
    MainWindow window(folder.filePath(QStringLiteral("session")));
    window.show();
    window.openFiles({graph});
    if (!QTest::qWaitFor([&] { return window.document().isOpen() && window.idle(); }, wait_ms))
        throw std::runtime_error("the graph was not opened");
    window.document().addCopyOfCurrent();
    const auto& views = window.workspace().centre().views();
    const std::array themes = {"view.theme.dark", "view.theme.light"};
    ScriptedPerson person(window.document());
    edit_and_print_memory([&](int done) {
        if (done % edits_in_a_view == 0) {
            const auto shown = static_cast<std::size_t>(done / edits_in_a_view);
            window.workspace().centre().showView(views[shown % views.size()].id);
        }
        if (done % edits_in_a_theme == 0) {
            const auto changes = static_cast<std::size_t>(done / edits_in_a_theme);
            window.actions().find(QString::fromLatin1(themes[changes % themes.size()]))->trigger();
        }
        person.edit();
        if (!QTest::qWaitFor([&] { return window.idle(); }, wait_ms)) throw std::runtime_error("an edit has no end");
        window.repaint();
        const bool saves = done % edits_between_saves == 0 && window.document().editable();
        if (saves && !window.saves().savePlanAs(folder.filePath(QStringLiteral("a.plan.json")), true))
            throw std::runtime_error("a plan was not saved");
    });
}

/// Milliseconds that steps take: all of them, and the slowest.
struct Steps {
    int count = 0;
    double all_ms = 0, slowest_ms = 0;

    void time(const std::function<void()>& step) {
        QElapsedTimer clock;
        clock.start();
        step();
        const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        ++count;
        all_ms += ms;
        slowest_ms = std::max(slowest_ms, ms);
        QCoreApplication::processEvents();  // as between two keys
    }
};

void undo_and_redo(const QString& graph, const QString& plan) {
    Document document;
    document.setGraph(loadGraph(graph));
    document.openPlan(readPlan(plan));
    const BucketModel cards(document);
    const auto buckets = document.buckets().size();
    const Plan before = document.current()->plan();
    ScriptedPerson person(document);
    Steps edits, undos, redos;
    QUndoStack& history = document.current()->undoStack();
    while (history.count() < undone_steps) edits.time([&] { person.edit_bucket(); });
    const Plan after = document.current()->plan();
    while (history.canUndo()) undos.time([&] { history.undo(); });
    if (!(document.current()->plan() == before)) throw std::runtime_error("undo does not bring the plan back");
    while (history.canRedo()) redos.time([&] { history.redo(); });
    if (!(document.current()->plan() == after)) throw std::runtime_error("redo does not bring the edits back");
    std::printf(
        "{\"buckets\": %zu, \"steps\": %d, \"slowest_edit_ms\": %.1f, \"slowest_undo_ms\": %.1f, "
        "\"slowest_redo_ms\": %.1f, \"undo_and_redo_ms\": %.1f}\n",
        buckets, undos.count, edits.slowest_ms, undos.slowest_ms, redos.slowest_ms, undos.all_ms + redos.all_ms);
}

}  // namespace

int main(int argument_count, char** arguments) {
    QApplication application(argument_count, arguments);
    const std::string_view what = argument_count > 1 ? arguments[1] : "";
    const auto file = [&](int argument) { return QString::fromLocal8Bit(arguments[argument]); };
    try {
        if (what == "hours" && argument_count == 3) {
            edit_for_hours(file(2));
        } else if (what == "window" && argument_count == 3) {
            edit_in_window_for_hours(file(2));
        } else if (what == "undo" && argument_count == 4) {
            undo_and_redo(file(2), file(3));
        } else {
            std::cerr << "usage: editing_probe hours GRAPH | window GRAPH | undo GRAPH PLAN\n";
            return 2;
        }
    } catch (const std::exception& failure) {
        std::cerr << "editing_probe: " << failure.what() << '\n';
        return 1;
    }
    return 0;
}
