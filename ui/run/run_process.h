#pragma once

#include <QProcess>
#include <QTimer>

#include "ui/run/run_command.h"

namespace overlap::ui {

/// A run as a process, with all that it starts: mpirun's ranks are processes of their own, and none of them stays
/// behind.
///
/// Everything is started in a session of its own, by which it is found again. To end it, SIGTERM is sent first, which
/// mpirun and srun pass on to their ranks; what is left is killed after a while. SIGTERM is also sent when this program
/// dies.
class RunProcess : public QObject {
    Q_OBJECT

  public:
    explicit RunProcess(QObject* parent = nullptr);
    /// Ends what runs; waits for a second at most.
    ~RunProcess() override;

    void start(const RunCommand& command);
    /// Ends the run; ended() follows.
    void end();
    bool running() const { return process_.state() != QProcess::NotRunning; }
    /// The first process of the run; 0 where nothing runs.
    qint64 processId() const { return process_.processId(); }

  signals:
    void progressed(int done, int of);
    /// A line of output that is no progress.
    void said(const QString& line);
    /// @param status exit status; -1 where it was killed or did not start.
    void ended(int status);

  private:
    void read(QProcess::ProcessChannel channel, QByteArray& rest);
    void tell(const QByteArray& line);
    void finish(int status);
    void killAll() const;

    QProcess process_;
    QTimer patience_;
    qint64 session_ = 0;  ///< of the run and everything that it has started
    QByteArray output_rest_, error_rest_;
};

/// Processes of a session, by their ids.
QList<qint64> processesOfSession(qint64 session);

}  // namespace overlap::ui
