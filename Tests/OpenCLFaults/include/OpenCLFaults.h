#ifndef APUS_OPENCL_FAULTS_H
#define APUS_OPENCL_FAULTS_H

#include "COpenCL.h"

/// Calls of OpenCL that can be made to fail.
typedef enum {
    APUS_FAULT_ALLOCATION,
    APUS_FAULT_ENQUEUE,
    APUS_FAULT_WAIT,
    APUS_FAULT_BUILD,
    /// Programs out of binaries.
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

/// A table that passes calls on to `real`, except those that are to fail.
///
/// What follows is the state of the process, safe to change from any thread.
void apus_faults_wrap(apus_opencl *table, const apus_opencl *real);

/// From now on calls of a kind are counted from 0; those numbered from `first` on, `count` of them, answer `status`.
void apus_faults_fail(apus_fault kind, long first, long count, int status);

/// From now on every wait takes so much longer.
void apus_faults_slow_waits(long microseconds);

/// Nothing fails and nothing is slow from now on; calls are counted from 0.
void apus_faults_clear(void);

/// How many calls of a kind there were.
long apus_faults_calls(apus_fault kind);

/// How many objects were made and not released.
long apus_faults_objects(apus_object kind);

#endif
