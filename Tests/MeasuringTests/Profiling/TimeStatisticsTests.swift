import Apus
import Measuring
import Testing

@Suite("Statistics of times")
struct TimeStatisticsTests {
    @Test("Of no times there are none")
    func nothing() { #expect(TimeStatistics(seconds: []) == nil) }

    @Test("Of one time everything is that time")
    func one() throws {
        let statistics = try #require(TimeStatistics(seconds: [0.25]))
        #expect(statistics.count == 1)
        #expect(
            [statistics.minimum, statistics.maximum, statistics.mean, statistics.p50, statistics.p90, statistics.p99]
                == [Double](repeating: 0.25, count: 6))
        #expect(statistics.standardDeviation == 0)
    }

    @Test("Known times have known statistics, in any order")
    func known() throws {
        // numpy.percentile and numpy.std(ddof=1) of the same numbers.
        let statistics = try #require(TimeStatistics(seconds: [8, 1, 2, 4]))
        #expect(statistics.count == 4)
        #expect((statistics.minimum, statistics.maximum) == (1, 8))
        #expect(statistics.mean == 3.75)
        #expect(statistics.p50 == 3)
        #expect(abs(statistics.p90 - 6.8) < 1e-12)
        #expect(abs(statistics.p99 - 7.88) < 1e-12)
        #expect(abs(statistics.standardDeviation - 3.095695936834452) < 1e-12)
    }

    @Test("Percentiles of a hundred and one numbers are those numbers")
    func hundred() throws {
        let statistics = try #require(TimeStatistics(seconds: (0...100).reversed().map(Double.init)))
        #expect((statistics.p50, statistics.p90, statistics.p99) == (50, 90, 99))
        #expect(abs(statistics.standardDeviation - 29.300170647967224) < 1e-12)
    }
}
