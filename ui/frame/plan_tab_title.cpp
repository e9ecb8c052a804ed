#include "ui/frame/plan_tab_title.h"

#include <QFontMetricsF>
#include <QRegularExpression>
#include <algorithm>
#include <vector>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr QChar left_out(0x2026);
const QString other_graph_words = QStringLiteral(" (other graph)");

/// A part of a title that may stand for it.
struct TitleForm {
    QString text;
    Qt::TextElideMode mode;
};

/// The forms of a title, the one that tells most first. Those of two titles at the same place are of one kind, but for
/// plans that a search found beside others.
std::vector<TitleForm> formsOf(const QString& title) {
    static const QRegularExpression found(QStringLiteral("^(Found (so far )?|Edited )(?=[0-9])"));
    static const QRegularExpression before_peak(QStringLiteral("^.* (?=at [0-9])"));
    // What it is of tells more than that its graph is another one.
    if (title.endsWith(other_graph_words))
        return {{title, Qt::ElideRight},
                {other_graph_words.trimmed() + u' ' + title.chopped(other_graph_words.size()), Qt::ElideRight},
                {title, Qt::ElideMiddle}};
    const QString figures = QString(title).remove(found);
    // Ends of titles distinguish them as often as beginnings do.
    if (figures == title) return {{title, Qt::ElideMiddle}, {title, Qt::ElideRight}, {title, Qt::ElideLeft}};
    // Of two figures the first is whole rather than both are cut.
    return {{figures, Qt::ElideRight},
            {title, Qt::ElideRight},
            {QString(figures).remove(before_peak), Qt::ElideRight},
            {title, Qt::ElideMiddle}};
}

/// Whether what is drawn of one title could be drawn of the other as well.
bool standsFor(const QString& drawn, const QString& other) {
    const qsizetype gap = drawn.indexOf(left_out);
    if (gap < 0) return drawn == other;
    return other.startsWith(drawn.left(gap).trimmed()) && other.endsWith(drawn.mid(gap + 1).trimmed());
}

/// How many letters, up to the beginning of a word, the title has in common with the one that is most like it.
qsizetype commonBeginning(const QString& title, const QStringList& others) {
    qsizetype common = 0;
    for (const QString& other : others) {
        if (other == title) continue;
        const auto differ = std::mismatch(title.begin(), title.end(), other.begin(), other.end()).first;
        common = std::max<qsizetype>(common, differ - title.begin());
    }
    while (common > 0 && !title[common - 1].isSpace()) --common;
    return common;
}

}  // namespace

QString titleOfOtherGraph(const QString& title) {
    return title + other_graph_words;
}

QString drawnTabTitle(const QString& title, const QStringList& others, const QFontMetricsF& metrics, double room) {
    if (metrics.horizontalAdvance(title) <= room) return title;
    const std::vector<TitleForm> forms = formsOf(title);
    std::vector<std::vector<TitleForm>> forms_of_others;
    for (const QString& other : others)
        if (other != title) forms_of_others.push_back(formsOf(other));
    QString first;
    for (std::size_t kind = 0; kind < forms.size(); ++kind) {
        const QString drawn = elidedName(metrics, forms[kind].text, forms[kind].mode, room);
        if (kind == 0) first = drawn;
        const bool is_shared = std::ranges::any_of(forms_of_others, [&](const std::vector<TitleForm>& other) {
            return other.size() > kind && standsFor(drawn, other[kind].text);
        });
        if (!is_shared) return drawn;
    }
    const qsizetype common = commonBeginning(title, others);
    return common > 0 ? elidedName(metrics, left_out + title.mid(common), Qt::ElideRight, room) : first;
}

}  // namespace overlap::ui
