/**
 * The errors of a light client that cannot start. A lie is a `RefutedError` instead, and a missing answer is a
 * `BeaconApiError`.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** No checkpoint was given, and the store has no record. */
export class NoCheckpointError extends Schema.TaggedError<NoCheckpointError>()("NoCheckpointError", {
  network: Schema.String
}) {
  override get message(): string {
    return `no checkpoint of ${this.network} is known. Give the root of a finalized beacon block that you trust.`
  }
}

/** The checkpoint is not the root of a block. */
export class CheckpointError extends Schema.TaggedError<CheckpointError>()("CheckpointError", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the checkpoint is not a hash: ${this.detail}`
  }
}

/**
 * The trust is older than the reader allows: check `checkpoint-age`.
 *
 * `of` says whether the checkpoint is too old, or the last finalized block of the store.
 */
export class CheckpointAgeError extends Schema.TaggedError<CheckpointAgeError>()("CheckpointAgeError", {
  of: Schema.Literals(["checkpoint", "store"]),
  age: Schema.Duration,
  maxAge: Schema.Duration
}) {
  override get message(): string {
    const days = (duration: Duration.Duration): string => `${(Duration.toMillis(duration) / DAY).toFixed(1)} days`
    const what = this.of === "checkpoint" ? "the checkpoint" : "the last finalized block of the store"
    return `checkpoint-age: ${what} is ${days(this.age)} old, and at most ${days(this.maxAge)} are allowed. Give a newer checkpoint.`
  }
}

const DAY = 86_400_000

/** The errors of a start, as a Schema. */
export const FollowError = Schema.Union([NoCheckpointError, CheckpointError, CheckpointAgeError])

/** The errors of a start, except lies and missing answers. */
export type FollowError = typeof FollowError.Type
