#ifndef APUS_SYNCHRONIZATION_FAULTS_H
#define APUS_SYNCHRONIZATION_FAULTS_H

// Makes fsync and fdatasync in the whole process fail once with EIO for a file that a test names. This is for libraries
// whose calls cannot be replaced otherwise. One file at a time.

// Makes the `number`-th synchronization, from 1, of the file `path` or of a file `path`-… fail.
void apus_fail_synchronization(const char *path, int number);

// Ends the failures, and returns the number of synchronizations of such files.
int apus_stop_failing_synchronization(void);

#endif
