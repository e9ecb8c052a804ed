#pragma once

#include <QString>
#include <cstdint>
#include <utility>
#include <vector>

namespace overlap::ui {

class Document;

/// What a limit of the peak that is typed may be counted from, by the word for it, in bytes: the peak of the baseline,
/// that of the current plan, and what the device holds, as far as they are known. None where no graph is open.
std::vector<std::pair<QString, std::int64_t>> limitNames(Document& document);

}  // namespace overlap::ui
