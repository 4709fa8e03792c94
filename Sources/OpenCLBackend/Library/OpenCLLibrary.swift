import COpenCL
import Planning
import Synchronization

/// The functions of OpenCL: the system's, or others in their place.
package final class OpenCLLibrary: @unchecked Sendable {
    // A table of C functions, which may be called from any thread; never changed.
    package let functions: apus_opencl
    /// The drivers that are not used, since they would end the process, with the reason in words.
    package let refusal: String?

    package init(functions: apus_opencl, refusal: String? = nil) {
        self.functions = functions
        self.refusal = refusal
    }

    /// Why there are no functions, in words.
    package struct Absence: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Tries the system's drivers before they are loaded, and throws when this process had better not load them.
    package typealias Trial = @Sendable (InstalledDrivers) throws(Absence) -> Void

    private static let trial = Mutex<Trial?>(nil)

    /// Has the drivers tried before the system's loader is first asked for: a program that can start a process of its own
    /// finds out there whether one of them ends the process that loads it.
    package static func setTrial(_ body: @escaping Trial) { trial.withLock { $0 = body } }

    /// The system's loader, found when it is first asked for.
    package static let system: Result<OpenCLLibrary, Absence> = Result { () throws(Absence) in
        let installed = InstalledDrivers()
        let refusal = installed.fatal.first.map { driver in
            "PoCL (\(driver.file ?? driver.library)) needs /sys, which says nothing about the processor here"
        }
        if let refusal, installed.fatal.count == installed.drivers.count {
            throw Absence(description: "no driver that can be loaded: \(refusal)")
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

    /// Turns what a call answers into an error.
    func check(_ status: cl_int, _ call: String) throws(DeviceError) {
        if status != CL_SUCCESS { throw DeviceError(status: status, call) }
    }
}
