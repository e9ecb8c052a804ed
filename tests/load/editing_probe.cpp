// editing_probe hours GRAPH: what a person does to a plan in eight hours, an edit every three seconds, as fast as it
// can be answered: every edit is evaluated, and the cards are made anew. Prints one JSON object: edits, and the memory
// in use after the first tenth and at the end, in megabytes.
//
// editing_probe undo GRAPH PLAN: a thousand edits of a plan, all of them taken back and done again. Prints one JSON
// object: buckets, steps that the history has, the slowest edit, undo and redo, and what all undos and redos take, in
// milliseconds. A plan that does not come back as it was is a failure.

#include <malloc.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string_view>

#include "ui/document/bucket_commands.h"
#include "ui/document/document.h"
#include "ui/plan/bucket_model.h"

namespace {

using namespace overlap;
using namespace overlap::ui;

constexpr int edit_count = 8 * 60 * 60 / 3;
constexpr int undone_steps = 1000;
constexpr int most_variants = 4;

/// Resident memory in megabytes, without what the allocator keeps for later.
double memory_mb() {
    malloc_trim(0);
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.startsWith("VmRSS:")) return line.mid(6).trimmed().split(' ').front().toDouble() / 1024;
    }
    return 0;
}

void wait_for_evaluation(const Document& document) {
    while (document.evaluating()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

class Person {
  public:
    explicit Person(Document& document) : document_(document) {}

    /// Any edit of a plan's buckets, a step back, or another plan.
    void edit() {
        BucketCommands commands(document_);
        const int buckets = this->buckets();
        const QString layer = QStringLiteral("layers.%1").arg(below(6));
        switch (below(10)) {
            case 0:
                commands.startFrom(BucketCommands::Template::blocks, 1 + below(3));
                break;
            case 1:
            case 2:
            case 3:
                if (buckets > 1) edit_bucket();
                break;
            case 4:
                document_.current()->undoStack().undo();
                break;
            case 5:
                if (document_.variantCount() < most_variants) {
                    document_.addCopyOfCurrent();
                } else {
                    document_.closeVariant(1);
                }
                break;
            default:
                commands.putIntoNew({layer});
        }
    }

    /// An edit of one bucket that changes the plan.
    void edit_bucket() {
        BucketCommands commands(document_);
        switch (below(3)) {
            case 0:
                commands.remove({below(buckets())});
                break;
            case 1:
                commands.move(below(buckets() - 1), buckets() - 1);
                break;
            default:
                commands.rename(below(buckets()), QStringLiteral("bucket %1").arg(++name_));
        }
    }

  private:
    int buckets() const { return static_cast<int>(document_.buckets().size()); }
    int below(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }

    Document& document_;
    std::mt19937 random_{1};
    int name_ = 0;
};

void edit_for_hours(const QString& graph) {
    Document document;
    document.setGraph(loadGraph(graph));
    const BucketModel cards(document);
    Person person(document);
    double early_mb = 0;
    for (int done = 0; done < edit_count; ++done) {
        if (done == edit_count / 10) early_mb = memory_mb();
        person.edit();
        wait_for_evaluation(document);
    }
    std::printf("{\"edits\": %d, \"early_mb\": %.1f, \"late_mb\": %.1f}\n", edit_count, early_mb, memory_mb());
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
    document.openPlan(plan);
    const BucketModel cards(document);
    const auto buckets = document.buckets().size();
    const Plan before = document.current()->plan();
    Person person(document);
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
    QCoreApplication application(argument_count, arguments);
    const std::string_view what = argument_count > 1 ? arguments[1] : "";
    const auto file = [&](int argument) { return QString::fromLocal8Bit(arguments[argument]); };
    try {
        if (what == "hours" && argument_count == 3) {
            edit_for_hours(file(2));
        } else if (what == "undo" && argument_count == 4) {
            undo_and_redo(file(2), file(3));
        } else {
            std::cerr << "usage: editing_probe hours GRAPH | undo GRAPH PLAN\n";
            return 2;
        }
    } catch (const std::exception& failure) {
        std::cerr << "editing_probe: " << failure.what() << '\n';
        return 1;
    }
    return 0;
}
