#include <sqlite3.h>

// Both copy what they bind, a text up to its first zero byte. Swift cannot import SQLITE_TRANSIENT.
static inline int apus_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text) {
    return sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

static inline int apus_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, long long count) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
