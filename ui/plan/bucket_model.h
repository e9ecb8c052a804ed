#pragma once

#include <QAbstractListModel>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "core/views/bucket_figures.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

class Document;

/// What a card shows of a bucket: what it gathers and scatters, and what of that is exposed in the newest evaluation.
struct BucketSummary {
    CollectiveKind kind = CollectiveKind::none;  ///< the kind that the card's figures are of: gathers, where it has any
    std::size_t collectives = 0;                 ///< of all kinds
    std::int64_t bytes = 0;                      ///< of `kind`
    std::optional<double> time_ms;               ///< of `kind`
    /// Of `kind`, as simulated, where process groups share links: what their collectives take beside one another.
    std::optional<double> shared_ms{};
    /// Of `kind`, in the newest evaluation, where a pass lets the bucket communicate more or less than the graph does,
    /// as gathers that backward repeats: then this is shown instead.
    std::optional<std::int64_t> made_bytes{};
    std::optional<double> made_ms{};  ///< nothing where times are not known
    double communication_ms = 0;      ///< of all kinds, as simulated
    double exposed_ms = 0;            ///< of all kinds, as simulated
};

/// A module on a card: one of the bucket's own, or, where it has just one, a part of that one.
struct BucketChip {
    QString path;
    QString label;
    bool own = true;

    bool operator==(const BucketChip&) const = default;
};

/// `AG 436 MiB 11.0 ms`; empty where the bucket communicates nothing.
QString bucketFiguresText(const BucketSummary& summary);
/// `AG`, `RS`, `AR`.
QString shortKindName(CollectiveKind kind);
/// From an entry's figures before it is made; the simulated part is left at 0.
BucketSummary summarise(const BucketFigures& figures);

/// The buckets of the current plan, in order.
class BucketModel : public HarmlessModel<QAbstractListModel> {
    Q_OBJECT

  public:
    enum Role {
        title_role = Qt::UserRole,
        modules_role,   ///< QStringList of dotted paths
        figures_role,   ///< bucketFiguresText()
        time_role,      ///< of these the time, where there is no room for all
        exposed_role,   ///< share of communication that is exposed, 0 to 1; -1 while unknown
        severity_role,  ///< the worst problem of the bucket: -1 none, else overlap::Severity
        problem_role,   ///< its sentence
    };

    explicit BucketModel(Document& document, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    const std::vector<BucketChip>& chips(int row) const { return rows_[static_cast<std::size_t>(row)].chips; }
    const BucketSummary& summary(int row) const { return rows_[static_cast<std::size_t>(row)].summary; }

  private:
    struct Row {
        QString title;
        QStringList modules;
        std::vector<BucketChip> chips;
        BucketSummary summary;
        int severity = -1;
        QString problem;
    };

    QVariant trueData(const QModelIndex& index, int role) const override;
    void updatePlan();
    void replaceRows(std::vector<Row> rows);
    void updateEvaluation();
    std::vector<BucketChip> makeChips(const BucketEntry& entry) const;
    void addSimulation(std::vector<Row>& rows) const;
    QString accessibleText(const Row& row) const;

    Document& document_;
    std::vector<Row> rows_;
    std::shared_ptr<const Graph> graph_;  ///< that the rows are of, with the modules below
    std::shared_ptr<const ModuleTree> modules_;
    std::vector<NodeId> removed_;  ///< collectives that the rows leave out: the plan's passes take them away
    bool simulated_ = false;
};

}  // namespace overlap::ui
