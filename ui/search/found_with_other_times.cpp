#include "ui/search/found_with_other_times.h"

#include <QCryptographicHash>
#include <iterator>
#include <utility>

#include "core/cost/shared_links.h"
#include "core/pipeline/step_with_links_shared.h"

namespace overlap::ui {

QString timesOf(const Evaluation& baseline) {
    QCryptographicHash hash(QCryptographicHash::Sha1);
    const auto addText = [&hash](const std::string& text) {
        hash.addData(QByteArray::number(static_cast<qulonglong>(text.size())) + ' ');
        hash.addData(QByteArray::fromStdString(text));
    };
    for (const double ms : baseline.times_ms) hash.addData(QByteArray::number(ms, 'g', 17) + ' ');
    if (const auto& cost = baseline.graph->header().cost) addText(cost->json);
    if (const TimeSource* source = baseline.time_source.get()) {
        addText(source->name);
        if (source->compilation) {
            addText(std::string(compiled_scope_name(source->compilation->scope)));
            hash.addData(QByteArray::number(source->compilation->attention_density, 'g', 17));
        }
        if (source->contention && baseline.contention) hash.addData("contention");
        if (source->share_links && !says_shared_links(*baseline.graph)) hash.addData("shared links");
    } else {
        addText({});
    }
    return QString::fromLatin1(hash.result().toHex());
}

void FoundWithOtherTimes::add(Set set) {
    std::vector<Entry> newer;
    for (KeptFoundPlans& kept : set.found) newer.push_back({set.times, std::move(kept)});
    entries_.insert(entries_.begin(), std::make_move_iterator(newer.begin()), std::make_move_iterator(newer.end()));
}

void FoundWithOtherTimes::restore(const QJsonObject& kept, const std::function<quint64(int place)>& key_at) {
    const auto take = [&](const QJsonObject& json, const QString& times) {
        std::optional<KeptFoundPlans> read = foundPlansFromJson(json);
        if (!read) return;
        // By its place: it may have been edited and renamed since, and another plan may have its name.
        if (const quint64 key = key_at(read->found.start.plan ? json["start_at"].toInt(-1) : 0); key > 0)
            read->found.start.key = key;
        entries_.push_back({times, std::move(*read)});
    };
    const QString times = kept["times"].toString();
    take(kept, times);
    for (const QJsonValue earlier : kept["earlier"].toArray()) take(earlier.toObject(), times);
    for (const QJsonValue other : kept["others"].toArray())
        take(other.toObject(), other.toObject()["times"].toString());
}

std::vector<KeptFoundPlans> FoundWithOtherTimes::take(const QString& times,
                                                      const std::function<bool(const FoundPlans&)>& of_these_times) {
    std::vector<KeptFoundPlans> taken;
    std::vector<Entry> others;
    for (Entry& entry : entries_) {
        const bool wanted = entry.times.isEmpty() ? of_these_times(entry.kept.found) : entry.times == times;
        if (wanted)
            taken.push_back(std::move(entry.kept));
        else
            others.push_back(std::move(entry));
    }
    entries_ = std::move(others);
    return taken;
}

QJsonArray FoundWithOtherTimes::kept(const std::function<int(quint64 key)>& place_of) const {
    QJsonArray kept;
    for (const Entry& entry : entries_) {
        if (entry.json.isEmpty()) entry.json = toJson(entry.kept.found, entry.kept.chosen);
        QJsonObject json = entry.json;
        json["times"] = entry.times;
        json["start_at"] = place_of(entry.kept.found.start.key);
        kept.append(json);
    }
    return kept;
}

}  // namespace overlap::ui
