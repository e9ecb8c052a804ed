#pragma once

#include <QModelIndex>

#include "ui/panels/problems_model.h"

namespace overlap::ui {

/// The first top row of a kind that stands for one problem.
inline QModelIndex rowOf(const ProblemsModel& model, ProblemKind kind) {
    for (int row = 0; row < model.rowCount(); ++row) {
        const auto problem = model.problemAt(model.index(row, 0));
        if (problem && model.problems()[*problem].kind == kind) return model.index(row, 0);
    }
    return {};
}

}  // namespace overlap::ui
