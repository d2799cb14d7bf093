/** The errors of starting a chain: one error with a tagged reason, and one for the end of a running chain. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

const text = (value: string): string => (value === "" ? "" : `: ${value.trim()}`)

/**
 * There is no program to start.
 *
 * | problem | meaning |
 * | --- | --- |
 * | `NoSuchPlatform` | Foundry publishes no binary for this platform and architecture |
 * | `NotInstalled` | the npm package with the binary is missing, because optional dependencies were left out |
 * | `NotExecutable` | there is no executable file at `path`, which comes from the options or the package |
 * | `NoShell` | `/bin/sh`, which watches over the chain, could not be started |
 */
export class AnvilUnavailable extends Schema.TaggedError<AnvilUnavailable>()("AnvilUnavailable", {
  problem: Schema.Literals(["NoSuchPlatform", "NotInstalled", "NotExecutable", "NoShell"]),
  platform: Schema.String,
  arch: Schema.String,
  /** The missing file or npm package. */
  path: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const instead = "set PLUMBLINE_ANVIL or the option `binary` to the anvil of your own"
    switch (this.problem) {
      case "NoSuchPlatform":
        return `no anvil is published for ${this.platform} on ${this.arch}: ${instead}`
      case "NotInstalled":
        return `${this.path} is not installed: install with optional dependencies, or ${instead}`
      case "NotExecutable":
        return `${this.path} cannot be executed`
      case "NoShell":
        return `${this.path} cannot be started`
    }
  }
}

/**
 * The program ended before it listened, for example because of a busy port, an invalid state file or an unknown flag.
 *
 * `exitCode` is null if a signal ended the program. `stderr` is the end of its standard error, at most 4 KiB.
 */
export class AnvilDidNotStart extends Schema.TaggedError<AnvilDidNotStart>()("AnvilDidNotStart", {
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String
}) {
  override get message(): string {
    return `anvil did not start, ${ending(this)}`
  }
}

/** The program runs, but does not listen, or does not answer `eth_chainId` like a chain. */
export class AnvilDidNotAnswer extends Schema.TaggedError<AnvilDidNotAnswer>()("AnvilDidNotAnswer", {
  /** The time limit for the answer. */
  within: Schema.Duration,
  /** The response, if the program sent one, but not a valid answer. */
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `anvil did not answer within ${Duration.format(this.within)}${text(this.detail ?? "")}`
  }
}

/**
 * The chain could not be started.
 *
 * Handle one reason with `Effect.catchReason("AnvilError", "AnvilUnavailable", ...)`.
 *
 * ```ts import.meta.vitest
 * import { AnvilError } from "@plumbline/devnet"
 *
 * const reason = new AnvilError.AnvilDidNotStart({
 *   exitCode: 1,
 *   signal: null,
 *   stderr: "Error: Address already in use (os error 98)\n"
 * })
 * const { message } = new AnvilError.AnvilError({ reason })
 * message // => "anvil did not start, exit code 1: Error: Address already in use (os error 98)"
 * ```
 */
export class AnvilError extends Schema.TaggedError<AnvilError>()("AnvilError", {
  reason: Schema.Union([AnvilUnavailable, AnvilDidNotStart, AnvilDidNotAnswer])
}) {
  override get message(): string {
    return this.reason.message
  }
}

/**
 * The chain is gone: its process ended by itself, by a signal, or because its scope was closed.
 *
 * `exitCode` is null if a signal ended the process. `stderr` is the end of its standard error, at most 4 KiB.
 */
export class AnvilExited extends Schema.TaggedError<AnvilExited>()("AnvilExited", {
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String
}) {
  override get message(): string {
    return `anvil ended, ${ending(this)}`
  }
}

const ending = (end: {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stderr: string
}): string => `${end.signal === null ? `exit code ${end.exitCode}` : `signal ${end.signal}`}${text(end.stderr)}`
