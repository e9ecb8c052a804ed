#pragma once

#include <QDialog>
#include <memory>
#include <vector>

#include "core/pipeline/manual_start.h"
#include "core/views/exposed_time.h"

namespace overlap::ui {

/// A manual plan made from an automatic result, with what it loses.
struct ManualStartProposal {
    ManualStart start;
    // Both as a job's steps are: with links shared, see with_links_shared().
    std::shared_ptr<const Evaluation> automatic;
    std::shared_ptr<const Evaluation> manual;  ///< of start.plan
    bool links_shared = false;                 ///< either has other figures than those that the window shows
    std::vector<ExposureChange> changes;       ///< from the automatic to the manual result

    /// Whether the manual plan can be taken without a question: it is not refused, and its step is longer and its peak
    /// higher by a thousandth at most.
    bool keepsResult() const;
};

/// Asks before a manual plan is started that is slower than the automatic result or holds more memory: what is lost, of
/// compute and bucket by bucket, what becomes of the memory peak, why, and whether to keep the automatic steps instead.
class ManualStartDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ManualStartDialog(const ManualStartProposal& proposal, QWidget* parent = nullptr);

  signals:
    /// The buckets are to become cards, with this loss.
    void cardsWanted();
    /// A plan with the automatic steps is wanted, for overlaps by hand that act on their result.
    void automaticStepsWanted();
};

}  // namespace overlap::ui
