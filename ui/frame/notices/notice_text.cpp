#include "ui/frame/notices/notice_text.h"

#include <QRegularExpression>
#include <QTextLayout>
#include <algorithm>
#include <utility>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

// The views below stay in a low window.
constexpr qsizetype most_sentence_lines = 2;
constexpr qsizetype most_lines_of_several = 3;
constexpr int tool_tip_width = 480;  ///< Qt breaks no lines in tool tips of plain text

const QString notice_sign = QStringLiteral("▲ ");

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

bool fits(const QStringList& lines, const QFontMetrics& metrics, int width) {
    return lines.isEmpty() || metrics.horizontalAdvance(lines.back()) <= width;
}

QString inOneLine(const QStringList& sentences) {
    return notice_sign + sentences.join(QStringLiteral(". "));
}

/// `…/a.plan.json` in place of `/home/someone/plans/a.plan.json`: which file it is comes before where it is.
QString withoutFolders(const QString& sentence) {
    static const QRegularExpression folders(QStringLiteral("(?<![^\\s(])/(?:[^\\s/:;,()]+/)+(?=[^\\s/:;,()])"));
    return QString(sentence).replace(folders, QStringLiteral("…/"));
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

void NoticeText::setSentences(const QStringList& sentences) {
    sentences_ = sentences;
    fill();
    updateGeometry();
}

QString NoticeText::whole() const {
    return inOneLine(sentences_);
}

QSize NoticeText::minimumSizeHint() const {
    return {0, fontMetrics().height()};
}

int NoticeText::heightForWidth(int width) const {
    ensurePolished();
    return static_cast<int>(shownIn(width).lines.size()) * fontMetrics().lineSpacing();
}

void NoticeText::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fill();
}

NoticeText::Shown NoticeText::shownIn(int width) const {
    const QStringList whole_lines = linesOf(whole(), font(), width, most_sentence_lines);
    if (fits(whole_lines, fontMetrics(), width)) return {whole_lines, false};
    QStringList shorter;
    for (const QString& sentence : sentences_) shorter.append(withoutFolders(sentence));
    const QStringList lines = linesOf(inOneLine(shorter), font(), width, most_sentence_lines);
    if (fits(lines, fontMetrics(), width)) return {lines, true};
    return {ownLines(shorter, width), true};
}

/// A line for each sentence, and what is left of the lines for the first that need more.
QStringList NoticeText::ownLines(const QStringList& sentences, int width) const {
    const qsizetype most = sentences.size() == 1 ? most_sentence_lines : most_lines_of_several;
    const qsizetype seen = std::min(sentences.size(), most);
    qsizetype left = most - seen;
    QStringList lines;
    for (qsizetype index = 0; index < seen; ++index) {
        QString text = index == 0 ? notice_sign + sentences[index] : sentences[index];
        // What has no line at all is told of at least.
        if (index + 1 == seen && seen < sentences.size())
            text = tr("%1 more: %2").arg(sentences.size() - index).arg(sentences.mid(index).join(QStringLiteral(". ")));
        QStringList own = linesOf(text, font(), width, 1 + left);
        left -= own.size() - 1;
        if (!fits(own, fontMetrics(), width)) own.back() = elidedName(fontMetrics(), own.back(), Qt::ElideRight, width);
        lines += own;
    }
    return lines;
}

void NoticeText::fill() {
    const Shown shown = shownIn(width());
    setText(shown.lines.join(u'\n'));
    setToolTip(shown.is_cut ? linesOf(whole(), font(), tool_tip_width, whole().size()).join(u'\n') : QString());
    if (std::exchange(is_cut_, shown.is_cut) != shown.is_cut) emit cutChanged();
}

}  // namespace overlap::ui
