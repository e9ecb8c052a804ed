#include "ui/session/plan_file_watch.h"

#include <QScopeGuard>
#include <system_error>

#include "ui/document/document.h"
#include "ui/files/file_digest.h"

namespace overlap::ui {

PlanFileWatch::PlanFileWatch(Document& document, QObject* parent, std::chrono::milliseconds patience)
    : QObject(parent), document_(document), patience_(patience) {}

void PlanFileWatch::look() {
    if (!document_.editable()) return;
    const Variant& plan = *document_.current();
    const QString file = plan.filePath();
    if (file.isEmpty() || plan.fileDigest().isEmpty() || looking_.contains(file)) return;
    const auto task = [this, key = plan.key(), file, known = plan.fileDigest()]() -> DetachedTasks::Delivery {
        return [this, key, file, known, now = fileDigest(file)] {
            // A quick read is delivered within run(), where the document may be changing its current plan.
            const auto tell = [this, key, file, known, now] { looked(key, file, known, now); };
            QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
        };
    };
    looking_.insert(file);
    try {
        tasks_.run(task, patience_);
    } catch (const std::system_error&) {
        // No further thread: saving the plan asks before it replaces the file.
        looking_.remove(file);
    }
}

void PlanFileWatch::looked(quint64 variant, const QString& file, const QByteArray& known, const QByteArray& now) {
    const auto end = qScopeGuard([&] { looking_.remove(file); });
    const int index = document_.indexOf(variant);
    if (index < 0) return;
    const Variant& plan = document_.variant(index);
    if (plan.filePath() != file || plan.fileDigest() != known) return;  // saved, or read again, meanwhile
    if (now.isEmpty() || now == known) {
        told_.remove(variant);
        return;
    }
    for (int other = 1; other < document_.variantCount(); ++other)
        if (document_.variant(other).filePath() == file && document_.variant(other).fileDigest() == now) return;
    if (told_.value(variant) == now) return;
    told_[variant] = now;
    emit changed(variant, file);
}

}  // namespace overlap::ui
