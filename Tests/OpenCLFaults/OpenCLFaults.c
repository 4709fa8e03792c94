#include "OpenCLFaults.h"

#include <stdatomic.h>
#include <unistd.h>

static apus_opencl real;

static struct {
    atomic_long calls, first, count;
    atomic_int status;
} faults[APUS_FAULT_KINDS];

static atomic_long wait_microseconds;
static atomic_long objects[APUS_OBJECT_KINDS];

static int fault(apus_fault kind) {
    const long call = atomic_fetch_add(&faults[kind].calls, 1);
    const long first = atomic_load(&faults[kind].first);
    if (call < first || call - first >= atomic_load(&faults[kind].count)) return CL_SUCCESS;
    return atomic_load(&faults[kind].status);
}

static void *made(void *object, apus_object kind) {
    if (object) atomic_fetch_add(&objects[kind], 1);
    return object;
}

static void *refused(cl_int *status, cl_int answer) {
    if (status) *status = answer;
    return NULL;
}

static cl_context create_context(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *status) {
    const int answer = fault(APUS_FAULT_CONTEXT);
    if (answer) return refused(status, answer);
    return made(real.clCreateContext(properties, count, devices, notify, data, status), APUS_OBJECT_CONTEXT);
}

static cl_int release_context(cl_context context) {
    atomic_fetch_sub(&objects[APUS_OBJECT_CONTEXT], 1);
    return real.clReleaseContext(context);
}

static cl_command_queue create_queue(
    cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status) {
    return made(real.clCreateCommandQueue(context, device, properties, status), APUS_OBJECT_QUEUE);
}

static cl_int release_queue(cl_command_queue queue) {
    atomic_fetch_sub(&objects[APUS_OBJECT_QUEUE], 1);
    return real.clReleaseCommandQueue(queue);
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *content, cl_int *status) {
    const int answer = fault(APUS_FAULT_ALLOCATION);
    if (answer) return refused(status, answer);
    return made(real.clCreateBuffer(context, flags, size, content, status), APUS_OBJECT_BUFFER);
}

static cl_int release_buffer(cl_mem buffer) {
    atomic_fetch_sub(&objects[APUS_OBJECT_BUFFER], 1);
    return real.clReleaseMemObject(buffer);
}

static cl_program create_program(
    cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *status) {
    return made(
        real.clCreateProgramWithSource(context, count, strings, lengths, status), APUS_OBJECT_PROGRAM);
}

static cl_program create_program_from_binary(
    cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
    const unsigned char **binaries, cl_int *binary_status, cl_int *status) {
    const int answer = fault(APUS_FAULT_BINARY);
    if (answer) return refused(status, answer);
    return made(
        real.clCreateProgramWithBinary(context, count, devices, lengths, binaries, binary_status, status),
        APUS_OBJECT_PROGRAM);
}

static cl_int build_program(
    cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
    void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
    const int answer = fault(APUS_FAULT_BUILD);
    return answer ? answer : real.clBuildProgram(program, count, devices, options, notify, data);
}

static cl_int release_program(cl_program program) {
    atomic_fetch_sub(&objects[APUS_OBJECT_PROGRAM], 1);
    return real.clReleaseProgram(program);
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *status) {
    return made(real.clCreateKernel(program, name, status), APUS_OBJECT_KERNEL);
}

static cl_int release_kernel(cl_kernel kernel) {
    atomic_fetch_sub(&objects[APUS_OBJECT_KERNEL], 1);
    return real.clReleaseKernel(kernel);
}

static cl_int enqueue_kernel(
    cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint wait_count, const cl_event *waits, cl_event *event) {
    const int answer = fault(APUS_FAULT_ENQUEUE);
    if (answer) return answer;
    return real.clEnqueueNDRangeKernel(queue, kernel, axes, offset, global, local, wait_count, waits, event);
}

static cl_int enqueue_read(
    cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size, void *target,
    cl_uint wait_count, const cl_event *waits, cl_event *event) {
    const int answer = fault(APUS_FAULT_ENQUEUE);
    if (answer) return answer;
    return real.clEnqueueReadBuffer(queue, buffer, blocks, offset, size, target, wait_count, waits, event);
}

static cl_int enqueue_write(
    cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size, const void *source,
    cl_uint wait_count, const cl_event *waits, cl_event *event) {
    const int answer = fault(APUS_FAULT_ENQUEUE);
    if (answer) return answer;
    return real.clEnqueueWriteBuffer(queue, buffer, blocks, offset, size, source, wait_count, waits, event);
}

static cl_int finish(cl_command_queue queue) {
    const long delay = atomic_load(&wait_microseconds);
    if (delay > 0) usleep((useconds_t)delay);
    const int answer = fault(APUS_FAULT_WAIT);
    const cl_int status = real.clFinish(queue);
    return answer ? answer : status;
}

void apus_faults_wrap(apus_opencl *table, const apus_opencl *system) {
    real = *system;
    *table = *system;
    table->clCreateContext = create_context;
    table->clReleaseContext = release_context;
    table->clCreateCommandQueue = create_queue;
    table->clReleaseCommandQueue = release_queue;
    table->clCreateBuffer = create_buffer;
    table->clReleaseMemObject = release_buffer;
    table->clCreateProgramWithSource = create_program;
    table->clCreateProgramWithBinary = create_program_from_binary;
    table->clBuildProgram = build_program;
    table->clReleaseProgram = release_program;
    table->clCreateKernel = create_kernel;
    table->clReleaseKernel = release_kernel;
    table->clEnqueueNDRangeKernel = enqueue_kernel;
    table->clEnqueueReadBuffer = enqueue_read;
    table->clEnqueueWriteBuffer = enqueue_write;
    table->clFinish = finish;
}

void apus_faults_fail(apus_fault kind, long first, long count, int status) {
    atomic_store(&faults[kind].calls, 0);
    atomic_store(&faults[kind].status, status);
    atomic_store(&faults[kind].first, first);
    atomic_store(&faults[kind].count, count);
}

void apus_faults_slow_waits(long microseconds) { atomic_store(&wait_microseconds, microseconds); }

void apus_faults_clear(void) {
    for (int kind = 0; kind < APUS_FAULT_KINDS; kind++) apus_faults_fail((apus_fault)kind, 0, 0, CL_SUCCESS);
    apus_faults_slow_waits(0);
}

long apus_faults_calls(apus_fault kind) { return atomic_load(&faults[kind].calls); }

long apus_faults_objects(apus_object kind) { return atomic_load(&objects[kind]); }
