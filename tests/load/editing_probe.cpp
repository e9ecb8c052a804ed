// editing_probe GRAPH: what a person does to a plan in eight hours, an edit every three seconds, as fast as it can be
// answered: every edit is evaluated. Prints one JSON object: edits, growth of the memory that is in use between the
// first tenth and the end in percent, and the time to undo and redo a thousand steps.

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <cstdio>
#include <exception>
#include <iostream>
#include <random>

#include "ui/document/bucket_commands.h"
#include "ui/document/document.h"

namespace {

using namespace overlap;
using namespace overlap::ui;

constexpr int edit_count = 8 * 60 * 60 / 3;
constexpr int undone_steps = 1000;
constexpr int most_variants = 4;

/// Resident memory in kilobytes.
double memory_kb() {
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.startsWith("VmRSS:")) return line.mid(6).trimmed().split(' ').front().toDouble();
    }
    return 0;
}

void wait_for_evaluation(const Document& document) {
    while (document.evaluating()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

class Person {
  public:
    explicit Person(Document& document) : document_(document) {}

    void edit() {
        BucketCommands commands(document_);
        const int buckets = static_cast<int>(document_.buckets().size());
        const QString layer = QStringLiteral("layers.%1").arg(below(6));
        switch (below(10)) {
            case 0:
                commands.startFrom(BucketCommands::Template::blocks, 1 + below(3));
                break;
            case 1:
                if (buckets > 0) commands.remove({below(buckets)});
                break;
            case 2:
                if (buckets > 1) commands.move(below(buckets), below(buckets));
                break;
            case 3:
                if (buckets > 0) commands.rename(below(buckets), QStringLiteral("bucket %1").arg(below(100)));
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

    int below(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }

  private:
    Document& document_;
    std::mt19937 random_{1};
};

}  // namespace

int main(int argument_count, char** arguments) {
    QCoreApplication application(argument_count, arguments);
    if (argument_count != 2) {
        std::cerr << "usage: editing_probe GRAPH\n";
        return 2;
    }
    try {
        Document document;
        document.setGraph(loadGraph(QString::fromLocal8Bit(arguments[1])));
        Person person(document);
        double early_kb = 0;
        for (int done = 0; done < edit_count; ++done) {
            if (done == edit_count / 10) early_kb = memory_kb();
            person.edit();
            wait_for_evaluation(document);
        }
        const double growth = (memory_kb() / early_kb - 1) * 100;

        document.addCopyOfCurrent();
        BucketCommands commands(document);
        for (int step = 0; step < undone_steps; ++step) commands.addText(QStringLiteral("step %1").arg(step));
        QElapsedTimer clock;
        clock.start();
        QUndoStack& history = document.current()->undoStack();
        while (history.canUndo()) history.undo();
        while (history.canRedo()) history.redo();
        const auto undo_ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
        std::printf("{\"edits\": %d, \"growth_percent\": %.2f, \"thousand_undo_ms\": %.1f}\n", edit_count, growth,
                    undo_ms);
    } catch (const std::exception& failure) {
        std::cerr << "editing_probe: " << failure.what() << '\n';
        return 1;
    }
    return 0;
}
