#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <vector>

namespace overlap::ui {

/// Asks the programs that the window starts what they were built with and what they find: Graphviz of the layout
/// helper, CUDA, NCCL, MPI and devices of the runner. Never waits: lines come as they are known.
class CompanionVersions : public QObject {
    Q_OBJECT

  public:
    explicit CompanionVersions(QObject* parent = nullptr);

    /// What is known so far, a line each: `Graphviz 2.43.0`, `GPU: none, no driver is installed on this machine`.
    QStringList lines() const;
    bool complete() const { return waiting_ == 0; }

  signals:
    void changed();

  private:
    void ask(std::size_t place, const QString& program, const QStringList& arguments,
             QStringList (*read)(const QByteArray& answer));

    std::vector<QStringList> answers_;  ///< of each program, in a fixed order
    int waiting_ = 0;
};

/// Lines on the JSON that `overlap-runner --devices` prints.
QStringList runnerLines(const QByteArray& answer);

}  // namespace overlap::ui
