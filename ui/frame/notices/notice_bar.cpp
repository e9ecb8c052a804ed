#include "ui/frame/notices/notice_bar.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/frame/notices/button_rows.h"
#include "ui/frame/notices/notice_text.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr int most_lines = 5;  ///< of what is unfolded, which scrolls: the timeline stays in a low window

const QString notice_sign = QStringLiteral("▲ ");

}  // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      label_(new NoticeText),
      layout_(new QHBoxLayout),
      rows_(new QVBoxLayout(this)),
      actions_(new ButtonRows),
      unfold_(new QToolButton),
      folded_(new QPlainTextEdit),
      settling_(new QTimer(this)) {
    setObjectName("notice");
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    unfold_->setCheckable(true);
    unfold_->setFocusPolicy(Qt::StrongFocus);
    connect(unfold_, &QToolButton::toggled, this, &NoticeBar::unfold);
    settling_->setSingleShot(true);
    connect(settling_, &QTimer::timeout, this,
            [this] { actions_->setAttribute(Qt::WA_TransparentForMouseEvents, false); });
    connect(label_, &NoticeText::cutChanged, this, &NoticeBar::updateFolded);
    folded_->setReadOnly(true);
    folded_->setFrameShape(QFrame::NoFrame);
    layout_->addWidget(label_, 1);
    layout_->addWidget(unfold_, 0, Qt::AlignTop);
    layout_->addWidget(close, 0, Qt::AlignTop);
    layout_->insertWidget(1, actions_, 0, Qt::AlignTop);
    rows_->setContentsMargins(12, 4, 4, 4);
    rows_->setSpacing(4);
    rows_->addLayout(layout_);
    rows_->addWidget(folded_);
    updateFolded();
    unfold(false);  // there is no text yet that would have it folded
    hide();
}

void NoticeBar::updateFolded() {
    const QStringList places = details();
    const bool is_cut = label_->isCut();
    unfold_->setText(places.isEmpty() ? tr("More") : tr("Details"));
    unfold_->setVisible(is_cut || !places.isEmpty());
    folded_->setAccessibleName(unfold_->text());
    QStringList lines = places;
    if (is_cut) lines.prepend(joined());
    const QString text = lines.join(u'\n');
    if (text == folded_->toPlainText()) return;
    folded_->setLineWrapMode(is_cut ? QPlainTextEdit::WidgetWidth : QPlainTextEdit::NoWrap);  // paths scroll sideways
    folded_->setPlainText(text);
    if (text.isEmpty()) unfold_->setChecked(false);
    unfold(unfold_->isChecked());
}

void NoticeBar::unfold(bool unfolded) {
    const int lines = label_->isCut() ? most_lines : std::min(most_lines, folded_->blockCount());
    // One line more, where the bar that scrolls sideways is.
    folded_->setFixedHeight((lines + 1) * folded_->fontMetrics().lineSpacing() +
                            2 * static_cast<int>(folded_->document()->documentMargin()));
    folded_->setVisible(unfolded);
}

QStringList NoticeBar::details() const {
    QStringList details;
    for (const Part& part : parts_) details += part.details;
    return details;
}

void NoticeBar::showNotice(const QString& sentence, const std::vector<NoticeAction>& actions,
                           const QStringList& details) {
    for (const Part& part : parts_) removeButtons(part.buttons);
    parts_.clear();
    unfold_->setChecked(false);
    append(sentence, actions, details);
}

void NoticeBar::addSentence(const QString& sentence, const QStringList& details,
                            const std::vector<NoticeAction>& actions) {
    if (isHidden()) return showNotice(sentence, actions, details);
    append(sentence, actions, details);
}

void NoticeBar::append(const QString& sentence, const std::vector<NoticeAction>& actions, const QStringList& details) {
    Part part{++last_number_, shownName(sentence), {}, {}};
    for (const QString& detail : details) part.details.append(shownName(detail));
    for (const NoticeAction& action : actions) {
        part.buttons.push_back(makeButton(action, part.number));
        actions_->add(part.buttons.back(), part.number, action.help);
    }
    parts_.push_back(std::move(part));
    refresh();
    show();
    emit noticeShown();
}

