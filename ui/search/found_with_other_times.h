#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <functional>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "ui/search/found_plans_json.h"

namespace overlap::ui {

/// What figures of a graph are of, as a text that is the same wherever the times are: times of the nodes, the cost
/// model that merged collectives are priced by, and what the source of times adds to them. What a source asks for and
/// the cost model has no factors of is no part of it.
/// @param baseline the graph as it is.
QString timesOf(const Evaluation& baseline);

/// Plans that were found with other times than those used now: their figures would be false beside them. They wait
/// until those times are used again.
class FoundWithOtherTimes {
  public:
    /// What searches found with some times, the newest first.
    struct Set {
        QString times;  ///< timesOf(); empty where an older version kept it, which did not say
        std::vector<KeptFoundPlans> found;
    };

    /// Adds what is newer than all that is here.
    void add(Set set);
    /// What this gave for the session, in that order; what cannot be read is left out.
    /// @param key_at of the plan at a place among the variants; 0: there is none.
    void restore(const QJsonObject& kept, const std::function<quint64(int place)>& key_at);
    /// Removes what was found with these times and returns it, the newest first.
    /// @param of_these_times asked for what an older version kept.
    std::vector<KeptFoundPlans> take(const QString& times,
                                     const std::function<bool(const FoundPlans&)>& of_these_times);
    /// Removes all.
    void clear() { entries_.clear(); }
    bool isEmpty() const { return entries_.empty(); }

    /// For the session.
    /// @param place_of where the plan of this key is among the variants.
    QJsonArray kept(const std::function<int(quint64 key)>& place_of) const;

  private:
    struct Entry {
        QString times;
        KeptFoundPlans kept;
        mutable QJsonObject json{};  ///< of it, since packing takes time; empty: not made yet
    };
    std::vector<Entry> entries_;  ///< the newest first
};

}  // namespace overlap::ui
