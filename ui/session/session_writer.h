#pragma once

#include <QObject>
#include <chrono>
#include <memory>
#include <vector>

#include "core/plan/plan.h"
#include "ui/session/session.h"
#include "ui/tasks/call_queue.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

/// The session of one moment. Cheap to copy: plans are shared, and their texts are made when it is written.
struct SessionSnapshot {
    SessionState state;
    /// Plans of the first document's variants, in their order; empty where the state has all texts.
    std::vector<std::shared_ptr<const Plan>> plans;
};

/// Copies of a document's plans that stay as they are when the document is edited. A plan is copied when it has changed
/// since the last time.
class SharedPlans {
  public:
    /// Those of all variants but the baseline, in their order.
    const std::vector<std::shared_ptr<const Plan>>& of(const Document& document);

  private:
    std::vector<std::shared_ptr<const Plan>> plans_;
};

/// Writes the session on a separate thread, so that edits never wait for a disk. Of snapshots that come while one is
/// being written the newest is written next, so that an edit is on the disk after two writes at most. A folder that
/// never answers blocks that thread and not the window; the thread then outlives this object. Where no thread can
/// be started, write() stores the session itself. All functions are for the thread that owns the object.
class SessionWriter : public QObject {
    Q_OBJECT

  public:
    /// @param session whose lock is held as long as something is being written.
    /// @param patience how long flush() and the destructor wait.
    explicit SessionWriter(std::shared_ptr<const Session> session, QObject* parent = nullptr,
                           std::chrono::milliseconds patience = folder_patience);
    /// Writes what still waits, as long as flush() would take for it.
    ~SessionWriter() override;

    void write(SessionSnapshot snapshot);
    /// Waits until everything is written, or for the patience.
    /// @returns an empty string, or a sentence on why the newest snapshot is not.
    QString flush();

  signals:
    /// Writing fails, and why; once for each reason, however often it is tried. Empty: it works again.
    void problemChanged(const QString& sentence);

  private:
    struct State;

    void startThread();

    std::shared_ptr<State> state_;
    bool has_thread_ = false;
    std::chrono::milliseconds patience_;
    CallQueue problems_;
};

}  // namespace overlap::ui
