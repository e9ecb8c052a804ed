// What was found on this machine, and text for reports of faults.

#include <QClipboard>
#include <QGuiApplication>

#include "ui/diagnostics/about_dialog.h"
#include "ui/diagnostics/companion_versions.h"
#include "ui/diagnostics/diagnostics.h"
#include "ui/shell/main_window.h"

namespace overlap::ui {

void MainWindow::showAbout() {
    if (!companions_) companions_ = new CompanionVersions(this);
    auto* about = new AboutDialog(*companions_, this);
    about->setAttribute(Qt::WA_DeleteOnClose);
    connect(about, &AboutDialog::copyDiagnosticsAsked, this, &MainWindow::copyDiagnostics);
    about->open();
}

void MainWindow::copyDiagnostics() {
    if (!companions_) companions_ = new CompanionVersions(this);
    if (!companions_->complete()) {
        // Programs are still being asked: once they have answered, or have taken too long for it.
        tell(tr("Diagnostics are being collected"));
        connect(companions_, &CompanionVersions::changed, this, [this] {
            if (!companions_->complete()) return;
            companions_->disconnect(this);
            copyDiagnostics();
        });
        return;
    }
    QString open;
    if (document_.isOpen())
        open = tr("open: a graph of %1 nodes, %2 plans")
                   .arg(document_.loaded().graph->node_count())
                   .arg(document_.variantCount() - 1);
    QGuiApplication::clipboard()->setText(
        diagnosticsText(companions_->lines(), open, session_ ? session_->folder() : QString()));
    tell(tr("Diagnostics were copied"));
}

}  // namespace overlap::ui
