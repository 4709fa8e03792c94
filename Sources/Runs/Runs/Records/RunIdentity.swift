/// The model, options and list of a run. Runs with equal identities give the same rows.
public struct RunIdentity: Sendable, Equatable, Codable {
    /// The model's name.
    public var model: String
    /// A hash of the network and its weights.
    public var modelFingerprint: String
    /// All options on which rows depend, by name.
    public var options: [String: String]
    /// The number of records in the list, including all shards; nil when not known in advance.
    public var listCount: Int?
    /// A hash of the records' ids, in order.
    public var listFingerprint: String?
    /// The shard, as `I/N`; nil for the whole list.
    public var shard: String?

    package init(
        model: String, modelFingerprint: String, options: [String: String], listCount: Int? = nil,
        listFingerprint: String? = nil, shard: String? = nil
    ) {
        (self.model, self.modelFingerprint, self.options) = (model, modelFingerprint, options)
        (self.listCount, self.listFingerprint, self.shard) = (listCount, listFingerprint, shard)
    }

    /// The name of the option that says with which vector instructions rows were computed.
    static let instructions = "instructions"

    /// The differences of this identity from an earlier one, one phrase for each.
    package func differences(from other: RunIdentity) -> [String] {
        var phrases: [String] = []
        if modelFingerprint != other.modelFingerprint {
            phrases.append(
                model == other.model
                    ? "the model \(model) has changed" : "the model was \(other.model) and is \(model)")
        }
        for name in Set(options.keys).union(other.options.keys).sorted() where options[name] != other.options[name] {
            var phrase = "\(name) was \(other.options[name] ?? "not given") and is \(options[name] ?? "not given")"
            if name == Self.instructions, let set = other.options[name] { phrase += " (--instructions \(set))" }
            phrases.append(phrase)
        }
        if shard != other.shard { phrases.append("the shard was \(other.shard ?? "1/1") and is \(shard ?? "1/1")") }
        if listCount != other.listCount {
            func records(_ count: Int?) -> String { count.map { "\($0) records" } ?? "a stream" }
            phrases.append("the list of inputs had \(records(other.listCount)) and has \(records(listCount))")
        } else if listFingerprint != other.listFingerprint {
            phrases.append("the list of inputs has other records, or another order")
        }
        return phrases
    }
}
