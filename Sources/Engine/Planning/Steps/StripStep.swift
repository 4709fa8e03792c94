/// Runs the operations of a ``StripChain``.
struct StripStep: Step {
    let chain: StripChain
    let stages: [any RowStep]
    /// The first input of the first operation.
    let input: Operand
    /// The output of the last operation.
    let output: Operand
    let scratch: Operand

    /// The rows of a value that a worker has. Those before `fresh` come from the strip before, of the same or the
    /// preceding piece.
    struct Held: BitwiseCopyable {
        var first = 0
        var fresh = 0
        var end = 0

        var newRows: Range<Int> { fresh..<end }
    }

    /// The beginning of a worker's memory: the piece that follows the last one that the worker ran, and the rows held
    /// of each value between operations.
    private struct Progress {
        let nextPiece: UnsafeMutablePointer<Int>
        let held: UnsafeMutablePointer<Held>

        init(_ memory: UnsafeMutableRawPointer, count: Int) {
            nextPiece = memory.bindMemory(to: Int.self, capacity: 1)
            held = (memory + MemoryLayout<Int>.stride).bindMemory(to: Held.self, capacity: count)
        }
    }

    static func progressByteCount(buffers: Int) -> Int {
        MemoryLayout<Int>.stride + buffers * MemoryLayout<Held>.stride
    }

    private struct Run {
        let step: StripStep
        let context: StepContext
    }

    private func memory(ofWorker worker: Int, _ context: StepContext) -> UnsafeMutableRawPointer {
        context.memory.mutableAddress(scratch) + worker * chain.workerByteCount
    }

    func run(_ context: StepContext) {
        for worker in 0..<chain.workerCount {
            Progress(memory(ofWorker: worker, context), count: chain.buffers.count).nextPiece.pointee = -1
        }
        withUnsafePointer(to: Run(step: self, context: context)) { run in
            context.workers.run(chain.pieceCount, UnsafeRawPointer(run)) { run, index, worker in
                let run = run.assumingMemoryBound(to: Run.self)
                run.pointee.step.runPiece(index, worker, run.pointee.context)
            }
        }
    }

    private func runPiece(_ index: Int, _ worker: Int, _ context: StepContext) {
        let (image, piece) = index.quotientAndRemainder(dividingBy: chain.piecesPerImage)
        let memory = memory(ofWorker: worker, context)
        let progress = Progress(memory, count: chain.buffers.count)
        let held = progress.held
        if piece == 0 || progress.nextPiece.pointee != index {
            held.initialize(repeating: Held(), count: chain.buffers.count)
        }
        progress.nextPiece.pointee = index + 1
        let rows = chain.rows(ofPiece: piece)
        var first = rows.lowerBound
        while first < rows.upperBound {
            let end = min(first + chain.rowsPerStrip, rows.upperBound)
            keepRows(for: first..<end, held, memory)
            computeRows(first..<end, image, worker, held, memory, context)
            first = end
        }
    }

    /// Finds the rows that each value between operations must have, from the last value to the first, and moves those
    /// that are present to the beginning of the value's memory.
    private func keepRows(for rows: Range<Int>, _ held: UnsafeMutablePointer<Held>, _ memory: UnsafeMutableRawPointer) {
        var wanted = rows
        for (index, buffer) in chain.buffers.enumerated().reversed() {
            if wanted.isEmpty {
                held[index].fresh = held[index].end
                continue
            }
            let needed = chain.windows[index].wholeGroups(chain.windows[index + 1].inputRows(for: wanted))
            let fresh = min(max(needed.lowerBound, held[index].end), needed.upperBound)
            if fresh > needed.lowerBound, needed.lowerBound > held[index].first {
                let rows = memory + buffer.offset
                rows.copyMemory(
                    from: rows + (needed.lowerBound - held[index].first) * buffer.rowByteCount,
                    byteCount: (fresh - needed.lowerBound) * buffer.rowByteCount)
            }
            held[index] = Held(first: needed.lowerBound, fresh: fresh, end: needed.upperBound)
            wanted = held[index].newRows
        }
    }

    private func computeRows(
        _ rows: Range<Int>, _ image: Int, _ worker: Int, _ held: UnsafeMutablePointer<Held>,
        _ memory: UnsafeMutableRawPointer, _ context: StepContext
    ) {
        for (index, stage) in stages.enumerated() {
            let isLast = index == chain.buffers.count
            let wanted = isLast ? rows : held[index].newRows
            if wanted.isEmpty { continue }
            let firstRow = chain.windows[index].inputRows(for: wanted).lowerBound
            let source: UnsafeRawPointer
            if index > 0 {
                let buffer = chain.buffers[index - 1]
                source = UnsafeRawPointer(
                    memory + buffer.offset + (firstRow - held[index - 1].first) * buffer.rowByteCount)
            } else {
                source = context.memory.address(input) + input.byteOffset(image: image, row: firstRow)
            }
            let destination: UnsafeMutableRawPointer
            if isLast {
                destination =
                    context.memory.mutableAddress(output) + output.byteOffset(image: image, row: wanted.lowerBound)
            } else {
                let buffer = chain.buffers[index]
                destination = memory + buffer.offset + (wanted.lowerBound - held[index].first) * buffer.rowByteCount
            }
            let strip = Strip(
                image: image, rows: wanted, input: source, output: destination,
                scratch: memory + chain.scratchOffset)
            if let recorder = context.recorder {
                recorder.recordStage(chain.operations.lowerBound + index, thread: worker) { stage.run(strip, context) }
            } else {
                stage.run(strip, context)
            }
        }
    }
}

extension Operand {
    /// The offset of a row of an image in an operand `[N, C, H, W]`.
    fileprivate func byteOffset(image: Int, row: Int) -> Int {
        (image * strides[0] + row * strides[2]) * elementType.byteCount
    }
}
