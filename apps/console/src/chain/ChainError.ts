/** The reasons why a network cannot be read as the reader chose. */
import * as Schema from "effect/Schema"

/** The service does not let the console read a network without a key. */
export class NeedsKeyError extends Schema.TaggedError<NeedsKeyError>()("NeedsKeyError", { network: Schema.String }) {
  override get message(): string {
    return `${this.network} is read with an API key. Enter one.`
  }
}

/** The service has no such network, or only one of the other kind. */
export class NoNetworkError extends Schema.TaggedError<NoNetworkError>()("NoNetworkError", {
  network: Schema.String,
  /** The content that the screen shows, if a network of this name exists without it. */
  lacks: Schema.optional(Schema.String),
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const { known, lacks, network } = this
    const kind = lacks === undefined ? "" : ` with ${lacks}`
    return `This service has no network "${network}"${kind}. It has ${known.join(", ")}.`
  }
}

interface Named {
  readonly name: string
}

/** Makes the error of a screen that shows `what` of networks of one kind. `others` are those of the other kind. */
export const noNetwork = (
  network: string,
  what: string,
  kind: ReadonlyArray<Named>,
  others: ReadonlyArray<Named>
): NoNetworkError => {
  const isOther = others.some(({ name }) => name === network)
  const known = (isOther ? kind : [...kind, ...others]).map(({ name }) => name)
  return new NoNetworkError({ network, lacks: isOther ? what : undefined, known })
}

/** The light client cannot prove a block: it did not start, or the service has no beacon chain for the network. */
export class NoLightClientError extends Schema.TaggedError<NoLightClientError>()("NoLightClientError", {
  detail: Schema.String
}) {
  override get message(): string {
    return `The light client did not start: ${this.detail}`
  }
}
