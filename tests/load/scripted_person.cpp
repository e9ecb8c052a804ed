#include "tests/load/scripted_person.h"

#include <malloc.h>

#include <QFile>
#include <cstdio>

#include "ui/edits/bucket_commands.h"

namespace overlap::ui {
namespace {

constexpr int edit_count = 8 * 60 * 60 / 3;
constexpr int most_variants = 4;

double memory_mb() {
    malloc_trim(0);
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (line.startsWith("VmRSS:")) return line.mid(6).trimmed().split(' ').front().toDouble() / 1024;
    }
    return 0;
}

}  // namespace

void ScriptedPerson::edit() {
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

void ScriptedPerson::edit_bucket() {
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

void edit_and_print_memory(const std::function<void(int number)>& edit) {
    double early_mb = 0;
    for (int done = 0; done < edit_count; ++done) {
        if (done == edit_count / 10) early_mb = memory_mb();
        edit(done);
    }
    std::printf("{\"edits\": %d, \"early_mb\": %.1f, \"late_mb\": %.1f}\n", edit_count, early_mb, memory_mb());
}

}  // namespace overlap::ui
