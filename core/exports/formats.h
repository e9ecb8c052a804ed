#pragma once

#include "core/exports/export_format.h"

// One function for each format, in a file of its own; export_format.cpp registers them. What each writes is said in the
// README of this folder.
namespace overlap {

ExportOutput export_plan_document(const ExportInput& input);
ExportOutput export_job_plan(const ExportInput& input);
ExportOutput export_graph_trainer(const ExportInput& input);
ExportOutput export_inductor_settings(const ExportInput& input);
ExportOutput export_fsdp2_prefetch(const ExportInput& input);
ExportOutput export_chrome_trace(const ExportInput& input);
ExportOutput export_perfetto_trace(const ExportInput& input);
ExportOutput export_buckets_table(const ExportInput& input);
ExportOutput export_collectives_table(const ExportInput& input);
ExportOutput export_report(const ExportInput& input);

}  // namespace overlap
