#pragma once

#include <QObject>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "ui/document/call_queue.h"
#include "ui/document/session.h"

namespace overlap::ui {

/// The session of one moment. Cheap to copy: plans are shared, and their texts are made when it is written.
struct SessionSnapshot {
    SessionState state;
    /// Plans of the first document's variants, in their order; empty where the state has all texts.
    std::vector<std::shared_ptr<const Plan>> plans;
};

/// Copies of a document's plans that stay as they are when the document is edited. A plan is copied when it is another
/// than the last time.
class SharedPlans {
  public:
    /// Those of all variants but the baseline, in their order.
    const std::vector<std::shared_ptr<const Plan>>& of(const Document& document);

  private:
    std::vector<std::shared_ptr<const Plan>> plans_;
};

/// Writes the session on a thread of its own, so that the hand that edits never waits for a disk. Of snapshots that
/// come while one is being written the newest is written next, so that an edit is on the disk after two writes at
/// most. All functions are for the thread that owns the object.
class SessionWriter : public QObject {
    Q_OBJECT

  public:
    /// @param session must outlive the writer.
    explicit SessionWriter(const Session& session, QObject* parent = nullptr);
    /// Writes what still waits.
    ~SessionWriter() override;

    void write(SessionSnapshot snapshot);
    /// Waits until everything is written.
    /// @returns an empty string, or a sentence on why the newest snapshot is not.
    QString flush();

  signals:
    /// Writing fails, and why; once for each reason, however often it is tried. Empty: it works again.
    void problemChanged(const QString& sentence);

  private:
    void work(std::stop_token leave);
    QString store(SessionSnapshot snapshot);

    const Session& session_;
    std::mutex mutex_;
    std::condition_variable_any wake_, written_;
    std::optional<SessionSnapshot> waiting_;  // guarded by mutex_
    bool writing_ = false;                    // guarded by mutex_
    QString problem_;                         // guarded by mutex_; of the newest snapshot that was written
    CallQueue problems_;
    /// Of the worker: plans of the snapshot before. An edit changes one of them, mostly.
    std::vector<std::pair<std::shared_ptr<const Plan>, QByteArray>> texts_;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace overlap::ui
