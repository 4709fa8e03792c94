/// A program as closures, one for each instruction.
struct PTXCode: Sendable {
    typealias Source = @Sendable (PTXThread) throws -> UInt64
    /// Executes an instruction; it may change the thread's place and state.
    typealias Step = @Sendable (PTXThread) throws -> Void
    /// Executes an instruction of all lanes of a warp.
    typealias Together = @Sendable ([PTXThread]) throws -> Void

    let program: PTXProgram
    private var steps: [Step] = []
    /// What the lanes of a warp do together.
    private var together: [Int: Together] = [:]

    init(_ program: PTXProgram) throws {
        self.program = program
        for (place, instruction) in program.instructions.enumerated() {
            do {
                let builder = PTXInstructionBuilder(instruction)
                if let together = try builder.together() {
                    self.together[place] = together
                    steps.append { $0.state = .withWarp }
                    continue
                }
                let step = try builder.step()
                if let predicate = instruction.predicate {
                    let wanted: UInt64 = instruction.isPredicateNegated ? 0 : 1
                    steps.append { if $0.registers[predicate] == wanted { try step($0) } }
                } else {
                    steps.append(step)
                }
            } catch {
                throw PTXProgram.Failure(description: "\(instruction.line): \(error)")
            }
        }
    }

    func line(_ place: Int) -> String { program.instructions[place].line }

    /// Runs a work-item until it waits or ends.
    func run(_ thread: PTXThread) throws {
        while thread.state == .running {
            let place = thread.place
            guard steps.indices.contains(place) else {
                throw PTXProgram.Failure(description: "the program has no end")
            }
            do {
                try steps[place](thread)
            } catch {
                throw PTXProgram.Failure(description: "\(line(place)): \(error)")
            }
            thread.steps += 1
            guard thread.steps <= PTXMachine.maximumSteps else {
                throw PTXProgram.Failure(description: "a work-item does not end")
            }
            if thread.state != .withWarp { thread.place += 1 }
        }
    }

    func runTogether(_ warp: [PTXThread]) throws {
        let place = warp[0].place
        do {
            try together[place]?(warp)
        } catch {
            throw PTXProgram.Failure(description: "\(line(place)): \(error)")
        }
    }
}
