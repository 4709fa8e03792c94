#ifndef APUS_SYNCHRONIZATION_FAULTS_H
#define APUS_SYNCHRONIZATION_FAULTS_H

// Makes fsync and fdatasync of the whole process fail with EIO, once, for a file that a test names: for libraries whose
// calls cannot be replaced otherwise. One file at a time.

// Lets the `number`-th synchronization, from 1, of the file `path`, or of one beside it called `path`-…, fail.
void apus_fail_synchronization(const char *path, int number);

// Ends it, and gives how many synchronizations of such files there were.
int apus_stop_failing_synchronization(void);

#endif
