#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include "ui/session/plan_saver.h"
#include "ui/session/refused_once.h"
#include "ui/shell/notices/notice_source.h"

class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class FileLooks;
class PlanFileWatch;
class RecentFiles;

/// Saves plans: asks for names, asks before a file is replaced, and reports saves that finish late.
class SaveController : public NoticeSource {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to. @param write see PlanSaver.
    SaveController(Document& document, RecentFiles& recent, FileLooks& looks, QWidget& window,
                   PlanSaver::Write write = {});

    void registerActions(Actions& actions);

    /// Saves the current plan where it was saved before, else asks; false when it was not saved, or not yet.
    bool savePlan();
    /// Saves the current plan in `path`, or in a name like it that ends in .plan.json; false, and reported, when it
    /// could not be or takes long (PlanSaver). A file with other content than this plan was read from or saved as
    /// causes a question, without a dialog.
    /// @param replace the user wants it replaced, whatever it contains.
    bool savePlanAs(const QString& path, bool replace = false);
    /// Looks, in the background, whether the current plan's file was changed by another program; reports it once for
    /// each change, with what can be done. Where the system tells of changes, that happens without it, for all plans.
    void lookAtFile();
    /// Whether the window must stay open because a plan is still being saved, which is then reported, once for the same
    /// plans. Waits for them as long as a folder may take.
    bool refusesClosing();

  signals:
    /// Files are to be opened in addition to the open ones.
    void openWanted(const QStringList& files);

  private:
    bool askAndSave();
    QString suggestedName() const;
    /// @returns whether the plan is in the file.
    bool showSaved(const PlanSaver::Outcome& outcome);
    void askToReplace(const QString& file, bool own, quint64 variant);
    /// Another program changed a plan's file.
    void tellOfChange(quint64 variant, const QString& file);
    /// Takes back what was told of files that are as their plans know them by now, or whose version has a tab.
    void withdrawResolved();
    /// What can be done where a plan's file has something else. @param own it is the plan's own file.
    std::vector<NoticeAction> answers(const QString& file, bool own, quint64 variant);

    /// A file that was told to be changed.
    struct Told {
        QString file;
        QByteArray digest;  ///< that the plan knew
        QString sentence;
    };

    Document& document_;
    RecentFiles& recent_;
    FileLooks& looks_;
    QWidget& window_;
    PlanSaver* saver_;
    PlanFileWatch* watch_;
    QHash<quint64, Told> told_;  ///< by the plans' keys
    RefusedOnce<QStringList> refused_;
};

}  // namespace overlap::ui
