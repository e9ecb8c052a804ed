#include "ui/frame/notices/notice_bar.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/frame/notices/button_rows.h"
#include "ui/frame/notices/notice_details.h"
#include "ui/frame/notices/notice_text.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent),
      label_(new NoticeText),
      layout_(new QHBoxLayout),
      rows_(new QVBoxLayout(this)),
      actions_(new ButtonRows),
      unfold_(new QToolButton),
      details_(new NoticeDetails(*this)),
      settling_(new QTimer(this)) {
    setObjectName("notice");
    auto* close = new QToolButton;
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    unfold_->setCheckable(true);
    // A click leaves the focus where it is, and closing what it opened gives it back to that.
    unfold_->setFocusPolicy(Qt::TabFocus);
    connect(unfold_, &QToolButton::toggled, details_,
            [this](bool unfolded) { unfolded ? details_->open() : details_->fold(); });
    connect(details_, &NoticeDetails::foldWanted, this, [this] { unfold_->setChecked(false); });
    settling_->setSingleShot(true);
    connect(settling_, &QTimer::timeout, this,
            [this] { actions_->setAttribute(Qt::WA_TransparentForMouseEvents, false); });
    connect(label_, &NoticeText::cutChanged, this, &NoticeBar::updateFolded);
    layout_->addWidget(label_, 1);
    layout_->addWidget(unfold_, 0, Qt::AlignTop);
    layout_->addWidget(close, 0, Qt::AlignTop);
    layout_->insertWidget(1, actions_, 0, Qt::AlignTop);
    rows_->setContentsMargins(12, 4, 4, 4);
    rows_->setSpacing(4);
    rows_->addLayout(layout_);
    updateFolded();
    hide();
}

NoticeBar::~NoticeBar() {
    delete details_;  // it is beside the bar once it was open
}

void NoticeBar::updateFolded() {
    QStringList lines = details();
    unfold_->setText(lines.isEmpty() ? tr("More") : tr("Details"));
    if (label_->isCut()) lines = sentences() + lines;
    unfold_->setVisible(!lines.isEmpty());
    if (lines.isEmpty()) unfold_->setChecked(false);
    details_->setLines(lines);
}

void NoticeBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape || !unfold_->isChecked()) return QFrame::keyPressEvent(event);
    unfold_->setChecked(false);
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

QStringList NoticeBar::sentences() const {
    QStringList sentences;
    for (const Part& part : parts_) sentences.append(part.sentence);
    return sentences;
}

QString NoticeBar::joined() const {
    return sentences().join(QStringLiteral(". "));
}

void NoticeBar::refresh() {
    label_->setSentences(sentences());
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
    int width = label_->fontMetrics().horizontalAdvance(label_->whole()) + actions_->sizeHint().width();
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
