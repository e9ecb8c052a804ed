#include "ui/frame/docks/dock_title.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace overlap::ui {

DockTitle::DockTitle(QDockWidget* dock, QWidget* controls) : QWidget(dock) {
    setObjectName("dockTitle");
    setAttribute(Qt::WA_StyledBackground);
    auto* title = new QLabel(dock->windowTitle());
    title->setProperty("role", "heading");
    connect(dock, &QDockWidget::windowTitleChanged, title, &QLabel::setText);
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::NoFocus);
    close->setToolTip(tr("Close; View ▸ Panels ▸ Show %1 brings it back").arg(dock->windowTitle()));
    close->setAccessibleName(tr("Close %1").arg(dock->windowTitle()));
    connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 4, 4);
    layout->setSpacing(4);
    layout->addWidget(title);
    layout->addStretch();
    if (controls) layout->addWidget(controls);
    layout->addWidget(close);
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
