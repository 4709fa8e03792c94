import COpenCL
import Planning
import Synchronization
import Tensors

/// The functions of OpenCL, from the system's loader or from a replacement.
package final class OpenCLLibrary: @unchecked Sendable {
    // A constant table of C functions, which any thread may call.
    package let functions: apus_opencl
    /// Which drivers are not used because they would end the process, and why; nil where all are.
    package let refusal: String?

    package init(functions: apus_opencl, refusal: String? = nil) {
        self.functions = functions
        self.refusal = refusal
    }

    /// Why OpenCL is not available, in words.
    package struct Absence: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Tests the system's drivers before they are loaded, and throws when this process should not load them.
    package typealias Trial = @Sendable (InstalledDrivers) throws(Absence) -> Void

    private static let trial = Mutex<Trial?>(nil)

    /// Sets the test of drivers that runs before the system's loader is first used. A program that can start another
    /// process finds out in that process whether a driver ends the process that loads it.
    package static func setTrial(_ body: @escaping Trial) { trial.withLock { $0 = body } }

    /// The system's loader, opened at first use.
    package static let system: Result<OpenCLLibrary, Absence> = Result { () throws(Absence) in
        let installed = InstalledDrivers()
        let refusal = installed.fatal.first.map { driver in
            "PoCL (\(driver.file ?? driver.library)) needs /sys, which says nothing about the processor here"
        }
        if let refusal, installed.fatal.count == installed.drivers.count {
            throw Absence(description: "no driver that can be loaded: \(refusal)")
        }
        if let refusal, !ProcessEnvironment.canBeSet {
            throw Absence(
                description: "no driver can be loaded beside one that ends the process: \(refusal); set "
                    + "OCL_ICD_VENDORS to a folder that names the others")
        }
        if !installed.drivers.isEmpty { try trial.withLock { $0 }?(installed) }
        var functions = apus_opencl()
        if let problem = apus_opencl_load(&functions, "libOpenCL.so.1") {
            throw Absence(description: "no OpenCL loader: \(String(cString: problem))")
        }
        // The first call loads the drivers.
        installed.withoutFatal { _ = functions.clGetPlatformIDs(0, nil, nil) }
        return OpenCLLibrary(functions: functions, refusal: refusal)
    }

    /// Throws an error when a call's status reports a failure.
    func check(_ status: cl_int, _ call: String) throws(DeviceError) {
        if status != CL_SUCCESS { throw DeviceError(status: status, call) }
    }
}
