/* Runs over datasets: rows one by one, a run into a file with its progress, and one that is cancelled and resumed. */
#include "support.h"

#include <pthread.h>

enum { RECORDS = 200 };

typedef struct state {
    apus_work *work;
    int is_cancelling;
    int call_count;
    int ending_count;
    apus_progress last;
} state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void observe(const apus_progress *progress, void *context) {
    state *run = (state *)context;
    pthread_mutex_lock(&lock);
    run->call_count++;
    run->last = *progress;
    if (run->is_cancelling && progress->succeeded >= 1) apus_work_cancel(run->work, NULL);
    pthread_mutex_unlock(&lock);
}

static void finish(const apus_work *work, void *context) {
    state *run = (state *)context;
    pthread_mutex_lock(&lock);
    CHECK(work == run->work);
    run->ending_count++;
    pthread_mutex_unlock(&lock);
}

/* Begins a run, waits for its end, and gives its status. */
static apus_status run(
    const apus_predictor *predictor, const char *input, const char *output, const apus_options *options, state *state) {
    pthread_mutex_lock(&lock);
    OK(apus_run_start(predictor, &input, 1, output, options, observe, finish, state, &state->work, &error));
    pthread_mutex_unlock(&lock);
    return apus_work_wait(state->work, -1, &error);
}

static void same_files(const char *first, const char *second) {
    size_t counts[2];
    char *contents[] = {read_file(first, &counts[0]), read_file(second, &counts[1])};
    CHECK(counts[0] == counts[1] && memcmp(contents[0], contents[1], counts[0]) == 0);
    free(contents[0]);
    free(contents[1]);
}

static void read_rows(const apus_predictor *predictor, const char *model, const char *photos) {
    CHECK(run_command("predict '%s' '%s' --task depth --threads 1 --format jsonl", model, photos) == 0);
    char *output = read_file("output.txt", NULL), *line = output;
    apus_rows *rows = NULL;
    apus_status status;
    int count = 0;
    OK(apus_rows_start(predictor, &photos, 1, NULL, &rows, &error));
    for (;; count++) {
        apus_text *json = NULL;
        apus_answer *answer = NULL;
        OK(apus_rows_wait(rows, -1, &error));
        status = apus_rows_next(rows, &json, &answer, &error);
        if (status != APUS_OK) break;
        line[strcspn(line, "\n")] = 0;
        SAME(json, line);
        line += strlen(line) + 1;
        OK(apus_answer_check(answer, &error));
        release(answer);
    }
    CHECK(status == APUS_END && count == 4 && *line == 0);
    release(rows);
    /* A list that is not read to its end. */
    OK(apus_rows_start(predictor, &photos, 1, NULL, &rows, &error));
    OK(apus_rows_next(rows, NULL, NULL, &error));
    release(rows);
    free(output);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    const char *depth = fixture("tasks/depth.onnx"), *picture = fixture("tasks/small.png"), *photos = fixture("photos");
    apus_options *options = options_of("task", "depth", "threads", "1", (char *)NULL);
    apus_predictor *predictor = NULL;
    OK(apus_predictor_open(depth, options, &predictor, &error));
    read_rows(predictor, depth, photos);
    CHECK(run_command("predict '%s' '%s' --task depth --threads 1 -o wanted.jsonl --quiet", depth, photos) == 0);
    state whole = {NULL, 0, 0, 0, {0, 0, 0, 0}};
    OK(run(predictor, photos, "whole.jsonl", NULL, &whole));
    same_files("whole.jsonl", "wanted.jsonl");
    apus_text *json = NULL;
    apus_progress progress;
    OK(apus_work_summary(whole.work, &json, &error));
    CHECK(strstr(string_of(json), "\"succeeded\" : 4") != NULL);
    release(json);
    OK(apus_work_progress(whole.work, &progress, &error));
    CHECK(progress.total == 4 && progress.succeeded == 4 && progress.failed == 0 && progress.resumed == 0);
    release(whole.work);
    CHECK(whole.call_count >= 2 && whole.last.succeeded == 4);
    release(predictor);

    /* Many records: one picture under many names. */
    char list[RECORDS * 1100] = "id,path\n";
    for (int record = 0; record < RECORDS; record++)
        sprintf(list + strlen(list), "r%d,%s\n", record, picture);
    write_file("list.csv", list, strlen(list));
    CHECK(run_command("predict '%s' list.csv --task depth --threads 1 --force -o wanted.jsonl --quiet", depth) == 0);
    apus_options *small = options_of(
        "task", "depth", "threads", "1", "batch", "1", "commit-rows", "1", (char *)NULL);
    apus_options *resuming = options_of(
        "task", "depth", "threads", "1", "batch", "1", "resume", (char *)NULL, (char *)NULL);
    OK(apus_predictor_open(depth, small, &predictor, &error));
    state cut = {NULL, 1, 0, 0, {0, 0, 0, 0}}, rest = {NULL, 0, 0, 0, {0, 0, 0, 0}};
    CHECK(run(predictor, "list.csv", "part.jsonl", small, &cut) == APUS_ERROR_CANCELLED);
    CHECK(strcmp(error.code, "cancelled") == 0);
    OK(apus_work_progress(cut.work, &progress, &error));
    printf("runs: cancelled behind %d of %d rows\n", (int)progress.succeeded, RECORDS);
    CHECK(progress.succeeded >= 1 && progress.succeeded < RECORDS && progress.failed == 0);
    release(cut.work);
    CHECK(run(predictor, "list.csv", "part.jsonl", resuming, &rest) == APUS_OK);
    CHECK(rest.last.resumed == progress.succeeded && rest.last.succeeded == RECORDS);
    release(rest.work);
    same_files("part.jsonl", "wanted.jsonl");
    FAILS(apus_run_start(predictor, &picture, 1, "part.unknown", small, NULL, NULL, NULL, &rest.work, &error),
        APUS_ERROR_ARGUMENT, "argument", "");
    const void *handles[] = {predictor, options, small, resuming};
    for (int index = 0; index < 4; index++) release(handles[index]);
    return end();
}
