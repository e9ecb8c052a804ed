#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>

class QProcess;

namespace overlap::ui {

/// Asks a companion program of the window what it knows, such as `overlap-runner --devices`, without waiting.
class ProgramQuestion : public QObject {
    Q_OBJECT

  public:
    explicit ProgramQuestion(QObject* parent = nullptr);
    /// Ends a program that has not answered.
    ~ProgramQuestion() override;

    /// answered() follows, once. @param program path of it.
    void ask(const QString& program, const QStringList& arguments);

    /// How long an answer is waited for.
    void setPatience(int ms) { patience_.setInterval(ms); }

  signals:
    /// @param output what it printed. @param failure why there is no answer, a clause; empty where there is one.
    void answered(const QByteArray& output, const QString& failure);

  private:
    void answer(const QByteArray& output, const QString& failure = {});

    QProcess* process_ = nullptr;  ///< until it has answered
    QString name_;                 ///< of the program that was asked
    QTimer patience_;              ///< runs until it has answered
};

}  // namespace overlap::ui
