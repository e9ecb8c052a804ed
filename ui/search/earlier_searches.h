#pragma once

#include <QJsonArray>
#include <QLabel>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ui/search/found_plans_json.h"

namespace overlap::ui {

/// What searches found before the one that is shown: a line with a link to each, the newest first. Four are kept.
class EarlierSearches : public QLabel {
    Q_OBJECT

  public:
    explicit EarlierSearches(QWidget* parent = nullptr);

    /// Adds what was shown until now, with the choice.
    void add(const FoundPlans& found, int chosen);
    /// Removes those that have nothing which these have not.
    void dropAllIn(const FoundPlans& found);
    /// All, the newest first.
    std::vector<KeptFoundPlans> all() const;
    /// Removes one and returns it.
    KeptFoundPlans take(std::size_t index);
    /// Removes all.
    void clear();
    /// Says each by the plan that its link chooses, the best within the limit or the one that comes closest to it, and
    /// what of it is better than what is shown.
    /// @param limit of the peak, that plans are chosen within.
    void describe(const FoundPlans& shown, std::optional<std::int64_t> limit);
    /// Says each while a search runs, with what was shown last before them: it has no link, since it is not added yet.
    /// @param running of the search that runs; those with other links say so.
    void describeWithLast(const FoundPlans& last, LinkSharing running, std::optional<std::int64_t> limit);
    /// Nothing was found before.
    bool isEmpty() const { return entries_.empty(); }

    /// For the session.
    /// @param place_of where the plan of this key is among the variants.
    QJsonArray kept(const std::function<int(quint64 key)>& place_of) const;

  signals:
    /// The link of one was clicked; take() has it.
    void chosen(std::size_t index);

  private:
    void say(const QStringList& texts);

    struct Entry {
        KeptFoundPlans kept;
        QJsonObject json;  ///< of it: packing takes time
    };
    std::vector<Entry> entries_;
};

}  // namespace overlap::ui
