#include "ui/frame/notices/notice_text.h"

#include <QTextLayout>
#include <utility>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr qsizetype most_sentence_lines = 2;  ///< the views below stay in a low window
constexpr int tool_tip_width = 480;           ///< Qt breaks no lines in tool tips of plain text

/// The lines of a sentence: what is beyond the last that is allowed is in that one.
QStringList linesOf(const QString& sentence, const QFont& font, int width, qsizetype most) {
    QStringList lines;
    QTextLayout layout(sentence, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    while (lines.size() < most) {
        QTextLine line = layout.createLine();
        if (!line.isValid()) break;
        line.setLineWidth(width - 1);  // else a line that fits exactly may be broken once more when it is drawn
        const bool is_last = lines.size() + 1 == most;
        lines.append(sentence.mid(line.textStart(), is_last ? -1 : line.textLength()).trimmed());
    }
    layout.endLayout();
    return lines;
}

}  // namespace

NoticeText::NoticeText(QWidget* parent) : QLabel(parent) {
    setWordWrap(true);  // so that its height depends on its width
    setTextFormat(Qt::PlainText);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void NoticeText::setSentence(const QString& sentence) {
    sentence_ = sentence;
    fill();
    updateGeometry();
}

QSize NoticeText::minimumSizeHint() const {
    return {0, fontMetrics().height()};
}

int NoticeText::heightForWidth(int width) const {
    ensurePolished();
    return static_cast<int>(linesOf(sentence_, font(), width, most_sentence_lines).size()) *
           fontMetrics().lineSpacing();
}

void NoticeText::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fill();
}

void NoticeText::fill() {
    QStringList lines = linesOf(sentence_, font(), width(), most_sentence_lines);
    const bool is_cut = !lines.isEmpty() && fontMetrics().horizontalAdvance(lines.back()) > width();
    if (is_cut) lines.back() = elidedName(fontMetrics(), lines.back(), Qt::ElideRight, width());
    setText(lines.join(u'\n'));
    setToolTip(is_cut ? linesOf(sentence_, font(), tool_tip_width, sentence_.size()).join(u'\n') : QString());
    if (std::exchange(is_cut_, is_cut) != is_cut) emit cutChanged();
}

}  // namespace overlap::ui
