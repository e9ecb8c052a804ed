#pragma once

#include "ui/shell/notices/notice_source.h"

class QWidget;

namespace overlap::ui {

class Actions;
class CommandPalette;
class CompanionVersions;
class Document;

/// Help: the command palette, the list of shortcuts, information about this application, and text for bug reports.
class HelpController : public NoticeSource {
    Q_OBJECT

  public:
    /// @param actions what the palette and the list of shortcuts show. @param window that dialogs belong to.
    HelpController(Actions& actions, Document& document, QWidget& window);

    void registerActions();
    CommandPalette& palette() { return *palette_; }
    /// Where the session is kept, for bug reports; empty where there is none.
    void setSessionFolder(const QString& folder) { session_folder_ = folder; }

  private:
    void addViewKeys();
    void showShortcuts();
    void showAbout();
    void copyDiagnostics();
    CompanionVersions& companions();

    Actions& actions_;
    Document& document_;
    QWidget& window_;
    CommandPalette* palette_;
    CompanionVersions* companions_ = nullptr;  ///< queried when first needed
    QString session_folder_;
};

}  // namespace overlap::ui
