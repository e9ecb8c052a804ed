#include "ui/document/session_writer.h"

#include <algorithm>

#include "core/io/plan_file.h"
#include "ui/document/document.h"

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
        if (changed) problems_.put([this, problem] { emit problemChanged(problem); });
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
