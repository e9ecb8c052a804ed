#pragma once

#include <QByteArray>
#include <QString>

#include "core/plan/plan.h"

namespace overlap::ui {

/// A plan as its file has it.
struct ReadPlan {
    QString path;
    Plan plan;
    QByteArray digest;  ///< of the file; see fileDigest()
};

/// Reads the file; any thread may. @throws InputError.
ReadPlan readPlan(const QString& path);

}  // namespace overlap::ui
