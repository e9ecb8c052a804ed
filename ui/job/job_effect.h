#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "ui/document/stack_move.h"
#include "ui/job/open/open_job.h"

namespace overlap::ui {

/// Says what a change of the open job does to its step, by the change's name, once it has been evaluated: so does one
/// that is undone. Changes that follow one another faster are told together.
class JobEffect : public QObject {
    Q_OBJECT

  public:
    explicit JobEffect(OpenJob& job, QObject* parent = nullptr);

  signals:
    void told(const QString& sentence);

  private:
    void remember();
    void tell();

    OpenJob& job_;
    int index_ = 0;                     ///< of the job's undo stack
    std::optional<JobFigures> known_;   ///< of the newest evaluation
    std::optional<JobFigures> before_;  ///< of the one before `changes_`
    std::vector<StackMove> changes_;    ///< of which the effect has not been told
};

}  // namespace overlap::ui
