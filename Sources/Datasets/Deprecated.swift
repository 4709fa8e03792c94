// Names of the version before, which the next one leaves out.

@available(*, deprecated, renamed: "DatasetKind.Options")
public typealias InputOptions = DatasetKind.Options