QToolButton* NoticeBar::makeButton(const NoticeAction& action, quint64 part) {
    auto* button = new QToolButton;
    button->setText(action.text);
    button->setFocusPolicy(Qt::StrongFocus);
    connect(button, &QToolButton::clicked, this, [this, part, run = action.run] {
        if (const auto clicked = std::ranges::find(parts_, part, &Part::number); clicked != parts_.end())
            remove(clicked);
        run();
    });
    return button;
}

void NoticeBar::addAction(const QString& sentence, const NoticeAction& action) {
    const auto part = std::ranges::find(parts_, shownName(sentence), &Part::sentence);
    if (isHidden() || part == parts_.end()) return;
    QToolButton* button = makeButton(action, part->number);
    actions_->add(button, part->number, action.help, part->buttons.empty() ? nullptr : part->buttons.front());
    part->buttons.insert(part->buttons.begin(), button);
    refresh();
}

void NoticeBar::removeSentence(const QString& sentence) {
    const auto part = std::ranges::find(parts_, shownName(sentence), &Part::sentence);
    if (part != parts_.end()) remove(part);
}

bool NoticeBar::shows(const QString& sentence) const {
    return !isHidden() && std::ranges::find(parts_, shownName(sentence), &Part::sentence) != parts_.end();
}

void NoticeBar::remove(std::vector<Part>::iterator part) {
    removeButtons(part->buttons);
    parts_.erase(part);
    if (parts_.empty()) hide();
    refresh();
    // Others move to where these were: the second click of a double click is not meant for them.
    actions_->setAttribute(Qt::WA_TransparentForMouseEvents);
    settling_->start(QApplication::doubleClickInterval());
}

void NoticeBar::removeButtons(const std::vector<QToolButton*>& buttons) {
    for (QToolButton* button : buttons) {
        actions_->remove(button);
        button->hide();
        button->deleteLater();  // it may be the one that was just clicked
    }
}

QString NoticeBar::joined() const {
    QStringList sentences;
    for (const Part& part : parts_) sentences.append(part.sentence);
    return sentences.join(QStringLiteral(". "));
}

void NoticeBar::refresh() {
    label_->setSentence(notice_sign + joined());
    setAccessibleName(joined());
    updateFolded();
    place();
}

void NoticeBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    place();
}

/// Beside many buttons a sentence would become a narrow column.
void NoticeBar::place() {
    int width = label_->fontMetrics().horizontalAdvance(notice_sign + joined()) + actions_->sizeHint().width();
    for (const QWidget* other : {static_cast<QWidget*>(unfold_), layout_->itemAt(layout_->count() - 1)->widget()})
        if (!other->isHidden()) width += other->sizeHint().width();
    width += layout_->count() * layout_->spacing() + rows_->contentsMargins().left() + rows_->contentsMargins().right();
    actions_->setVisible(actions_->sizeHint().width() > 0);
    const bool beside = actions_->isHidden() || width <= this->width();
    if (beside == (layout_->indexOf(actions_) >= 0)) return;
    if (beside) {
        rows_->removeWidget(actions_);
        layout_->insertWidget(1, actions_, 0, Qt::AlignTop);
    } else {
        layout_->removeWidget(actions_);
        rows_->insertWidget(1, actions_);
    }
}

QString NoticeBar::text() const {
    return isHidden() ? QString() : joined();
}

QToolButton* NoticeBar::button(const QString& text) const {
    if (isHidden()) return nullptr;
    if (text == unfold_->text()) return unfold_->isHidden() ? nullptr : unfold_;
    for (const Part& part : parts_) {
        const auto found = std::ranges::find(part.buttons, text, &QToolButton::text);
        if (found != part.buttons.end()) return *found;
    }
    return nullptr;
}

}  // namespace overlap::ui
