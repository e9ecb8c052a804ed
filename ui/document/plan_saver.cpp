#include "ui/document/plan_saver.h"

#include <QFile>
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/io/atomic_file.h"
#include "core/io/plan_file.h"
#include "ui/document/document.h"
#include "ui/document/file_digest.h"

namespace overlap::ui {

/// What the thread and the window share; it outlives both.
struct PlanSaver::Save {
    // Not changed once the thread runs.
    Write write;
    Plan plan;
    std::string text;
    QString file;
    quint64 variant = 0;
    bool own = false;  ///< the file is the plan's
    bool replace = false;
    QByteArray known_digest;  ///< of the plan's own file

    std::mutex mutex;
    std::condition_variable done;
    std::optional<Outcome> outcome;   // guarded by mutex
    CallQueue* deliveries = nullptr;  // guarded by mutex; null while save() waits, and when its owner is gone
    std::function<void()> deliver;    // guarded by mutex
};

PlanSaver::PlanSaver(Document& document, QObject* parent, Write write, std::chrono::milliseconds patience)
    : QObject(parent), document_(document), write_(std::move(write)), patience_(patience) {
    if (!write_) {
        write_ = [](const std::string& file, const std::string& text) {
            write_file_atomically(file, text, OlderVersion::kept);
        };
    }
}

PlanSaver::~PlanSaver() {
    for (const auto& save : under_way_) {
        std::unique_lock lock(save->mutex);
        save->done.wait_for(lock, patience_, [&] { return save->outcome.has_value(); });
        save->deliveries = nullptr;
        save->deliver = nullptr;
    }
}

void PlanSaver::run(Save& save) {
    Outcome outcome{Result::saved, save.variant, save.file, {}};
    try {
        if (!save.replace && QFile::exists(save.file) && (!save.own || save.known_digest != fileDigest(save.file))) {
            outcome.result = save.own ? Result::changed : Result::exists;
        } else {
            save.write(QFile::encodeName(save.file).toStdString(), save.text);
        }
    } catch (const std::exception& error) {
        outcome.result = Result::failed;
        outcome.problem = QString::fromUtf8(error.what());
    }
    const std::lock_guard lock(save.mutex);
    save.outcome = std::move(outcome);
    save.done.notify_all();
    if (save.deliveries) save.deliveries->put(std::exchange(save.deliver, nullptr));
}

std::optional<PlanSaver::Outcome> PlanSaver::save(int index, const QString& file, bool replace) {
    const Variant& variant = document_.variant(index);
    if (std::ranges::any_of(under_way_, [&](const auto& other) { return other->file == file; }))
        return Outcome{Result::under_way, variant.key(), file, {}};
    const auto save = std::make_shared<Save>();
    save->write = write_;
    save->plan = variant.plan();
    save->text = write_plan_text(save->plan);
    save->file = file;
    save->variant = variant.key();
    save->own = file == variant.filePath();
    save->replace = replace;
    save->known_digest = variant.fileDigest();
    under_way_.push_back(save);
    std::thread([save] { run(*save); }).detach();
    std::unique_lock lock(save->mutex);
    if (save->done.wait_for(lock, patience_, [&] { return save->outcome.has_value(); })) {
        lock.unlock();
        return finish(save);
    }
    save->deliveries = &deliveries_;
    // Weak: what waits in the queue would otherwise keep itself.
    save->deliver = [this, late = std::weak_ptr(save)] {
        if (const auto kept = late.lock()) emit finishedLate(finish(kept));
    };
    return {};
}

PlanSaver::Outcome PlanSaver::finish(const std::shared_ptr<Save>& save) {
    std::erase(under_way_, save);
    const Outcome outcome = *save->outcome;  // its thread has written it and is done
    const int index = document_.indexOf(outcome.variant);
    if (outcome.result != Result::saved || index < 0) return outcome;
    Variant& variant = document_.variant(index);
    const QByteArray digest = contentDigest(QByteArray::fromStdString(save->text));
    if (variant.plan() == save->plan) {
        variant.setSaved(save->file, digest);
    } else {
        variant.setUnsaved(save->file, digest);  // edited since: the file has the plan before
    }
    return outcome;
}

}  // namespace overlap::ui
