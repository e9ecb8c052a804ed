#pragma once

#include <QString>

#include "core/plan/plan_edits.h"

namespace overlap::ui {

class Document;

/// The buckets of the current plan as far as a step that is switched on takes them: all of them, or none. Their places
/// are those of Document::buckets().
const Buckets& appliedBuckets(const Document& document);

/// Whether a step of the current plan takes its buckets. Where none does, they change nothing.
bool bucketsAreApplied(const Document& document);

/// Why they are not, as a sentence without full stop; empty where they are, or the plan has none.
QString whyBucketsAreNotApplied(const Document& document);

}  // namespace overlap::ui
