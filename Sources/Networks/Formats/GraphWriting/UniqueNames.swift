/// Makes names unique.
struct UniqueNames {
    private var taken: Set<String> = []
    private var nextSuffix: [String: Int] = [:]

    /// Returns `name`, or `name_2`, `name_3`, … when it was returned before.
    mutating func make(_ name: String) -> String {
        if taken.insert(name).inserted { return name }
        var suffix = nextSuffix[name] ?? 2
        while !taken.insert("\(name)_\(suffix)").inserted { suffix += 1 }
        nextSuffix[name] = suffix + 1
        return "\(name)_\(suffix)"
    }
}
