#include "ui/search/found_choices.h"

#include <QObject>
#include <algorithm>
#include <array>

#include "core/base/wording.h"
#include "core/passes/memory/memory_rules.h"
#include "core/pipeline/unshared_links.h"
#include "core/plan/found_note.h"
#include "core/plan/plan_difference.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"
#include "ui/theme/standard_strings.h"
#include "ui/theme/times_apart.h"

namespace overlap::ui {
namespace {

QString sentence(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// The first names, and how many there are beside them.
QString enumeration(const QStringList& names) {
    return shownName(QString::fromStdString(enumerated(standardStrings(names))));
}

/// To the plan that was shown, unless it was refused, and to the graph as it is.
QString differences(const FoundPlans& found, double step_ms) {
    const auto to = [&](double other_ms, const QString& what) {
        return QObject::tr("%1 to %2").arg(formatDifference(step_ms - other_ms, Unit::Time), what);
    };
    QStringList parts;
    if (!found.start.refused && found.start.plan) parts.append(to(found.start.step_ms, shownName(found.start.title)));
    parts.append(to(found.baseline_ms, QObject::tr("the baseline")));
    return parts.join(QStringLiteral(", "));
}

/// The step, and beside it the one that the window shows, where that is another one.
QString stepText(const FoundPlans& found, const FoundChoice& choice) {
    // The caption compares the best with the fastest: with as many digits as tell them apart there.
    const bool is_slower_best = choice.step_ms == found.best().step_ms && found.shortest_ms < choice.step_ms;
    const std::array<double, 2> compared{found.shortest_ms, choice.step_ms};
    const QString step = is_slower_best ? formatTimesApart(compared).back() : formatTime(choice.step_ms);
    if (!choice.shown_ms && found.links_differ) return QObject::tr("step %1 %2").arg(step, linksLabel(found.links));
    if (!choice.shown_ms || *choice.shown_ms == choice.step_ms) return QObject::tr("step %1").arg(step);
    const QString shown = formatTime(*choice.shown_ms);
    return found.links == LinkSharing::by_host
               ? QObject::tr("step %1 %2 and %3 without").arg(step, linksLabel(found.links), shown)
               : QObject::tr("step %1 %2 and %3 as it is shown").arg(step, linksLabel(found.links), shown);
}

QString fastestText() {
    return QObject::tr("the fastest");
}

/// That nothing better was found, and how far the best is from the plan that was shown.
QString nothingBetterSentence(const FoundPlans& found) {
    const QString title = found.start.plan ? shownName(found.start.title) : QObject::tr("the baseline");
    const std::array<double, 2> steps{found.start.step_ms, found.best().step_ms};
    const QStringList shown = formatTimesApart(steps);
    const std::int64_t more_bytes = found.best().peak_bytes - found.start.peak_bytes;
    if (found.best().step_ms < found.start.step_ms && more_bytes > 0)
        return QObject::tr(
                   "Nothing better than %1 was found: the best of the others takes %2 more for less than %3: keep it.")
            .arg(title, formatBytes(static_cast<double>(more_bytes)), formatPercent(alike_share));
    return shown[0] == shown[1]
               ? QObject::tr("Nothing better than %1 was found, whose step is %2: keep it.").arg(title, shown[0])
               : QObject::tr(
                     "Nothing better than %1 was found, whose step is %2, and %3 that of the best plan that "
                     "was found: keep it.")
                     .arg(title, shown[0], shown[1]);
}

/// What a memory section decides: often more than all that a plan merges.
QString memorySentence(const Plan& plan) {
    if (!plan.memory) return QObject::tr("It has no memory section.");
    const QString policy = QString::fromStdString(plan.memory->policy);
    if (plan.memory->rules.empty()) return QObject::tr("Its memory policy is %1.").arg(shownName(policy));
    return QObject::tr("Its memory policy is %1, with %2.")
        .arg(shownName(policy), shownName(QString::fromStdString(memory_rules_text(plan.memory->rules))));
}

}  // namespace

int bestWithin(const std::vector<FoundChoice>& choices, std::optional<std::int64_t> limit) {
    // The first is the plan with the shortest description among those that are alike.
    int best = -1;
    for (std::size_t index = 0; index < choices.size(); ++index) {
        const FoundChoice& choice = choices[index];
        if (limit && choice.peak_bytes > *limit) continue;
        const double tolerated = best == 0 ? 1 - alike_share : 1;
        if (best < 0 || choice.step_ms < choices[static_cast<std::size_t>(best)].step_ms * tolerated)
            best = static_cast<int>(index);
    }
    return best;
}

int closestToLimit(const std::vector<FoundChoice>& choices) {
    return static_cast<int>(std::ranges::min_element(choices, {}, &FoundChoice::peak_bytes) - choices.begin());
}

int firstChoice(const std::vector<FoundChoice>& choices, std::optional<std::int64_t> limit) {
    const int best = bestWithin(choices, limit);
    return best >= 0 ? best : closestToLimit(choices);
}

QStringList sentencesOn(const FoundPlans& found, std::size_t index) {
    const FoundChoice& choice = found.choices[index];
    const SearchStart& start = found.start;
    const bool is_best = index == 0, nothing_better = is_best && found.nothingBetter();
    QStringList sentences;
    if (nothing_better) sentences.append(nothingBetterSentence(found));
    // Where the window's figures are with other links, both steps stand beside each other.
    const bool two_steps = choice.shown_ms && *choice.shown_ms != choice.step_ms;
    const QString to_others = differences(found, choice.step_ms);
    sentences.append(
        QObject::tr("%1: %2 (%3), peak %4 (%5).")
            .arg(nothing_better ? QObject::tr("The best of the others") : sentence(shownName(choice.title)),
                 stepText(found, choice),
                 two_steps ? QStringLiteral("%1: %2").arg(linksLabel(found.links), to_others) : to_others,
                 formatBytes(static_cast<double>(choice.peak_bytes)),
                 formatDifference(static_cast<double>(choice.peak_bytes - start.peak_bytes), Unit::Bytes)));
    // What the bound is made of says nothing of a plan that is far from it.
    const QString above = aboveBound(choice.step_ms, choice.bound_ms, found.any_order);
    sentences.append(is_best ? QObject::tr("That is %1: %2.").arg(above, shownName(found.bound_reason))
                             : QObject::tr("That is %1 of %2.").arg(above, formatTime(choice.bound_ms)));
    if (is_best && found.changes_order) sentences.append(QObject::tr("It changes the order of heavy compute."));
    if (!start.left_out.isEmpty())
        sentences.append(QObject::tr("No bound holds for %1, since it leaves out work that the bound counts on: %2.")
                             .arg(shownName(start.title), shownName(start.left_out)));
    if (start.plan) {
        const PlanDifference difference = plan_difference(*start.plan, choice.plan);
        sentences.append(difference.count() == 0
                             ? QObject::tr("It does what %1 does.").arg(shownName(start.title))
                             : QObject::tr("From %1 to it, what changes: %2.")
                                   .arg(shownName(start.title), QString::fromStdString(describe(difference))));
        if (start.plan->memory != choice.plan.memory) sentences.append(memorySentence(choice.plan));
    }
    if (start.plan && !found.locked.isEmpty())
        sentences.append((start.edited
                              ? QObject::tr("Plans that were found keep of %1 as it was when the search began: %2.")
                              : QObject::tr("Plans that were found keep of %1: %2."))
                             .arg(shownName(start.title), enumeration(found.locked)));
    if (is_best && !found.groups_left_out.isEmpty())
        sentences.append(QObject::tr("It is without the settings of process groups that it does not make: %1.")
                             .arg(enumeration(found.groups_left_out)));
    return sentences;
}

QString captionOf(const FoundPlans& found) {
    QStringList clauses;
    if (found.nothingBetter())
        clauses.append(QObject::tr("nothing better than %1 was found")
                           .arg(found.start.plan ? shownName(found.start.title) : QObject::tr("the baseline")));
    clauses.append(found.end);
    clauses.append(QObject::tr("the best comes from: %1").arg(shownName(found.origin)));
    // Progress told the step of the fastest.
    const std::array<double, 2> steps{found.shortest_ms, found.best().step_ms};
    // Said of the best within the search's limit, also while another one of those that were found is chosen.
    const QString fastest =
        found.limit ? QObject::tr("%1 within %2").arg(fastestText(), formatBytes(static_cast<double>(*found.limit)))
                    : fastestText();
    if (found.shortest_ms < found.best().step_ms)
        clauses.append(QObject::tr("%1, %2, is shorter than the best by less than %3, and takes more memory, has more "
                                   "parts, or gains less where costs differ")
                           .arg(fastest, formatTimesApart(steps).front(), formatPercent(alike_share)));
    return sentence(clauses.join(QStringLiteral("; ")));
}

std::vector<NamedChoice> namedChoices(const FoundPlans& found) {
    std::vector<NamedChoice> named;
    const auto name = [&](const QString& phrase, auto is) {
        const auto choice = std::ranges::find_if(found.choices, is);
        if (choice != found.choices.end()) named.push_back({phrase, static_cast<int>(choice - found.choices.begin())});
    };
    if (found.shortest_ms < found.best().step_ms)
        name(fastestText(), [&](const FoundChoice& choice) { return choice.step_ms == found.shortest_ms; });
    return named;
}

double toldStep(const FoundChoice& choice) {
    return told_step_ms(choice.shown_ms.value_or(choice.step_ms), choice.step_ms);
}

QString openedName(const FoundChoice& choice) {
    if (choice.compared) return choice.title;
    return QString::fromStdString(found_plan_name(toldStep(choice), choice.peak_bytes));
}

QString aboveBound(double step_ms, double bound_ms, bool any_order) {
    const QString share = formatPercent(bound_ms > 0 ? step_ms / bound_ms - 1 : 0);
    return any_order ? QObject::tr("%1 above the bound for any order").arg(share)
                     : QObject::tr("%1 above the bound with the order kept").arg(share);
}

QString linksLabel(LinkSharing links) {
    return links == LinkSharing::by_host ? linksSharedLabel()
                                         : QObject::tr("with a link of its own for each process group");
}

QString linksHelp(LinkSharing links) {
    return links == LinkSharing::by_host
               ? QObject::tr(
                     "Plans are compared with links shared, which a job can reach. Opened, a plan shows its step "
                     "without, where the graph's cost model does not say who shares what")
               : QObject::tr(
                     "Plans are compared as if each process group had a link of its own, which a job with one network "
                     "card a GPU does not have");
}

}  // namespace overlap::ui
