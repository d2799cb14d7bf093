import * as Schema from "effect/Schema"

/** A name does not have the record that a command needs. That is an answer about the name, and `proof` says how sure. */
export class NoRecordError extends Schema.TaggedError<NoRecordError>()("NoRecordError", {
  name: Schema.String,
  record: Schema.Literals(["address", "content"]),
  proof: Schema.Literals(["VERIFIED", "CLAIMED"]),
  /** The evidence: the record, and the reason why it is not there. */
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.name} has no ${this.record} (${this.proof}: ${this.detail})`
  }
}

/** The content of a name is in a network that the command cannot read. */
export class OtherNetworkError extends Schema.TaggedError<OtherNetworkError>()("OtherNetworkError", {
  name: Schema.String,
  codec: Schema.String
}) {
  override get message(): string {
    return `the content of ${this.name} is not in IPFS: its record names ${this.codec}`
  }
}
