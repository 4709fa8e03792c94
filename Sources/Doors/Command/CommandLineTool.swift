import Apus
import ArgumentParser
import FoundationEssentials
import Glibc
import SharedOptions

/// The process: parses arguments, runs a command, and ends with the exit code of its outcome.
@main
enum CommandLineTool {
    static func main() async {
        MemoryShortage.prepare()
        // Closed pipes and file size limits become errors of the write instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // A program that starts this one may ignore it, and then the system keeps no status of children.
        signal(SIGCHLD, SIG_DFL)
        reserveStandardDescriptors()
        Catalog.ownProcess()
        if CommandLine.arguments.dropFirst() == [DriverTrial.argument] { DriverTrial.load() }
        Catalog.tryDrivers(DriverTrial.failure)
        let work = Task { await run(Array(CommandLine.arguments.dropFirst())) }
        Interruption.watch(work)
        let status = await work.value
        if status == .readerGone { endByClosedPipe() }
        // The process exits without cleanup, because kernels of a cancelled session may still be running.
        _exit(status.rawValue)
    }

    /// Ends the process by SIGPIPE, so that shells and schedulers see that the output was not read completely.
    private static func endByClosedPipe() {
        signal(SIGPIPE, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGPIPE)
    }

    /// Replaces closed standard descriptors by one that cannot be written, so that no file opened later gets such a
    /// number and receives the results.
    private static func reserveStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    private static func run(_ arguments: [String]) async -> ExitStatus {
        var isDescription = false
        do {
            if arguments.isEmpty {
                try StandardOutput.write([ApusCommand.welcome])
                return .done
            }
            if Set(arguments) == ["--version", "--json"] {
                try StandardOutput.write(json: VersionReport())
                return .done
            }
            var command = try ApusCommand.parseAsRoot(ApusCommand.joiningNegativeNumbers(arguments))
            isDescription =
                command is InspectCommand || command is PlanCommand || command is DevicesCommand
                || command is DoctorCommand
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .done
        } catch let status as ExitStatus {
            return status
        } catch OutputError.readerGone {
            // A reader may stop after the beginning of a description, such as the help.
            return isDescription ? .done : .readerGone
        } catch let error as OutputError {
            return fail(ApusError(error))
        } catch let error as ApusError {
            return fail(error)
        } catch is CancellationError {
            return fail(.cancelled)
        } catch {
            return answer(error, arguments)
        }
    }

    private static func fail(_ error: ApusError) -> ExitStatus {
        var message = "\(error)".shortened
        if let limit = MemorySize.sufficient(forRefused: MemoryBudget.process.maximumRefusedBytes),
            ExitStatus(error) == .unreadableOrUnwritable
        {
            message += "; --memory-limit \(limit) should suffice"
        } else if case .memory = error {
            message += " (see --memory-limit)"
        }
        StandardError.write("apus: \(message)")
        return ExitStatus(error)
    }

    /// Prints help or the version if requested. Any other error of the parser is wrong usage.
    private static func answer(_ error: any Error, _ arguments: [String]) -> ExitStatus {
        guard ApusCommand.exitCode(for: error) == .success else {
            let isUsage = ApusCommand.exitCode(for: error) == .validationFailure
            guard isUsage else { return fail(.bug("\(error)")) }
            return fail(.usage(ApusCommand.usageMessage(for: error, arguments)))
        }
        let isAboutCommand = !(arguments.first ?? "-").hasPrefix("-")
        if isAboutCommand, let message = ApusCommand.unknownCommand(arguments) { return fail(.usage(message)) }
        do {
            var text = ApusCommand.fullMessage(for: error, columns: HelpText.unlimited)
            if text.hasPrefix("OVERVIEW: ") { text = HelpText(text).text(columns: HelpText.columnCount) }
            try OutputFile.standardOutput().write(text + "\n")
            return .done
        } catch .readerGone {
            return .done
        } catch {
            return fail(ApusError(error))
        }
    }
}

extension String {
    /// The text, with its middle left out if it is too long for a line, since names in a file can have any length.
    var shortened: String {
        let maximum = 900
        guard utf8.count > maximum, unicodeScalars.count > maximum else { return self }
        let ends = (unicodeScalars.prefix(maximum / 2), unicodeScalars.suffix(maximum / 2))
        return "\(String(ends.0)) … \(String(ends.1))"
    }
}
