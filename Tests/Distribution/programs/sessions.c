/* A session gives the bits of `apus run`, and the documents of `apus plan`, `apus bench` and `apus compare`. */
#include "support.h"

static const int64_t extents[] = {1, 3, 227, 227};

int main(int argc, char **argv) {
    begin(argc, argv);
    /* A tool may tell the library of another processor, whose plan is another. */
    const int is_same_processor = argc < 4;
    const char *path = fixture("models/squeezenet1_1.onnx");
    const size_t element_count = 3 * 227 * 227;
    float *values = numbers(element_count);
    write_npy("x.npy", values, 4, extents);
    CHECK(run_command("run '%s' --input data=x.npy --threads 2 --force -o outputs", path) == 0);
    size_t count = 0;
    float *wanted = read_npy("outputs/prob.npy", &count);
    CHECK(count == 1000);

    apus_options *options = options_of("threads", "2", "profile", (char *)NULL, (char *)NULL);
    apus_model *model = NULL;
    apus_session *session = NULL;
    apus_text *json = NULL;
    OK(apus_model_open(path, options, &model, &error));
    OK(apus_session_start(model, options, &session, &error));
    FAILS(apus_session_profile(session, &json, &error), APUS_ERROR_ARGUMENT, "profile", "");
    apus_tensor *input = tensor_of(values, 4, extents), *output = NULL;
    const apus_tensor *inputs[] = {input};
    OK(apus_session_run(session, NULL, inputs, 1, NULL, &output, 1, &error));
    CHECK(memcmp(floats(output), wanted, count * sizeof(float)) == 0);
    release(output);
    release(input);
    free(wanted);
    free(values);

    CHECK(run_command("plan '%s' --batch 2 --json --threads 2", path) == 0);
    char *plan = read_file("output.txt", NULL);
    OK(apus_session_plan(session, 2, &json, &error));
    if (is_same_processor) SAME(json, plan);
    else release(json);
    free(plan);
    OK(apus_session_profile(session, &json, &error));
    CHECK(strstr(string_of(json), "\"layers\"") != NULL);
    release(json);
    release(session);

    const char *pairs[] = {"cpu", "one=backend:cpu,threads:1"}, *unknown[] = {"nonsense"};
    const char *photo = fixture("photos/coffee.png");
    apus_options *brief =
        options_of("threads", "1", "time", "0.01", "rounds", "1", "seconds", "0.01", "limit", "1", (char *)NULL);
    OK(apus_model_bench(model, brief, &json, &error));
    CHECK(strstr(string_of(json), "\"imagesPerSecond\"") != NULL);
    release(json);
    OK(apus_model_compare(model, pairs, 2, &photo, 1, brief, &json, &error));
    CHECK(strstr(string_of(json), "\"agrees\" : true") != NULL && strstr(string_of(json), "coffee.png") != NULL);
    release(json);
    FAILS(apus_model_compare(model, unknown, 1, NULL, 0, brief, &json, &error), APUS_ERROR_BACKEND, "backend",
        "nonsense");
    release(brief);
    release(options);
    release(model);
    return end();
}
