#define _GNU_SOURCE

#include "CPipes.h"

#include <fcntl.h>
#include <unistd.h>

int apus_private_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}
