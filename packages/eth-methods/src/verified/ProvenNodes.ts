/**
 * Several nodes, each behind a client of its own that proves. A read asks one node after another until an answer is
 * proven, so one honest node is enough. A node that lied or did not answer is asked last for a time, so that lies and
 * silence cost few calls.
 *
 * A `Fallback` or a `Stack` under one client cannot do this: a lie is a well-formed answer, and only the client above finds
 * it out. An answer and its proof could also come from two nodes, and neither could be blamed. For code that needs a
 * `Transport`, put a `Stack` over one `ProvingTransport` of `@plumbline/provider` for each node: it asks a liar each time,
 * and takes a node's error about the question for the answer. A `Stack` of one node under each client fits: to try one
 * call again costs less than the whole read at the next node.
 */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import { RestPeriods } from "@plumbline/jsonrpc-core/time/RestPeriods"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

import * as CallOutcome from "../call/CallOutcome.ts"
import { isOfAuthority } from "../trust/authorityLies.ts"

/** A client of one node. The name may appear in logs, so it must not contain a secret. */
export interface ProvenNode<Client> {
  readonly name: string
  readonly eth: Client
}

/** The options. */
export interface ProvenNodesOptions {
  /**
   * Time for which a node that lied or did not answer is asked last. It doubles, up to ten minutes, if the node does so
   * again soon after. Default: 10 seconds.
   */
  readonly rest?: Duration.Input | undefined
  /**
   * Runs for each lie, for logs and alarms, with the name of the node that told it. The name is undefined if the source of
   * trust found the lie: it may be that of a beacon node or of a node of a parent chain.
   */
  readonly onLie?: ((node: string | undefined, lie: RefutedError) => Effect.Effect<void>) | undefined
  /**
   * Runs for each read that fails at a node without a lie, with the name of the node: it gave no answer, answered with an
   * error, or proved nothing.
   */
  readonly onFailure?: ((node: string, error: JsonRpcError | UnprovenError) => Effect.Effect<void>) | undefined
  /** Runs for each read that succeeds, with the name of the node. */
  readonly onAnswer?: ((node: string) => Effect.Effect<void>) | undefined
}

/** The defaults of the options. Times are in milliseconds. */
export const defaults: { readonly rest: number } = { rest: 10_000 }

/** The errors of a read with proof. */
export type ReadFailure = JsonRpcError | RefutedError | UnprovenError

/** Reads from the nodes. */
export interface ProvenNodes<Client> {
  /**
   * Runs a read over the client of one node, and over the next one if it fails: the node lied, proved nothing, gave no
   * answer, or answered with an error, which nothing proves. If all nodes fail, the error is the first of these: a
   * missing proof, a failed call, a lie. Arguments that cannot be written are refused without a call. A revert of a call
   * that was run over proven state is the answer.
   */
  readonly read: <A, E extends ReadFailure>(use: (eth: Client) => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/**
 * Joins the nodes, in the order in which they are asked. The clients can be `ProvenEthClient.Client`, or any other whose
 * reads fail with `RefutedError` for a lie and with `UnprovenError` for an answer without proof. There must be at least
 * one node.
 *
 * ```ts import.meta.vitest
 * import { EthClient, ProvenEthClient, ProvenNodes, TrustedBlock } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const hash = "0x6fbd3b71e2f0bb8aae1f38b3ce8bfc4b8a1a2ff90bb6a6ba5c7cc5d86e4fcf02"
 * const program = Effect.gen(function* () {
 *   const trust = yield* TrustedBlock.TrustedBlock
 *   const clientOf = (answer: unknown) => {
 *     const call = () => Effect.succeed(answer)
 *     const node = Transport.Transport.of({ call, callAll: Transport.oneByOne(call) })
 *     return ProvenEthClient.make(Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, node)), trust)
 *   }
 *   const { read } = ProvenNodes.make([
 *     { name: "withholds", eth: clientOf(null) },
 *     { name: "withholds too", eth: clientOf(null) }
 *   ])
 *   return yield* Effect.flip(read((eth) => eth.getBlockByHash(hash)))
 * })
 * const failure = await Effect.runPromise(Effect.provide(program, TrustedBlock.layerPinned(hash)))
 * failure._tag // => "UnprovenError"
 * ```
 */
export const make = <Client>(
  nodes: readonly [ProvenNode<Client>, ...ReadonlyArray<ProvenNode<Client>>],
  { onAnswer, onFailure, onLie, rest = defaults.rest }: ProvenNodesOptions = {}
): ProvenNodes<Client> => {
  const members = nodes.map((node) => ({ ...node, rests: new RestPeriods(Duration.toMillis(rest)) }))

  /** Returns the nodes in the order in which they are asked: those that rest last, because each answer is proven anyway. */
  const inOrder = (now: number): typeof members =>
    members.toSorted((a, b) => Number(a.rests.isResting(now)) - Number(b.rests.isResting(now)))

  return {
    read: <A, E extends ReadFailure>(use: (eth: Client) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.clockWith((clock) => {
        const asked = inOrder(Monotonic.millis(clock))
        const from = (at: number, before: E | undefined): Effect.Effect<A, E> => {
          const { eth, name, rests } = asked[at]!
          const answered = onAnswer === undefined ? use(eth) : Effect.tap(use(eth), () => onAnswer(name))
          return Effect.catch(answered, (error): Effect.Effect<A, E> => {
            if (error._tag === "JsonRpcError" && isAnswer(error)) return Effect.fail(error)
            const worst = before === undefined || WORTH[error._tag] > WORTH[before._tag] ? error : before
            const next = at + 1 < asked.length ? from(at + 1, worst) : Effect.fail(worst)
            // a lie that a source of trust found may be the node's all the same: the source may have asked this node
            if (error._tag === "RefutedError" || isSilence(error)) rests.begin(Monotonic.millis(clock))
            if (error._tag !== "RefutedError") {
              return onFailure === undefined ? next : Effect.andThen(onFailure(name, error), next)
            }
            const liar = isOfAuthority(error) ? undefined : name
            return onLie === undefined ? next : Effect.andThen(onLie(liar, error), next)
          })
        }
        return from(0, undefined)
      })
  }
}

/** True for an error that no other node can change. */
const isAnswer = (error: JsonRpcError): boolean => OURS.has(error.reason._tag) || CallOutcome.isOutcome(error)

/** True if the node could not be reached, or gave no answer in time. */
const isSilence = (error: ReadFailure): boolean => error._tag === "JsonRpcError" && SILENCES.has(error.reason._tag)

const SILENCES: ReadonlySet<string> = new Set(["TransportError", "TimeoutError"])

/** Failures that no node caused. */
const OURS: ReadonlySet<string> = new Set(["EncodeError", "OptionsError"])

/** Returns the error that tells more about the question. A lie tells only about its node. */
const WORTH = { RefutedError: 0, JsonRpcError: 1, UnprovenError: 2 } as const
