/*
 * What the library does to a process that loads it: no thread before the first session, no signal handler, nothing on
 * standard output and standard error, and no variable of the environment. It stays when it is closed. It is opened by
 * its path:
 *
 *     loading FIXTURES LIBRARY
 */
#include <apus.h>

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { SIGNALS = 64 };

typedef apus_status (*open_function)(const char *, const apus_options *, apus_model **, apus_error *);
typedef apus_status (*start_function)(const apus_model *, const apus_options *, apus_session **, apus_error *);
typedef apus_status (*tensor_function)(
    apus_element_type, int32_t, const int64_t *, const void *, size_t, apus_tensor **, apus_error *);
typedef apus_status (*run_function)(
    const apus_session *, const char *const *, const apus_tensor *const *, size_t, const char *const *, apus_tensor **,
    size_t, apus_error *);
typedef apus_status (*devices_function)(apus_text **, apus_error *);
typedef apus_status (*release_function)(const void *, apus_error *);

static FILE *report;
static struct sigaction before[SIGNALS + 1];
static int variable_count;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(report, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static int thread_count(void) {
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL);
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int count_variables(void) {
    int count = 0;
    while (environ[count] != NULL) count++;
    return count;
}

/* Checks that handlers, outputs and the environment are as they were. */
static void check(const char *when, int only_one_thread) {
    const int count = thread_count();
    fprintf(report, "loading: %d threads %s\n", count, when);
    CHECK(!only_one_thread || count == 1);
    for (int number = 1; number <= SIGNALS; number++) {
        struct sigaction now;
        memset(&now, 0, sizeof now);
        if (sigaction(number, NULL, &now) != 0) continue;
        if (now.sa_handler != before[number].sa_handler || now.sa_flags != before[number].sa_flags) {
            fprintf(report, "the handler of signal %d has changed\n", number);
            exit(1);
        }
    }
    struct stat status;
    fflush(NULL);
    CHECK(fstat(STDOUT_FILENO, &status) == 0 && status.st_size == 0);
    CHECK(count_variables() == variable_count);
}

static void *function(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (address == NULL) fprintf(report, "%s\n", dlerror());
    CHECK(address != NULL);
    return address;
}

#define FUNCTION(kind, name) kind name; *(void **)(&name) = function(library, "apus_" #name)

int main(int argc, char **argv) {
    const int own = dup(STDERR_FILENO);
    report = own < 0 ? NULL : fdopen(own, "w");
    if (argc != 3 || report == NULL) return 2;
    char path[1024];
    CHECK((size_t)snprintf(path, sizeof path, "%s/models/squeezenet1_1.onnx", argv[1]) < sizeof path);
    CHECK(freopen("silence.txt", "w", stdout) != NULL && dup2(STDOUT_FILENO, STDERR_FILENO) == STDERR_FILENO);
    for (int number = 1; number <= SIGNALS; number++) sigaction(number, NULL, &before[number]);
    variable_count = count_variables();
    check("before loading", 1);

    void *library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fprintf(report, "%s\n", dlerror());
    CHECK(library != NULL);
    check("after loading", 1);

    FUNCTION(open_function, model_open);
    FUNCTION(start_function, session_start);
    FUNCTION(tensor_function, tensor_copy);
    FUNCTION(run_function, session_run);
    FUNCTION(devices_function, devices);
    FUNCTION(release_function, release);
    apus_model *model = NULL;
    apus_session *session = NULL;
    apus_tensor *tensor = NULL, *output = NULL;
    apus_text *json = NULL;
    const int64_t extents[] = {1, 3, 227, 227};
    const size_t size = 3 * 227 * 227 * sizeof(float);
    float *values = (float *)calloc(1, size);
    CHECK(values != NULL);
    CHECK(model_open("/no/such.onnx", NULL, &model, NULL) == APUS_ERROR_FILE);
    CHECK(model_open(path, NULL, &model, NULL) == APUS_OK);
    CHECK(tensor_copy(APUS_FLOAT32, 4, extents, values, size, &tensor, NULL) == APUS_OK);
    free(values);
    check("after a model was read", 1);

    CHECK(session_start(model, NULL, &session, NULL) == APUS_OK);
    check("after a session was started", 0);
    const apus_tensor *inputs[] = {tensor};
    CHECK(session_run(session, NULL, inputs, 1, NULL, &output, 1, NULL) == APUS_OK);
    check("after a run", 0);
    /* The signal handlers of what the devices' drivers load are put back; what they print is theirs. */
    if (getenv("APUS_TEST_DEVICES") != NULL) {
        CHECK(devices(&json, NULL) == APUS_OK);
        check("after the devices were listed", 0);
    }
    CHECK(release(output, NULL) == APUS_OK && release(tensor, NULL) == APUS_OK);
    CHECK(release(session, NULL) == APUS_OK && release(model, NULL) == APUS_OK);
    /* Threads of the library go on in it after it was closed. */
    CHECK(dlclose(library) == 0);
    CHECK(dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) != NULL);
    check("after the library was closed", 0);
    fprintf(report, "loading: passed\n");
    return 0;
}
