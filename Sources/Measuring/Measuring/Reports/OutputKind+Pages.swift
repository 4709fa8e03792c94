import Platform

extension OutputKind {
    /// A page of `--report`.
    package static func page(_ kind: ReportPage.Kind) -> OutputKind {
        OutputKind(command: kind.command, mark: .bytes(Array(ReportPage.mark(kind).utf8), within: 1024))
    }
}
