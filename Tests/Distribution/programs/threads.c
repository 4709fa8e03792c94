/* Ten threads at once on one session, on ten sessions, and on one predictor give the bits of one thread. */
#include "support.h"

#include <pthread.h>

enum { THREADS = 10, CALLS = 10, CLASSES = 1000 };

static const int64_t extents[] = {1, 3, 227, 227};
static apus_tensor *input;
static apus_model *model;
static apus_picture *picture;
static apus_predictor *predictor;
static float wanted[CLASSES];
static const char *wanted_row;

/* Each thread has an error of its own. */
#define THREAD_OK(call) \
    do { \
        apus_error mine; \
        apus_error *const place = &mine; \
        if ((call) != APUS_OK) fail(__FILE__, __LINE__, #call, mine.message); \
    } while (0)

static void run(const apus_session *session) {
    for (int call = 0; call < CALLS; call++) {
        const apus_tensor *inputs[] = {input};
        apus_tensor *output = NULL;
        apus_elements elements;
        THREAD_OK(apus_session_run(session, NULL, inputs, 1, NULL, &output, 1, place));
        THREAD_OK(apus_tensor_get(output, &elements, place));
        CHECK(memcmp(elements.data, wanted, sizeof wanted) == 0);
        THREAD_OK(apus_release(output, place));
    }
}

static void *share(void *session) {
    run((const apus_session *)session);
    return NULL;
}

static void *own(void *options) {
    apus_session *session = NULL;
    THREAD_OK(apus_session_start(model, (apus_options *)options, &session, place));
    run(session);
    THREAD_OK(apus_release(session, place));
    return NULL;
}

static void *predict(void *unused) {
    (void)unused;
    for (int call = 0; call < CALLS; call++) {
        const apus_picture *pictures[] = {picture};
        apus_answer *answer = NULL;
        apus_text *json = NULL;
        const char *row = NULL;
        THREAD_OK(apus_predictor_predict(predictor, pictures, 1, &answer, place));
        THREAD_OK(apus_answer_json(answer, "id", &json, place));
        THREAD_OK(apus_text_get(json, &row, NULL, place));
        CHECK(strcmp(row, wanted_row) == 0);
        THREAD_OK(apus_release(json, place));
        THREAD_OK(apus_release(answer, place));
    }
    return NULL;
}

static void at_once(void *(*body)(void *), void *argument) {
    pthread_t threads[THREADS];
    for (int index = 0; index < THREADS; index++) CHECK(pthread_create(&threads[index], NULL, body, argument) == 0);
    for (int index = 0; index < THREADS; index++) CHECK(pthread_join(threads[index], NULL) == 0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    float *values = numbers(3 * 227 * 227);
    input = tensor_of(values, 4, extents);
    free(values);
    apus_options *options = options_of("threads", "1", (char *)NULL);
    apus_options *several = options_of("threads", "2", "streams", "2", (char *)NULL);
    apus_session *one = NULL, *two = NULL;
    apus_tensor *output = NULL;
    const apus_tensor *inputs[] = {input};
    OK(apus_model_open(fixture("models/squeezenet1_1.onnx"), options, &model, &error));
    OK(apus_session_start(model, options, &one, &error));
    OK(apus_session_start(model, several, &two, &error));
    OK(apus_session_run(one, NULL, inputs, 1, NULL, &output, 1, &error));
    memcpy(wanted, floats(output), sizeof wanted);
    release(output);
    at_once(share, one);
    at_once(share, two);
    at_once(own, options);

    OK(apus_picture_file(fixture("photos/rocket.jpg"), &picture, &error));
    OK(apus_predictor_start(model, several, &predictor, &error));
    const apus_picture *pictures[] = {picture};
    apus_answer *answer = NULL;
    apus_text *json = NULL;
    OK(apus_predictor_predict(predictor, pictures, 1, &answer, &error));
    OK(apus_answer_json(answer, "id", &json, &error));
    wanted_row = string_of(json);
    at_once(predict, NULL);
    const void *handles[] = {json, answer, predictor, picture, two, one, model, several, options, input};
    for (int index = 0; index < 10; index++) release(handles[index]);
    return end();
}
