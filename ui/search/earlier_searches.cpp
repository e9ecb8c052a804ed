#include "ui/search/earlier_searches.h"

#include <QStringList>
#include <algorithm>

#include "core/search/plan_search.h"
#include "ui/search/found_choices.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr std::size_t most_kept = 4;

QString bytesText(std::int64_t count) {
    return formatBytes(static_cast<double>(count));
}

/// The best of what was found within the limit; the best of all where none is.
const FoundChoice& bestChoice(const FoundPlans& found, std::optional<std::int64_t> limit) {
    const int best = bestWithin(found.choices, limit);
    return found.choices[static_cast<std::size_t>(std::max(best, 0))];
}

bool isWithin(const FoundChoice& choice, std::optional<std::int64_t> limit) {
    return !limit || choice.peak_bytes <= *limit;
}

}  // namespace

EarlierSearches::EarlierSearches(QWidget* parent) : QLabel(parent) {
    setObjectName("earlierSearches");
    setAccessibleName(tr("What was found before"));
    setProperty("role", "dim");
    setWordWrap(true);
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(this, &QLabel::linkActivated, this, [this](const QString& index) { emit chosen(index.toULongLong()); });
    hide();
}

void EarlierSearches::add(const FoundPlans& found, int chosen) {
    entries_.insert(entries_.begin(), Entry{{found, chosen}, toJson(found, chosen)});
    if (entries_.size() > most_kept) entries_.pop_back();
}

void EarlierSearches::dropAllIn(const FoundPlans& found) {
    std::erase_if(entries_, [&](const Entry& entry) { return found.hasAllOf(entry.kept.found); });
}

KeptFoundPlans EarlierSearches::take(std::size_t index) {
    KeptFoundPlans taken = std::move(entries_.at(index).kept);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
    return taken;
}

void EarlierSearches::clear() {
    entries_.clear();
    hide();
}

void EarlierSearches::describe(const FoundPlans& shown, std::optional<std::int64_t> limit) {
    const FoundChoice& best = bestChoice(shown, limit);
    QStringList texts;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
        const FoundPlans& found = entries_[index].kept.found;
        const FoundChoice& choice = bestChoice(found, limit);
        QString text = QStringLiteral("<a href=\"%1\">%2</a>")
                           .arg(index)
                           .arg(tr("%1 at %2").arg(formatTime(choice.step_ms), bytesText(choice.peak_bytes)));
        if (found.links != shown.links)
            text += u' ' + linksLabel(found.links).toHtmlEscaped();
        else if (found.isLike(shown) && isWithin(choice, limit) &&
                 (!isWithin(best, limit) || choice.step_ms < best.step_ms * (1 - alike_share)))
            text += u' ' + tr("(better)");
        texts.append(text);
    }
    setText(tr("Found before: %1").arg(texts.join(QStringLiteral(", "))));
    setHidden(texts.isEmpty());
}

QJsonArray EarlierSearches::kept(const std::function<int(quint64 key)>& place_of) const {
    QJsonArray kept;
    for (const Entry& entry : entries_) {
        QJsonObject json = entry.json;
        json["start_at"] = place_of(entry.kept.found.start.key);
        kept.append(json);
    }
    return kept;
}

}  // namespace overlap::ui
