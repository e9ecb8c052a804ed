#include "ui/widgets/bar_sentence.h"

#include <QEvent>
#include <QLabel>

#include "ui/theme/harmless_text.h"
#include "ui/widgets/elided_label.h"

namespace overlap::ui {

BarSentence::BarSentence(const QString& name, QWidget* parent)
    : QObject(parent), beside_(new ElidedLabel(parent)), below_(new QLabel(parent)) {
    for (QLabel* label : {beside_, below_}) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setAccessibleName(name);
    }
    below_->setWordWrap(true);
    below_->setContentsMargins(8, 0, 8, 4);
    below_->hide();
    beside_->installEventFilter(this);
}

void BarSentence::setText(const QString& text, bool elided) {
    text_ = shownName(text);
    stays_beside_ = elided;
    beside_->setToolTip(text_);
    place();
}

void BarSentence::place() {
    const bool fits =
        stays_beside_ || beside_->fontMetrics().horizontalAdvance(text_) <= beside_->contentsRect().width();
    beside_->setText(fits ? text_ : QString());
    below_->setText(fits ? QString() : text_);
    below_->setHidden(fits);
}

bool BarSentence::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) place();
    return QObject::eventFilter(watched, event);
}

}  // namespace overlap::ui
