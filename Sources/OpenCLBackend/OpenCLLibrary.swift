import COpenCL
import Planning

/// The functions of OpenCL: the system's, or others in their place.
package final class OpenCLLibrary: @unchecked Sendable {
    // A table of C functions, which may be called from any thread; never changed.
    package let functions: apus_opencl

    package init(functions: apus_opencl) { self.functions = functions }

    /// Why there are no functions, in words.
    package struct Absence: Error, CustomStringConvertible {
        package let description: String
    }

    /// The system's loader, found when it is first asked for.
    package static let system: Result<OpenCLLibrary, Absence> = {
        var functions = apus_opencl()
        if let problem = apus_opencl_load(&functions, "libOpenCL.so.1") {
            return .failure(Absence(description: "no OpenCL loader: \(String(cString: problem))"))
        }
        return .success(OpenCLLibrary(functions: functions))
    }()

    /// Turns what a call answers into an error.
    func check(_ status: cl_int, _ call: String) throws(DeviceError) {
        if status != CL_SUCCESS { throw DeviceError(status: status, call) }
    }
}
