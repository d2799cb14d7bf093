/**
 * A node that answers in wire form, with a verdict for each answer. The provider and the transport of this package use
 * it.
 *
 * It takes a method and its parameters from a JSON-RPC request, reads the answer from the upstream node, proves the
 * answer, and returns it in wire form. An answer that contradicts a trusted block is never returned. `Policy` decides
 * about answers that nothing proves, and `ProviderRefusal` lists the errors.
 *
 * The proxy never rewrites what a node sends, except wrong answers to `eth_getLogs`: the logs of the proven receipts take
 * their place. It adds what a node leaves out if that follows from the proof; otherwise the
 * missing field is listed in `verdict.claimed`. Fields that no hash covers, such as `totalDifficulty`, are returned as the
 * node sent them and are listed there too. An answer is refused if a field that programs rely on is only claimed: a hash,
 * a position, `status`, `from`, `to`, `contractAddress`, a price, logs, uncles.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as CallEngine from "@plumbline/eth-methods/call/CallEngine"
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as EthMethod from "@plumbline/eth-methods/methods/EthMethod"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as Input from "@plumbline/eth-methods/model/Input"
import * as SentTransaction from "@plumbline/eth-methods/model/SentTransaction"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import { Subscriptions } from "@plumbline/jsonrpc-core/transport/Subscriptions"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Reason from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import { claim, type Verdict } from "@plumbline/verdict/Verdict"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

import { type Awaited, awaited, isAwaited } from "./awaited.ts"
import * as CallAnchor from "./callAnchor.ts"
import * as CallResult from "./callResult.ts"
import type { Notice } from "./Notice.ts"
import * as Policy from "./Policy.ts"
import * as ProvenEthReads from "./provenEthReads.ts"
import * as ProviderReason from "./ProviderReason.ts"
import * as ProviderRefusal from "./ProviderRefusal.ts"
import { sendable } from "./sendable.ts"
import * as SendSync from "./sendSync.ts"
import { strictVerdict, isAccepted } from "./strictVerdict.ts"
import type * as News from "./subscriptionsAndFilters.ts"

/** The policy, the limits of the work for one proof, and the chain. */
export interface ProvingNodeOptions extends Policy.Policy, VerdictEthClient.VerdictEthClientOptions {
  /**
   * The chain that the node must serve. If the node names another chain, `eth_chainId` is refuted, and on a
   * chain of Ethereum so is `net_version`. Default: not checked.
   */
  readonly chainId?: bigint | undefined
  /**
   * Time between two polls for a new head, while there are subscriptions or filters and the node does not push.
   * Default: 4 seconds.
   */
  readonly pollInterval?: Duration.Input | undefined
  /** Maximum number of filters at a time. Further filters are refused with -32005. Default: 100. */
  readonly maxFilters?: number | undefined
}

/** The defaults of the options. */
export const defaults: { readonly pollInterval: Duration.Input; readonly maxFilters: number } = {
  pollInterval: "4 seconds",
  maxFilters: 100
}

/** The method and parameters of a request. `params` are by position or by name; undefined means none. */
export interface ProvingRequest {
  readonly method: string
  readonly params?: unknown
}

/** An answer that the policy lets pass. */
export interface ProvingAnswer {
  /** The result in wire form: a JSON value. */
  readonly result: unknown
  /** VERIFIED or CLAIMED, with the anchor and the reasons; the verdict's value is the result in domain form. */
  readonly verdict: Verdict<unknown>
}

/** A subscription that has begun. Its notices report everything that happens after it began. */
export interface ProvingSubscription {
  readonly notices: Stream.Stream<Notice>
  /** Ends the subscription. The end of the stream or of its scope ends the subscription too. */
  readonly close: Effect.Effect<void>
}

/**
 * The service. It needs the `Transport` to the node and a `TrustedBlock`. If the layer of the transport provides
 * `Subscriptions` too, the node's pushes announce new heads; otherwise the service polls the node.
 *
 * `subscribe` takes the parameters of `eth_subscribe`. It fails with -32602 for invalid parameters, with 4200 for a
 * kind that is not offered, and with -32098 if the policy would hold back all its notifications.
 *
 * ```ts import.meta.vitest
 * import { TrustedBlock } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { ProvingNode } from "@plumbline/provider"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed("0x3b9aca00"),
 *   callAll: () => Effect.succeed([])
 * })
 * const proving = ProvingNode.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const ask = (method: string, params: ReadonlyArray<unknown>) =>
 *   Effect.runPromise(
 *     Effect.provide(Effect.result(ProvingNode.ProvingNode.use((proxy) => proxy.answer({ method, params }))), proving)
 *   )
 *
 * const price = await ask("eth_gasPrice", [])
 * price._tag === "Success" && price.success.verdict._tag // => "CLAIMED"
 * const call = await ask("eth_call", [{}, "latest"])
 * call._tag === "Failure" && call.failure.code // => -32098
 * ```
 */
