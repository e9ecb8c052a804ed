#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/plan/option_json.h"
#include "core/passes/pass.h"
#include "core/passes/registry/registry.h"

namespace overlap {
namespace {

const Pass& manual() {
    return require_pass("manual_overlap_bucketing");
}

std::string error_of(const std::string& options) {
    try {
        check_options(manual(), read_options(manual(), Json::parse(options)));
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(PassRegistry, FindsPassesByName) {
    for (const Pass* pass : all_passes()) EXPECT_EQ(find_pass(pass->name()), pass);
    EXPECT_EQ(find_pass("no_such_pass"), nullptr);
    for (std::size_t index = 1; index < all_passes().size(); ++index) {
        EXPECT_LT(all_passes()[index - 1]->name(), all_passes()[index]->name());
    }
    try {
        require_pass("manual_overlap_buckting");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "unknown pass \"manual_overlap_buckting\"; nearest: \"manual_overlap_bucketing\"");
    }
}

TEST(PassOptions, AreDescribed) {
    for (const Pass* pass : all_passes()) {
        EXPECT_FALSE(pass->summary().empty());
        for (const PassOption& option : pass->options()) {
            EXPECT_TRUE(option.help.ends_with('.')) << option.name;
            if (option.required) continue;
            Options options = {{option.name, option.default_value}};
            for (const PassOption& needed : pass->options()) {
                const bool is_list = needed.type == PassOption::Type::module_lists;
                if (needed.required) options[needed.name] = is_list ? OptionValue(ModuleLists()) : needed.default_value;
            }
            EXPECT_NO_THROW(check_options(*pass, options)) << option.name;
        }
    }
}

TEST(PassOptions, AcceptWhatTheReferenceAccepts) {
    for (const char* options : {
             R"({"module_bucket_plans": []})",
             R"({"module_bucket_plans": ["a", ["b", "c"], []]})",
             R"({"module_bucket_plans": [], "insert_overlap_deps": true, "bucket_mode": null})",
             R"({"module_bucket_plans": [], "bucket_mode": "coalesced", "module_stack_fn": "custom.module_fqn"})",
             R"({"module_bucket_plans": [], "bucket_mode": ""})",
         }) {
        EXPECT_EQ(error_of(options), "accepted") << options;
    }
}

TEST(PassOptions, SayWhatIsWrong) {
    const std::string place = "manual_overlap_bucketing options";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"[]", place + ": found a list, expected an object"},
        {"{}", place + ": option \"module_bucket_plans\" is missing and has no default"},
        {R"({"bucket_mod": null})", place + ": unknown option \"bucket_mod\"; nearest: \"bucket_mode\""},
        {R"({"x": null})", place +
                               ": unknown option \"x\"; there are: \"module_bucket_plans\", \"insert_overlap_deps\", "
                               "\"bucket_mode\", \"module_stack_fn\", \"safe\""},
        {R"({"insert_overlap_deps": 1})", place + ".insert_overlap_deps: found 1, expected true or false"},
        {R"({"bucket_mode": 3})", place + ".bucket_mode: found 3, expected a string or null"},
        {R"({"bucket_mode": "custom_op"})",
         place + ".bucket_mode: unknown value \"custom_op\"; nearest: \"custom_ops\""},
        {R"({"module_stack_fn": ""})",
         place + ".module_stack_fn: unknown value \"\"; there are: \"custom.module_fqn\""},
        {R"({"module_bucket_plans": "layers.0"})",
         place +
             ".module_bucket_plans: found the string \"layers.0\", expected a list of module paths and lists of them"},
        {R"({"module_bucket_plans": null})",
         place + ".module_bucket_plans: found null, expected a list of module paths and lists of them"},
        {R"({"module_bucket_plans": ["a", 0]})",
         place + ".module_bucket_plans[1]: found 0, expected a module path or a list of them"},
        {R"({"module_bucket_plans": [[["a"]]]})",
         place + ".module_bucket_plans[0][0]: found a list, expected a module path"},
    };
    for (const auto& [options, expected] : cases) EXPECT_EQ(error_of(options), expected) << options;
}

TEST(PassOptions, WholeNumbers) {
    const Pass& pass = require_pass("schedule_fsdp_comms_to_dense_regions_pass");
    const auto error = [&](const std::string& further) {
        try {
            const Json options = Json::parse(R"({"moe_layer_ids": [1], "n_layers": 2)" + further + "}");
            check_options(pass, read_options(pass, options));
        } catch (const InputError& refused) {
            return refused.problem();
        }
        return std::string("accepted");
    };
    for (const char* given : {"", R"(, "transformer_bucket_counts_by_layer": null)",
                              R"(, "transformer_bucket_counts_by_layer": "from_buckets")",
                              R"(, "transformer_bucket_counts_by_layer": {"0": 1, "12": 2})"}) {
        EXPECT_EQ(error(given), "accepted") << given;
    }
    EXPECT_EQ(error(R"(, "n_layers": 2.5)"), "found 2.5, expected a whole number");
    EXPECT_EQ(error(R"(, "moe_layer_ids": 3)"), "found 3, expected a list of whole numbers");
    EXPECT_EQ(error(R"(, "moe_layer_ids": ["a"])"), "found the string \"a\", expected a whole number");
    EXPECT_EQ(error(R"(, "transformer_bucket_counts_by_layer": {"x": 1})"),
              "found the key \"x\", expected a whole number");
    EXPECT_EQ(error(R"(, "transformer_bucket_counts_by_layer": {"0": null})"), "found null, expected a whole number");
    EXPECT_EQ(error(R"(, "transformer_bucket_counts_by_layer": [1])"),
              "found a list, expected an object from whole number to whole number, or null");
}

}  // namespace
}  // namespace overlap
