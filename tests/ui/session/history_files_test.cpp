#include "ui/session/history_files.h"

#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_looks.h"
#include "ui/session/kept_plans.h"
#include "ui/session/session.h"

namespace overlap::ui {

/// What can be undone in plans of a session, at the next start.
class HistoryFilesTest : public QObject {
    Q_OBJECT

    LoadedGraph loaded_;
    FileLooks looks_;
    std::unique_ptr<QTemporaryDir> folder_;
    QStringList told_;

    std::unique_ptr<Document> opened(const RestoredVariants& restored = {}) const {
        // Figures are not asked for: only edits are.
        auto document = std::make_unique<Document>(
            nullptr, [this](const auto&, const Plan&, std::stop_token, auto, auto) { return loaded_.baseline; });
        document->setVariantSource([restored](const LoadedGraph&) { return restored; });
        document->setGraph(loaded_);
        return document;
    }

    QString store(const Document& document, const Session& session) const {
        SessionState state;
        state.put(sessionDocument(document));
        return session.save(state);
    }

    /// The document of a next start.
    std::unique_ptr<Document> started() {
        const Session session(folder_->path());
        const StoredSession stored = session.load();
        told_.clear();
        RestoredVariants restored;
        for (const SessionVariant& kept : stored.state.documents.front().variants)
            for (RestoredVariant& plan : restoreKeptPlan(kept, loaded_, looks_, {}, told_, folder_->path()))
                restored.variants.push_back(std::move(plan));
        restored.current = static_cast<int>(restored.variants.size());
        return opened(restored);
    }

    /// Texts of the edits, and the plan after each number of them.
    static std::pair<QStringList, std::vector<Plan>> statesOf(Variant& variant) {
        std::pair<QStringList, std::vector<Plan>> states;
        QUndoStack& stack = variant.undoStack();
        const int now = stack.index();
        for (int index = 0; index <= stack.count(); ++index) {
            stack.setIndex(index);
            states.first.append(index == 0 ? QString() : stack.text(index - 1));
            states.second.push_back(variant.plan());
        }
        stack.setIndex(now);
        return states;
    }

    static void edit(Document& document, int number) {
        Plan plan = document.current()->plan();
        plan.buckets.resize(static_cast<std::size_t>(number % 5 + 1));
        plan.buckets.back().modules = {"layers." + std::to_string(number)};
        if (number % 7 == 0) plan.notes = std::to_string(number);
        document.editPlan(QStringLiteral("edit %1").arg(number), std::move(plan));
    }

    QStringList files() const { return QDir(folder_->filePath("histories")).entryList(QDir::Files, QDir::Name); }

