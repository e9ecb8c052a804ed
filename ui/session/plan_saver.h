#pragma once

#include <QHash>
#include <QObject>
#include <QString>
#include <QStringList>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/plan/plan.h"
#include "ui/tasks/detached_tasks.h"

namespace overlap::ui {

class Document;

/// Saves plans. A folder that never answers, such as a disconnected network folder, blocks a thread and not the window:
/// a long save continues in the background and is reported when it is done.
class PlanSaver : public QObject {
    Q_OBJECT

  public:
    enum class Result {
        saved,
        exists,     ///< another file has that name; nothing was written
        changed,    ///< the plan's own file has something else than was read from or saved in it; nothing was written
        under_way,  ///< that file is still being saved; nothing was begun
        failed,
    };
    struct Outcome {
        Result result = Result::failed;
        quint64 variant = 0;  ///< key of the plan, which may have been closed since
        QString file;
        QString problem;  ///< one sentence, where it failed
    };
    /// Writes a plan into a file. @throws std::exception with a sentence.
    using Write = std::function<void(const Plan& plan, const std::string& file)>;

    /// @param write the function that writes; if empty, write_plan_file(), which keeps the previous version.
    /// @param patience how long save() and waitForAll() wait.
    explicit PlanSaver(Document& document, QObject* parent = nullptr, Write write = {},
                       std::chrono::milliseconds patience = folder_patience);

    /// Saves the variant's plan as it is now. When it has been written, the variant belongs to that file and is not
    /// modified, unless it was edited, or saved elsewhere, meanwhile.
    /// @param replace whatever the file contains.
    /// @returns nothing where it takes longer: finishedLate() reports the outcome.
    std::optional<Outcome> save(int index, const QString& file, bool replace);
    /// Files that are still being saved.
    QStringList underWay() const { return under_way_; }
    /// Waits for what is still being saved, as long as save() would, and reports outcomes meanwhile.
    void waitForAll();

  signals:
    void finishedLate(const overlap::ui::PlanSaver::Outcome& outcome);

  private:
    struct Request;
    static Outcome written(const Request& request);
    void finish(const Request& request, const Outcome& outcome);
    void markReplaced(const Request& request);

    Document& document_;
    Write write_;
    std::chrono::milliseconds patience_;
    QStringList under_way_;
    QHash<quint64, quint64> newest_;  ///< number of the newest save of each variant, by its key
    quint64 last_number_ = 0;
    DetachedTasks tasks_;
};

}  // namespace overlap::ui
