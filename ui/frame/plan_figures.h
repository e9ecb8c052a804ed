#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/frame/step_gap.h"

namespace overlap::ui {

class Document;

/// A figure of the toolbar: its label, its value, and the difference to the baseline.
struct Figure {
    QString label;
    QString value;
    QString difference;  ///< empty where there is none, as on the baseline
    int change = 0;      ///< of what `difference` shows: 1 better, -1 worse, 0 the same or neither
    QString help;
    bool beyond = false;             ///< `value` is more than the device has, or a limit allows
    QString short_label = {};        ///< where there is little space; empty: `label` up to its first dot
    QString briefest_label = {};     ///< where not even the short one has room; empty: the short one
    QString named_label = {};        ///< `label` up to the end of a name, which may be cut; empty: without a name
    QString widest_difference = {};  ///< that an edit may bring: room is kept for it
    int stays = 2;                   ///< where there is too little space, figures with less of it go first
    bool difference_stays = false;   ///< as long as the figure, where other differences have gone
    bool opens = false;              ///< a click on it shows what the step is made of
};

/// Step, exposed, peak and number of collectives of the current variant; dashes for a plan that is refused.
/// @param memory_limit of the peak, in bytes, that was set beside what the device holds; 0: none.
std::vector<Figure> figuresOf(const Document& document, qint64 memory_limit = 0);

/// How far the step is above the bound, or what it is where process groups share links; nothing where no bound is
/// known. It stands behind the step, also while the bound is being found: then it says so.
/// @param gap of the document's current plan.
std::optional<Figure> besideStepFigure(const Document& document, const StepGap& gap);

}  // namespace overlap::ui
