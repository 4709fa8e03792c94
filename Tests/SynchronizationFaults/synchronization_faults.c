#define _GNU_SOURCE
#include "SynchronizationFaults.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char watched[4096];
static int failing, count;

void apus_fail_synchronization(const char *path, int number) {
    pthread_mutex_lock(&lock);
    snprintf(watched, sizeof watched, "%s", path);
    failing = number;
    count = 0;
    pthread_mutex_unlock(&lock);
}

int apus_stop_failing_synchronization(void) {
    pthread_mutex_lock(&lock);
    const int result = count;
    watched[0] = 0;
    pthread_mutex_unlock(&lock);
    return result;
}

static int fails(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    pthread_mutex_lock(&lock);
    const size_t start = strlen(watched);
    const int matches = start > 0 && strncmp(path, watched, start) == 0 && (path[start] == 0 || path[start] == '-');
    if (matches) count += 1;
    const int result = matches && count == failing;
    pthread_mutex_unlock(&lock);
    return result;
}

static int synchronize(int descriptor, long call) {
    if (!fails(descriptor)) return (int)syscall(call, descriptor);
    errno = EIO;
    return -1;
}

int fsync(int descriptor) { return synchronize(descriptor, SYS_fsync); }

int fdatasync(int descriptor) { return synchronize(descriptor, SYS_fdatasync); }
