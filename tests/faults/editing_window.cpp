// The application's window, edited without end until it is killed; see kill_test.py.

#include <QApplication>
#include <QDir>
#include <QTest>
#include <chrono>
#include <cstdio>
#include <random>

#include "ui/shell/main_window.h"
#include "ui/shell/notice_bar.h"

namespace overlap::ui {
namespace {

constexpr int wait_ms = 120'000;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The edit's number is in the notes of the plan. @returns that of the newest edit of all plans.
int newestEdit(Document& document) {
    int newest = 0;
    for (int i = 1; i < document.variantCount(); ++i)
        newest = std::max(newest, QString::fromStdString(document.variant(i).plan().notes).toInt());
    return newest;
}

void edit(Document& document, int number) {
    Plan plan = document.current()->plan();
    plan.notes = std::to_string(number);
    if (plan.buckets.size() >= 6) {
        plan.buckets.clear();
    } else {
        plan.buckets.push_back({{"layers." + std::to_string(plan.buckets.size())}});
    }
    document.editPlan(QStringLiteral("edit %1").arg(number), std::move(plan));
}

int run(const QString& folder, const QString& graph) {
    MainWindow window(QDir(folder).filePath(QStringLiteral("session")));
    window.show();
    window.openFiles({graph});
    Document& document = window.document();
    if (!QTest::qWaitFor([&] { return document.isOpen() && !document.loading(); }, wait_ms)) return 1;
    int number = newestEdit(document);
    std::printf("found %d recovered %zu notice %d\n", number, window.recoveredPlans().size(),
                window.notice().text().contains(QStringLiteral("cut off")) ? 1 : 0);
    std::fflush(stdout);
    while (document.variantCount() < 4) document.addCopyOfCurrent();
    std::mt19937 random{std::random_device()()};
    while (true) {
        document.setCurrentIndex(1 + static_cast<int>(random() % 3));
        const double made = now();
        edit(document, ++number);
        std::printf("edit %d %.6f\n", number, made);
        std::fflush(stdout);
        if (random() % 8 == 0) {
            window.savePlanAs(QDir(folder).filePath(QStringLiteral("%1.plan.json").arg(document.currentIndex())), true);
            std::printf("saved %d\n", number);
            std::fflush(stdout);
        }
        QTest::qWait(static_cast<int>(random() % 30));
    }
}

}  // namespace
}  // namespace overlap::ui

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    if (argc != 3) {
        std::fprintf(stderr, "usage: editing_window FOLDER GRAPH\n");
        return 2;
    }
    return overlap::ui::run(QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]));
}
