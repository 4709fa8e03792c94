// Names of the previous version, which the next one removes.

extension Profile {
    /// The former name of ``minimumSeconds``.
    @available(*, deprecated, renamed: "minimumSeconds")
    public var leastSeconds: Double { minimumSeconds }
}

extension Profile.Layer {
    /// The former name of ``minimumSeconds``.
    @available(*, deprecated, renamed: "minimumSeconds")
    public var leastSeconds: Double { minimumSeconds }
}
