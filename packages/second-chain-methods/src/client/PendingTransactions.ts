/**
 * Answers `pendingTransactions` on every node. Version 0.5 of the specification removed the method, and no current node
 * has it.
 *
 * A transport with this middleware sends another request instead, depending on the node's `specVersion`:
 *
 * | version       | request                                                                 |
 * | ------------- | ----------------------------------------------------------------------- |
 * | 0.4 and older | the method itself; these nodes also lack `specVersion`                  |
 * | 0.5 to 0.8    | the transactions of the block `pending`                                 |
 * | 0.9, 0.10.0   | the transactions of the block `pre_confirmed`                           |
 * | since 0.10.1  | the same, with `proof_facts`, which some hashes cover                   |
 *
 * If the node has no such block (error 24), or answers with a block that has a hash, there is no unfinished block, and
 * the list is empty. Any other failure is passed on, under the name of the requested method.
 *
 * Since 0.5, the list is the unfinished block (`pending` or `pre_confirmed`) as one node sees it at one moment:
 * transactions that the sequencer has run, in its order. None of them is final, and each may still be replaced. The
 * list is not the mempool: received transactions that have not run are only in the subscription to new transactions,
 * and not in any answer. An empty list does not mean that no transactions were sent, because some nodes do not follow
 * the unfinished block. The list of pending transactions is therefore always a claim. But each transaction can be
 * proven to match its hash.
 *
 * Put the middleware around one node, not around several nodes of different versions. It requests the version before
 * the first list, once for all concurrent callers. To notice a replaced node, it requests the version again after a
 * minute, after a fault, and when the node no longer accepts the request.
 *
 * Sources: starknet-specs (the method until 0.4.0, the tags since then) and its pull request 140.
 */
import { DecodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as RemoteKind from "@plumbline/jsonrpc-core/error/RemoteKind"
import * as Dedupe from "@plumbline/jsonrpc-core/middleware/Dedupe"
import type { WireCall, Middleware, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { NAMESPACE } from "../methods/namespace.ts"

/** Options of the middleware. */
export interface PendingTransactionsOptions {
  /** The prefix of the names of the chain's methods. Default: `starknet`. */
  readonly namespace?: string | undefined
}

/** The defaults of the options. */
export const defaults: { readonly namespace: string } = { namespace: NAMESPACE }

/**
 * Returns the middleware. Calls of other methods pass through it.
 *
 * ```ts import.meta.vitest
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { PendingTransactions } from "@plumbline/second-chain-methods"
 * import { Effect } from "effect"
 *
 * const node = Transport.Transport.of({
 *   call: ({ method }) =>
 *     Effect.succeed(method === "starknet_specVersion" ? "0.9.0" : { transactions: [{ transaction_hash: "0x1" }] }),
 *   callAll: () => Effect.succeed([])
 * })
 * const transport = PendingTransactions.make()(node)
 * const call = transport.call({ method: "starknet_pendingTransactions", params: [] })
 * await Effect.runPromise(call) // => [{ transaction_hash: "0x1" }]
 * ```
 */
export const make = ({ namespace = defaults.namespace }: PendingTransactionsOptions = {}): Middleware => {
  const name = `${namespace}_pendingTransactions`
  // The method accepts no parameters. A call with parameters goes to the node, which refuses it.
  const isWanted = ({ method, params }: WireCall): boolean => method === name && params.length === 0

  return (transport) => {
    const pending = pendingOf(transport, namespace)
    return {
      call: (call) => (isWanted(call) ? pending : transport.call(call)),
      callAll: (calls) => {
        const others = calls.filter((call) => !isWanted(call))
        if (others.length === calls.length) return transport.callAll(calls)
        return Effect.map(
          Effect.all([Effect.result(pending), others.length === 0 ? Effect.succeed([]) : transport.callAll(others)], {
            concurrency: "unbounded"
          }),
          ([outcome, outcomes]) => {
            const rest = outcomes.values()
            return calls.map((call) => (isWanted(call) ? outcome : rest.next().value!))
          }
        )
      }
    }
  }
}

/** The request to a node: the method itself, or a read of a block with these parameters. */
type Question = "native" | ReadonlyArray<unknown>

const PRE_CONFIRMED: Question = ["pre_confirmed"]
const WITH_PROOF_FACTS: Question = ["pre_confirmed", ["INCLUDE_PROOF_FACTS"]]

/** Milliseconds for which the version is kept. An upgraded node may accept the old request, but omit newer fields. */
const KNOWN_FOR = 60_000

const pendingOf = (transport: Transport["Service"], namespace: string): Effect.Effect<unknown, JsonRpcError> => {
  const specVersion: WireCall = { method: `${namespace}_specVersion`, params: [] }
  // Lists are not shared, because a list in flight may be older than a transaction that its second caller just sent.
  const shared = Dedupe.make()(transport)
  let known: { readonly question: Question; readonly until: number } | undefined

  const learn = (question: Question): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      known = { question, until: now + KNOWN_FOR }
    })

  const find: Effect.Effect<Question, JsonRpcError> = shared.call(specVersion).pipe(
    Effect.flatMap((version) => Effect.fromResult(questionFor(version, specVersion.method))),
    // Nodes up to 0.4 lack `specVersion`, and a service may not allow every caller to use it.
    Effect.catchIf(isOneOf("methodNotFound", "unauthorized"), () => Effect.succeed<Question>("native")),
    Effect.tap(learn)
  )

  const ask = (question: Question): Effect.Effect<unknown, JsonRpcError> => {
    if (question === "native") return transport.call({ method: `${namespace}_pendingTransactions`, params: [] })
    const call: WireCall = { method: `${namespace}_getBlockWithTxs`, params: question }
    return transport.call(call).pipe(
      Effect.flatMap((block) => Effect.fromResult(transactionsOf(block, call.method))),
      Effect.catchIf(isBlockNotFound, () => Effect.succeed([]))
    )
  }

  /**
   * Requests the version, then the transactions. If a node refuses flags, regardless of its version, the request is
   * repeated without flags.
   */
  const askAnew: Effect.Effect<unknown, JsonRpcError> = Effect.flatMap(find, (question) =>
    question === WITH_PROOF_FACTS
      ? Effect.catchIf(ask(question), isOneOf("invalidParams"), () =>
          Effect.andThen(learn(PRE_CONFIRMED), ask(PRE_CONFIRMED))
        )
      : ask(question)
  )

  const pending = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    known === undefined || now >= known.until
      ? askAnew
      : // If the node refuses a request that it accepted before, another node has replaced it.
        Effect.catchIf(ask(known.question), isOneOf("methodNotFound", "invalidParams"), () => askAnew)
  )
  return Effect.tapError(pending, ({ reason }) =>
    Effect.sync(() => {
      // An error that the node returns is an answer. After any other failure, the node may have been replaced.
      if (reason._tag !== "RemoteError") known = undefined
    })
  )
}

