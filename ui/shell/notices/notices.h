#pragma once

#include <QObject>
#include <vector>

#include "ui/frame/notices/notice_bar.h"

namespace overlap::ui {

class Log;
class NoticeSource;
class StatusLine;

/// Shows the messages of the window's objects: in the status bar, in the notice bar and in the log. Sentences are
/// without full stop.
class Notices : public QObject {
    Q_OBJECT

  public:
    Notices(Log& log, NoticeBar& bar, StatusLine& status);

    /// Shows the object's messages from now on.
    void listenTo(const NoticeSource& source);
    /// Shows in the status bar and in the log. An empty one takes the last one from the bar.
    /// @param tool_tip the full text of the sentence.
    void tell(const QString& sentence, const QString& tool_tip = {});
    /// Shows in the notice bar and in the log: messages that must not be missed.
    /// @param details lines that the notice unfolds; the log has them all.
    void warn(const QString& sentence, const std::vector<NoticeAction>& actions = {}, const QStringList& details = {});
    /// As warn(), after the notice that is shown.
    void warnAlso(const QString& sentence, const QStringList& details = {},
                  const std::vector<NoticeAction>& actions = {});

  private:
    Log& log_;
    NoticeBar& bar_;
    StatusLine& status_;
};

}  // namespace overlap::ui
