import Apus
import Planning
import Testing

@Suite("What is left of a run's time")
struct TimelineRestTests {
    private func slice(_ work: ExecutionTimeline.Work, _ range: Range<Int64>) -> ExecutionTimeline.Slice {
        ExecutionTimeline.Slice(work, layer: 0, start: range.lowerBound, end: range.upperBound)
    }

    @Test("Without a device copies are copies, and nothing overlaps")
    func host() {
        let rest = TimelineRest(
            host: [slice(.step, 0..<10), slice(.copy, 12..<15), slice(.step, 15..<30), slice(.copy, 30..<31)],
            device: [])
        #expect((rest.copies, rest.waiting, rest.overlap) == (4, 0, 0))
    }

    @Test("Waiting is what the device does not use, and overlap what both use")
    func device() {
        let rest = TimelineRest(
            host: [
                slice(.copy, 0..<4), slice(.enqueue, 4..<10), slice(.step, 10..<20), slice(.wait, 20..<40),
                slice(.copy, 40..<42),
            ],
            device: [slice(.step, 5..<12), slice(.step, 15..<18), slice(.step, 22..<30), slice(.step, 31..<39)])
        #expect(rest.copies == 6)
        // 10..<12 and 15..<18, while the processor worked.
        #expect(rest.overlap == 5)
        // 20..<22, 30..<31 and 39..<40.
        #expect(rest.waiting == 4)
    }

    @Test("A command of the device that spans several slices is shared among them")
    func spanning() {
        let rest = TimelineRest(
            host: [slice(.step, 0..<10), slice(.step, 10..<20), slice(.wait, 20..<50)], device: [slice(.step, 5..<45)])
        #expect((rest.copies, rest.waiting, rest.overlap) == (0, 5, 15))
    }
}
