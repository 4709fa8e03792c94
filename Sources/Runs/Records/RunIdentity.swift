/// What a run computes: two runs with equal identities give the same rows.
public struct RunIdentity: Sendable, Equatable, Codable {
    /// The model's name.
    public var model: String
    /// A hash of the network and its weights.
    public var modelFingerprint: String
    /// Everything else that rows depend on, by the name of its option.
    public var options: [String: String]
    /// The number of records in the list, of all shards; nil where it cannot be known before.
    public var listCount: Int?
    /// A hash of their ids, in order.
    public var listFingerprint: String?
    /// Which part of the list, as `I/N`.
    public var shard: String?

    /// What a run with this identity would do otherwise than one with `other`, a phrase each.
    func differences(from other: RunIdentity) -> [String] {
        var phrases: [String] = []
        if modelFingerprint != other.modelFingerprint {
            phrases.append(
                model == other.model
                    ? "the model \(model) has changed" : "the model was \(other.model) and is \(model)")
        }
        for name in Set(options.keys).union(other.options.keys).sorted() where options[name] != other.options[name] {
            phrases.append("\(name) was \(other.options[name] ?? "not given") and is \(options[name] ?? "not given")")
        }
        if shard != other.shard { phrases.append("the shard was \(other.shard ?? "1/1") and is \(shard ?? "1/1")") }
        if listCount != other.listCount {
            func records(_ count: Int?) -> String { count.map { "\($0) records" } ?? "a stream" }
            phrases.append("the list of inputs had \(records(other.listCount)) and has \(records(listCount))")
        } else if listFingerprint != other.listFingerprint {
            phrases.append("the list of inputs names other records, or in another order")
        }
        return phrases
    }
}
