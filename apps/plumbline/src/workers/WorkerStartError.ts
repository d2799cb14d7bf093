import * as Schema from "effect/Schema"

/** A worker could not start. `problem` is the message of its own error, or how its process ended. */
export class WorkerStartError extends Schema.TaggedError<WorkerStartError>()("WorkerStartError", {
  worker: Schema.Int,
  problem: Schema.String
}) {
  override get message(): string {
    return `worker ${this.worker} cannot start: ${this.problem}`
  }
}
