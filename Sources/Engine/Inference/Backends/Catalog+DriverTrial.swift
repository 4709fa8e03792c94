import Caching
import FoundationEssentials
import Models
import OpenCLBackend

extension Catalog {
    /// Sets a trial of OpenCL's drivers, which is made before this process loads them for the first use of
    /// ``openCLDevices``.
    ///
    /// A successful trial is noted in the user's cache folder, and holds until the machine restarts or a driver
    /// changes.
    ///
    /// - Parameter trial: Loads the drivers in another process. Returns how that process failed; nil when it did not.
    package static func tryDrivers(_ trial: @escaping @Sendable () -> String?) {
        OpenCLLibrary.setTrial { drivers throws(OpenCLLibrary.Absence) in
            let file = UserCache.folder + "/opencl-drivers"
            let state = Data(drivers.state.utf8)
            if UserCache.content(of: file, atMost: 1 << 20) == state { return }
            if let failure = trial() {
                throw OpenCLLibrary.Absence(
                    description: "no driver that can be loaded: a trial process \(failure)")
            }
            UserCache.write(state, to: file)
        }
    }
}
