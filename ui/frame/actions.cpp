#include "ui/frame/actions.h"

#include <QWidget>
#include <algorithm>

namespace overlap::ui {
namespace {

/// Score of matching letter by letter from the left.
/// @param prefer_words takes the beginning of a later word where a letter occurs at one.
int matchScore(const QString& query, const QString& text, bool prefer_words) {
    auto startsWord = [&](qsizetype i) { return i == 0 || !text[i - 1].isLetterOrNumber(); };
    int score = 1;
    qsizetype at = 0;
    qsizetype previous = -2;
    for (const QChar wanted : query) {
        if (wanted.isSpace()) continue;
        qsizetype best = -1;
        for (qsizetype i = at; i < text.size(); ++i) {
            if (text[i].toCaseFolded() != wanted.toCaseFolded()) continue;
            if (best < 0) best = i;
            if (!prefer_words || i == previous + 1) break;
            if (!startsWord(i)) continue;
            best = i;
            break;
        }
        if (best < 0) return 0;
        score += best == previous + 1 ? 8 : 0;
        score += startsWord(best) ? 6 : 0;
        previous = best;
        at = best + 1;
    }
    return score;
}

}  // namespace

Actions::Actions(QWidget* host) : QObject(host), host_(host) {}

QAction* Actions::add(const QString& id, const QString& menu, const QString& text, const QString& help,
                      const QList<QKeySequence>& shortcuts, std::function<void()> run) {
    auto* action = new QAction(text, this);
    action->setShortcuts(shortcuts);
    action->setToolTip(help);  // without one it would repeat the name
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    return adopt(id, menu, action, help);
}

QAction* Actions::adopt(const QString& id, const QString& menu, QAction* action, const QString& help) {
    Q_ASSERT(!find(id));
    action->setObjectName(id);
    action->setStatusTip(help);
    action->setShortcutContext(Qt::WindowShortcut);
    host_->addAction(action);
    entries_.push_back({id, menu, action});
    return action;
}

void Actions::addViewKey(const QString& view, const QString& keys, const QString& what) {
    view_keys_.push_back({view, keys, what});
}

QAction* Actions::find(const QString& id) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.id == id; });
    return found == entries_.end() ? nullptr : found->action;
}

int fuzzyScore(const QString& query, const QString& text) {
    return std::max(matchScore(query, text, true), matchScore(query, text, false));
}

}  // namespace overlap::ui
