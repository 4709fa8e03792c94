// Names of the previous version, which the next one removes.

@available(*, deprecated, renamed: "DatasetKind.Options")
public typealias InputOptions = DatasetKind.Options
