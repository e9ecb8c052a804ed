#include "ui/shell/notices/notices.h"

#include "ui/diagnostics/log_file.h"
#include "ui/panels/log.h"
#include "ui/shell/notices/notice_source.h"
#include "ui/shell/notices/status_line.h"

namespace overlap::ui {

Notices::Notices(Log& log, NoticeBar& bar, StatusLine& status) : log_(log), bar_(bar), status_(status) {}

void Notices::listenTo(const NoticeSource& source) {
    connect(&source, &NoticeSource::told, this, &Notices::tell);
    connect(&source, &NoticeSource::warned, this, &Notices::warn);
    connect(&source, &NoticeSource::warnedAlso, this, &Notices::warnAlso);
    connect(&source, &NoticeSource::withdrawn, &bar_, &NoticeBar::removeSentence);
    connect(&source, &NoticeSource::noticed, this,
            [this](const QString& sentence, const std::vector<NoticeAction>& actions) {
                bar_.showNotice(sentence, actions);
            });
    connect(&source, &NoticeSource::logged, this, [this](const QString& sentence) { log_.add(sentence); });
}

void Notices::tell(const QString& sentence, const QString& tool_tip) {
    if (sentence.isEmpty()) return status_.showMessage({}, {});
    const QString line = tool_tip.isEmpty() ? sentence : QStringLiteral("%1 (%2)").arg(sentence, tool_tip);
    log_.add(line);
    qCInfo(windowLog).noquote() << line;
    status_.showMessage(sentence, tool_tip);
}

void Notices::warn(const QString& sentence, const std::vector<NoticeAction>& actions, const QStringList& details) {
    log_.add(sentence, Log::Level::failure);
    for (const QString& detail : details) log_.add(detail);
    qCWarning(windowLog).noquote() << sentence;
    bar_.showNotice(sentence, actions, details);
}

void Notices::warnAlso(const QString& sentence, const QStringList& details, const std::vector<NoticeAction>& actions) {
    log_.add(sentence, Log::Level::failure);
    for (const QString& detail : details) log_.add(detail);
    bar_.addSentence(sentence, details, actions);
}

}  // namespace overlap::ui
