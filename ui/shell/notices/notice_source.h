#pragma once

#include <QObject>
#include <vector>

#include "ui/frame/notices/notice_bar.h"

namespace overlap::ui {

/// An object of the window that has messages for the user. Sentences are without full stop; Notices shows them.
class NoticeSource : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

  signals:
    /// For the status bar and the log.
    /// @param tool_tip the full text of the sentence.
    void told(const QString& sentence, const QString& tool_tip = {});
    /// For the notice bar and the log: messages that must not be missed.
    /// @param details lines that the notice unfolds; the log has them all.
    void warned(const QString& sentence, const std::vector<overlap::ui::NoticeAction>& actions = {},
                const QStringList& details = {});
    /// As warned(), after the notice that is shown, so that none hides another.
    /// @param actions buttons of this sentence.
    void warnedAlso(const QString& sentence, const QStringList& details = {},
                    const std::vector<overlap::ui::NoticeAction>& actions = {});
    /// What warned() or warnedAlso() told is no matter any more: takes the sentence from the notice bar, if it is
    /// there.
    void withdrawn(const QString& sentence);
    /// Only for the notice bar: the log has it in other words.
    void noticed(const QString& sentence, const std::vector<overlap::ui::NoticeAction>& actions = {});
    /// Only for the log.
    void logged(const QString& sentence);
};

}  // namespace overlap::ui
