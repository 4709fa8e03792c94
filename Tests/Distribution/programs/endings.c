/* A process that exits in the middle of work ends at once, without a crash. */
#include "support.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_SECONDS = 600, RUNS = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended;

static void note(const apus_work *work, void *context) {
    (void)work;
    (void)context;
    pthread_mutex_lock(&lock);
    ended++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void observe(const apus_progress *progress, void *context) {
    (void)progress;
    note(NULL, context);
}

static void wait_for_one(void) {
    pthread_mutex_lock(&lock);
    while (ended == 0) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static apus_session *begin_endless(void) {
    const network endless = endless_network();
    const float values[] = {0, 0};
    const int64_t extents[] = {2};
    apus_options *options = options_of("threads", "2", "loop-seconds", "1000", (char *)NULL);
    apus_model *model = NULL;
    apus_session *session = NULL;
    apus_work *work = NULL;
    apus_tensor *input = tensor_of(values, 1, extents);
    const apus_tensor *inputs[] = {input};
    OK(apus_model_read(endless.bytes, endless.count, "endless", NULL, &model, &error));
    OK(apus_session_start(model, options, &session, &error));
    OK(apus_session_run_async(session, NULL, inputs, 1, note, NULL, &work, &error));
    FAILS(apus_work_wait(work, 0.02, &error), APUS_TIMEOUT, "timeout", "");
    return session;
}

static void in_a_run(void) { begin_endless(); }

static void in_a_run_without_a_handle(void) { release(begin_endless()); }

static void *call(void *session) {
    const float values[] = {0, 0};
    const int64_t extents[] = {2};
    const apus_tensor *inputs[1];
    apus_tensor *input = NULL, *output = NULL;
    if (apus_tensor_copy(APUS_FLOAT32, 1, extents, values, sizeof values, &input, NULL) != APUS_OK) return NULL;
    inputs[0] = input;
    note(NULL, NULL);
    apus_session_run((apus_session *)session, NULL, inputs, 1, NULL, &output, 1, NULL);
    return NULL;
}

static void while_another_thread_runs(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, call, begin_endless()) == 0);
    wait_for_one();
}

static void in_many_runs(void) {
    const int64_t extents[] = {1, 3, 227, 227};
    float *values = numbers(3 * 227 * 227);
    apus_model *model = NULL;
    apus_session *session = NULL;
    OK(apus_model_open(fixture("models/squeezenet1_1.onnx"), NULL, &model, &error));
    OK(apus_session_start(model, NULL, &session, &error));
    apus_tensor *input = tensor_of(values, 4, extents);
    free(values);
    const apus_tensor *inputs[] = {input};
    for (int index = 0; index < RUNS; index++) {
        apus_work *work = NULL;
        OK(apus_session_run_async(session, NULL, inputs, 1, note, NULL, &work, &error));
        release(work);
    }
    wait_for_one();
}

static void in_a_dataset(void) {
    apus_predictor *predictor = NULL;
    apus_rows *rows = NULL;
    apus_work *work = NULL;
    const char *photos = fixture("photos");
    char output[64];
    snprintf(output, sizeof output, "rows-%d.jsonl", (int)getpid());
    apus_options *options = options_of("batch", "1", (char *)NULL);
    OK(apus_predictor_open(fixture("models/squeezenet1_1.onnx"), options, &predictor, &error));
    OK(apus_rows_start(predictor, &photos, 1, options, &rows, &error));
    OK(apus_run_start(predictor, &photos, 1, output, options, observe, note, NULL, &work, &error));
    wait_for_one();
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static void (*const works[])(void) = {
        in_a_run, in_a_run_without_a_handle, while_another_thread_runs, in_many_runs, in_a_dataset};
    for (size_t index = 0; index < sizeof works / sizeof *works; index++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            /* A hang ends by a signal. */
            alarm(LONGEST_SECONDS);
            works[index]();
            exit(0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0) fprintf(stderr, "work %d: status %x\n", (int)index, (unsigned)status);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return end();
}
