/*
 * Does with a file what the command does, by the library, and ends as the command does: with 0 for an answer, or with
 * another status and one line. Tests/Hostile calls it on damaged and hostile files.
 *
 *     hostile run|plan|inspect MODEL [...]
 *     hostile predict MODEL INPUT... [--OPTION VALUE...] [-o FILE]
 */
#include <apus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_OUTPUTS = 4096 };

static apus_error error;

/* The file that lines of this program itself name. */
static const char *subject = "hostile";

static void fail(apus_status status) {
    static const int codes[] = {0, 5, 3, 3, 2, 4, 5, 6};
    /* The command leaves out the middle of long lines. */
    fprintf(stderr, "apus: %.900s\n", error.message);
    exit(status > 0 && status < 8 ? codes[status] : status == APUS_ERROR_PICTURE ? 5 : 70);
}

static void ok(apus_status status) {
    if (status != APUS_OK) fail(status);
}

static void refuse(const char *message) {
    fprintf(stderr, "apus: %s: %s\n", subject, message);
    exit(2);
}

/* Reads a whole text. */
static void use_text(apus_text *text) {
    const char *string = NULL;
    size_t length = 0;
    ok(apus_text_get(text, &string, &length, &error));
    if (strlen(string) != length) refuse("a text has another length");
    ok(apus_release(text, &error));
}

/* Reads all elements of a tensor. */
static unsigned use_tensor(apus_tensor *tensor) {
    static const unsigned char sizes[] = {0, 4, 2, 8, 2, 1, 1, 2, 2, 4, 4, 8, 8, 1};
    apus_elements elements;
    ok(apus_tensor_get(tensor, &elements, &error));
    size_t count = sizes[elements.type];
    for (int axis = 0; axis < elements.rank; axis++) count *= (size_t)elements.extents[axis];
    unsigned sum = 0;
    for (size_t index = 0; index < count; index++) sum += ((const unsigned char *)elements.data)[index];
    ok(apus_release(tensor, &error));
    return sum;
}

/* Zeros of the type and the shape that a network declares for an input; NULL when they are too many. */
static apus_tensor *zeros(const apus_value *value) {
    static const unsigned char sizes[] = {4, 4, 2, 8, 2, 1, 1, 2, 2, 4, 4, 8, 8, 1};
    int64_t extents[APUS_MAXIMUM_RANK];
    size_t count = sizes[value->type];
    for (int axis = 0; axis < value->rank; axis++) {
        extents[axis] = value->extents[axis] < 0 ? 1 : value->extents[axis];
        if (extents[axis] > 0 && count > ((size_t)1 << 28) / (size_t)extents[axis]) return NULL;
        count *= (size_t)extents[axis];
    }
    void *memory = calloc(count + 1, 1);
    apus_tensor *tensor = NULL;
    if (memory == NULL) refuse("there is no memory");
    ok(apus_tensor_borrow(value->type ? value->type : APUS_FLOAT32, value->rank < 0 ? 0 : value->rank, extents, NULL,
        memory, count, free, memory, &tensor, &error));
    return tensor;
}

/* Runs a network on one input and reads its outputs. */
static apus_status run(const apus_session *session, const char *name, apus_tensor *input, size_t output_count) {
    static apus_tensor *outputs[MAXIMUM_OUTPUTS];
    const apus_tensor *inputs[] = {input};
    const apus_status status = apus_session_run(
        session, name == NULL ? NULL : &name, inputs, 1, NULL, outputs, output_count, &error);
    for (size_t index = 0; status == APUS_OK && index < output_count; index++) use_tensor(outputs[index]);
    const apus_error found = error;
    ok(apus_release(input, &error));
    error = found;
    return status;
}

static void use_model(const char *mode, const char *path) {
    apus_model *model = NULL;
    apus_session *session = NULL;
    apus_text *json = NULL;
    size_t input_count = 0, output_count = 0;
    ok(apus_model_open(path, NULL, &model, &error));
    ok(apus_model_input_count(model, &input_count, &error));
    ok(apus_model_output_count(model, &output_count, &error));
    ok(apus_model_describe(model, &json, &error));
    use_text(json);
    if (strcmp(mode, "inspect") == 0) return;
    ok(apus_session_start(model, NULL, &session, &error));
    if (strcmp(mode, "plan") == 0) {
        ok(apus_session_plan(session, 1, &json, &error));
        use_text(json);
        return;
    }
    if (output_count > MAXIMUM_OUTPUTS) refuse("the network has more outputs than this program reads");
    /* What fits may be refused for other reasons. An input of the same name is given below. */
    apus_value value;
    if (input_count == 1) ok(apus_model_input(model, 0, &value, &error));
    if (input_count == 1 && strcmp(value.name, "x") != 0) {
        apus_tensor *input = zeros(&value);
        if (input != NULL) run(session, NULL, input, output_count);
    }
    /* As `--input x=input.npy` of the command, whatever inputs the network has. */
    const apus_value given = {"x", APUS_FLOAT32, 4, {1, 3, 8, 8}, {NULL}};
    ok(run(session, given.name, zeros(&given), output_count));
    ok(apus_release(session, &error));
    ok(apus_release(model, &error));
}

