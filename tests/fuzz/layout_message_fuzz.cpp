// libFuzzer target: what the layout process says and what it is told, of which a broken one may make anything.

#include "core/base/error.h"
#include "core/layout/layout_protocol.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    std::string buffer(input), body;
    while (take_message(buffer, body)) {
        try {
            write_answer(read_answer(body));
        } catch (const InputError&) {
            write_request(read_request(body));
        }
    }
}
