#include "ui/shell/variant_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QTabBar>
#include <QToolButton>

#include "ui/document/document.h"

namespace overlap::ui {

VariantBar::VariantBar(Document& document, QWidget* parent) : QWidget(parent), document_(document), tabs_(new QTabBar) {
    setObjectName("variantBar");
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setElideMode(Qt::ElideRight);
    tabs_->setUsesScrollButtons(true);
    tabs_->setAccessibleName(tr("Plan variants"));
    tabs_->installEventFilter(this);
    auto* add = new QToolButton;
    add->setText(QStringLiteral("+"));
    add->setAutoRaise(true);
    add->setObjectName("newVariant");
    add->setToolTip(tr("New plan: a copy of the current one"));
    add->setAccessibleName(tr("New plan"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 8, 0);
    layout->setSpacing(4);
    layout->addWidget(tabs_);
    layout->addWidget(add);
    connect(add, &QToolButton::clicked, this, &VariantBar::newWanted);
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (!updating_) document_.setCurrentIndex(index);
    });
    connect(tabs_, &QTabBar::tabBarDoubleClicked, this, [this](int index) {
        if (index > 0) emit renameWanted(index);
    });
    connect(&document, &Document::variantsChanged, this, &VariantBar::update);
    connect(&document, &Document::currentChanged, this, &VariantBar::update);
    update();
}

void VariantBar::update() {
    const QScopedValueRollback guard(updating_, true);
    const int count = document_.variantCount();
    while (tabs_->count() > count) tabs_->removeTab(tabs_->count() - 1);
    while (tabs_->count() < count) tabs_->addTab({});
    for (int i = 0; i < count; ++i) {
        const Variant& variant = document_.variant(i);
        const QString title = QString(variant.title()).replace(u'&', QStringLiteral("&&"));
        tabs_->setTabText(i, variant.modified() ? title + QStringLiteral(" •") : title);
        tabs_->setTabToolTip(i, variant.readOnly()             ? tr("The graph as it was read, without any pass")
                                : variant.filePath().isEmpty() ? tr("Not saved in a file yet; kept in the session")
                                                               : variant.filePath());
        tabs_->setAccessibleTabName(i, variant.modified() ? tr("%1, not saved").arg(variant.title()) : variant.title());
    }
    if (count > 0) tabs_->setCurrentIndex(document_.currentIndex());
}

bool VariantBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const int tab = tabs_->tabAt(mouse->position().toPoint());
        if (mouse->button() == Qt::MiddleButton && tab > 0) emit closeWanted(tab);
    } else if (event->type() == QEvent::ContextMenu) {
        const auto* menu_event = static_cast<QContextMenuEvent*>(event);
        const int tab = tabs_->tabAt(menu_event->pos());
        if (tab > 0) {
            QMenu menu(this);
            menu.addAction(tr("&Rename…"), this, [this, tab] { emit renameWanted(tab); });
            menu.addAction(tr("&Close"), this, [this, tab] { emit closeWanted(tab); });
            menu.exec(menu_event->globalPos());
        }
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace overlap::ui
