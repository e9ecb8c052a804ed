#pragma once

#include <QJsonArray>
#include <QJsonObject>

#include "core/job/document/job_document.h"
#include "core/job/job_changes.h"
#include "ui/job/open/job_evaluator.h"

namespace overlap::ui {

/// What is tried with a job, as the session keeps it.
QJsonObject jobChangesToJson(const job::JobChanges& changes);
job::JobChanges jobChangesFromJson(const QJsonObject& json);

/// Plans of stages as the session keeps them, null where a stage has none of its own.
QJsonArray plansToJson(const StagePlans& plans);
/// @throws InputError.
StagePlans plansFromJson(const QJsonArray& json);

/// What the plan files of a job's stages have; null where one cannot be read, which the evaluation tells.
/// @param file of the job.
StagePlans plansOfFiles(const job::JobDocument& document, const QString& file);

}  // namespace overlap::ui
