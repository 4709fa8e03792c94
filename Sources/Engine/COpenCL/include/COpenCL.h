#ifndef APUS_COPENCL_H
#define APUS_COPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

/// The functions of OpenCL 1.2 that Apus calls.
///
/// https://registry.khronos.org/OpenCL/specs/opencl-1.2.pdf
#define APUS_OPENCL_FUNCTIONS(F) \
    F(clGetPlatformIDs) \
    F(clGetPlatformInfo) \
    F(clGetDeviceIDs) \
    F(clGetDeviceInfo) \
    F(clCreateContext) \
    F(clReleaseContext) \
    F(clCreateCommandQueue) \
    F(clReleaseCommandQueue) \
    F(clCreateBuffer) \
    F(clReleaseMemObject) \
    F(clCreateProgramWithSource) \
    F(clCreateProgramWithBinary) \
    F(clBuildProgram) \
    F(clGetProgramInfo) \
    F(clGetProgramBuildInfo) \
    F(clReleaseProgram) \
    F(clCreateKernel) \
    F(clSetKernelArg) \
    F(clGetKernelWorkGroupInfo) \
    F(clReleaseKernel) \
    F(clEnqueueNDRangeKernel) \
    F(clEnqueueReadBuffer) \
    F(clEnqueueWriteBuffer) \
    F(clEnqueueMapBuffer) \
    F(clEnqueueUnmapMemObject) \
    F(clGetEventProfilingInfo) \
    F(clReleaseEvent) \
    F(clFlush) \
    F(clFinish)

#define APUS_OPENCL_FIELD(name) __typeof__(&name) name;

/// The functions, found at run time, so that a program starts where no OpenCL is installed. Another table may stand in
/// for the system's.
typedef struct apus_opencl {
    APUS_OPENCL_FUNCTIONS(APUS_OPENCL_FIELD)
} apus_opencl;

#undef APUS_OPENCL_FIELD

/// Loads a library and fills the table with its functions. The library stays loaded.
///
/// Returns NULL, or what is missing, in words that stay valid until the thread's next call.
const char *apus_opencl_load(apus_opencl *table, const char *library);

#endif