/* Reads everything in an answer. Returns whether it is an error. */
static int use_answer(apus_answer *answer) {
    const int is_error = apus_answer_check(answer, &error) != APUS_OK;
    apus_text *json = NULL;
    int64_t width = 0, height = 0;
    size_t count = 0;
    ok(apus_answer_json(answer, "id", &json, &error));
    use_text(json);
    ok(apus_answer_size(answer, &width, &height, &error));
    ok(apus_answer_item_count(answer, &count, &error));
    for (size_t index = 0; index < count; index++) {
        apus_item item;
        ok(apus_answer_item(answer, index, &item, &error));
        size_t sum = item.label == NULL ? 0 : strlen(item.label);
        for (size_t point = 0; point < item.point_count; point++)
            sum += item.points[point].name == NULL ? 0 : strlen(item.points[point].name);
        for (size_t run = 0; run < item.run_count; run++) sum += item.runs[run];
        if (item.area < 0 || index > 0 || width > 1 << 14 || height > 1 << 14) continue;
        unsigned char *mask = (unsigned char *)malloc((size_t)(width * height) + 1);
        if (mask == NULL) refuse("there is no memory");
        ok(apus_answer_mask(answer, index, mask, (size_t)(width * height), &error));
        free(mask);
    }
    ok(apus_answer_tensor_count(answer, &count, &error));
    for (size_t index = 0; index < count; index++) {
        const char *name = NULL;
        apus_tensor *tensor = NULL;
        ok(apus_answer_tensor(answer, index, &name, &tensor, &error));
        use_tensor(tensor);
    }
    ok(apus_release(answer, &error));
    return is_error;
}

static int predict(int argc, char **argv) {
    const char *inputs[64], *output = NULL;
    size_t input_count = 0;
    int has_errors = 0;
    apus_options *options = NULL;
    apus_predictor *predictor = NULL;
    ok(apus_options_create(&options, &error));
    for (int index = 1; index < argc; index++) {
        const char *argument = argv[index];
        if (argument[0] != '-' || argument[1] == 0) {
            if (input_count == 64) refuse("there are too many inputs");
            inputs[input_count++] = argument;
        } else if (strcmp(argument, "-o") == 0 && index + 1 < argc) {
            output = argv[++index];
        } else if (strcmp(argument, "--resume") == 0) {
            ok(apus_options_set(options, "resume", NULL, &error));
        } else {
            char name[128];
            const char *equals = strchr(argument, '=');
            const int length = equals ? (int)(equals - argument) - 2 : (int)strlen(argument) - 2;
            snprintf(name, sizeof name, "%.*s", length, argument + 2);
            const char *value = equals ? equals + 1 : index + 1 < argc ? argv[++index] : NULL;
            if (output == NULL && strcmp(name, "format") == 0) continue;
            ok(apus_options_set(options, name, value, &error));
        }
    }
    ok(apus_predictor_open(argv[0], options, &predictor, &error));
    if (output != NULL) {
        apus_work *work = NULL;
        apus_text *json = NULL;
        apus_progress progress;
        ok(apus_run_start(predictor, inputs, input_count, output, options, NULL, NULL, NULL, &work, &error));
        ok(apus_work_wait(work, -1, &error));
        ok(apus_work_progress(work, &progress, &error));
        ok(apus_work_summary(work, &json, &error));
        use_text(json);
        ok(apus_release(work, &error));
        has_errors = progress.failed > 0;
    } else {
        apus_rows *rows = NULL;
        apus_answer *answer = NULL;
        apus_status status;
        ok(apus_rows_start(predictor, inputs, input_count, options, &rows, &error));
        while ((status = apus_rows_next(rows, NULL, &answer, &error)) == APUS_OK) has_errors |= use_answer(answer);
        if (status != APUS_END) fail(status);
        ok(apus_release(rows, &error));
    }
    ok(apus_release(predictor, &error));
    ok(apus_release(options, &error));
    return has_errors;
}

int main(int argc, char **argv) {
    if (argc < 3) refuse("a mode and a file are needed");
    subject = argv[2];
    if (strcmp(argv[1], "predict") == 0) {
        if (!predict(argc - 2, argv + 2)) return 0;
        fprintf(stderr, "apus: some records failed\n");
        return 1;
    }
    use_model(argv[1], argv[2]);
    return 0;
}
