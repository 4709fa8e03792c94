// Names of the previous version, which the next one removes.

@available(*, deprecated, renamed: "GracefulStop")
public typealias Intake = GracefulStop

@available(*, deprecated, renamed: "SkippedFiles")
public typealias PassedOver = SkippedFiles
