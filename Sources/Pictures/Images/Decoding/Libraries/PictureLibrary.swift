extension Result {
    /// The error of a failure.
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// The functions of a library that is found at run time, when a file first needs it.
struct PictureLibrary<Functions>: @unchecked Sendable {
    // A constant table of C functions, which any thread may call.
    let functions: Functions

    /// Finds a library.
    ///
    /// - Parameters:
    ///   - table: A table without functions.
    ///   - kind: What needs the library, for the error.
    ///   - name: The file name of the library.
    ///   - package: The package of Debian that brings it.
    ///   - load: Fills the table, or returns what is missing.
    static func find(
        _ table: Functions, for kind: String, _ name: String, package: String,
        _ load: (UnsafeMutablePointer<Functions>, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
    ) -> Result<PictureLibrary, ImageError> {
        var table = table
        guard load(&table, name) == nil else {
            return .failure(.missingLibrary(kind: kind, library: name, package: package))
        }
        return .success(PictureLibrary(functions: table))
    }
}
