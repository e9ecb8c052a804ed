#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/document/call_queue.h"

namespace overlap::ui {

class Document;

/// Saves plans. A folder that never answers, as one of a network that has gone, holds a thread and not the window: what
/// takes long goes on by itself and is told of when it is done. The thread is then left to itself, since what hangs in
/// the system cannot be stopped.
class PlanSaver : public QObject {
    Q_OBJECT

  public:
    enum class Result {
        saved,
        exists,     ///< a file of that name that is not the plan's own; nothing was written
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
    /// Writes a text into a file. @throws std::exception with a sentence.
    using Write = std::function<void(const std::string& file, const std::string& text)>;

    /// @param write what writes; empty for the file as a whole, which keeps the version before.
    /// @param patience how long save() waits: longer than a disk that is only slow takes.
    explicit PlanSaver(Document& document, QObject* parent = nullptr, Write write = {},
                       std::chrono::milliseconds patience = std::chrono::seconds(1));
    ~PlanSaver() override;

    /// Saves the variant's plan as it is now.
    /// @param replace whatever the file has.
    /// @returns nothing where it takes longer: finishedLate() tells the outcome.
    std::optional<Outcome> save(int index, const QString& file, bool replace);

  signals:
    void finishedLate(const overlap::ui::PlanSaver::Outcome& outcome);

  private:
    struct Save;
    static void run(Save& save);
    Outcome finish(const std::shared_ptr<Save>& save);

    Document& document_;
    Write write_;
    std::chrono::milliseconds patience_;
    CallQueue deliveries_;
    std::vector<std::shared_ptr<Save>> under_way_;
};

}  // namespace overlap::ui
