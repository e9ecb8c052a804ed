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

/// What a bucket communicates by collectives of one kind.
struct BucketPart {
    CollectiveKind kind = CollectiveKind::none;
    std::int64_t bytes = 0;
    std::optional<double> time_ms{};
    /// As simulated, where process groups share links: what they take beside one another.
    std::optional<double> shared_ms{};
    /// In the newest evaluation, where a pass lets the bucket communicate more or less than the graph does, as gathers
    /// that backward repeats: then this is shown instead.
    std::optional<std::int64_t> made_bytes{};
    std::optional<double> made_ms{};  ///< nothing where times are not known
};

/// What a card shows of a bucket: what it gathers and scatters, and what of that is exposed in the newest evaluation.
/// Nothing where no step takes the plan's buckets.
struct BucketSummary {
    std::vector<BucketPart> parts;  ///< gathers first
    std::size_t collectives = 0;
    double communication_ms = 0;  ///< as simulated
    double exposed_ms = 0;        ///< as simulated

    /// Of a kind; nothing where the bucket has none of it.
    const BucketPart* part(CollectiveKind kind) const;
};

/// A module on a card: one of the bucket's own, or, where it has just one, a part of that one.
struct BucketChip {
    QString path;
    QString label;
    bool own = true;

    bool operator==(const BucketChip&) const = default;
};

/// `AG 436 MiB 11.0 ms · RS 872 MiB 21.0 ms`; empty where the bucket communicates nothing.
QString bucketFiguresText(const BucketSummary& summary);
/// All of it together: `AG+RS 1.28 GiB 32.0 ms`.
QString bucketSumText(const BucketSummary& summary);
/// `AG`, `RS`, `AR`; of other kinds their name.
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
        figures_role,   ///< bucketFiguresText(), or that the bucket is not applied or of no module
        sum_role,       ///< bucketSumText(), where there is no room for that
        time_role,      ///< of the sum the time, where there is no room for that either
        exposed_role,   ///< share of communication that is exposed, 0 to 1; -1 while unknown
        severity_role,  ///< the worst problem of the bucket: -1 none, else overlap::Severity
        problem_role,   ///< its sentence
        hue_role,       ///< of Theme::bucket(), see bucket_hues()
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
        std::uint32_t hue = 0;
        bool matches = false;  ///< a module of the graph
        int severity = -1;
        QString problem;
    };

    QVariant trueData(const QModelIndex& index, int role) const override;
    void updatePlan();
    void replaceRows(std::vector<Row> rows);
    void updateEvaluation();
    std::vector<BucketChip> makeChips(const BucketEntry& entry) const;
    void addSimulation(std::vector<Row>& rows) const;
    QString figuresText(const Row& row) const;
    QString accessibleText(const Row& row) const;

    Document& document_;
    std::vector<Row> rows_;
    std::shared_ptr<const Graph> graph_;  ///< that the rows are of, with the modules below
    std::shared_ptr<const ModuleTree> modules_;
    std::vector<NodeId> removed_;  ///< collectives that the rows leave out: the plan's passes take them away
    QString not_applied_;          ///< why a step takes no bucket of the rows; empty where one does
};

}  // namespace overlap::ui
