#pragma once

#include <QObject>
#include <vector>

#include "ui/frame/notice_bar.h"

namespace overlap::ui {

class Log;
class NoticeSource;
class StatusLine;

/// Where the window's objects are heard: in the status bar, in the notice bar and in the log. Sentences are without
/// full stop.
class Notices : public QObject {
    Q_OBJECT

  public:
    Notices(Log& log, NoticeBar& bar, StatusLine& status);

    /// Shows from now on what the object says.
    void listenTo(const NoticeSource& source);
    /// Shows in the status bar and in the log. @param tool_tip what the sentence is short for.
    void tell(const QString& sentence, const QString& tool_tip = {});
    /// Shows in the notice bar and in the log: what must not be missed.
    void warn(const QString& sentence, const std::vector<NoticeAction>& actions = {});
    /// As warn(), behind the notice that is shown.
    void warnAlso(const QString& sentence);

  private:
    Log& log_;
    NoticeBar& bar_;
    StatusLine& status_;
};

}  // namespace overlap::ui