export class ProvingNode extends Context.Service<
  ProvingNode,
  {
    readonly answer: (question: ProvingRequest) => Effect.Effect<ProvingAnswer, ErrorObject>
    readonly subscribe: (params: unknown) => Effect.Effect<ProvingSubscription, ErrorObject, Scope.Scope>
  }
>()("@plumbline/provider/ProvingNode") {}

/** Provides the proving node over the `Transport` and the `TrustedBlock` of the context. */
export const layer = (options?: ProvingNodeOptions): Layer.Layer<ProvingNode, never, Transport | TrustedBlock> =>
  Layer.effect(
    ProvingNode,
    Effect.suspend(() => make(options))
  )

/** Returns the proving node as a value. Closing the scope ends subscriptions and filters. */
export const make = Effect.fnUntraced(function* (
  options: ProvingNodeOptions = {}
): Effect.fn.Return<ProvingNode["Service"], never, Transport | TrustedBlock | Scope.Scope> {
  const transport = yield* Transport
  const scope = yield* Effect.scope
  const push = Option.getOrUndefined(yield* Effect.serviceOption(Subscriptions))
  const call: Calls = yield* JsonRpcClient.make<MethodGroup.Any>(EthMethods.group)
  const eth = yield* EthClient.make
  const trust = CallAnchor.noting(yield* TrustedBlock)
  const calls = options.calls ?? (yield* CallEngine.CallEngine)
  const client = VerdictEthClient.make(eth, trust, { ...options, calls })
  const reads = ProvenEthReads.make(client)

  const compared = comparedReads(eth, client, trust, options.chainId)

  /** Returns the node's unproven answer in domain form, checked as far as possible without a proof. */
  const word = ({ name: method, read }: EthMethod.AnyEthMethod, args: ReadonlyArray<unknown>): ProvingOutcome => {
    const known: ProvenEthReads.ProvenRead | undefined = compared[read as keyof typeof compared]
    return known === undefined
      ? Effect.map(call[method]!(...args), (value) => claim(value, ProviderReason.NodesWord({ method })))
      : known(...args)
  }

  /** Handles a method of the group: checks its parameters, and the form of its answer. */
  const known = (method: EthMethod.AnyEthMethod, params: unknown): Effect.Effect<ProvingAnswer, ErrorObject> => {
    const decoded = JsonRpcServer.decodeParams(method, params)
    if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
    // parameters of a request need not have address checksums
    const args = Input.withoutChecksums(decoded.success)
    const rule = Policy.ruleOf(options, method.name, args)
    const runner = calls === undefined ? undefined : CallResult.runOf(client, method.name)
    const read: ProvenEthReads.ProvenRead | undefined =
      method.name === SendSync.SEND_SYNC
        ? compared.sendRawTransactionSync
        : runner === undefined
          ? reads.get(method.name)
          : run(method.name, runner as ProvenEthReads.RunRead, mayNotPass(rule), call[method.name]!)
    if (read === undefined && mayNotPass(rule)) return Effect.fail(withoutProof(method.name))
    const reading: ProvingOutcome = read === undefined ? word(method, args) : read(...args)
    const answering: Effect.Effect<Awaited, Effect.Error<ProvingOutcome>> = isAwaited(method) &&
    options.unprovable !== "mark"
      ? awaited(trust, reading)
      : Effect.map(reading, (found) => ({ found, passes: false }))
    const rest: CallAnchor.CallAnchor = { anchor: ProviderRefusal.anchorOfQuestion(method.name, args) }
    return Effect.matchEffect(Effect.provideService(answering, CallAnchor.Current, rest), {
      onFailure: (error) =>
        Effect.fail(
          runner !== undefined && error._tag === "JsonRpcError"
            ? CallResult.failed(error)
            : refusal(method.name, error, rest.anchor)
        ),
      onSuccess: ({ found, passes }) => {
        const verdict = strictVerdict(found)
        // advice may pass as a claim, unless the trusted block contradicts it; for example, the trusted block
        // contradicts an old head
        const isRefused = (verdict === found ? mayNotPass(rule) : options.unprovable !== "mark") && !isAccepted(verdict)
        return verdict._tag === "CLAIMED" && verdict.value !== null && isRefused && !passes
          ? Effect.fail(ProviderRefusal.unproven(method.name, unaccepted(verdict.claimed), textOf(verdict.anchor)))
          : Effect.fromResult(inWireForm(method, params, verdict, runner !== undefined))
      }
    })
  }

  const mayNotPass = (rule: Policy.PolicyRule): boolean => rule === "prove" && options.unprovable !== "mark"

  const news = yield* loadNews(() => ({
    eth,
    client,
    trust,
    chain: { chainId: options.chainId, engine: options.engine, forks: options.forks },
    scope,
    push,
    interval: Duration.fromInputUnsafe(options.pollInterval ?? defaults.pollInterval),
    maxSteps: options.maxSteps,
    maxFilters: options.maxFilters ?? defaults.maxFilters,
    mayNotPass: mayNotPass(Policy.ruleOf(options, SUBSCRIBE)),
    getLogs: (filter) => answer({ method: "eth_getLogs", params: [filter] })
  }))
  const mayNotSubscribe = Policy.ruleOf(options, SUBSCRIBE) === "refuse"
  const subscribe: ProvingNode["Service"]["subscribe"] = (params) =>
    mayNotSubscribe ? Effect.fail(withoutProof(SUBSCRIBE)) : Effect.flatMap(news, ({ open }) => open(params))

  const answer: ProvingNode["Service"]["answer"] = ({ method, params }) => {
    if (Policy.needsSession(method)) return Effect.fail(ProviderRefusal.unsupported(method))
    if (options.administration !== "pass" && Policy.administers(method)) {
      return Effect.fail(ProviderRefusal.administration(method))
    }
    const rule = Policy.ruleOf(options, method)
    if (rule === "refuse") return Effect.fail(withoutProof(method))
    const found = EthMethods.find(method)
    const ofNode =
      found !== undefined
        ? known(found, params)
        : mayNotPass(rule)
          ? Effect.fail(withoutProof(method))
          : passOn(transport, method, params)
    return FILTER.test(method) ? Effect.flatMap(news, ({ filters }) => filters.get(method)?.(params) ?? ofNode) : ofNode
  }
  return { answer, subscribe }
})

