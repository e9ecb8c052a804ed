#include "ui/session/recent_files.h"

#include <QFile>
#include <QFileInfo>
#include <QMenu>
#include <system_error>

#include "ui/session/session_state.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

void RecentFiles::setMenu(QMenu& menu) {
    menu_ = &menu;
    refresh();
}

void RecentFiles::add(const QStringList& files) {
    for (const QString& file : files) state_.putRecent(file);
    refresh();
}

void RecentFiles::refresh() {
    if (!menu_) return;
    menu_->clear();
    for (const QString& file : state_.recent_files) {
        QAction* action =
            menu_->addAction(shownInMenu(QFileInfo(file).fileName()), this, [this, file] { emit openWanted(file); });
        action->setToolTip(shownName(file));
    }
    disableAway();
    menu_->setEnabled(!menu_->isEmpty());
    if (menu_->isEmpty()) return;
    menu_->addSeparator();
    menu_->addAction(tr("Clear this list"), this, [this] {
        state_.recent_files.clear();
        refresh();
        emit cleared();
    });
}

void RecentFiles::disableAway() {
    // A file that is unavailable for now keeps its place. Looking for it may hang, with its folder.
    try {
        questions_.run([this, files = state_.recent_files]() -> DetachedTasks::Delivery {
            QStringList away;
            for (const QString& file : files)
                if (!QFile::exists(file)) away.append(shownName(file));
            return [this, away] {
                for (QAction* action : menu_->actions())
                    if (away.contains(action->toolTip())) action->setEnabled(false);
            };
        });
    } catch (const std::system_error&) {
        // No further thread: choosing an unavailable file shows a message.
    }
}

}  // namespace overlap::ui
