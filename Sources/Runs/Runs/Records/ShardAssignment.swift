import Datasets
import Platform

/// The shard that a scheduler of many machines gives to this process, by its environment.
///
///     let assignment = try ShardAssignment(environment: ProcessInfo.processInfo.environment)
///     print(assignment.shard)      // 2/8
public struct ShardAssignment: Sendable, Equatable {
    /// The shard.
    public let shard: Shard
    /// The variables that say so, each with its value, such as `JOB_COMPLETION_INDEX=1`.
    public let variables: [String]

    /// Reads the variables of Slurm, AWS Batch and Kubernetes.
    ///
    /// - A task of a Slurm array: `SLURM_ARRAY_TASK_ID`, `…_MIN`, `…_STEP` and `…_COUNT`; `…_MAX` where it is set.
    /// - A task of a Slurm job: `SLURM_PROCID` and `SLURM_NTASKS`. One task alone says nothing beside another source.
    /// - A child of an AWS Batch array: `AWS_BATCH_JOB_ARRAY_INDEX`, and `AWS_BATCH_JOB_ARRAY_SIZE` where it is set.
    /// - A pod of a Kubernetes indexed Job: `JOB_COMPLETION_INDEX`, which knows no count.
    ///
    /// - Parameters:
    ///   - environment: The values of variables by their names.
    ///   - count: The number of shards, where the environment does not say it; one that it says must be the same.
    /// - Throws: ``ApusError/usage(_:)`` when no variables, or those of several sources that disagree, say which shard.
    public init(environment: [String: String], count: Int? = nil) throws(ApusError) {
        let sources: [Source] = [.slurmArray, .slurmTasks, .awsBatch, .kubernetes]
        var claims: [Claim] = []
        for source in sources {
            if let claim = try Claim(source, environment) { claims.append(claim) }
        }
        if claims.count > 1 { claims.removeAll { $0.source == .slurmTasks && $0.count == 1 } }
        guard let first = claims.first else {
            throw .usage("none of \(Self.list(sources.map(\.index))) is set, so nothing says which shard this is")
        }
        for other in claims.dropFirst() where !first.agrees(with: other) {
            throw .usage("\(first) and \(other) disagree about the shard")
        }
        let counting = claims.first { $0.count != nil }
        if let count, let counting, let other = counting.count, other != count {
            throw .usage("there are to be \(count) shards, but \(counting) makes \(other)")
        }
        guard let count = count ?? counting?.count else {
            throw .usage(
                "\(first) says which shard this is, but nothing says how many there are; say it, as in auto/8")
        }
        guard let shard = Shard(number: first.position + 1, count: count) else {
            throw .usage("\(first) is shard \(first.position + 1), but there are \(count)")
        }
        self.shard = shard
        variables = claims.flatMap(\.variables)
    }

    /// Names with commas and a last `and` between them.
    private static func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}

/// Where a position among shards comes from.
private enum Source {
    case slurmArray, slurmTasks, awsBatch, kubernetes

    /// The variable without which the source says nothing.
    var index: String {
        switch self {
        case .slurmArray: "SLURM_ARRAY_TASK_ID"
        case .slurmTasks: "SLURM_PROCID"
        case .awsBatch: "AWS_BATCH_JOB_ARRAY_INDEX"
        case .kubernetes: "JOB_COMPLETION_INDEX"
        }
    }
}

/// What one source says.
private struct Claim {
    let source: Source
    /// From 0.
    let position: Int
    let count: Int?
    let variables: [String]

    init?(_ source: Source, _ environment: [String: String]) throws(ApusError) {
        var reader = VariableReader(environment)
        guard let index = try reader.number(source.index) else { return nil }
        self.source = source
        switch source {
        case .slurmArray: (position, count) = try Self.slurmArray(index, &reader)
        case .slurmTasks: (position, count) = (index, try reader.number("SLURM_NTASKS"))
        case .awsBatch: (position, count) = (index, try reader.number("AWS_BATCH_JOB_ARRAY_SIZE"))
        case .kubernetes: (position, count) = (index, nil)
        }
        variables = reader.variables
    }

    /// The ids of an array begin anywhere, and have a distance.
    private static func slurmArray(_ id: Int, _ reader: inout VariableReader) throws(ApusError) -> (Int, Int?) {
        let first = try reader.number("SLURM_ARRAY_TASK_MIN") ?? 0
        let step = max(1, try reader.number("SLURM_ARRAY_TASK_STEP") ?? 1)
        let count = try reader.number("SLURM_ARRAY_TASK_COUNT")
        let last = try reader.number("SLURM_ARRAY_TASK_MAX")
        let isEven = count.flatMap { count in last.map { ($0 - first) / step == count - 1 } } ?? true
        guard isEven, id >= first, (id - first) % step == 0 else {
            throw .usage(
                "\(reader.variables.joined(separator: ", ")): the ids of the array have gaps, so they number no shards")
        }
        return ((id - first) / step, count)
    }

    /// Whether both say the same, as far as both say something.
    func agrees(with other: Claim) -> Bool {
        position == other.position && (count == nil || other.count == nil || count == other.count)
    }
}

extension Claim: CustomStringConvertible {
    var description: String { variables.joined(separator: ", ") }
}

/// Reads numbers of an environment, and notes what it has read.
private struct VariableReader {
    private let environment: [String: String]
    private(set) var variables: [String] = []

    init(_ environment: [String: String]) { self.environment = environment }

    /// A number from 0; nil where the variable is not set, or empty.
    mutating func number(_ name: String) throws(ApusError) -> Int? {
        guard let text = environment[name], !text.isEmpty else { return nil }
        // A greater number could not be counted with.
        guard let number = Int(text), (0...Int(Int32.max)).contains(number) else {
            throw .usage("\(name) is \"\(text.printable)\", which is no number of a shard")
        }
        variables.append("\(name)=\(number)")
        return number
    }
}