const SUBSCRIBE = "eth_subscribe"

/** The outcome of a call that was run here, or that has the node's word. */
type Called = Verdict<CallOutcome.AnyOutcome | CallResult.NodeError>

/** Stands for the outcome of a call that was not run and may not pass. */
const NOT_RUN: CallOutcome.CallOutcome = { _tag: "Returned", data: "0x", gasUsed: 0n }

/** Matches the names of the filter methods, and hardly any other names. */
const FILTER = /^eth_[a-zA-Z]*Filter/u

/** The methods of the group, by name. */
type Calls = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, JsonRpcError>>>

type ProvingOutcome = Effect.Effect<Verdict<unknown>, JsonRpcError | RefutedError | UnprovenError>

type ComparedReads = Readonly<Record<ProvenEthReads.UnprovenReads | "chainId" | "networkId", ProvenEthReads.ProvenRead>>

/** Returns the reads of answers that have no verdict, and that can be compared with something. */
const comparedReads = (
  eth: EthClient.Client,
  client: VerdictEthClient.Client,
  trust: TrustedBlock["Service"],
  chainId: bigint | undefined
): ComparedReads => {
  const send = (raw: Hex.Hex): VerdictEthClient.VerdictRead<Verdict<unknown>> =>
    Effect.flatMap(eth.sendRawTransaction(raw), (hash) => sent(raw, hash))

  /** Sends a transaction, and waits for the receipt by which the caller learns of its block. */
  const sendSync = (raw: Hex.Hex, timeout?: number): ProvingOutcome => {
    const receiptOf = (hash: Hex.Hex) =>
      Effect.map(awaited(trust, client.getTransactionReceipt(hash)), ({ found }) =>
        found.value === null ? undefined : found
      )
    return SendSync.sendSync(
      Effect.map(send(raw), ({ value }) => value as Hash32.Hash32),
      receiptOf,
      timeout
    )
  }

  return {
    chainId: () => Effect.flatMap(eth.chainId, (id) => chainOf("eth_chainId", id, chainId)),
    networkId: () => {
      // the networks of Ethereum have the ids of their chains; that of Ethereum Classic, for one, differs
      const configured = Verify.isEthereum(chainId) ? chainId : undefined
      return Effect.flatMap(eth.networkId, (id) => chainOf("net_version", id, configured))
    },
    sha3: (data) => Effect.succeed(claim(Keccak256.hashHex(Hex.toBytesUnsafe(data)), ProviderReason.Computed({}))),
    sendRawTransaction: send,
    sendRawTransactionSync: sendSync
  }
}

