import Platform

extension BackendSelection {
    /// Selects the backends that a session's options name, unless a selection is given.
    ///
    /// - Throws: As ``init(named:device:precision:)``.
    package init(_ options: Session.Options, unless given: BackendSelection? = nil) throws(ApusError) {
        if let given {
            self = given
        } else {
            try self.init(named: options.backends, device: options.device, precision: options.precision)
        }
    }
}
