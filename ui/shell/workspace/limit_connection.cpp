#include "ui/shell/workspace/limit_connection.h"

#include <QComboBox>
#include <QScopedValueRollback>
#include <cmath>

#include "core/base/byte_units.h"
#include "core/memory/device_memory.h"
#include "ui/document/document.h"
#include "ui/memory/memory_panel.h"
#include "ui/search/search_controls.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {
namespace {

/// A limit as a field has it: what it was typed as, or could be, and its number of GiB.
struct Written {
    QString typed;
    double gib = 0;
};

/// @param bytes what the search may hold.
Written writtenIn(SearchControls& search, std::int64_t bytes) {
    const double exact = static_cast<double>(bytes) / bytes_per_gib;
    const LimitField& field = *search.otherLimit();
    switch (static_cast<SearchControls::Limit>(search.limit()->currentIndex())) {
        case SearchControls::Limit::baseline:
            return {Document::tr("baseline"), exact};
        case SearchControls::Limit::current:
            return {Document::tr("plan"), exact};
        default:
            return field.bytes() == bytes ? Written{field.typed(), field.value()} : Written{{}, limitGib(bytes)};
    }
}

}  // namespace

LimitConnection::LimitConnection(Document& document, MemoryPanel& memory, SearchControls& search, QObject* parent)
    : QObject(parent), document_(document), memory_(memory), search_(search) {
    connect(&document, &Document::graphChanged, this, [this] { graph_ = document_.loaded().path; });
    connect(&memory, &MemoryPanel::limitChanged, this, &LimitConnection::takeFromMemory);
    for (const auto signal : {&SearchControls::changed, &SearchControls::limitToBeTyped})
        connect(&search, signal, this, &LimitConnection::takeFromSearch);
    // The peak of the plan is the limit of another number then.
    connect(&document, &Document::evaluationChanged, this, &LimitConnection::takeFromSearch);
}

bool LimitConnection::isOfOneGraph() const {
    return document_.isOpen() && document_.loaded().path == graph_;
}

bool LimitConnection::agree() const {
    const std::int64_t searched = search_.limitBytes().value_or(0), typed = memory_.limit()->bytes();
    if (searched == typed) return true;
    if (typed == 0) return searched == device_memory_bytes(*document_.graph());
    // A field rounds what was not typed.
    constexpr double rounding = 1e-10;
    return searched > 0 && std::abs(memory_.limit()->value() - limitGib(searched)) <= rounding;
}

void LimitConnection::takeFromMemory() {
    if (taking_ || !isOfOneGraph() || agree()) return;
    const QScopedValueRollback taking(taking_, true);
    search_.takeLimit(memory_.limit()->typed(), memory_.limit()->value());
}

void LimitConnection::takeFromSearch() {
    if (taking_ || !isOfOneGraph() || !search_.limitIsKnown() || agree()) return;
    const QScopedValueRollback taking(taking_, true);
    const std::int64_t bytes = search_.limitBytes().value_or(0);
    const bool is_empty = bytes == 0 || bytes == device_memory_bytes(*document_.graph());  // as an empty field means it
    const Written limit = is_empty ? Written() : writtenIn(search_, bytes);
    memory_.restoreLimit(limit.typed, limit.gib);
}

}  // namespace overlap::ui
