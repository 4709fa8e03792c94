import ArgumentParser

extension ExpressibleByArgument {
    /// Makes a parser of values whose error describes the expected form.
    ///
    /// - Parameter form: The expected form, such as `a size such as 800M`.
    package static func reading(_ form: String) -> @Sendable (String) throws -> Self {
        { text in
            guard let value = Self(argument: text) else { throw ValidationError("it should be \(form)") }
            return value
        }
    }
}
