/* Calls that do not block: callbacks, waits, cancellation, and an eventfd. */
#include "support.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RUNS = 100 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended;

static void note(const apus_work *work, void *context) {
    /* The handle is valid, and a wait that need not wait may be called. */
    const apus_status status = apus_work_wait(work, 0, NULL);
    pthread_mutex_lock(&lock);
    *(apus_status *)context = status;
    ended++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for(int count) {
    pthread_mutex_lock(&lock);
    while (ended < count) pthread_cond_wait(&changed, &lock);
    ended = 0;
    pthread_mutex_unlock(&lock);
}

static void run_many(void) {
    const network doubling = doubling_network();
    const int64_t extents[] = {1, 2};
    apus_session *session = session_of(doubling.bytes, doubling.count);
    apus_work *works[RUNS];
    apus_status statuses[RUNS];
    for (int index = 0; index < RUNS; index++) {
        const float values[] = {(float)index, 1};
        apus_tensor *input = tensor_of(values, 2, extents);
        const apus_tensor *inputs[] = {input};
        OK(apus_session_run_async(session, NULL, inputs, 1, note, &statuses[index], &works[index], &error));
        release(input);
    }
    release(session);
    wait_for(RUNS);
    for (int index = 0; index < RUNS; index++) {
        apus_tensor *output = NULL;
        apus_answer *answer = NULL;
        CHECK(statuses[index] == APUS_OK);
        OK(apus_work_outputs(works[index], NULL, &output, 1, &error));
        CHECK(floats(output)[0] == 2 * (float)index && floats(output)[1] == 2);
        FAILS(apus_work_answers(works[index], &answer, 1, &error), APUS_ERROR_ARGUMENT, "work", "");
        release(output);
        release(works[index]);
    }
}

static void cancel(void) {
    const network endless = endless_network();
    const float values[] = {0, 0};
    const int64_t extents[] = {2};
    apus_model *model = NULL;
    apus_session *session = NULL;
    apus_work *work = NULL;
    apus_tensor *output = NULL, *input = tensor_of(values, 1, extents);
    const apus_tensor *inputs[] = {input};
    apus_options *options = options_of("threads", "1", "loop-seconds", "1000", (char *)NULL);
    OK(apus_model_read(endless.bytes, endless.count, "endless", NULL, &model, &error));
    OK(apus_session_start(model, options, &session, &error));
    apus_status status = APUS_OK;
    OK(apus_session_run_async(session, NULL, inputs, 1, note, &status, &work, &error));
    FAILS(apus_work_wait(work, 0.05, &error), APUS_TIMEOUT, "timeout", "");
    FAILS(apus_work_outputs(work, NULL, &output, 1, &error), APUS_TIMEOUT, "timeout", "");
    OK(apus_work_cancel(work, &error));
    FAILS(apus_work_wait(work, -1, &error), APUS_ERROR_CANCELLED, "cancelled", "");
    wait_for(1);
    CHECK(status == APUS_ERROR_CANCELLED);
    FAILS(apus_work_outputs(work, NULL, &output, 1, &error), APUS_ERROR_CANCELLED, "cancelled", "");
    const void *handles[] = {work, session, model, options, input};
    for (int index = 0; index < 5; index++) release(handles[index]);
}

static void predict(void) {
    apus_options *options = options_of("threads", "1", "task", "depth", (char *)NULL);
    apus_predictor *predictor = NULL;
    apus_picture *picture = NULL;
    apus_work *work = NULL;
    apus_answer *answers[2];
    OK(apus_predictor_open(fixture("tasks/depth.onnx"), options, &predictor, &error));
    OK(apus_picture_file(fixture("tasks/small.png"), &picture, &error));
    const apus_picture *pictures[] = {picture, picture};
    const int event = eventfd(0, EFD_NONBLOCK);
    CHECK(event >= 0);
    OK(apus_predictor_predict_async(
        predictor, pictures, 2, apus_signal_eventfd, (void *)(intptr_t)event, &work, &error));
    struct pollfd polled = {event, POLLIN, 0};
    CHECK(poll(&polled, 1, -1) == 1);
    uint64_t count = 0;
    CHECK(read(event, &count, sizeof count) == sizeof count && count == 1);
    close(event);
    FAILS(apus_work_answers(work, answers, 1, &error), APUS_ERROR_ARGUMENT, "length", "");
    OK(apus_work_answers(work, answers, 2, &error));
    const char *kind = NULL;
    OK(apus_answer_kind(answers[1], &kind, &error));
    CHECK(strcmp(kind, "depth") == 0);
    const void *handles[] = {answers[0], answers[1], work, picture, predictor, options};
    for (int index = 0; index < 6; index++) release(handles[index]);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    run_many();
    cancel();
    predict();
    return end();
}
