#include "ui/document/session_writer.h"

#include <algorithm>

#include "core/io/plan_file.h"

namespace overlap::ui {

SessionWriter::SessionWriter(const Session& session, QObject* parent)
    : QObject(parent), session_(session), thread_([this](std::stop_token leave) { work(leave); }) {}

SessionWriter::~SessionWriter() {
    thread_.request_stop();
    thread_.join();
}

void SessionWriter::write(SessionSnapshot snapshot) {
    {
        std::lock_guard lock(mutex_);
        waiting_ = std::move(snapshot);
    }
    wake_.notify_one();
}

QString SessionWriter::flush() {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [this] { return !waiting_ && !writing_; });
    return problem_;
}

void SessionWriter::work(std::stop_token leave) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, leave, [this] { return waiting_.has_value(); })) {
        SessionSnapshot snapshot = std::move(*waiting_);
        waiting_.reset();
        writing_ = true;
        lock.unlock();
        QString problem = store(std::move(snapshot));
        lock.lock();
        writing_ = false;
        const bool changed = std::exchange(problem_, problem) != problem;
        written_.notify_all();
        // A queued call to a destroyed receiver is dropped by Qt.
        if (changed)
            QMetaObject::invokeMethod(
                this, [this, problem] { emit problemChanged(problem); }, Qt::QueuedConnection);
    }
}

QString SessionWriter::store(SessionSnapshot snapshot) {
    std::vector<std::pair<std::shared_ptr<const Plan>, QByteArray>> texts;
    for (std::size_t i = 0; i < snapshot.plans.size(); ++i) {
        const std::shared_ptr<const Plan>& plan = snapshot.plans[i];
        const auto known =
            std::find_if(texts_.begin(), texts_.end(), [&](const auto& text) { return text.first == plan; });
        texts.emplace_back(plan,
                           known == texts_.end() ? QByteArray::fromStdString(write_plan_text(*plan)) : known->second);
        snapshot.state.documents.front().variants[i].plan = texts.back().second;
    }
    texts_ = std::move(texts);
    return session_.save(snapshot.state);
}

}  // namespace overlap::ui
