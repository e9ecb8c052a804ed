#pragma once

#include "ui/search/found_plans.h"

namespace overlap::ui {

class Document;

/// What a search began at, to compare with now. Where that plan has changed since, it is the plan as it is now, with
/// its figures; until these are known it is the plan as it was then, and called so: the change may be an edit that was
/// taken back. It does not count before a StartCheck says so.
/// @param links those of all steps that it is compared with.
SearchStart startNow(const SearchStart& start, Document& document, LinkSharing links);

/// That the plan has changed since the search began, and what is compared with; empty where it has not.
/// @param now what startNow() gave.
QString editedSentence(const SearchStart& now);

}  // namespace overlap::ui
