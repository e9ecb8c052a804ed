#include "core/files/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "core/base/error.h"
#include "tests/support/faults.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

using test::FullDisk;
using test::OrdinaryUser;
using test::read_bytes;
using test::TemporaryFolder;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

/// What write_file_atomically says, or nothing.
std::string problem_of(const std::string& path, std::string_view bytes, OlderVersion older = OlderVersion::dropped) {
    try {
        write_file_atomically(path, bytes, older);
        return {};
    } catch (const InputError& error) {
        EXPECT_EQ(error.file(), path);
        return error.problem();
    }
}

TEST(AtomicFile, KeepsTheVersionBefore) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.plan.json").string();
    write_file_atomically(path, "one", OlderVersion::kept);
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.plan.json"});
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    write_file_atomically(path, "two", OlderVersion::kept);
    write_file_atomically(path, "three", OlderVersion::kept);
    EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"a.plan.json", "a.plan.json~"}));
    EXPECT_EQ(read_bytes(path), "three");
    EXPECT_EQ(read_bytes(older_version_path(path)), "two");
    EXPECT_EQ(std::filesystem::status(older_version_path(path)).permissions(), std::filesystem::perms(0600));
    // Saving the same once more must not push the version before out.
    write_file_atomically(path, "three", OlderVersion::kept);
    EXPECT_EQ(read_bytes(older_version_path(path)), "two");
}

TEST(AtomicFile, KeepsTheVersionBeforeBesideTheFileThatALinkLeadsTo) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "real");
    std::filesystem::create_symlink("real/a.plan.json", folder / "link.plan.json");
    write_file_atomically((folder / "link.plan.json").string(), "one", OlderVersion::kept);  // leads to nothing yet
    write_file_atomically((folder / "link.plan.json").string(), "two", OlderVersion::kept);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.plan.json"));
    EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"link.plan.json", "real"}));
    EXPECT_EQ(read_bytes(folder / "real/a.plan.json"), "two");
    EXPECT_EQ(read_bytes(folder / "real/a.plan.json~"), "one");
}

TEST(AtomicFile, LinksInACircleBecomeTheFile) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink("b", folder / "a");
    std::filesystem::create_symlink("a", folder / "b");
    // A link that leads nowhere is a name like any other: it becomes the file.
    EXPECT_EQ(problem_of((folder / "a").string(), "x"), "");
    EXPECT_EQ(read_bytes(folder / "a"), "x");
}

TEST(AtomicFile, AFullDiskLeavesWhatWasThere) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.plan.json").string();
    write_file_atomically(path, "one");
    write_file_atomically(path, "two", OlderVersion::kept);
    {
        const FullDisk disk(4096);
        EXPECT_NE(problem_of(path, std::string(100'000, 'x'), OlderVersion::kept).find("it cannot be written: File"),
                  std::string::npos);
    }
    EXPECT_EQ(read_bytes(path), "two");
    EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"a.plan.json", "a.plan.json~"}));
    EXPECT_EQ(problem_of(path, std::string(100'000, 'x'), OlderVersion::kept), "");
}

TEST(AtomicFile, AFolderThatMustNotBeWrittenToIsTold) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.plan.json").string();
    write_file_atomically(path, "one");
    chmod(path.c_str(), 0666);
    chmod(folder.path().c_str(), 0555);
    {
        const OrdinaryUser user;
        EXPECT_EQ(problem_of(path, "two", OlderVersion::kept), "it cannot be written: Permission denied");
    }
    chmod(folder.path().c_str(), 0755);
    EXPECT_EQ(read_bytes(path), "one");
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.plan.json"});
}

TEST(AtomicFile, AReadOnlyFileIsNotReplaced) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.plan.json").string();
    write_file_atomically(path, "one");
    chmod(path.c_str(), 0444);
    EXPECT_EQ(problem_of(path, "two"), "it is read-only");  // root, too, means it
    chmod(path.c_str(), 0644);
    chmod(folder.path().c_str(), 0777);
    if (geteuid() == 0) {  // or the file is this user's own
        const OrdinaryUser user;
        EXPECT_EQ(problem_of(path, "two"), "it is read-only");
    }
    EXPECT_EQ(read_bytes(path), "one");
    EXPECT_EQ(problem_of(path, "two"), "");
}

TEST(AtomicFile, NewFilesHaveTheModeOfTheProcess) {
    const TemporaryFolder folder;
    const mode_t before = umask(027);
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 8; ++writer) {
        writers.emplace_back([&folder, writer] {
            for (int file = 0; file < 20; ++file)
                write_file_atomically((folder / std::to_string(100 * writer + file)).string(), "x");
        });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(umask(before), 027);
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
        EXPECT_EQ(static_cast<int>(file.status().permissions()), 0640) << file.path();
}

TEST(AtomicFile, LeavesNoFileOpen) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.plan.json").string();
    write_file_atomically(path, "one", OlderVersion::kept);
    const std::size_t before = names_in("/proc/self/fd").size();
    for (int version = 0; version < 3; ++version)
        write_file_atomically(path, std::to_string(version), OlderVersion::kept);
    EXPECT_EQ(problem_of("/dev/null", "x"), "");
    EXPECT_EQ(names_in("/proc/self/fd").size(), before);
}

TEST(AtomicFile, AFolderThatIsGoneIsTold) {
    const TemporaryFolder folder;
    EXPECT_EQ(problem_of((folder / "gone/a.plan.json").string(), "x"),
              "it cannot be written: No such file or directory");
    EXPECT_EQ(problem_of(folder.path().string(), "x"), "it is a folder, not a file");
}

TEST(AtomicFile, APipeIsWrittenByTheNameThatLeadsToIt) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    EXPECT_EQ(problem_of("/dev/fd/" + std::to_string(ends[1]), "text"), "");  // as /dev/stdout leads to a pipe
    char received[8] = {};
    EXPECT_EQ(read(ends[0], received, sizeof received), 4);
    EXPECT_STREQ(received, "text");
    close(ends[0]);
    close(ends[1]);
}

TEST(AtomicFile, ADeviceIsWrittenAsItIs) {
    EXPECT_EQ(problem_of("/dev/null", "x"), "");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
    EXPECT_EQ(problem_of("/dev/full", "x"), "it cannot be written: No space left on device");
}

}  // namespace
}  // namespace overlap
