#ifndef APUS_CPIPES_H
#define APUS_CPIPES_H

/// Makes a pipe whose ends no program gets that is started meanwhile. Returns 0, or -1 with errno.
///
/// It is `pipe2` of Linux, which Swift's module Glibc does not have.
int apus_private_pipe(int ends[2]);

#endif
