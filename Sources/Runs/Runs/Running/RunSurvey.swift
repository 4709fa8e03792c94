import Datasets
import FoundationEssentials
import Glibc
import Platform

/// The counts and hash of a run's records, known before the first is read.
struct RunSurvey: Sendable {
    /// What the listing found.
    let listed: DatasetSurvey
    /// The number of records of the shard.
    let count: Int
    /// The width of the longest id in terminal columns.
    let idWidth: Int
    /// The first listing of folders and frames; nil when there are none, or no list could be kept.
    private(set) var list: FirstListing?

    /// The number of records.
    var listCount: Int { listed.recordCount }
    /// A hash of the records' ids.
    var fingerprint: String { String(listed.fingerprint, radix: 16) }
    /// The files of folders that were passed over.
    var passedOver: SkippedFiles { listed.passedOver }

    /// Lists a run's records. The first listing of folders is kept beside the output, and a resumed run uses it again.
    /// For an output that cannot be resumed, the listing is a temporary file.
    ///
    /// Nil for a dataset that cannot be listed ahead.
    ///
    /// - Throws: ``ApusError``; ``ApusError/cancelled`` when the run is asked to end during the listing.
    init?(_ dataset: any Dataset, shard: Shard?, output: RunOutput) throws(ApusError) {
        guard dataset.canBeListedAhead else { return nil }
        do throws(ApusError) {
            if !dataset.keepsFirstListing {
                try self.init(dataset.records(), shard)
            } else if let reservation = output.reservation {
                self = try Self.kept(dataset, shard, reservation)
            } else {
                self = try Self.temporary(dataset, shard)
            }
        } catch {
            throw GracefulStop.isEnding ? .cancelled : error
        }
    }

    private init(_ listing: RecordListing, _ shard: Shard?) throws(ApusError) {
        var (count, width) = (0, 0)
        listed = try DatasetSurvey(listing) { record throws(ApusError) in
            if GracefulStop.isEnding { throw .cancelled }
            // All shards use the same column width, since their tables may be merged.
            width = max(width, record.id.printable.columnCount)
            guard shard?.contains(record.id) ?? true else { return }
            count += 1
        }
        (self.count, idWidth) = (count, width)
    }

    /// Lists the records and writes the listing to a file.
    private init(_ dataset: any Dataset, _ shard: Shard?, to file: OutputFile) throws(ApusError) {
        let list = FirstListing(writingTo: file)
        try self.init(dataset.records(keeping: list), shard)
        try list.flush()
    }

    private static func kept(
        _ dataset: any Dataset, _ shard: Shard?, _ reservation: RunReservation
    ) throws(ApusError) -> RunSurvey {
        let path = FirstListing.path(of: reservation.path)
        if let identity = reservation.earlier?.identity {
            if access(path, F_OK) == 0 {
                let list = try FirstListing(reading: path)
                do throws(ApusError) {
                    var survey = try RunSurvey(dataset.records(keeping: list), shard)
                    survey.list = try FirstListing(reading: path)
                    return survey
                } catch {
                    // Other inputs may name the same records; the listing shows whether they do.
                    guard list.isOther else { throw error }
                }
            }
            // The existing list stays unless that listing succeeds.
            let survey = try RunSurvey(dataset.records(), shard)
            guard survey.listCount == identity.listCount, survey.fingerprint == identity.listFingerprint else {
                return survey
            }
        }
        var survey: RunSurvey?
        try OutputFile.replace(path) { file in
            survey = try RunSurvey(dataset, shard, to: file)
            try file.synchronize()
        }
        survey?.list = try FirstListing(reading: path)
        guard let survey else { throw .bug("\(path): was written without a list") }
        return survey
    }

    private static func temporary(_ dataset: any Dataset, _ shard: Shard?) throws(ApusError) -> RunSurvey {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appendingPathComponent("apus-\(UUID().uuidString).list").path
        // Folders are listed twice when no file can be written.
        guard let file = try? OutputFile(path: path) else { return try RunSurvey(dataset.records(), shard) }
        defer { unlink(path) }
        var survey = try RunSurvey(dataset, shard, to: file)
        survey.list = try FirstListing(reading: path)
        return survey
    }
}
