#pragma once

#include "core/exports/export_format.h"

// One function for each format, in a file of its own; export_format.cpp registers them. What each writes is said in the
// README of this folder.
namespace overlap {

ExportOutput export_plan_document(const ExportInput& input);
ExportOutput export_job_plan(const ExportInput& input);
ExportOutput export_chrome_trace(const ExportInput& input);

}  // namespace overlap
