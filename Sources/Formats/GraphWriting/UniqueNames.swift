/// Hands out names, changing those that are taken.
struct UniqueNames {
    private var taken: Set<String> = []
    private var nextSuffix: [String: Int] = [:]

    /// `name`, or `name_2`, `name_3`, … when it was handed out before.
    mutating func make(_ name: String) -> String {
        if taken.insert(name).inserted { return name }
        var suffix = nextSuffix[name] ?? 2
        while !taken.insert("\(name)_\(suffix)").inserted { suffix += 1 }
        nextSuffix[name] = suffix + 1
        return "\(name)_\(suffix)"
    }
}
