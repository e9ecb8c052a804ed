#pragma once

#include "ui/shell/notices/notice_source.h"

class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class OpenJob;
class RecentFiles;
class TimelineExport;
class Workspace;

/// Jobs and what the user does with them as files: opening, the sample, saving what was changed.
class JobController : public NoticeSource {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to.
    JobController(Document& document, Workspace& workspace, RecentFiles& recent, QWidget& window);

    void registerOpening(Actions& actions);
    /// What the job's page has, for the palette. To be called when the menu View is there.
    void registerViews(Actions& actions);
    /// To be called when the action that cancels reading is registered.
    void registerSaving(Actions& actions);
    /// Reads a job in the background and brings it to the front.
    void open(const QString& path);
    /// Lays traces of its ranks over the open job; without one they are opened beside the plans of the open graph, and
    /// without either it is said that there is none.
    void openMeasured(const QStringList& files);
    /// Looks whether files of the open job are others by now. To be called when other programs may have been at work
    /// where the system tells of no changes.
    void lookAtFiles();
    /// Writes the job as it is now; reports why it could not.
    bool saveAs(const QString& file);

  signals:
    /// Files that the user chose are to be opened, whatever they are.
    void openWanted(const QStringList& files);

  private:
    void tellOfFiles(const QStringList& files);
    void tellOfDocument(const QString& file);
    /// Takes back what was told of files that changed.
    void withdrawFiles();
    void withdrawDocument();
    void askAndOpen();
    void askForMeasured();
    void askAndSave();
    void jobOpened();
    void updateActions();

    Document& document_;
    Workspace& workspace_;
    OpenJob& job_;
    RecentFiles& recent_;
    QWidget& window_;
    TimelineExport* export_;
    Actions* actions_ = nullptr;
    QString files_told_;     ///< the sentence on files that changed; empty where none is told
    QString document_told_;  ///< the same of the job's own file
    bool asked_ = false;     ///< the user has opened it in this window
};

}  // namespace overlap::ui
