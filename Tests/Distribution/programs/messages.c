/* Messages for people go to the caller's function, from the level that was asked for. */
#include "support.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counts[APUS_LOG_CRITICAL + 1];

static void receive(int32_t level, const char *message, void *context) {
    CHECK(level >= APUS_LOG_TRACE && level <= APUS_LOG_CRITICAL && message[0] != 0);
    pthread_mutex_lock(&lock);
    ((int *)context)[level]++;
    pthread_mutex_unlock(&lock);
}

/* The number of messages while a predictor is opened whose preprocessing is a guess. */
static int messages(int32_t least) {
    apus_predictor *predictor = NULL;
    apus_options *options = options_of("threads", "1", "task", "depth", (char *)NULL);
    memset(counts, 0, sizeof counts);
    OK(apus_set_log(least < 0 ? NULL : receive, counts, least < 0 ? APUS_LOG_INFO : least, &error));
    OK(apus_predictor_open(fixture("tasks/depth.onnx"), options, &predictor, &error));
    OK(apus_set_log(NULL, NULL, APUS_LOG_INFO, &error));
    release(predictor);
    release(options);
    int sum = 0;
    for (int level = 0; level <= APUS_LOG_CRITICAL; level++) {
        sum += counts[level];
        if (level < least) CHECK(counts[level] == 0);
    }
    return sum;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    const int all = messages(APUS_LOG_TRACE), warnings = messages(APUS_LOG_WARNING);
    CHECK(all > warnings && warnings == 1);
    CHECK(messages(APUS_LOG_CRITICAL) == 0 && messages(-1) == 0);
    FAILS(apus_set_log(receive, counts, 7, &error), APUS_ERROR_ARGUMENT, "index", "");
    return end();
}
