// What a program in C++ makes of the interface: handles that release themselves, exceptions, threads and lambdas.
#include "support.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Release {
    void operator()(const void *handle) const { apus_release(handle, nullptr); }
};

template <class Kind> using Handle = std::unique_ptr<Kind, Release>;

struct Failure : std::runtime_error {
    explicit Failure(const apus_error &error) : std::runtime_error(error.message), status(error.status) {}
    apus_status status;
};

// Calls a function that gives out a handle.
template <class Kind, class... Parameters, class... Arguments>
Handle<Kind> made(apus_status (*function)(Parameters...), Arguments... arguments) {
    apus_error error;
    Kind *handle = nullptr;
    if (function(arguments..., &handle, &error) != APUS_OK) throw Failure(error);
    return Handle<Kind>(handle);
}

std::vector<float> doubled(const apus_session *session, const std::vector<float> &values) {
    const int64_t extents[] = {static_cast<int64_t>(values.size() / 2), 2};
    auto input = made<apus_tensor>(
        apus_tensor_copy, APUS_FLOAT32, 2, extents, values.data(), values.size() * sizeof(float));
    const apus_tensor *inputs[] = {input.get()};
    apus_tensor *output = nullptr;
    apus_error error;
    if (apus_session_run(session, nullptr, inputs, 1, nullptr, &output, 1, &error) != APUS_OK) throw Failure(error);
    Handle<apus_tensor> owned(output);
    const float *first = floats(output);
    return std::vector<float>(first, first + values.size());
}

}  // namespace

int main(int argc, char **argv) {
    begin(argc, argv);
    const network doubling = doubling_network();
    auto model = made<apus_model>(
        apus_model_read, doubling.bytes, doubling.count, "doubling", static_cast<const apus_options *>(nullptr));
    auto session = made<apus_session>(apus_session_start, model.get(), static_cast<const apus_options *>(nullptr));
    CHECK((doubled(session.get(), {1, 2, 3, 4}) == std::vector<float>{2, 4, 6, 8}));
    try {
        doubled(session.get(), {1, 2, 3});
        CHECK(!"three numbers are no rows of two");
    } catch (const Failure &failure) {
        CHECK(failure.status == APUS_ERROR_ARGUMENT && std::string(failure.what()).find("8 bytes") != std::string::npos);
    }

    // Memory of a vector that the tensor owns.
    auto *values = new std::vector<float>{5, 6};
    bool is_deleted = false;
    struct Loan {
        std::vector<float> *values;
        bool *is_deleted;
    };
    const int64_t extents[] = {1, 2};
    auto *loan = new Loan{values, &is_deleted};
    auto tensor = made<apus_tensor>(
        apus_tensor_borrow, APUS_FLOAT32, 2, extents, static_cast<const int64_t *>(nullptr), values->data(),
        2 * sizeof(float), [](void *context) {
            auto *loan = static_cast<Loan *>(context);
            *loan->is_deleted = true;
            delete loan->values;
            delete loan;
        }, static_cast<void *>(loan));
    CHECK(floats(tensor.get())[1] == 6 && !is_deleted);
    tensor.reset();
    CHECK(is_deleted);

    std::vector<std::thread> threads;
    for (int index = 0; index < 4; index++)
        threads.emplace_back([&session, index] {
            const float value = static_cast<float>(index);
            for (int call = 0; call < 20; call++)
                CHECK((doubled(session.get(), {value, -value}) == std::vector<float>{2 * value, -2 * value}));
        });
    for (auto &thread : threads) thread.join();
    return end();
}
