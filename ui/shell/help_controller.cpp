#include "ui/shell/help_controller.h"

#include <QClipboard>
#include <QGuiApplication>

#include "ui/diagnostics/about_dialog.h"
#include "ui/diagnostics/companion_versions.h"
#include "ui/diagnostics/diagnostics.h"
#include "ui/document/document.h"
#include "ui/frame/actions.h"
#include "ui/frame/command_palette.h"
#include "ui/frame/shortcut_help.h"
#include "ui/theme/counted_text.h"

namespace overlap::ui {

HelpController::HelpController(Actions& actions, Document& document, QWidget& window)
    : actions_(actions), document_(document), window_(window), palette_(new CommandPalette(actions, &window)) {}

void HelpController::registerActions() {
    const QString help = tr("Help");
    actions_.add("help.palette", help, tr("&Command palette"), tr("Find and run any command"),
                 {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}, [this] { palette_->open(); });
    actions_.add("help.shortcuts", help, tr("&Keyboard shortcuts"), tr("List all shortcuts"),
                 {QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)}, [this] { showShortcuts(); });
    actions_.add("help.diagnostics", help, tr("Copy &diagnostics"),
                 tr("Versions, this machine and the last lines of the log, as text for a report of a fault"), {},
                 [this] { copyDiagnostics(); });
    actions_.add("help.about", help, tr("&About Overlap Studio"), tr("Version and where figures come from"), {},
                 [this] { showAbout(); });
    addViewKeys();
}

void HelpController::addViewKeys() {
    const QString modules = tr("Modules");
    actions_.addViewKey(modules, tr("Enter"), tr("Add the selected modules to a bucket"));
    actions_.addViewKey(modules, tr("Ctrl+X"), tr("Take the selected modules along, to paste them into a bucket"));
    actions_.addViewKey(modules, tr("Delete"), tr("Take the selected modules out of their bucket"));
    actions_.addViewKey(modules, tr("Enter, Shift+Enter in the search"), tr("Next, previous match"));
    const QString cards = tr("Buckets");
    actions_.addViewKey(cards, tr("Left, Right"), tr("Mark a module of the bucket"));
    actions_.addViewKey(cards, tr("Alt+Left, Alt+Right"), tr("Move the marked module within its bucket"));
    const QString groups = tr("Process groups");
    actions_.addViewKey(groups, tr("Up, Down"),
                        tr("Select the group above, below; the timeline shows what runs on it"));
    const QString problems = tr("Problems");
    actions_.addViewKey(problems, tr("Enter"), tr("Go to the place"));
    actions_.addViewKey(problems, tr("Alt+Enter"), tr("Apply the fix"));
}

void HelpController::showShortcuts() {
    auto* help = new ShortcutHelp(actions_, &window_);
    help->setAttribute(Qt::WA_DeleteOnClose);
    help->show();
}

CompanionVersions& HelpController::companions() {
    if (!companions_) companions_ = new CompanionVersions(this);
    return *companions_;
}

void HelpController::showAbout() {
    auto* about = new AboutDialog(companions(), &window_);
    about->setAttribute(Qt::WA_DeleteOnClose);
    connect(about, &AboutDialog::copyDiagnosticsAsked, this, &HelpController::copyDiagnostics);
    about->open();
}

void HelpController::copyDiagnostics() {
    if (!companions().complete()) {
        // Programs are still being queried: continue once they have answered, or have timed out.
        emit told(tr("Diagnostics are being collected"));
        connect(companions_, &CompanionVersions::changed, this, [this] {
            if (!companions_->complete()) return;
            companions_->disconnect(this);
            copyDiagnostics();
        });
        return;
    }
    QString open;
    if (document_.isOpen())
        open = tr("open: a graph of %1, %2")
                   .arg(countedText(document_.loaded().graph->node_count(), tr("%1 node"), tr("%1 nodes")),
                        countedText(document_.variantCount() - 1, tr("%1 plan"), tr("%1 plans")));
    QGuiApplication::clipboard()->setText(diagnosticsText(companions_->lines(), open, session_folder_));
    emit told(tr("Diagnostics were copied"));
}

}  // namespace overlap::ui
