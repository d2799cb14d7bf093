/**
 * What can go wrong in the command itself. What goes wrong below it keeps the error of the package it comes from.
 *
 * None of them holds an API key or a URL with one.
 */
import * as Schema from "effect/Schema"

/** The arguments make no sense; `problem` says which and why. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

/**
 * No service runs from this data folder: none was ever started there (`never`), it was stopped (`stopped`), or it ended
 * without a word (`gone`).
 */
export class NoService extends Schema.TaggedError<NoService>()("NoService", {
  folder: Schema.String,
  state: Schema.Literals(["never", "stopped", "gone"])
}) {
  override get message(): string {
    const what = {
      never: "no service was started from",
      stopped: "the service was stopped that ran from",
      gone: "the service is gone that ran from"
    }[this.state]
    return `${what} ${this.folder}: start one with "plumbline up", or name a node with --url`
  }
}

/** Another `up` runs on this data folder and answers at `url`. */
export class AlreadyRunning extends Schema.TaggedError<AlreadyRunning>()("AlreadyRunning", {
  folder: Schema.String,
  url: Schema.String,
  pid: Schema.Int
}) {
  override get message(): string {
    return `a service runs on ${this.folder} already, at ${this.url} (process ${this.pid}): stop it, or choose another folder with --data`
  }
}

/** The service has no network of this name. */
export class UnknownNetwork extends Schema.TaggedError<UnknownNetwork>()("UnknownNetwork", {
  network: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `the service has no network "${this.network}", only: ${this.known.join(", ")}`
  }
}

/**
 * A file or folder of the service cannot be used: `Damaged` is not what this command wrote, and stays as it is for its
 * owner to repair; `InUse` is another process at it; for the others the system refused, with its error code.
 */
export class DataError extends Schema.TaggedError<DataError>()("DataError", {
  path: Schema.String,
  problem: Schema.Literals(["Damaged", "InUse", "Unreadable", "Unwritable"]),
  detail: Schema.String
}) {
  override get message(): string {
    const what = {
      Damaged: "is damaged",
      InUse: "is in use",
      Unreadable: "cannot be read",
      Unwritable: "cannot be written"
    }[this.problem]
    const why = reasons[this.detail]
    return `${this.path} ${what}: ${why === undefined ? this.detail : `${why} (${this.detail})`}`
  }
}

/** What the system means by its commonest codes. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  EACCES: "this user may not",
  EPERM: "this user may not",
  EISDIR: "it is a folder",
  EEXIST: "there is a file in its way",
  ENOTDIR: "there is a file in its way",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EROFS: "the disk is read-only",
  EPIPE: "the program that reads from it has left",
  ELOOP: "its symlinks lead in a circle"
}

/** There is something already where the command would write. */
export class AlreadyExists extends Schema.TaggedError<AlreadyExists>()("AlreadyExists", { path: Schema.String }) {
  override get message(): string {
    return `${this.path} exists already: choose another place with -o, or write over it with --force`
  }
}

/** The command was told to stop before it was done; `reason` is who told it. What it had written is gone again. */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", { reason: Schema.String }) {
  override get message(): string {
    return `${this.reason}: nothing was written`
  }
}

/** The chain under the service ended by itself. */
export class ChainEnded extends Schema.TaggedError<ChainEnded>()("ChainEnded", {
  network: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `the node of the network ${this.network} ended (${this.detail}), so the service ends too`
  }
}
