#include "ui/session/plan_file_watch.h"

#include <QScopeGuard>
#include <system_error>

#include "ui/document/document.h"
#include "ui/files/file_digest.h"

namespace overlap::ui {

PlanFileWatch::PlanFileWatch(Document& document, QObject* parent, std::chrono::milliseconds patience)
    : QObject(parent), document_(document), patience_(patience) {
    connect(&document, &Document::variantsChanged, this, &PlanFileWatch::watchAll);
    connect(&watched_, &WatchedFiles::touched, this, [this](const QString& file) {
        for (int index = 1; index < document_.variantCount(); ++index)
            if (document_.variant(index).filePath() == file) lookAt(document_.variant(index));
    });
    watchAll();
}

void PlanFileWatch::watchAll() {
    QStringList files;
    for (int index = 1; index < document_.variantCount(); ++index) {
        const Variant& plan = document_.variant(index);
        if (!plan.filePath().isEmpty() && !plan.fileDigest().isEmpty()) files.append(plan.filePath());
    }
    watched_.watch(files);
}

void PlanFileWatch::look() {
    if (document_.editable()) lookAt(*document_.current());
}

void PlanFileWatch::lookAt(const Variant& plan) {
    const QString file = plan.filePath();
    if (file.isEmpty() || plan.fileDigest().isEmpty()) return;
    if (looking_.contains(plan.key())) {
        again_.insert(plan.key());
        return;
    }
    const auto task = [this, key = plan.key(), file, known = plan.fileDigest()]() -> DetachedTasks::Delivery {
        return [this, key, file, known, now = fileDigest(file)] {
            // A quick read is delivered within run(), where the document may be changing its current plan.
            const auto tell = [this, key, file, known, now] { looked(key, file, known, now); };
            QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
        };
    };
    looking_.insert(plan.key());
    try {
        tasks_.run(task, patience_);
    } catch (const std::system_error&) {
        // No further thread: saving the plan asks before it replaces the file.
        looking_.remove(plan.key());
    }
}

void PlanFileWatch::looked(quint64 variant, const QString& file, const QByteArray& known, const QByteArray& now) {
    const auto end = qScopeGuard([&] {
        looking_.remove(variant);
        const int index = document_.indexOf(variant);
        if (again_.remove(variant) && index > 0) lookAt(document_.variant(index));
    });
    const int index = document_.indexOf(variant);
    if (index < 0) return;
    const Variant& plan = document_.variant(index);
    if (plan.filePath() != file || plan.fileDigest() != known) return;  // saved, or read again, meanwhile
    if (now.isEmpty()) return;
    if (now == known) {
        if (told_.remove(variant)) emit restored(variant, file);
        return;
    }
    for (int other = 1; other < document_.variantCount(); ++other)
        if (document_.variant(other).filePath() == file && document_.variant(other).fileDigest() == now) return;
    if (told_.value(variant) == now) return;
    told_[variant] = now;
    emit changed(variant, file);
}

}  // namespace overlap::ui
