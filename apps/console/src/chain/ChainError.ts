/** The reasons why a network cannot be read as the reader chose. */
import * as Schema from "effect/Schema"

/** The service does not let the console read a network without a key. */
export class NeedsKey extends Schema.TaggedError<NeedsKey>()("NeedsKey", { network: Schema.String }) {
  override get message(): string {
    return `${this.network} is read with an API key. Enter one.`
  }
}

/** The service has no such network. */
export class NoNetwork extends Schema.TaggedError<NoNetwork>()("NoNetwork", {
  network: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `This service has no network ${this.network}. It has ${this.known.join(", ")}.`
  }
}

/** The light client cannot prove a block: it did not start, or the service has no beacon chain for the network. */
export class NoLightClient extends Schema.TaggedError<NoLightClient>()("NoLightClient", { detail: Schema.String }) {
  override get message(): string {
    return `The light client did not start: ${this.detail}`
  }
}
