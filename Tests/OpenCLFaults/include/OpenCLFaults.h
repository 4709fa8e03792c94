#ifndef APUS_OPENCL_FAULTS_H
#define APUS_OPENCL_FAULTS_H

#include "COpenCL.h"

/// Calls of OpenCL that can be made to fail.
typedef enum {
    APUS_FAULT_ALLOCATION,
    APUS_FAULT_ENQUEUE,
    APUS_FAULT_WAIT,
    APUS_FAULT_BUILD,
    /// Making programs from binaries.
    APUS_FAULT_BINARY,
    APUS_FAULT_CONTEXT,
    APUS_FAULT_KINDS,
} apus_fault;

/// Objects of OpenCL that are counted.
typedef enum {
    APUS_OBJECT_BUFFER,
    APUS_OBJECT_KERNEL,
    APUS_OBJECT_PROGRAM,
    APUS_OBJECT_QUEUE,
    APUS_OBJECT_CONTEXT,
    APUS_OBJECT_KINDS,
} apus_object;

/// Makes a table that passes calls on to `real`, except those that are to fail.
///
/// The functions below change the state of the process, and may be called from any thread.
void apus_faults_wrap(apus_opencl *table, const apus_opencl *real);

/// Restarts the count of calls of a kind at 0, and makes the calls [first, first + count) return `status`.
void apus_faults_fail(apus_fault kind, long first, long count, int status);

/// Makes every wait longer by `microseconds`.
void apus_faults_slow_waits(long microseconds);

/// Ends all failures and delays, and restarts the counts of calls at 0.
void apus_faults_clear(void);

/// The number of calls of a kind.
long apus_faults_calls(apus_fault kind);

/// The number of objects of a kind that were made and not released.
long apus_faults_objects(apus_object kind);

#endif
