// The computed verdicts, such as `agrees`, are encoded too.

extension Comparison: Encodable {
    private enum Key: String, CodingKey {
        case model, version, batch, inputs, isSeeded, tolerance, reference, agrees, results, fastest, plannersChoice,
            layers, peers
        case fusedValues
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(model, forKey: .model)
        try container.encode(version, forKey: .version)
        try container.encode(batch, forKey: .batch)
        try container.encode(inputs, forKey: .inputs)
        try container.encode(isSeeded, forKey: .isSeeded)
        try container.encode(tolerance, forKey: .tolerance)
        try container.encode(reference, forKey: .reference)
        try container.encode(agrees, forKey: .agrees)
        try container.encode(results, forKey: .results)
        try container.encode(results[fastest].name, forKey: .fastest)
        try container.encode(plannersChoice.map { results[$0].name }, forKey: .plannersChoice)
        try container.encode(layers, forKey: .layers)
        try container.encode(fusedValues, forKey: .fusedValues)
        if !peers.isEmpty { try container.encode(peers, forKey: .peers) }
    }
}
