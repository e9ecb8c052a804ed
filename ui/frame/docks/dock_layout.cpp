#include "ui/frame/docks/dock_layout.h"

#include <QDockWidget>
#include <QTabBar>
#include <algorithm>

#include "ui/frame/docks/dock_sizes.h"
#include "ui/frame/docks/dock_tabs.h"
#include "ui/frame/docks/dock_title.h"

namespace overlap::ui {
namespace {

constexpr int lowest_bottom_panel = 64;
constexpr int lowest_side_panel = 116;

}  // namespace

DockLayout::DockLayout(QMainWindow& window)
    : QObject(&window), window_(window), sizes_(new DockSizes(window)), tabs_(new DockTabs(window)) {
    connect(tabs_, &DockTabs::enlargeWanted, this, &DockLayout::enlargeWanted);
    connect(tabs_, &DockTabs::clicked, this, &DockLayout::tabClicked);
}

QDockWidget* DockLayout::add(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area,
                             Heading heading, QWidget* controls) {
    auto* dock = new QDockWidget(title, &window_);
    dock->setObjectName(id);
    dock->setWidget(content);
    // The content of a hidden tab must not take height from the timeline, nor what a panel shows anew from those below.
    if (content->minimumHeight() == 0)
        content->setMinimumHeight(area == Qt::BottomDockWidgetArea ? lowest_bottom_panel : lowest_side_panel);
    window_.addDockWidget(area, dock);
    sizes_->watch(dock);
    docks_.append(dock);
    setDockTitle(dock, controls, heading == Heading::floating);
    return dock;
}

QDockWidget* DockLayout::find(const QString& id) const {
    const auto found =
        std::find_if(docks_.begin(), docks_.end(), [&](const QDockWidget* dock) { return dock->objectName() == id; });
    return found == docks_.end() ? nullptr : *found;
}

void DockLayout::putInTabs(const QList<QDockWidget*>& docks) {
    for (qsizetype i = 1; i < docks.size(); ++i) window_.tabifyDockWidget(docks[i - 1], docks[i]);
    if (!docks.isEmpty()) docks.front()->raise();
}

void DockLayout::setNote(const QString& id, const QString& note) {
    QDockWidget* dock = find(id);
    if (!dock) return;
    if (auto* title = qobject_cast<DockTitle*>(dock->titleBarWidget())) return title->setNote(note);
    tabs_->setNote(dock, note);
    if (!titles_.contains(dock)) {
        titles_.insert(dock, dock->windowTitle());
        connect(dock, &QDockWidget::topLevelChanged, this, [this, dock] { showFloatingNote(dock); });
    }
    showFloatingNote(dock);
}

void DockLayout::showFloatingNote(QDockWidget* dock) {
    const QString title = titles_.value(dock), note = tabs_->note(dock);
    dock->setWindowTitle(dock->isFloating() && !note.isEmpty() ? tr("%1 %2").arg(title, note) : title);
}

void DockLayout::setWidths(const QHash<QString, int>& widths) {
    sizes_->setWidths(widths);
}

QHash<QString, int> DockLayout::widths() const {
    return sizes_->widths();
}

QStringList DockLayout::inFront() const {
    QStringList names;
    for (const QTabBar* tabs : window_.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly)) {
        if (tabs->isHidden()) continue;
        for (const QDockWidget* dock : docks_)
            if (dock->windowTitle() == tabs->tabText(tabs->currentIndex())) names.append(dock->objectName());
    }
    return names;
}

void DockLayout::bringToFront(const QStringList& names) {
    for (const QString& name : names)
        if (QDockWidget* dock = find(name)) dock->raise();
}

void DockLayout::keepAsFirst() {
    first_ = window_.saveState();
}

void DockLayout::reset() {
    if (first_.isEmpty()) return;
    window_.restoreState(first_);
    for (QDockWidget* dock : docks_) dock->show();
}

void DockLayout::windowResized(const QSize& before) {
    sizes_->windowResized(before);
}

void DockLayout::setSizesKept(bool kept) {
    sizes_->setKept(kept);
}

}  // namespace overlap::ui
