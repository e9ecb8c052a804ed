#include "ui/shell/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace overlap::ui {

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent), label_(new QLabel) {
    setObjectName("notice");
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 4, 4);
    layout->addWidget(label_, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    hide();
}

void NoticeBar::showNotice(const QString& sentence) {
    label_->setText(QStringLiteral("▲ ") + sentence);
    setAccessibleName(sentence);
    show();
}

QString NoticeBar::text() const {
    return isHidden() ? QString() : label_->text().mid(2);
}

}  // namespace overlap::ui
