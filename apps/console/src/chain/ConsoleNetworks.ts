/** The networks of the service, as the service sends them to the console. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The beacon chain of a network: its API on this origin, and the checkpoint that the service announces. */
const Beacon = Schema.Struct({
  path: Schema.String,
  checkpoint: Hash32.Hash32,
  /** The file of the beacon network, as `plumbline --beacon-network` takes it. */
  network: Schema.Unknown
})

/** A hardfork of a chain and its beginning, as `Hardforks.Activation` of `@plumbline/verified-calls`. */
const Fork = Schema.Struct({
  hardfork: Schema.String,
  block: Schema.optional(Schema.Int),
  time: Schema.optional(Schema.Int),
  blobUpdateFraction: Schema.optional(Schema.Int)
})

/** The lies of a node within the last hour, or those of one drill. Times are in milliseconds since the epoch. */
const RecentLiar = Schema.Struct({
  node: Schema.String,
  /** True until the node is trusted again. */
  isLying: Schema.Boolean,
  /** The time until which the node gets no calls; null if it is asked. */
  asideUntil: Schema.NullOr(Schema.Finite),
  trustedSince: Schema.NullOr(Schema.Finite),
  firstAt: Schema.Finite,
  lastAt: Schema.Finite,
  count: Schema.Int,
  /** The method of the last lie, the check that found it, and the block of the answer if it names one. */
  method: Schema.String,
  check: Schema.String,
  block: Schema.NullOr(Schema.Struct({ number: Schema.Int, hash: Schema.NullOr(Schema.String) })),
  /** The time for which an operator ordered these lies; null if they were not ordered. */
  drill: Schema.NullOr(Schema.Struct({ at: Schema.Finite, until: Schema.Finite }))
})
/** See the Schema of the same name. */
export type RecentLiar = typeof RecentLiar.Type

/** A network that speaks the methods of Ethereum. */
const Network = Schema.Struct({
  name: Schema.String,
  chainId: Schema.Union([Schema.Int, Schema.String]),
  /** True if the service lets the console read the network without a key. */
  open: Schema.Boolean,
  /** The time for which the network's node still lies, 0 if it is honest; null if the console cannot let it lie. */
  lie: Schema.NullOr(Schema.Struct({ leftMillis: Schema.Finite })),
  /** The network's nodes that lied within the last hour; null for a page elsewhere than on the service's machine. */
  liars: Schema.NullOr(Schema.Array(RecentLiar)),
  /** The chain's hardforks as the operator names them, oldest first; null if the operator names none. */
  forks: Schema.NullOr(Schema.Array(Fork)),
  beacon: Schema.NullOr(Beacon),
  /** The hash of a block that the service itself starts its proofs from; null if it has none, or a beacon chain. */
  anchor: Schema.NullOr(Hash32.Hash32)
})
/** See the Schema of the same name. */
export type Network = typeof Network.Type

const ServiceStart = Schema.Struct({
  /** The origin that serves networks and IPFS to keys; null if it is the page's own. */
  service: Schema.NullOr(Schema.String),
  /** True if operators can sign in at an identity provider. */
  signOn: Schema.Boolean,
  networks: Schema.Array(Network),
  /** The networks that speak the methods of Starknet. */
  secondChains: Schema.Array(Network),
  ipfs: Schema.Boolean,
  /** True if the service lets the console read blocks of IPFS without a key. */
  ipfsOpen: Schema.Boolean
})
/** The service's answer when the console starts. */
export type ServiceStart = typeof ServiceStart.Type

/** The service did not answer, or sent an answer in another form. */
export class NoServiceError extends Schema.TaggedError<NoServiceError>()("NoServiceError", { detail: Schema.String }) {
  override get message(): string {
    return `The service does not answer: ${this.detail}`
  }
}

/** Reads the networks. Fails with `NoServiceError`. */
export const read: Effect.Effect<ServiceStart, NoServiceError> = Effect.gen(function* () {
  const answer: unknown = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch("/console/api/start", { signal, headers: { accept: "application/json" } })
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      return response.json()
    },
    catch: (error) => new NoServiceError({ detail: error instanceof Error ? error.message : "no answer" })
  })
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(ServiceStart)(answer),
    () => new NoServiceError({ detail: "its answer does not have the expected form" })
  )
}).pipe(
  Effect.timeoutOrElse({
    duration: "10 seconds",
    orElse: () => Effect.fail(new NoServiceError({ detail: "no answer within 10 s" }))
  })
)
