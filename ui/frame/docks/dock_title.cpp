#include "ui/frame/docks/dock_title.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/widgets/elided_label.h"

namespace overlap::ui {

namespace {
constexpr int title_spacing = 4;
}  // namespace

DockTitle::DockTitle(QDockWidget* dock, QWidget* controls) : QWidget(dock), note_(new ElidedLabel) {
    setObjectName("dockTitle");
    setAttribute(Qt::WA_StyledBackground);
    auto* title = new QLabel(dock->windowTitle());
    title->setProperty("role", "heading");
    connect(dock, &QDockWidget::windowTitleChanged, title, &QLabel::setText);
    note_->setObjectName("dockNote");
    note_->setProperty("role", "dim");
    note_->setContentsMargins(title_spacing, 0, title_spacing, 0);  // within its room: a note makes no dock wider
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::NoFocus);
    close->setToolTip(tr("Close; View ▸ Panels ▸ Show %1 brings it back").arg(dock->windowTitle()));
    close->setAccessibleName(tr("Close %1").arg(dock->windowTitle()));
    connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 4, 4);
    layout->setSpacing(0);
    layout->addWidget(title);
    layout->addWidget(note_, 1);
    if (controls) layout->addWidget(controls);
    layout->addSpacing(title_spacing);
    layout->addWidget(close);
}

void DockTitle::setNote(const QString& note) {
    note_->setText(note);
    note_->setToolTip(note);
}

void setDockTitle(QDockWidget* dock, QWidget* controls, bool in_tabs) {
    if (!in_tabs) return dock->setTitleBarWidget(new DockTitle(dock, controls));
    auto* nothing = new QWidget(dock);
    dock->setTitleBarWidget(nothing);
    QObject::connect(dock, &QDockWidget::topLevelChanged, dock, [dock, nothing](bool floating) {
        dock->setTitleBarWidget(floating ? nullptr : nothing);
        nothing->setVisible(!floating);
    });
}

}  // namespace overlap::ui