  private slots:
    void initTestCase() { loaded_ = loadGraph(smallGraphFile()); }
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void editsOfAllKindsComeBack() {
        std::pair<QStringList, std::vector<Plan>> states;
        {
            const auto document = opened();
            BucketCommands buckets(*document);
            QCOMPARE(buckets.addText("layers.[0-2]"), QString());
            QCOMPARE(buckets.addText("norm+output"), QString());
            QVERIFY(PipelineCommands(*document).add("canonicalize_graph_pass", 0) >= 0);
            document->renameCurrent("another \"name\"");
            Plan noted = document->current()->plan();
            noted.notes = "a note\nof two lines";
            noted.extra.emplace_back("of_a_newer_version", "[1,2]");
            document->editPlan("note", noted, "typed");
            document->undoGroup().undo();
            document->undoGroup().undo();
            states = statesOf(*document->current());
            QCOMPARE(states.second.size(), 6u);
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        const auto document = started();
        QCOMPARE(told_, QStringList());
        QCOMPARE(document->undoGroup().redoText(), "Rename to another \"name\"");
        QVERIFY(document->current()->modified());
        const auto again = statesOf(*document->current());
        QCOMPARE(again.first, states.first);
        for (std::size_t state = 0; state < states.second.size(); ++state)
            QCOMPARE(write_plan_text(again.second[state]), write_plan_text(states.second[state]));
        QVERIFY(again.second == states.second);
        document->undoGroup().redo();
        document->undoGroup().redo();
        Plan noted = document->current()->plan();
        noted.notes = "a note that is typed on";
        document->editPlan("note", noted, "typed");
        QCOMPARE(document->current()->undoStack().count(), 5);
    }

    void whatWasSavedIsStillKnown() {
        const QString file = folder_->filePath("a.plan.json");
        {
            const auto document = opened();
            edit(*document, 1);
            edit(*document, 2);
            write_plan_file(document->current()->plan(), file.toStdString());
            document->current()->setSaved(file, fileDigest(file));
            edit(*document, 3);
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        const auto document = started();
        Variant& plan = *document->current();
        QVERIFY(plan.modified());
        plan.undoStack().undo();
        QVERIFY2(!plan.modified(), "this is what the file has");
        plan.undoStack().undo();
        QVERIFY(plan.modified());
    }

    void aFileThatWasChangedIsReadAgainAsAnEdit() {
        const QString file = folder_->filePath("a.plan.json");
        Plan saved;
        {
            const auto document = opened();
            edit(*document, 1);
            saved = document->current()->plan();
            write_plan_file(saved, file.toStdString());
            document->current()->setSaved(file, fileDigest(file));
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        Plan other = saved;
        other.notes = "by another program";
        write_plan_file(other, file.toStdString());
        const auto document = started();
        QCOMPARE(told_.size(), 1);
        Variant& plan = *document->current();
        QVERIFY(!plan.modified() && plan.plan() == other);
        QCOMPARE(plan.undoStack().undoText(), "Read a.plan.json again");
        plan.undoStack().undo();
        QVERIFY(plan.modified() && plan.plan() == saved);
        QCOMPARE(plan.undoStack().undoText(), "edit 1");
    }

    void aWriteTakesNoLongerAfterManyEdits() {
        const auto document = opened();
        QStringList before;
        {
            const Session session(folder_->path());
            qint64 most = 0;
            for (int number = 0; number < 1000; ++number) {
                edit(*document, number);
                if (number % 10 != 9) continue;
                QCOMPARE(store(*document, session), QString());
                most = std::max(most, QFileInfo(session.file()).size());
                const QStringList now = files();
                for (const QString& file : before) QVERIFY2(now.contains(file), "each is written once");
                before = now;
            }
            QVERIFY2(most < 150'000, qPrintable(QString::number(most)));
            QVERIFY2(before.size() >= 10 && before.size() <= 32, qPrintable(QString::number(before.size())));
        }
        const auto states = statesOf(*document->current());
        const auto again = started();
        QVERIFY(statesOf(*again->current()) == states);
        // Its files are used on, and so are those of what was undone.
        {
            const Session session(folder_->path());
            session.load();
            QCOMPARE(store(*again, session), QString());
            QCOMPARE(files(), before);
            again->current()->undoStack().setIndex(500);
            edit(*again, 5000);
            QCOMPARE(store(*again, session), QString());
            QCOMPARE(files(), before);
        }
        const auto branched = statesOf(*again->current());
        QVERIFY(statesOf(*started()->current()) == branched);
    }

    void theOldestEditsAreLeftOut() {
        const int count = HistoryFiles::most_edits + 100;
        {
            const auto document = opened();
            for (int number = 0; number < count; ++number) edit(*document, number);
            document->undoGroup().undo();
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        const auto document = started();
        QUndoStack& stack = document->current()->undoStack();
        QCOMPARE(stack.count(), HistoryFiles::most_edits);
        QCOMPARE(stack.text(0), "edit 100");
        QCOMPARE(stack.redoText(), QStringLiteral("edit %1").arg(count - 1));
        QVERIFY2(document->current()->history()->begins_later, "and the user can know");
        stack.setIndex(0);
        QVERIFY(document->current()->modified());
    }

    void ofManyUndoneEditsThoseNextToThePlanComeBack() {
        {
            const auto document = opened();
            for (int number = 0; number < HistoryFiles::most_edits + 100; ++number) edit(*document, number);
            document->current()->undoStack().setIndex(50);
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        {
            const auto document = started();
            QCOMPARE(document->undoGroup().redoText(), "edit 50");
            QCOMPARE(document->current()->undoStack().count(), HistoryFiles::most_edits);
            QVERIFY2(document->current()->history()->ends_earlier, "and the user can know");
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        const auto document = started();
        QVERIFY2(document->current()->history()->ends_earlier, "also at the start after that");
        edit(*document, 9000);
        QVERIFY2(!document->current()->history()->ends_earlier, "an edit takes the place of all that was undone");
    }

    void ofVeryLargeEditsFewerAreKept() {
        {
            const auto document = opened();
            for (int number = 0; number < 40; ++number) {
                Plan plan = document->current()->plan();
                plan.buckets.assign(10, {.modules = std::vector<std::string>(1000, std::string(200, 'a'))});
                for (BucketEntry& bucket : plan.buckets) bucket.title = std::to_string(number);
                document->editPlan(QString::number(number), std::move(plan));
            }
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        const auto document = started();
        QCOMPARE(told_, QStringList());
        QVERIFY2(document->current()->undoStack().count() < 20,
                 qPrintable(QString::number(document->current()->undoStack().count())));
        QCOMPARE(document->undoGroup().undoText(), "39");
    }

    void whatDoesNotFitIsDroppedAndThePlanStays_data() {
        QTest::addColumn<QString>("damage");
        for (const char* damage : {"plan", "done", "file", "lost", "version", "edit"})
            QTest::addRow("%s", damage) << damage;
    }
    void whatDoesNotFitIsDroppedAndThePlanStays() {
        QFETCH(QString, damage);
        const Session session(folder_->path());
        Plan edited;
        {
            const auto document = opened();
            for (int number = 0; number < 100; ++number) edit(*document, number);
            edited = document->current()->plan();
            QCOMPARE(store(*document, session), QString());
        }
        const QString file = folder_->filePath("histories/" + files().value(0));
        SessionState state = session.load().state;
        SessionVariant& kept = state.documents.front().variants.front();
        if (damage == "plan") {
            edited.buckets.front().modules = {"norm"};
            kept.plan = QByteArray::fromStdString(write_plan_text(edited));
        } else if (damage == "done") {
            kept.history.stored["done"] = 99;
        } else if (damage == "file") {
            QFile damaged(file);
            QVERIFY(damaged.open(QIODevice::ReadWrite) && damaged.seek(100) && damaged.write("damaged") > 0);
        } else if (damage == "lost") {
            QVERIFY(QFile::remove(file));
        } else if (damage == "version") {
            kept.history.stored["version"] = 2;
        } else {
            QJsonArray parts = kept.history.stored["parts"].toArray();
            parts.append(QJsonObject{{"edits", QJsonArray{"no edit"}}});
            kept.history.stored["parts"] = parts;
        }
        QStringList told;
        const auto restored = restoreKeptPlan(kept, loaded_, looks_, {}, told, folder_->path());
        QCOMPARE(restored.size(), 1u);
        QVERIFY(restored[0].plan == edited && restored[0].modified && !restored[0].history);
        QCOMPARE(told.size(), 1);
        QVERIFY2(told[0].startsWith("Earlier edits of Plan A can no longer be undone: ") &&
                     told[0].endsWith(". The plan itself is unchanged"),
                 qPrintable(told[0]));
    }

    void whereNoFilesCanBeWrittenTheSessionHasAllEdits() {
        const auto document = opened();
        QFile in_the_way(folder_->filePath("histories"));
        QVERIFY(in_the_way.open(QIODevice::WriteOnly));
        for (int number = 0; number < 200; ++number) edit(*document, number);
        QCOMPARE(store(*document, Session(folder_->path())), QString());
        QVERIFY(statesOf(*started()->current()) == statesOf(*document->current()));
        QCOMPARE(told_, QStringList());
        QVERIFY(in_the_way.remove());
        QCOMPARE(store(*document, Session(folder_->path())), QString());
        QCOMPARE(files().size(), 3);
    }

    void filesThatNoPlanUsesAreRemoved() {
        const auto document = opened();
        const Session session(folder_->path());
        for (int number = 0; number < 100; ++number) edit(*document, number);
        QCOMPARE(store(*document, session), QString());
        QCOMPARE(files().size(), 1);
        document->current()->undoStack().setIndex(0);
        edit(*document, 200);
        QCOMPARE(store(*document, session), QString());
        QCOMPARE(files().size(), 1);  // the version before has it
        QCOMPARE(store(*document, session), QString());
        QCOMPARE(files().size(), 0);
    }

    void whatAKilledRunLeftUnusedIsRemovedByAStart() {
        const auto document = opened();
        for (int number = 0; number < 100; ++number) edit(*document, number);
        {
            const Session session(folder_->path());
            QCOMPARE(store(*document, session), QString());
            QFile unused(folder_->filePath("histories/unused.edits"));
            QVERIFY(unused.open(QIODevice::WriteOnly));
            // Another window may have written it for a session that follows.
            const Session other(folder_->path());
            const StoredSession nothing = other.load();
            QVERIFY(nothing.state.documents.empty());
            QCOMPARE(files().size(), 2);
        }
        Session(folder_->path()).load();
        QCOMPARE(files().size(), 1);
        QVERIFY(statesOf(*started()->current()) == statesOf(*document->current()));
    }

    void plansOfAnotherWindowBringTheirHistories() {
        const auto document = opened();
        for (int number = 0; number < 100; ++number) edit(*document, number);
        {
            const Session first(folder_->path());
            const Session second(folder_->path());
            QVERIFY(first.file() != second.file());
            QCOMPARE(store(*document, second), QString());
            QCOMPARE(first.save({}), QString());
        }
        QVERIFY(statesOf(*started()->current()) == statesOf(*document->current()));
        QVERIFY(statesOf(*started()->current()) == statesOf(*document->current()));
    }

    void aPlanThatWasNeverEditedHasNoEarlierEdits() {
        {
            const auto document = opened();
            document->current()->setUnsaved({});  // as a copy is, or a plan of a template
            QCOMPARE(store(*document, Session(folder_->path())), QString());
        }
        const auto document = started();
        QVERIFY(document->current()->modified());
        QVERIFY(!document->current()->history()->begins_later);
    }

    void aSessionOfTheFirstVersionHasNone() {
        SessionState state;
        state.put({smallGraphFile(), {{QByteArray::fromStdString(write_plan_text(loaded_.empty_plan)), "", true}}});
        const QByteArray text = sessionText(state);
        QVERIFY(!text.contains("history"));
        const auto read = readSessionText(text).state;
        QVERIFY(read && read->documents.at(0).variants.at(0).history.stored.isEmpty());
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::HistoryFilesTest)
#include "history_files_test.moc"
