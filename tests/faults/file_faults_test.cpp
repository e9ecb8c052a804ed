// A file that is written over another while any call of the system fails.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "core/base/error.h"
#include "core/files/atomic_file.h"
#include "tests/faults/each_fault.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

using test::Call;

/// A file that was written twice and is written a third time.
class WrittenFile {
  public:
    WrittenFile() : path_((folder_ / "a.plan.json").string()) {}

    std::string folder() const { return folder_.path().string(); }

    void prepare() {
        std::filesystem::remove_all(folder_.path());
        std::filesystem::create_directory(folder_.path());
        std::ofstream(older_version_path(path_)) << "one";
        std::ofstream(path_) << "two";
        std::filesystem::permissions(path_, std::filesystem::perms(0640));
    }
    void write() {
        problem_.clear();
        try {
            write_file_atomically(path_, "three", OlderVersion::kept);
        } catch (const InputError& error) {
            problem_ = error.what();
        } catch (const std::bad_alloc&) {
            problem_ = "memory";
        }
    }
    void check(const std::string& failed) {
        SCOPED_TRACE(failed + ": " + problem_);
        const std::string now = test::read_bytes(path_), before = test::read_bytes(older_version_path(path_));
        EXPECT_TRUE(now == "two" || now == "three") << now;
        EXPECT_TRUE(before == "one" || before == "two") << before;
        if (problem_.empty()) {
            EXPECT_EQ(now, "three") << "nothing is said, and it is not written";
            EXPECT_EQ(before, "two") << "nothing is said, and the version before is lost";
        } else if (problem_ != "memory") {
            EXPECT_TRUE(problem_.starts_with(path_)) << "does not name the file";
            EXPECT_TRUE(now == "two" || problem_.find("it is written, but") != std::string::npos);
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            EXPECT_TRUE(entry.path() == path_ || entry.path() == older_version_path(path_))
                << entry.path() << " is left";
    }

  private:
    const test::TemporaryFolder folder_;
    const std::string path_;
    std::string problem_;
};

int faults_of(std::initializer_list<Call> calls) {
    WrittenFile file;
    return test::each_fault(
        file.folder(), calls, [&] { file.prepare(); }, [&] { file.write(); },
        [&](const std::string& failed) { file.check(failed); });
}

TEST(FileFaults, AFileIsTheOldOrTheNewOneWhateverFails) {
    EXPECT_GE(faults_of(test::file_calls), 50);
}

TEST(FileFaults, AFileIsTheOldOrTheNewOneWithoutMemory) {
    EXPECT_GE(faults_of({Call::memory}), 20);
}

}  // namespace
}  // namespace overlap
