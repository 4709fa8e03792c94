/* Models from paths and memory: what they declare, and errors. */
#include "support.h"

static void check_classifier(const apus_model *model) {
    size_t count = 0;
    apus_value value;
    OK(apus_model_input_count(model, &count, &error));
    CHECK(count == 1);
    OK(apus_model_input(model, 0, &value, &error));
    CHECK(strcmp(value.name, "data") == 0 && value.type == APUS_FLOAT32 && value.rank == 4);
    CHECK(value.extents[0] == -1 && value.extents[1] == 3 && value.extents[2] == 227 && value.extents[3] == 227);
    CHECK(value.symbols[0] != NULL && strcmp(value.symbols[0], "N") == 0 && value.symbols[1] == NULL);
    OK(apus_model_output_count(model, &count, &error));
    CHECK(count == 1);
    OK(apus_model_output(model, 0, &value, &error));
    CHECK(strcmp(value.name, "prob") == 0 && value.rank == 2 && value.extents[1] == 1000);
    FAILS(apus_model_output(model, 1, &value, &error), APUS_ERROR_ARGUMENT, "index", "");
}

int main(int argc, char **argv) {
    begin(argc, argv);
    CHECK(run_command("--version") == 0);
    char *version = read_file("output.txt", NULL);
    CHECK(strncmp(version, apus_version(), strlen(apus_version())) == 0);
    free(version);

    const char *path = fixture("models/squeezenet1_1.onnx");
    apus_model *model = NULL;
    apus_text *json = NULL;
    OK(apus_model_open(path, NULL, &model, &error));
    check_classifier(model);
    CHECK(run_command("inspect '%s' --json", path) == 0);
    char *description = read_file("output.txt", NULL);
    OK(apus_model_describe(model, &json, &error));
    SAME(json, description);
    free(description);
    release(model);

    size_t count = 0;
    char *content = read_file(path, &count);
    OK(apus_model_read(content, count, "in memory", NULL, &model, &error));
    /* The library has a copy. */
    memset(content, 0, count);
    check_classifier(model);
    release(model);
    FAILS(apus_model_read(content, count, "zeros", NULL, &model, &error), APUS_ERROR_INVALID_MODEL, "invalid-model",
        "zeros");
    free(content);

    FAILS(apus_model_open("/no/such.onnx", NULL, &model, &error), APUS_ERROR_FILE, "file", "/no/such.onnx");
    CHECK(strstr(error.message, "/no/such.onnx") != NULL);
    const network unknown = unknown_network();
    FAILS(apus_model_read(unknown.bytes, unknown.count, "unknown", NULL, &model, &error),
        APUS_ERROR_UNSUPPORTED_MODEL, "unsupported-model", "unknown: node \"strange\"");
    FAILS(apus_model_input(model, 0, NULL, &error), APUS_ERROR_HANDLE, "handle", "");

    apus_options *options = options_of("threads", "none", (char *)NULL);
    FAILS(apus_model_open(path, options, &model, &error), APUS_ERROR_ARGUMENT, "option", "");
    CHECK(strstr(error.message, "threads") != NULL);
    release(options);
    FAILS(apus_release(options, &error), APUS_ERROR_HANDLE, "handle", "");
    return end();
}
