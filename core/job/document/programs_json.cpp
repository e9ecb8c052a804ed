#include <array>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"
#include "core/job/document/document_parts.h"
#include "core/job/document/object_reader.h"

namespace overlap::job {

namespace {

constexpr std::array<std::string_view, 5> kinds = {"compute", "collective", "send", "recv", "batch"};

OpSpec::Kind read_kind(ObjectReader& fields) {
    const std::string name =
        read_text(fields.require("kind", "compute, collective, send, recv or batch"), fields.at("kind"));
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        if (kinds[kind] == name) return static_cast<OpSpec::Kind>(kind);
    fields.fail("kind", "found " + in_quotes(shortened(name)) + ", expected compute, collective, send, recv or batch");
}

OpSpec read_op(const Json& value, const std::string& place, bool in_batch) {
    ObjectReader fields(value, place, "an operation, which is an object with id and kind");
    OpSpec op;
    op.id = read_text(fields.require("id", "a name that the rank has once"), fields.at("id"));
    op.kind = read_kind(fields);
    if (const Json* stream = fields.find("stream"); stream) {
        op.stream = read_text(*stream, fields.at("stream"));
        if (in_batch) fields.fail("stream", "operations of a batch are on the stream of the batch");
    }
    op.ms = fields.number("ms").value_or(0);
    op.after = fields.texts("after").value_or(std::vector<std::string>());
    op.group = fields.text("group");
    op.op = fields.text("op");
    op.dtype = fields.text("dtype");
    op.reduce = fields.text("reduce");
    op.bytes = fields.integer("bytes");
    op.root = fields.integer("root");
    op.split = fields.integers("split");
    op.receive = fields.integers("receive");
    if (const auto peer = fields.count("peer", 0); peer) op.peer = *peer;
    const Json* ops = fields.list("ops");
    if (op.kind == OpSpec::Kind::collective && !value.contains("group")) fields.require("group", "a name of groups");
    const bool message = op.kind == OpSpec::Kind::send || op.kind == OpSpec::Kind::recv;
    if (message && op.peer < 0) fields.fail("peer", "missing, expected the other rank");
    if (op.kind == OpSpec::Kind::batch) {
        if (in_batch) fields.fail("kind", "a batch within a batch, expected send, recv or collective");
        if (!ops) fields.fail("ops", "missing, expected what the batch issues");
        if (op.ms > 0) fields.fail("ms", "a batch ends with its last operation and has no time of its own");
        for (std::size_t i = 0; i < ops->size(); ++i)
            op.ops.push_back(read_op((*ops)[i], item_place(fields.at("ops"), i), true));
    } else if (ops) {
        fields.fail("ops", "only a batch has operations");
    }
    if (in_batch && op.kind == OpSpec::Kind::compute)
        fields.fail("kind", "found compute in a batch, expected send, recv or collective");
    op.extra = fields.unknown();
    return op;
}

Json written(const OpSpec& op, bool in_batch) {
    Json json = {{"id", op.id}, {"kind", kinds[static_cast<std::size_t>(op.kind)]}};
    if (!in_batch && op.stream != "main") json["stream"] = op.stream;
    if (!op.after.empty()) json["after"] = op.after;
    const std::pair<const char*, const std::string*> texts[] = {
        {"group", &op.group}, {"op", &op.op}, {"dtype", &op.dtype}, {"reduce", &op.reduce}};
    for (const auto& [key, text] : texts)
        if (!text->empty()) json[key] = *text;
    if (op.bytes) json["bytes"] = *op.bytes;
    if (op.root) json["root"] = *op.root;
    if (op.split) json["split"] = *op.split;
    if (op.receive) json["receive"] = *op.receive;
    if (op.peer >= 0) json["peer"] = op.peer;
    if (op.ms > 0) json["ms"] = op.ms;
    if (op.kind == OpSpec::Kind::batch) {
        json["ops"] = Json::array();
        for (const OpSpec& part : op.ops) json["ops"].push_back(written(part, true));
    }
    add_unknown_fields(json, op.extra);
    return json;
}

}  // namespace

void read_programs(const Json& groups, const Json& programs, JobDocument& job) {
    job.has_programs = true;
    if (!groups.is_null()) {
        if (!groups.is_object()) fail_type("groups", groups, "an object with the ranks of each group");
        ObjectReader fields(groups, "groups", "");
        for (const auto& [name, ignored] : groups.items()) {
            const std::vector<std::int64_t> ranks = *fields.integers(name, 0, most_counted);
            auto& members = job.groups.emplace_back(name, std::vector<std::int32_t>()).second;
            std::set<std::int64_t> seen;
            for (const std::int64_t rank : ranks) {
                if (!seen.insert(rank).second) fields.fail(name, "has rank " + std::to_string(rank) + " twice");
                members.push_back(static_cast<std::int32_t>(rank));
            }
            if (members.empty()) fields.fail(name, "has no ranks");
        }
    }
    if (!programs.is_array()) fail_type("programs", programs, "a list with a program for each rank");
    std::set<std::int32_t> seen;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const std::string place = item_place("programs", i);
        ObjectReader fields(programs[i], place, "an object with rank and ops");
        ProgramSpec& program = job.programs.emplace_back();
        fields.require("rank", "the rank whose program it is");
        program.rank = *fields.count("rank", 0);
        if (!seen.insert(program.rank).second)
            fields.fail("rank", "rank " + std::to_string(program.rank) + " has a program already");
        fields.require("ops", "a list of operations");
        const Json& ops = *fields.list("ops");
        program.ops.reserve(ops.size());
        for (std::size_t op = 0; op < ops.size(); ++op)
            program.ops.push_back(read_op(ops[op], item_place(fields.at("ops"), op), false));
        program.extra = fields.unknown();
    }
}

void write_programs(const JobDocument& job, Json& document) {
    document["groups"] = Json::object();
    for (const auto& [name, ranks] : job.groups) document["groups"][name] = ranks;
    if (job.has_p2p) document["p2p"] = job.buffered ? "buffered" : "rendezvous";
    document["programs"] = Json::array();
    for (const ProgramSpec& program : job.programs) {
        Json json = {{"rank", program.rank}, {"ops", Json::array()}};
        for (const OpSpec& op : program.ops) json["ops"].push_back(written(op, false));
        add_unknown_fields(json, program.extra);
        document["programs"].push_back(std::move(json));
    }
}

}  // namespace overlap::job
