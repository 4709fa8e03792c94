import CApus

/// Runs the body of a function of the interface, and returns its status.
///
/// - Parameter error: Filled when `body` throws, otherwise emptied.
func call(_ error: UnsafeMutablePointer<apus_error>?, _ body: () throws -> Void) -> apus_status {
    do {
        try ProcessGuard.check()
        try body()
        error?.pointee.clear()
        return apus_status(APUS_OK)
    } catch let failure {
        let failure = InterfaceError(failure)
        error?.pointee.fill(failure)
        return apus_status(failure.status)
    }
}
