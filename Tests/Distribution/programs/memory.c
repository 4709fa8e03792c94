/* The memory of the process after 100,000 calls is about that after 1,000. */
#include "support.h"

#include <unistd.h>

static apus_session *session;
static apus_predictor *predictor;
static apus_picture *picture;

static void run(int is_asynchronous) {
    static float values[] = {1, 2};
    const int64_t extents[] = {1, 2};
    apus_tensor *output = NULL, *input = NULL;
    OK(apus_tensor_borrow(APUS_FLOAT32, 2, extents, NULL, values, sizeof values, NULL, NULL, &input, &error));
    const apus_tensor *inputs[] = {input};
    if (is_asynchronous) {
        apus_work *work = NULL;
        OK(apus_session_run_async(session, NULL, inputs, 1, NULL, NULL, &work, &error));
        OK(apus_work_wait(work, -1, &error));
        OK(apus_work_outputs(work, NULL, &output, 1, &error));
        release(work);
    } else {
        OK(apus_session_run(session, NULL, inputs, 1, NULL, &output, 1, &error));
    }
    CHECK(floats(output)[1] == 4);
    release(output);
    release(input);
}

static void wait_for_run(void) { run(0); }
static void run_asynchronously(void) { run(1); }

static void predict(void) {
    const apus_picture *pictures[] = {picture};
    apus_answer *answer = NULL;
    apus_text *json = NULL;
    OK(apus_predictor_predict(predictor, pictures, 1, &answer, &error));
    OK(apus_answer_json(answer, "id", &json, &error));
    release(json);
    release(answer);
}

static void open_models(void) {
    const network doubling = doubling_network(), unknown = unknown_network();
    apus_model *model = NULL;
    OK(apus_model_read(doubling.bytes, doubling.count, "doubling", NULL, &model, &error));
    release(model);
    CHECK(apus_model_read(unknown.bytes, unknown.count, "unknown", NULL, &model, &error) != APUS_OK);
}

/* The kibibytes of the process in memory. */
static long resident(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long all = 0, pages = 0;
    CHECK(file != NULL && fscanf(file, "%ld %ld", &all, &pages) == 2);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Whether the memory of the process says something about the library. */
static int is_measuring = 1;

static void check(const char *name, void (*call)(void), int few, int many) {
    for (int index = 0; index < few; index++) call();
    const long before = resident();
    for (int index = few; index < many; index++) call();
    const long after = resident();
    printf("memory: %s: %ld KiB after %d calls, %ld KiB after %d\n", name, before, few, after, many);
    CHECK(!is_measuring || after - before < 2000);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    /* Fewer calls, where a tool makes them slow; it has memory of its own, and looks for leaks itself. */
    is_measuring = argc < 4;
    const int many = is_measuring ? 100000 : atoi(argv[3]);
    CHECK(many >= 100);
    const network doubling = doubling_network();
    session = session_of(doubling.bytes, doubling.count);
    apus_options *options = options_of("threads", "1", "task", "depth", (char *)NULL);
    OK(apus_predictor_open(fixture("tasks/depth.onnx"), options, &predictor, &error));
    OK(apus_picture_file(fixture("tasks/small.png"), &picture, &error));
    check("runs", wait_for_run, many / 100, many);
    check("asynchronous runs", run_asynchronously, many / 100, many);
    check("predictions", predict, many / 100, many / 10);
    check("models", open_models, many / 100, many / 10);
    release(picture);
    release(predictor);
    release(options);
    release(session);
    return end();
}
