import Apus
import Testing

@Suite("The shard that a scheduler gives")
struct ShardAssignmentTests {
    private static func assignment(_ variables: String, count: Int? = nil) throws -> ShardAssignment {
        let pairs = variables.split(separator: " ").map { $0.split(separator: "=", omittingEmptySubsequences: false) }
        let environment = Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
        return try ShardAssignment(environment: environment, count: count)
    }

    private static let array = "SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_STEP=2"
    private static let evenArray = array + " SLURM_ARRAY_TASK_MAX=9"

    @Test(
        "Each scheduler's variables are read",
        arguments: [
            ("\(array) SLURM_ARRAY_TASK_ID=3", nil, "1/4"), ("\(evenArray) SLURM_ARRAY_TASK_ID=9", nil, "4/4"),
            ("\(evenArray) SLURM_ARRAY_TASK_ID=5", 4, "2/4"),
            ("\(evenArray) SLURM_ARRAY_TASK_ID=5 SLURM_PROCID=0 SLURM_NTASKS=1", nil, "2/4"),
            ("SLURM_PROCID=0 SLURM_NTASKS=8", nil, "1/8"), ("SLURM_PROCID=7 SLURM_NTASKS=8", nil, "8/8"),
            ("SLURM_PROCID=0 SLURM_NTASKS=1", nil, "1/1"),
            ("AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=3", nil, "3/3"),
            ("AWS_BATCH_JOB_ARRAY_INDEX=2", 5, "3/5"), ("JOB_COMPLETION_INDEX=0", 8, "1/8"),
            ("JOB_COMPLETION_INDEX=1 AWS_BATCH_JOB_ARRAY_INDEX=1 AWS_BATCH_JOB_ARRAY_SIZE=4", nil, "2/4"),
            ("JOB_COMPLETION_INDEX=1 SLURM_PROCID=", 2, "2/2"),
        ] as [(String, Int?, String)])
    func reads(_ variables: String, _ count: Int?, _ expected: String) throws {
        #expect(try Self.assignment(variables, count: count).shard == Shard(expected))
    }

    @Test(
        "What is unclear is refused, with the variables",
        arguments: [
            (
                "HOME=/", nil,
                "none of SLURM_ARRAY_TASK_ID, SLURM_PROCID, AWS_BATCH_JOB_ARRAY_INDEX and JOB_COMPLETION_INDEX"
            ),
            ("SLURM_NTASKS=8 AWS_BATCH_JOB_ARRAY_SIZE=3", 8, "is set, so nothing says which shard this is"),
            (
                "JOB_COMPLETION_INDEX=1", nil,
                "JOB_COMPLETION_INDEX=1 says which shard this is, but nothing says how many"
            ),
            ("SLURM_PROCID=1", nil, "SLURM_PROCID=1 says which shard this is, but nothing says how many"),
            ("JOB_COMPLETION_INDEX=8", 8, "JOB_COMPLETION_INDEX=8 is shard 9, but there are 8"),
            ("SLURM_PROCID=8 SLURM_NTASKS=8", nil, "SLURM_PROCID=8, SLURM_NTASKS=8 is shard 9, but there are 8"),
            ("SLURM_PROCID=0 SLURM_NTASKS=0", nil, "is shard 1, but there are 0"),
            (
                "SLURM_PROCID=1 SLURM_NTASKS=4", 8,
                "there are to be 8 shards, but SLURM_PROCID=1, SLURM_NTASKS=4 makes 4"
            ),
            ("SLURM_PROCID=1 SLURM_NTASKS=4 JOB_COMPLETION_INDEX=2", nil, "JOB_COMPLETION_INDEX=2 disagree"),
            (
                "AWS_BATCH_JOB_ARRAY_INDEX=1 AWS_BATCH_JOB_ARRAY_SIZE=3 SLURM_PROCID=1 SLURM_NTASKS=4", nil,
                "SLURM_PROCID=1, SLURM_NTASKS=4 and AWS_BATCH_JOB_ARRAY_INDEX=1, AWS_BATCH_JOB_ARRAY_SIZE=3 disagree"
            ),
            ("\(evenArray) SLURM_ARRAY_TASK_ID=4", nil, "the ids of the array have gaps"),
            ("\(evenArray) SLURM_ARRAY_TASK_ID=1", nil, "the ids of the array have gaps"),
            ("\(array) SLURM_ARRAY_TASK_MAX=20 SLURM_ARRAY_TASK_ID=5", nil, "the ids of the array have gaps"),
            ("JOB_COMPLETION_INDEX=-1", 8, "JOB_COMPLETION_INDEX is \"-1\", which is no number of a shard"),
            ("JOB_COMPLETION_INDEX=one", 8, "JOB_COMPLETION_INDEX is \"one\", which is no number of a shard"),
            ("JOB_COMPLETION_INDEX=9223372036854775807", 8, "which is no number of a shard"),
        ] as [(String, Int?, String)])
    func refuses(_ variables: String, _ count: Int?, _ message: String) throws {
        do {
            let assignment = try Self.assignment(variables, count: count)
            Issue.record("\(assignment.shard) was taken")
        } catch ApusError.usage(let found) {
            #expect(found.contains(message), "\(found)")
        }
    }

    @Test("The variables that were read are named with their values")
    func namesVariables() throws {
        let variables = try Self.assignment("\(Self.evenArray) SLURM_ARRAY_TASK_ID=5 SLURM_PROCID=0 SLURM_NTASKS=1")
            .variables
        #expect(
            variables == [
                "SLURM_ARRAY_TASK_ID=5", "SLURM_ARRAY_TASK_MIN=3", "SLURM_ARRAY_TASK_STEP=2",
                "SLURM_ARRAY_TASK_COUNT=4", "SLURM_ARRAY_TASK_MAX=9",
            ])
    }
}
