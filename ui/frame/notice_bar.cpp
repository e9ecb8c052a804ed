#include "ui/frame/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent), label_(new QLabel), layout_(new QHBoxLayout(this)) {
    setObjectName("notice");
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    layout_->setContentsMargins(12, 4, 4, 4);
    layout_->addWidget(label_, 1);
    layout_->addWidget(close, 0, Qt::AlignTop);
    hide();
}

void NoticeBar::showNotice(const QString& sentence, const std::vector<NoticeAction>& actions) {
    label_->setText(QStringLiteral("▲ ") + shownName(sentence));
    setAccessibleName(label_->text().mid(2));
    for (QToolButton* button : buttons_) {
        button->hide();
        button->deleteLater();  // it may be the one that was just clicked
    }
    buttons_.clear();
    for (const NoticeAction& action : actions) {
        auto* button = new QToolButton;
        button->setText(action.text);
        button->setFocusPolicy(Qt::StrongFocus);
        connect(button, &QToolButton::clicked, this, [this, run = action.run] {
            hide();
            run();
        });
        layout_->insertWidget(layout_->count() - 1, button, 0, Qt::AlignTop);
        buttons_.push_back(button);
    }
    show();
}

void NoticeBar::addSentence(const QString& sentence) {
    if (isHidden()) return showNotice(sentence);
    label_->setText(label_->text() + QStringLiteral(". ") + shownName(sentence));
    setAccessibleName(text());
}

QString NoticeBar::text() const {
    return isHidden() ? QString() : label_->text().mid(2);
}

QToolButton* NoticeBar::button(const QString& text) const {
    for (QToolButton* button : buttons_)
        if (button->text() == text && !isHidden()) return button;
    return nullptr;
}

}  // namespace overlap::ui
