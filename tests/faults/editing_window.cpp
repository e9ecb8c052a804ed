// The application's window, edited without end until it is killed (kill_test.py), or so many times before it is closed
// (window_faults_test.py), the same each time. What it is about to do is printed before it is done, so that whatever a
// killed one leaves behind has been told:
//
//     has PLAN EDIT BUCKETS            a plan that came back: its place, the newest edit that it has, its buckets
//     undone PLAN EDIT BUCKETS         the same with its newest edit undone, which is redone then
//     found recovered COUNT notice N   no more plans came back
//     greets NOTICE                    what the window says then; instead of all that: unopened NOTICE, status 1
//     edit EDIT MOMENT PLAN BUCKETS    also of a copy that is made: the edit that it has from the original
//     saving EDIT PLAN, saved EDIT PLAN, unsaved EDIT PLAN
//     closed, or refused               where it is closed; then what the window says: told NOTICE

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QTest>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "ui/frame/notices/notice_bar.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/recovery_controller.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {
namespace {

constexpr int wait_ms = 120'000;
constexpr int edited_plans = 3;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The newest edit that a plan has: its number is in the notes.
int editOf(const Plan& plan) {
    return QString::fromStdString(plan.notes).toInt();
}

/// `layers.0,layers.1+layers.2`, or `-`.
std::string bucketsOf(const Plan& plan) {
    std::string text;
    for (const BucketEntry& bucket : plan.buckets) {
        if (!text.empty()) text += ',';
        for (std::size_t i = 0; i < bucket.modules.size(); ++i) text += (i > 0 ? "+" : "") + bucket.modules[i];
    }
    return text.empty() ? "-" : text;
}

void tellPlan(const char* word, int place, const Plan& plan) {
    std::printf("%s %d %d %s\n", word, place, editOf(plan), bucketsOf(plan).c_str());
}

/// Prints the plans that came back. @returns the newest edit of all of them.
int tellPlans(Document& document) {
    int newest = 0;
    for (int i = 1; i < document.variantCount(); ++i) {
        Variant& variant = document.variant(i);
        tellPlan("has", i, variant.plan());
        newest = std::max(newest, editOf(variant.plan()));
        if (!variant.undoStack().canUndo()) continue;
        variant.undoStack().undo();
        tellPlan("undone", i, variant.plan());
        variant.undoStack().redo();
    }
    return newest;
}

void tellEdit(const Plan& plan, int place) {
    std::printf("edit %d %.6f %d %s\n", editOf(plan), now(), place, bucketsOf(plan).c_str());
    std::fflush(stdout);
}

void edit(Document& document, int number) {
    Plan plan = document.current()->plan();
    plan.notes = std::to_string(number);
    if (plan.buckets.size() >= 6) {
        plan.buckets.clear();
    } else {
        plan.buckets.push_back({{"layers." + std::to_string(plan.buckets.size())}});
    }
    tellEdit(plan, document.currentIndex());
    document.editPlan(QStringLiteral("edit %1").arg(number), std::move(plan));
}

/// Saves the plan that is in front. It may be refused: the notice says so.
void save(MainWindow& window, const QString& folder, int number) {
    const int place = window.document().currentIndex();
    std::printf("saving %d %d\n", number, place);
    std::fflush(stdout);
    const bool saved =
        window.saves().savePlanAs(QDir(folder).filePath(QStringLiteral("%1.plan.json").arg(place)), true);
    std::printf("%s %d %d\n", saved ? "saved" : "unsaved", number, place);
    std::fflush(stdout);
}

/// Prints what the window says: the sentence of its notice and what is folded away behind it.
void tellNotice(const char* word, MainWindow& window) {
    const NoticeBar& notice = window.workspace().notice();
    const QString text = (QStringList{notice.text()} + notice.details()).join(u' ');
    std::printf("%s %s\n", word, qPrintable(text.simplified()));
    std::fflush(stdout);
}

int close(MainWindow& window) {
    std::printf("%s\n", window.close() ? "closed" : "refused");
    tellNotice("told", window);
    return 0;
}

/// Waits until the graph is open. @returns false where the window says that it cannot open it.
bool waitForGraph(MainWindow& window, const QString& graph) {
    Document& document = window.document();
    const auto isOpen = [&] { return document.isOpen() && !document.loading(); };
    const QString name = QFileInfo(graph).fileName();
    const auto isRefused = [&] {
        return !document.isOpen() && !document.loading() && window.workspace().notice().text().contains(name);
    };
    return QTest::qWaitFor([&] { return isOpen() || isRefused(); }, wait_ms) && isOpen();
}

constexpr int without_end = -1;

/// @param edits how many there are, the same each time, or `without_end`.
int run(const QString& folder, const QString& graph, int edits) {
    const bool ends = edits != without_end;
    MainWindow window(QDir(folder).filePath(QStringLiteral("session")));
    window.show();
    window.openFiles({graph});
    Document& document = window.document();
    if (!waitForGraph(window, graph)) {
        tellNotice("unopened", window);
        return 1;
    }
    int number = tellPlans(document);
    std::printf("found recovered %zu notice %d\n", window.recovery().plans().size(),
                window.workspace().notice().text().contains(QStringLiteral("cut off")) ? 1 : 0);
    tellNotice("greets", window);
    // What a plan's file has that is newer than the session is opened behind all others; it is no plan of its own.
    while (document.variantCount() > 1 + edited_plans) document.closeVariant(document.variantCount() - 1);
    while (document.variantCount() < 1 + edited_plans) {
        tellEdit(document.current()->plan(), document.variantCount());
        document.addCopyOfCurrent();
    }
    std::mt19937 random{ends ? 1u : std::random_device()()};
    for (int made = 0; !ends || made < edits; ++made) {
        document.setCurrentIndex(1 + static_cast<int>(random() % edited_plans));
        edit(document, ++number);
        if (ends && made == 1) document.renameCurrent(QStringLiteral("renamed"));
        if (ends ? made % 3 == 0 : random() % 8 == 0) save(window, folder, number);
        QTest::qWait(static_cast<int>(random() % 30));
    }
    return close(window);
}

}  // namespace
}  // namespace overlap::ui

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    if (argc != 3 && argc != 4) {
        std::fprintf(stderr, "usage: editing_window FOLDER GRAPH [EDITS]\n");
        return 2;
    }
    const int edits = argc == 4 ? std::atoi(argv[3]) : overlap::ui::without_end;
    return overlap::ui::run(QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]), edits);
}
