/* A fork before the first session serves in the child; after it, every function of the child is refused at once. */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_SECONDS = 600 };

static const int64_t extents[] = {1, 2};

static void run(const apus_model *model) {
    const float values[] = {1, 2};
    apus_session *session = NULL;
    apus_tensor *input = tensor_of(values, 2, extents), *output = NULL;
    const apus_tensor *inputs[] = {input};
    OK(apus_session_start(model, NULL, &session, &error));
    OK(apus_session_run(session, NULL, inputs, 1, NULL, &output, 1, &error));
    CHECK(floats(output)[0] == 2 && floats(output)[1] == 4);
    release(output);
    release(input);
    release(session);
}

/* Waits for a child that has to end well. */
static void wait_for(pid_t child) {
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) fprintf(stderr, "the child ended by signal %d\n", WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* What a child does; a hang ends by a signal. */
static pid_t begin_child(void) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) alarm(LONGEST_SECONDS);
    return child;
}

#define REFUSED(call) FAILS(call, APUS_ERROR_FORK, "fork", "")

static void be_refused(apus_model *model, apus_session *session, apus_tensor *tensor) {
    const apus_tensor *inputs[] = {tensor};
    apus_tensor *output = NULL;
    apus_options *options = NULL;
    apus_work *work = NULL;
    apus_text *json = NULL;
    apus_predictor *predictor = NULL;
    apus_picture *picture = NULL;
    apus_value value;
    size_t count = 0;
    REFUSED(apus_session_run(session, NULL, inputs, 1, NULL, &output, 1, &error));
    REFUSED(apus_session_run_async(session, NULL, inputs, 1, NULL, NULL, &work, &error));
    REFUSED(apus_session_start(model, NULL, &session, &error));
    REFUSED(apus_session_plan(session, 1, &json, &error));
    REFUSED(apus_model_open(fixture("models/squeezenet1_1.onnx"), NULL, &model, &error));
    REFUSED(apus_model_input_count(model, &count, &error));
    REFUSED(apus_model_input(model, 0, &value, &error));
    REFUSED(apus_predictor_open("zoo:resnet18", NULL, &predictor, &error));
    REFUSED(apus_picture_file("x", &picture, &error));
    REFUSED(apus_options_create(&options, &error));
    REFUSED(apus_devices(&json, &error));
    REFUSED(apus_release(session, &error));
    REFUSED(apus_retain(model, &error));
    CHECK(strlen(apus_version()) >= 5);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    const network doubling = doubling_network();
    apus_model *model = NULL;
    OK(apus_model_read(doubling.bytes, doubling.count, "doubling", NULL, &model, &error));
    const pid_t early[] = {begin_child(), begin_child()};
    if (early[0] == 0 || early[1] == 0) {
        /* The second child of the first one is of an earlier fork too. */
        run(model);
        if (early[1] > 0) wait_for(early[1]);
        exit(0);
    }
    wait_for(early[0]);
    wait_for(early[1]);
    run(model);

    const float values[] = {1, 2};
    apus_session *session = NULL;
    apus_tensor *tensor = tensor_of(values, 2, extents);
    OK(apus_session_start(model, NULL, &session, &error));
    for (int leaves_at_once = 0; leaves_at_once < 2; leaves_at_once++) {
        const pid_t late = begin_child();
        if (late == 0) {
            be_refused(model, session, tensor);
            if (leaves_at_once) _exit(0);
            exit(0);
        }
        wait_for(late);
    }
    /* The parent goes on. */
    run(model);
    const void *handles[] = {tensor, session, model};
    for (int index = 0; index < 3; index++) release(handles[index]);
    return end();
}
