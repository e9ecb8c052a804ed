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

const FoundChoice& linkedChoice(const FoundPlans& found, std::optional<std::int64_t> limit) {
    return found.choices[static_cast<std::size_t>(firstChoice(found.choices, limit))];
}

bool isWithin(const FoundChoice& choice, std::optional<std::int64_t> limit) {
    return !limit || choice.peak_bytes <= *limit;
}

QString figuresOf(const FoundChoice& choice) {
    return EarlierSearches::tr("%1 at %2").arg(formatTime(choice.step_ms), bytesText(choice.peak_bytes));
}

/// By how much a choice is beyond the limit, with a space before; empty where it is within.
QString beyondText(const FoundChoice& choice, std::optional<std::int64_t> limit) {
    if (isWithin(choice, limit)) return {};
    return u' ' + EarlierSearches::tr("(%1 over the limit)").arg(bytesText(choice.peak_bytes - *limit));
}

/// What is said of a choice: its figures, over which links, where those are others than the ones beside it, and by how
/// much it is beyond the limit.
QString sayingOn(const QString& figures, const FoundPlans& found, LinkSharing beside,
                 std::optional<std::int64_t> limit) {
    const QString links = found.links != beside ? u' ' + linksLabel(found.links).toHtmlEscaped() : QString();
    return figures + links + beyondText(linkedChoice(found, limit), limit);
}

/// What of a search is better than what is shown, with a space before; empty where nothing is.
QString betterText(const FoundPlans& found, const FoundPlans& shown, std::optional<std::int64_t> limit) {
    if (!found.isLike(shown)) return {};
    const FoundChoice &choice = linkedChoice(found, limit), &best = linkedChoice(shown, limit);
    if (isWithin(choice, limit)) {
        const bool better = !isWithin(best, limit) || choice.step_ms < best.step_ms * (1 - alike_share);
        return better ? u' ' + EarlierSearches::tr("(better)") : QString();
    }
    return !isWithin(best, limit) && choice.peak_bytes < best.peak_bytes ? u' ' + EarlierSearches::tr("(closer)")
                                                                         : QString();
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

std::vector<KeptFoundPlans> EarlierSearches::all() const {
    std::vector<KeptFoundPlans> kept;
    for (const Entry& entry : entries_) kept.push_back(entry.kept);
    return kept;
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
    QStringList texts;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
        const FoundPlans& found = entries_[index].kept.found;
        const QString figures = figuresOf(linkedChoice(found, limit));
        const QString link = QStringLiteral("<a href=\"%1\">%2</a>").arg(index).arg(figures);
        texts.append(sayingOn(link, found, shown.links, limit) + betterText(found, shown, limit));
    }
    say(texts);
}

void EarlierSearches::describeWithLast(const FoundPlans& last, LinkSharing running, std::optional<std::int64_t> limit) {
    const auto text = [&](const FoundPlans& found) {
        return sayingOn(figuresOf(linkedChoice(found, limit)), found, running, limit);
    };
    QStringList texts{text(last)};
    for (const Entry& entry : entries_) texts.append(text(entry.kept.found));
    say(texts);
}

void EarlierSearches::say(const QStringList& texts) {
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
