#include "ui/frame/notices/notice_details.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QTextLayout>
#include <QTextOption>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace overlap::ui {
namespace {

constexpr int most_lines = 10;          ///< that are seen at once
constexpr double most_of_window = 0.5;  ///< of what is below the notice
constexpr int rounding = 2;             ///< in pixels: a last line that is cut has the lines scroll

/// As many as are seen: a path that is wider than the notice has several. No more than that many are counted.
int countSeenLines(const QTextDocument& document) {
    int count = 0;
    for (QTextBlock block = document.begin(); block.isValid() && count < most_lines; block = block.next()) {
        document.documentLayout()->blockBoundingRect(block);  // else there may be no lines yet
        count += block.layout()->lineCount();
    }
    return count;
}

}  // namespace

NoticeDetails::NoticeDetails(QWidget& notice) : QFrame(&notice), notice_(notice), lines_(new QPlainTextEdit) {
    setObjectName("noticeDetails");
    lines_->setReadOnly(true);
    lines_->setFrameShape(QFrame::NoFrame);
    lines_->setProperty("role", "page");
    // With the keys too: paths are copied from here.
    lines_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    lines_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    lines_->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 0, 0, 0);
    layout->addWidget(lines_);
    setFocusProxy(lines_);
    notice.installEventFilter(this);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { followFocus(now); });
    hide();
}

NoticeDetails::~NoticeDetails() = default;

void NoticeDetails::setLines(const QStringList& lines) {
    const QString text = lines.join(u'\n');
    lines_->setAccessibleName(tr("Details"));
    if (text == lines_->toPlainText()) return;
    lines_->setPlainText(text);
    if (!isHidden()) place();
}

QString NoticeDetails::text() const {
    return lines_->toPlainText();
}

void NoticeDetails::open() {
    if (!isHidden()) return;
    // Beside the notice, so that it may reach below it.
    if (QWidget* around = notice_.parentWidget(); around && parentWidget() != around) {
        setParent(around);
        around->installEventFilter(this);
    }
    focus_before_ = window()->focusWidget();
    show();
    raise();
    place();
    lines_->setFocus();
}

void NoticeDetails::fold() {
    if (isHidden()) return;
    const QWidget* focus = window()->focusWidget();
    const bool had_focus = focus == lines_;
    hide();
    // A hidden widget has handed the focus to the next one.
    if (had_focus && focus_before_ && focus_before_->isVisible()) focus_before_->setFocus();
}

bool NoticeDetails::eventFilter(QObject* watched, QEvent* event) {
    if (watched == lines_) {
        const bool is_key = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
        if (!is_key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) return false;
        event->accept();
        if (event->type() == QEvent::KeyPress) emit foldWanted();
        return true;
    }
    const bool moves = event->type() == QEvent::Resize || event->type() == QEvent::Move;
    if (moves && !isHidden()) place();
    if (watched == &notice_ && event->type() == QEvent::Hide && !isHidden() && notice_.isHidden()) emit foldWanted();
    return false;
}

/// What is clicked below it is what the user wants to see.
void NoticeDetails::followFocus(QWidget* now) {
    if (isHidden() || !now || now->window() != window()) return;
    if (now != lines_ && now != &notice_ && !notice_.isAncestorOf(now)) emit foldWanted();
}

void NoticeDetails::place() {
    if (parentWidget() == &notice_) return;
    const QRect bar = notice_.geometry();
    const int below = parentWidget()->height() - bar.bottom() - 1;
    resize(bar.width(), std::max(height(), 1));
    layout()->activate();  // how many lines there are depends on the width
    const int count = std::clamp(countSeenLines(*lines_->document()), 1, most_lines);
    const double line = QFontMetricsF(lines_->font()).lineSpacing();
    const int text = static_cast<int>(std::ceil(count * line + 2 * lines_->document()->documentMargin()));
    const int wanted = text + height() - lines_->viewport()->height() + rounding;
    setGeometry(bar.left(), bar.bottom() + 1, bar.width(), std::min(wanted, static_cast<int>(below * most_of_window)));
}

}  // namespace overlap::ui
