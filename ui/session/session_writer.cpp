#include "ui/session/session_writer.h"

#include <QCoreApplication>
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/io/plan/plan_file.h"
#include "ui/document/document.h"
#include "ui/tasks/signal_stack.h"

namespace overlap::ui {

const std::vector<std::shared_ptr<const Plan>>& SharedPlans::of(const Document& document) {
    std::vector<std::shared_ptr<const Plan>> plans;
    for (int i = 1; i < document.variantCount(); ++i) {
        const Plan& plan = document.variant(i).plan();
        // Most often a variant is where it was; one that was closed moves the others.
        const auto known =
            std::find_if(plans_.begin(), plans_.end(), [&](const auto& other) { return *other == plan; });
        plans.push_back(known == plans_.end() ? std::make_shared<const Plan>(plan) : *known);
    }
    return plans_ = std::move(plans);
}

/// What the thread and the writer share; the last of them deletes it.
struct SessionWriter::State {
    void work();
    /// Stores what waits. @param lock held, but not while it is stored.
    void store_waiting(std::unique_lock<std::mutex>& lock);
    QString store(SessionSnapshot snapshot);
    QString stored_or_problem(SessionSnapshot snapshot);
    bool has_written() const { return !waiting && !is_writing; }

    std::shared_ptr<const Session> session;  // until the thread ends
    std::mutex mutex;
    std::condition_variable wake, written;
    std::optional<SessionSnapshot> waiting;  // guarded by mutex
    bool is_writing = false;                 // guarded by mutex
    bool is_ending = false;                  // guarded by mutex; what waits is still written
    bool has_ended = false;                  // guarded by mutex
    QString problem;                         // guarded by mutex; of the newest snapshot that was written
    SessionWriter* writer = nullptr;         // guarded by mutex; null once it is deleted
    /// Of who stores: plans of the snapshot before. An edit changes one of them, mostly.
    std::vector<std::pair<std::shared_ptr<const Plan>, QByteArray>> texts;
};

SessionWriter::SessionWriter(std::shared_ptr<const Session> session, QObject* parent,
                             std::chrono::milliseconds patience)
    : QObject(parent), state_(std::make_shared<State>()), patience_(patience) {
    state_->session = std::move(session);
    state_->writer = this;
    startThread();
}

SessionWriter::~SessionWriter() {
    std::unique_lock lock(state_->mutex);
    state_->is_ending = true;
    state_->wake.notify_one();
    if (has_thread_) state_->written.wait_for(lock, patience_, [this] { return state_->has_ended; });
    state_->writer = nullptr;
}

void SessionWriter::startThread() {
    try {
        std::thread([state = state_] { state->work(); }).detach();
        has_thread_ = true;
    } catch (const std::system_error&) {
        // Stored where it is asked for, until there is one.
    }
}

void SessionWriter::write(SessionSnapshot snapshot) {
    if (!has_thread_) startThread();
    std::unique_lock lock(state_->mutex);
    state_->waiting = std::move(snapshot);
    if (has_thread_) {
        state_->wake.notify_one();
    } else {
        state_->store_waiting(lock);
    }
}

QString SessionWriter::flush() {
    std::unique_lock lock(state_->mutex);
    if (state_->written.wait_for(lock, patience_, [this] { return state_->has_written(); })) return state_->problem;
    return QCoreApplication::translate("SessionWriter", "The session is not stored yet: the folder %1 has not answered")
        .arg(state_->session->folder());
}

void SessionWriter::State::work() {
    const SignalStack signal_stack;
    std::unique_lock lock(mutex);
    while (true) {
        wake.wait(lock, [this] { return waiting || is_ending; });
        if (!waiting) break;
        store_waiting(lock);
    }
    session.reset();
    has_ended = true;
    written.notify_all();
}

void SessionWriter::State::store_waiting(std::unique_lock<std::mutex>& lock) {
    SessionSnapshot snapshot = std::move(*waiting);
    waiting.reset();
    is_writing = true;
    lock.unlock();
    const QString now = stored_or_problem(std::move(snapshot));
    lock.lock();
    is_writing = false;
    const bool has_changed = std::exchange(problem, now) != now;
    written.notify_all();
    if (has_changed && writer) writer->problems_.put([told = writer, now] { emit told->problemChanged(now); });
}

QString SessionWriter::State::stored_or_problem(SessionSnapshot snapshot) {
    try {
        return store(std::move(snapshot));
    } catch (const std::bad_alloc&) {
        return QCoreApplication::translate("SessionWriter",
                                           "The session could not be stored: there is not enough memory");
    } catch (const std::exception& error) {
        return QCoreApplication::translate("SessionWriter", "The session could not be stored: %1")
            .arg(QString::fromUtf8(error.what()));
    }
}

QString SessionWriter::State::store(SessionSnapshot snapshot) {
    std::vector<std::pair<std::shared_ptr<const Plan>, QByteArray>> made;
    for (std::size_t i = 0; i < snapshot.plans.size(); ++i) {
        const std::shared_ptr<const Plan>& plan = snapshot.plans[i];
        const auto known =
            std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text.first == plan; });
        made.emplace_back(plan,
                          known == texts.end() ? QByteArray::fromStdString(write_plan_text(*plan)) : known->second);
        snapshot.state.documents.front().variants[i].plan = made.back().second;
    }
    texts = std::move(made);
    return session->save(snapshot.state);
}

}  // namespace overlap::ui
