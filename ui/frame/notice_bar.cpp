#include "ui/frame/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr int most_lines = 5;  ///< of the details, which scroll: the timeline stays in a low window

}  // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      label_(new QLabel),
      layout_(new QHBoxLayout),
      rows_(new QVBoxLayout(this)),
      actions_(new QWidget),
      unfold_(new QToolButton),
      details_(new QPlainTextEdit) {
    setObjectName("notice");
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    unfold_->setText(tr("Details"));
    unfold_->setCheckable(true);
    unfold_->setFocusPolicy(Qt::StrongFocus);
    connect(unfold_, &QToolButton::toggled, this, &NoticeBar::unfold);
    details_->setReadOnly(true);
    details_->setFrameShape(QFrame::NoFrame);
    details_->setLineWrapMode(QPlainTextEdit::NoWrap);  // paths: they scroll sideways
    details_->setAccessibleName(unfold_->text());
    layout_->addWidget(label_, 1);
    layout_->addWidget(unfold_, 0, Qt::AlignTop);
    layout_->addWidget(close, 0, Qt::AlignTop);
    auto* actions = new QHBoxLayout(actions_);
    actions->setContentsMargins(0, 0, 0, 0);
    actions->addStretch(1);
    layout_->insertWidget(1, actions_, 0, Qt::AlignTop);
    rows_->setContentsMargins(12, 4, 4, 4);
    rows_->setSpacing(4);
    rows_->addLayout(layout_);
    rows_->addWidget(details_);
    setDetails({});
    hide();
}

void NoticeBar::setDetails(const QStringList& details) {
    details_->setPlainText(details.join(u'\n'));
    unfold_->setVisible(!details.isEmpty());
    unfold_->setChecked(false);
    details_->hide();
}

void NoticeBar::unfold(bool unfolded) {
    const int lines = std::min<int>(most_lines, static_cast<int>(details().size()));
    // One line more, where the bar that scrolls sideways is.
    details_->setFixedHeight((lines + 1) * details_->fontMetrics().lineSpacing() +
                             2 * static_cast<int>(details_->document()->documentMargin()));
    details_->setVisible(unfolded);
}

QStringList NoticeBar::details() const {
    const QString text = details_->toPlainText();
    return text.isEmpty() ? QStringList() : text.split(u'\n');
}

void NoticeBar::showNotice(const QString& sentence, const std::vector<NoticeAction>& actions,
                           const QStringList& details) {
    QStringList shown;
    for (const QString& detail : details) shown.append(shownName(detail));
    setDetails(shown);
    removeButtons(buttons_);
    setSentence(QStringLiteral("▲ ") + shownName(sentence));
    for (const NoticeAction& action : actions)
        connect(addButton(action), &QToolButton::clicked, this, [this, run = action.run] {
            hide();
            run();
        });
    place();
    show();
    emit noticeShown();
}

void NoticeBar::setSentence(const QString& sentence) {
    label_->setText(sentence);
    setAccessibleName(sentence.mid(2));
}

void NoticeBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    place();
}

/// Beside many buttons a sentence would become a narrow column.
void NoticeBar::place() {
    int width = label_->fontMetrics().horizontalAdvance(label_->text()) + actions_->sizeHint().width();
    for (const QWidget* other : {static_cast<QWidget*>(unfold_), layout_->itemAt(layout_->count() - 1)->widget()})
        if (!other->isHidden()) width += other->sizeHint().width();
    width += layout_->count() * layout_->spacing() + rows_->contentsMargins().left() + rows_->contentsMargins().right();
    const bool beside = buttons_.empty() || width <= this->width();
    if (beside == (layout_->indexOf(actions_) >= 0)) return;
    if (beside) {
        rows_->removeWidget(actions_);
        layout_->insertWidget(1, actions_, 0, Qt::AlignTop);
    } else {
        layout_->removeWidget(actions_);
        rows_->insertWidget(1, actions_);
    }
}

QToolButton* NoticeBar::addButton(const NoticeAction& action) {
    auto* button = new QToolButton;
    button->setText(action.text);
    button->setFocusPolicy(Qt::StrongFocus);
    actions_->layout()->addWidget(button);
    buttons_.push_back(button);
    return button;
}

void NoticeBar::removeButtons(std::vector<QToolButton*> buttons) {
    for (QToolButton* button : buttons) {
        std::erase(buttons_, button);
        button->hide();
        button->deleteLater();  // it may be the one that was just clicked
    }
}

void NoticeBar::addSentence(const QString& sentence, const QStringList& more,
                            const std::vector<NoticeAction>& actions) {
    if (isHidden()) return showNotice(sentence, actions, more);
    std::vector<QToolButton*> added;
    for (const NoticeAction& action : actions) added.push_back(addButton(action));
    for (std::size_t index = 0; index < actions.size(); ++index)
        connect(added[index], &QToolButton::clicked, this, [this, added, run = actions[index].run] {
            removeButtons(added);
            run();
        });
    QStringList all = details();
    for (const QString& detail : more) all.append(shownName(detail));
    if (!more.isEmpty()) setDetails(all);
    setSentence(label_->text() + QStringLiteral(". ") + shownName(sentence));
    place();
    emit noticeShown();
}

QString NoticeBar::text() const {
    return isHidden() ? QString() : label_->text().mid(2);
}

QToolButton* NoticeBar::button(const QString& text) const {
    if (isHidden()) return nullptr;
    if (text == unfold_->text()) return unfold_->isHidden() ? nullptr : unfold_;
    const auto found = std::ranges::find(buttons_, text, &QToolButton::text);
    return found == buttons_.end() ? nullptr : *found;
}

}  // namespace overlap::ui
