import Apus
import Foundation
import Graphs
import Testing

@Suite("Following objects")
struct TrackerTests {
    private func object(_ x: Float, _ y: Float, class index: Int = 0) -> RecognizedObject {
        RecognizedObject(
            confidence: 0.9, box: NormalizedBox(x: x, y: y, width: 0.1, height: 0.2),
            labels: [ClassificationObservation(index: index, label: nil, confidence: 0.9)])
    }

    @Test("Two things that cross keep their numbers, though they change places in the list")
    func crossing() {
        var tracker = ObjectTracker()
        for frame in 0..<40 {
            let distance = Float(frame) * 0.02
            let pair = [object(0.05 + distance, 0.1), object(0.85 - distance, 0.24)]
            let found = tracker.update(frame.isMultiple(of: 2) ? pair : pair.reversed())
            let ids = frame.isMultiple(of: 2) ? found.map(\.trackID) : found.reversed().map(\.trackID)
            #expect(ids == [1, 2], "frame \(frame)")
        }
    }

    @Test("A thing that is hidden for some frames keeps its number, since its way is predicted")
    func hidden() {
        var tracker = ObjectTracker(.init(maximumMisses: 5))
        var ids: Set<Int?> = []
        for frame in 0..<30 {
            // The object moves by half its width in four frames, also while it is not detected.
            let objects = (12..<16).contains(frame) ? [] : [object(0.1 + Float(frame) * 0.025, 0.4)]
            for object in tracker.update(objects) { ids.insert(object.trackID) }
        }
        #expect(ids == [1])
        // After more missing frames than allowed it becomes a new object.
        for _ in 0..<7 { _ = tracker.update([]) }
        var last: Int?
        for _ in 0..<5 { last = tracker.update([object(0.1, 0.4)]).first?.trackID }
        #expect(last == 2)
    }

    @Test("What is seen once gets no number, and none is used up")
    func flickering() {
        var tracker = ObjectTracker()
        for frame in 0..<20 {
            var objects = [object(0.1, 0.1)]
            if frame > 5, frame.isMultiple(of: 4) { objects.append(object(0.7, 0.6)) }
            let found = tracker.update(objects)
            #expect(found[0].trackID == 1)
            if found.count > 1 { #expect(found[1].trackID == nil) }
        }
        var ids: [Int?] = []
        for _ in 0..<3 { ids.append(tracker.update([object(0.1, 0.1), object(0.4, 0.7)])[1].trackID) }
        #expect(ids == [nil, nil, 2])
    }

    @Test("Things of other classes are other things, unless classes do not matter")
    func classes() {
        var tracker = ObjectTracker()
        var indifferent = ObjectTracker(.init(matchesClasses: false))
        for index in [0, 0, 1] {
            let id = tracker.update([object(0.1, 0.1, class: index)]).first?.trackID
            #expect(id == (index == 0 ? 1 : 2))
            #expect(indifferent.update([object(0.1, 0.1, class: index)]).first?.trackID == 1)
        }
    }

    @Test("The assignment of least cost is found, as trying all of them does", arguments: UInt64(1)...40)
    func assignment(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rows = 1 + Int(generator.nextUnit() * 5), columns = 1 + Int(generator.nextUnit() * 5)
        let costs = (0..<rows).map { _ in (0..<columns).map { _ in (generator.nextUnit() * 10).rounded() - 5 } }
        func total(_ assigned: [Int?]) -> Double {
            zip(costs, assigned).reduce(0) { sum, row in sum + (row.1.map { row.0[$0] } ?? 0) }
        }
        var least = Double.infinity
        func tryAll(_ row: Int, _ used: Set<Int>, _ sum: Double, _ count: Int) {
            guard row < rows else {
                if count == min(rows, columns) { least = min(least, sum) }
                return
            }
            for column in 0..<columns where !used.contains(column) {
                tryAll(row + 1, used.union([column]), sum + costs[row][column], count + 1)
            }
            if rows > columns { tryAll(row + 1, used, sum, count) }
        }
        tryAll(0, [], 0, 0)
        let found = Assignment.minimumCost(costs)
        let columnsFound = found.compactMap { $0 }
        #expect(columnsFound.count == min(rows, columns))
        #expect(Set(columnsFound).count == columnsFound.count)
        #expect(abs(total(found) - least) < 1e-9)
    }

    @Test("A box that moves at constant speed is predicted where it will be")
    func prediction() {
        var filter = BoxFilter(NormalizedBox(x: 0.1, y: 0.2, width: 0.1, height: 0.2))
        for frame in 1...20 {
            filter.predict()
            filter.correct(NormalizedBox(x: 0.1 + Float(frame) * 0.01, y: 0.2, width: 0.1, height: 0.2))
        }
        for _ in 0..<5 { filter.predict() }
        #expect(abs(filter.box.x - 0.35) < 0.002)
        #expect(abs(filter.box.y - 0.2) < 0.002)
        #expect(abs(filter.box.width - 0.1) < 0.002)
    }
}
