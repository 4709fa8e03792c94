// Keeps the handlers for crashes that Swift's runtime installs out of other people's processes, whatever their terminal
// and their environment say. The runtime reads its variables once, when the first is asked for. This makes it read them
// before anything else of the library begins, from an environment in which backtraces are off.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

// A function of Swift's runtime, which reads the environment.
extern bool swift_COWChecksEnabled(void);

// 101 is the first priority that programs may have.
__attribute__((constructor(101))) static void keep_backtraces_off(void) {
    static char off[] = "SWIFT_BACKTRACE=enable=no";
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL) count++;
    char **variables = calloc(count + 2, sizeof *variables);
    if (variables == NULL) return;
    variables[kept++] = off;
    for (size_t index = 0; index < count; index++)
        if (strncmp(environ[index], "SWIFT_BACKTRACE=", 16) != 0) variables[kept++] = environ[index];
    char **own = environ;
    environ = variables;
    swift_COWChecksEnabled();
    environ = own;
    free(variables);
}
