#include "ui/document/limit_names.h"

#include "core/memory/device_memory.h"
#include "ui/document/document.h"

namespace overlap::ui {

std::vector<std::pair<QString, std::int64_t>> limitNames(Document& document) {
    std::vector<std::pair<QString, std::int64_t>> names;
    if (!document.isOpen()) return names;
    names.emplace_back(Document::tr("baseline"), document.baseline().corrected_memory.peak_bytes);
    if (const auto evaluation = document.evaluation();
        evaluation && !evaluation->refused && !document.current()->stale())
        names.emplace_back(Document::tr("plan"), evaluation->corrected_memory.peak_bytes);
    if (const std::int64_t device = device_memory_bytes(*document.graph()); device > 0)
        names.emplace_back(Document::tr("device"), device);
    return names;
}

}  // namespace overlap::ui
