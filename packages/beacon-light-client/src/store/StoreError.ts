/** The error of a store that cannot be read or written. A record that cannot be used is a `RecordError` instead. */
import * as Schema from "effect/Schema"

/** The store cannot be read or written. `detail` is made of safe parts. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.Literals(["load", "save"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `the light client's store: ${this.operation}: ${this.detail}`
  }
}
