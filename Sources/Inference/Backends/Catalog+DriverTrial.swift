import Caching
import Foundation
import OpenCLBackend

extension Catalog {
    /// Has OpenCL's drivers tried before this process loads them, which it does when ``openCLDevices`` is first asked for.
    ///
    /// That they could be loaded is kept in the user's cache folder, for as long as the machine runs and the drivers stay the
    /// same.
    ///
    /// - Parameter trial: Loads the drivers in a process of its own, and gives what became of that when it did not live.
    package static func tryDrivers(_ trial: @escaping @Sendable () -> String?) {
        OpenCLLibrary.setTrial { drivers throws(OpenCLLibrary.Absence) in
            let file = UserCache.folder + "/opencl-drivers"
            let state = Data(drivers.state.utf8)
            if UserCache.content(of: file, atMost: 1 << 20) == state { return }
            if let failure = trial() {
                throw OpenCLLibrary.Absence(
                    description: "no driver that can be loaded: a process that tried \(failure)")
            }
            UserCache.write(state, to: file)
        }
    }
}