/** Runs a call here. What the engine cannot run is the node's word, which `ask` reads, where that may pass. */
const run =
  (method: string, read: ProvenEthReads.RunRead, mayNotPass: boolean, ask: Calls[string]): ProvenEthReads.ProvenRead =>
  (...args) =>
    Effect.catchTag(read(...args), "UnprovenError", ({ claims }) => {
      const { reason } = claims[0]!
      return mayNotPass
        ? Effect.succeed(claim(NOT_RUN, reason))
        : Effect.matchEffect(ask(...args), {
            onFailure: (error) =>
              error.reason._tag === "RemoteError"
                ? Exit.succeed(claim({ _tag: "NodeError", error } satisfies CallResult.NodeError, reason))
                : Exit.fail(error),
            onSuccess: (value) => Exit.succeed(claim(CallResult.ofNode(method, value), reason))
          })
    })

/** Passes a call of an unknown method to the node unchanged. */
const passOn = (
  transport: Transport["Service"],
  method: string,
  params: unknown
): Effect.Effect<ProvingAnswer, ErrorObject> => {
  const positional = params ?? []
  if (!Array.isArray(positional)) return Effect.fail(ProviderRefusal.unnamed(method))
  return Effect.matchEffect(transport.call({ method, params: positional, idempotent: false }), {
    onFailure: (error) => Effect.fail(ProviderRefusal.failed(error)),
    onSuccess: (result) => Effect.succeed({ result, verdict: claim(result, ProviderReason.NodesWord({ method })) })
  })
}

/** Returns the answer of a method with its verdict. The verdict of a call that was run here has another form. */
const inWireForm = (
  method: EthMethod.AnyEthMethod,
  params: unknown,
  verdict: Verdict<unknown>,
  isRun: boolean
): Result.Result<ProvingAnswer, ErrorObject> =>
  Result.flatMap(isRun ? CallResult.of(method.name, verdict as Called) : Result.succeed(verdict), (verdict) =>
    Result.map(sendable(method, verdict.value), (result) => ({
      result: method.echo?.(params, result) ?? result,
      verdict
    }))
  )

/** Loads the subscriptions and filters at their first use. If that fails, the next use tries again. */
const loadNews = (parts: () => News.SubscriptionsAndFiltersOptions) =>
  Effect.cachedWithTTL(
    Effect.flatMap(
      Effect.promise(() => import("./subscriptionsAndFilters.ts")),
      (News) => News.make(parts())
    ),
    (exit) => (Exit.isSuccess(exit) ? Infinity : 0)
  )

const unaccepted = (claims: ReadonlyArray<Claim.Claim>): ReadonlyArray<Claim.Claim> =>
  claims.filter(({ reason }) => !Reason.isAccepted(reason))

const withoutProof = (method: string): ErrorObject =>
  ProviderRefusal.unproven(method, [Claim.whole(ProviderReason.NodesWord({ method }))])

const textOf = (anchor: Verdict<unknown>["anchor"]): string | undefined =>
  anchor === null ? undefined : Anchor.toText(anchor)

const refusal = (method: string, error: Effect.Error<ProvingOutcome>, anchor: string | undefined): ErrorObject => {
  switch (error._tag) {
    case "RefutedError":
      return ProviderRefusal.refuted(method, error, anchor)
    case "UnprovenError":
      return ProviderRefusal.unproven(method, error.claims, anchor)
    case "JsonRpcError":
      return ProviderRefusal.failed(error)
  }
}

const chainOf = (method: string, id: bigint, configured: bigint | undefined): ProvingOutcome =>
  configured === undefined
    ? Effect.succeed(claim(id, ProviderReason.NodesWord({ method })))
    : id === configured
      ? Effect.succeed(claim(id, ProviderReason.Configured({ chainId: configured })))
      : Effect.fail(refute("chain id", configured, id))

const sent = (raw: Hex.Hex, said: Hex.Hex): VerdictEthClient.VerdictRead<Verdict<unknown>> => {
  const hash = SentTransaction.hash(Hex.toBytesUnsafe(raw))
  return Hex.equals(said, hash)
    ? Effect.succeed(claim(said, ProviderReason.Accepted({})))
    : Effect.fail(refute("transaction hash", hash, said))
}
