/** The IPFS node that a command asks, chosen by the command's flags. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import * as ProvenIpfsClient from "@plumbline/ipfs-client/proven/ProvenIpfsClient"
import * as Anchor from "@plumbline/verdict/Anchor"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import * as Print from "../answer/Print.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import { RefutedNameError } from "../ens/RefutedNameError.ts"
import * as RetryPolicy from "../node/RetryPolicy.ts"
import * as IpfsFlags from "./IpfsFlags.ts"

export interface AskedNode {
  /** Reads a list again if the answer broke off, and drops the entries of the first try. */
  readonly whole: <A>(list: Effect.Effect<A, IpfsClient.IpfsFailure>) => Effect.Effect<A, IpfsClient.IpfsFailure>
  /**
   * The node's commands that read. Everything that can be proven is checked, and temporary failures are tried again.
   */
  readonly ipfs: IpfsClient.AnyClient
  /**
   * The node's commands that change something, with the same checks. Each is sent once, because the change may have
   * been made even if its answer is lost.
   */
  readonly once: IpfsClient.AnyClient
  /** The node's blocks, unchecked; the code that reads them checks each block. */
  readonly blocks: BlockSource.BlockSource<IpfsClient.IpfsFailure>
}

/** The header that asks for trailers: a node that fails in the middle of an answer sends the reason in a trailer. */
const WITH_REASON = { te: "trailers" }

/** True if an answer broke off after its beginning. Earlier failures are retried by the client itself. */
const brokeOff = (error: IpfsClient.IpfsFailure): boolean =>
  error._tag === "IpfsError" && error.reason._tag === "TransportError" && error.reason.retryable && error.reason.begun

/** Asks the node of the flags, and prints the answer. Ends with `PrintedError` and code 2 when the answer is refuted. */
export const answer = Effect.fnUntraced(function* <E, R>(
  flags: IpfsFlags.IpfsFlags,
  ask: (node: AskedNode) => Effect.Effect<Print.PrintableAnswer, E, R | Scope.Scope>,
  output?: Print.Output
) {
  const node = yield* make(flags)
  yield* Print.answer(flags, { ask: Effect.scoped(ask(node)), refusal }, output)
}, Effect.scoped)

/** Asks as `answer` does, for a read that changes nothing: `--timeout` bounds the whole of it. */
export const read = <E, R>(
  flags: IpfsFlags.IpfsFlags,
  ask: (node: AskedNode) => Effect.Effect<Print.PrintableAnswer, E, R | Scope.Scope>,
  output?: Print.Output
) => answer(flags, (node) => RetryPolicy.whole(flags)(ask(node)), output)

const make = Effect.fnUntraced(function* (flags: IpfsFlags.IpfsFlags) {
  const endpoint = { ...(yield* IpfsFlags.endpoint(flags)), ...(yield* RetryPolicy.ofIpfs(flags)) }
  const http = yield* Layer.build(NodeHttpClient.layerUndici)
  const client = (options: Partial<IpfsClient.IpfsClientOptions>) =>
    Effect.provideContext(IpfsClient.make({ ...endpoint, headers: WITH_REASON, ...options }), http)
  const plain = yield* client({})
  const node: AskedNode = {
    whole: Effect.retry({ while: brokeOff, times: endpoint.retries ?? 0, schedule: RetryPolicy.waits }),
    ipfs: ProvenIpfsClient.make(plain),
    once: ProvenIpfsClient.make(yield* client({ retries: 0 })),
    blocks: (cid) => plain.blockGet(cid)
  }
  return node
})

/**
 * Returns the answer for a failed check. If content does not match its CID, the CID becomes the anchor. Other checks
 * compare the node's statements with each other, so they have no anchor. If the chain's node lied about the name of the
 * content, the anchor is the block that the reader trusts.
 */
const refusal = (error: unknown): Omit<Print.PrintableAnswer, "view"> | undefined => {
  if (error instanceof RefutedNameError) {
    return { reply: ReadAnswer.refused(error.refuted, error.anchor), subject: "the chain node's answer" }
  }
  if (!(error instanceof RefutedError)) return undefined
  const { check, subject } = error
  return {
    reply: ReadAnswer.refused(error, check === "block hash" && subject !== undefined ? Anchor.cid(subject) : null)
  }
}