const isOneOf =
  (...kinds: ReadonlyArray<RemoteKind.RemoteKind>) =>
  ({ reason }: JsonRpcError): boolean =>
    reason._tag === "RemoteError" && kinds.includes(reason.kind)

const isBlockNotFound = ({ reason }: JsonRpcError): boolean => reason._tag === "RemoteError" && reason.code === 24

const VERSION = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?![\d.])/u

const questionFor = (version: unknown, method: string): Result.Result<Question, JsonRpcError> => {
  const numbers = typeof version === "string" ? VERSION.exec(version) : null
  if (numbers === null) return refuse(method, [], "Expected a version such as 0.10.2")
  const [major = 0, minor = 0, patch = 0] = numbers.slice(1).map((digits) => Number(digits ?? 0))
  // Each part of the version is below 10^4.
  const number = major * 1e8 + minor * 1e4 + patch
  if (number >= 10_0001) return Result.succeed(WITH_PROOF_FACTS)
  if (number >= 9_0000) return Result.succeed(PRE_CONFIRMED)
  return Result.succeed(number >= 5_0000 ? ["pending"] : "native")
}

/** Returns the transactions of an unfinished block, unchanged. */
const transactionsOf = (block: unknown, method: string): Result.Result<ReadonlyArray<unknown>, JsonRpcError> => {
  if (typeof block !== "object" || block === null) return refuse(method, [], "Expected a block")
  const { block_hash, transactions }: { readonly block_hash?: unknown; readonly transactions?: unknown } = block
  if (!Array.isArray(transactions)) return refuse(method, ["transactions"], "Expected a list")
  return Result.succeed(block_hash === undefined || block_hash === null ? transactions : [])
}

const refuse = (method: string, path: ReadonlyArray<string>, detail: string): Result.Result<never, JsonRpcError> =>
  Result.fail(new JsonRpcError({ method, reason: new DecodeError({ path, detail }) }))
