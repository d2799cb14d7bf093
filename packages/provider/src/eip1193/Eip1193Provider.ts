/**
 * A proving node as an EIP-1193 provider. viem, ethers, web3.js and wallets use it unchanged, and read only proven
 * answers.
 *
 * - viem: `createPublicClient({ transport: custom(provider) })`
 * - ethers: `new BrowserProvider(provider)`
 * - web3.js: `new Web3(provider)`
 *
 * The provider has no accounts. Events: `disconnect` if the node cannot be reached; `connect` with the first answer to
 * `eth_chainId`, also after a `disconnect`; `message` with each notification of `eth_subscribe`; `verdict` with each
 * answer and each notification that passed; `refusal` with the reason why a subscription held back or missed
 * notifications.
 *
 * Source: EIP-1193.
 */
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import { through, type Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Claim from "@plumbline/verdict/Claim"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import type { Notice } from "../node/Notice.ts"
import * as ProviderRefusal from "../node/ProviderRefusal.ts"
import * as ProvingNode from "../node/ProvingNode.ts"
import { listeners } from "./listeners.ts"
import { ProviderRpcError } from "./ProviderRpcError.ts"
import type * as ProviderSubscriptions from "./providerSubscriptions.ts"

/** A request in the form of EIP-1193. */
export interface Eip1193Request {
  readonly method: string
  readonly params?: ReadonlyArray<unknown> | object | undefined
}

/**
 * The verdict of an answer that passed: its anchor, and the fields that nothing proves. An error that answers a call,
 * such as a revert, has a verdict too, although its request rejects.
 */
export interface VerdictEvent {
  /** The method of the request; `eth_subscription` for a notification. */
  readonly method: string
  /** The id of the subscription, if this is the verdict on a notification. It comes before the event `message`. */
  readonly subscription?: string | undefined
  readonly status: "VERIFIED" | "CLAIMED"
  /** The hash from which a VERIFIED answer follows. */
  readonly anchor: string | null
  readonly claimed: ReadonlyArray<Claim.ClaimSentence>
}

/** A notification of a subscription, in the form of EIP-1193. `result` is a header, a log or a hash in wire form. */
export interface MessageEvent {
  readonly type: "eth_subscription"
  readonly data: { readonly subscription: string; readonly result: unknown }
}

/**
 * The reason why a subscription is silent, or has a gap: an error with a code of `ProviderRefusal`. The subscription continues.
 */
export interface RefusalEvent {
  readonly subscription: string
  readonly error: ProviderRpcError
}

/** The events by name, with the value that a listener receives. */
export interface Eip1193Events {
  readonly connect: { readonly chainId: string }
  readonly disconnect: ProviderRpcError
  readonly message: MessageEvent
  readonly verdict: VerdictEvent
  readonly refusal: RefusalEvent
}

/** The provider. */
export interface Eip1193Provider {
  /** Resolves with the result in wire form, or rejects with a `ProviderRpcError`. */
  readonly request: (request: Eip1193Request) => Promise<any>
  /** Adds a listener. Names that are not in `Eip1193Events` are accepted, but never emitted. */
  readonly on: Eip1193Listen
  readonly removeListener: Eip1193Listen
  /** Ends the subscriptions and the connections to the node. Requests reject from then on. */
  readonly close: () => Promise<void>
}

/** Adds or removes a listener of an event. */
export interface Eip1193Listen {
  <Name extends keyof Eip1193Events>(event: Name, listener: (payload: Eip1193Events[Name]) => void): void
  (event: string, listener: (...payload: ReadonlyArray<any>) => void): void
}

export { defaults } from "../node/ProvingNode.ts"

/** The node and the trust of a provider. */
export interface Eip1193ProviderOptions extends ProvingNode.ProvingNodeOptions {
  /** The URL of the node, which may contain an API key. */
  readonly url: string | Redacted.Redacted
  /**
   * The hash of a block that you know. Blocks up to it are proven. Without this hash, only answers to questions by hash
   * are proven. `make` throws `HexError` if the text is not a hash.
   */
  readonly trust?: Input.Hash32 | undefined
}

/**
 * Makes a provider over the node at a URL, by the platform's `fetch`, or its `WebSocket` for a `ws:` or `wss:` URL.
 * Simultaneous calls are sent in one packet. Subscriptions work with every URL: over a WebSocket the node announces new
 * heads, and over HTTP the provider asks for the head every `pollInterval`.
 *
 * ```ts import.meta.vitest
 * import { Eip1193Provider } from "@plumbline/provider"
 *
 * const trust = "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"
 * const provider = Eip1193Provider.make({ url: "https://node.example/v3/<API_KEY>", trust })
 * const error = await provider.request({ method: "eth_sign", params: [] }).catch((error) => error)
 * error.code // => 4200
 * await provider.close()
 * ```
 */
export const make = ({ trust, url, ...options }: Eip1193ProviderOptions): Eip1193Provider =>
  fromLayer(
    Layer.provide(ProvingNode.layer(options), [
      through(transportTo(url), Batching.make()),
      trust === undefined ? TrustedBlock.layerNone() : TrustedBlock.layerPinned(trust)
    ])
  )

/** Returns the transport to a URL. The WebSocket transport is loaded only for a `ws:` or `wss:` URL. */
const transportTo = (url: string | Redacted.Redacted): Layer.Layer<Transport> =>
  /^wss?:/iu.test(typeof url === "string" ? url : Redacted.value(url))
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@plumbline/jsonrpc-core/webSocket/WebSocketTransport")),
          (WebSocketTransport) => WebSocketTransport.layer({ url })
        )
      )
    : HttpTransport.layer({ url })

/** Makes a provider over a layer: for other transports, a quorum of nodes, or your own node as the trust. */
export const fromLayer = (layer: Layer.Layer<ProvingNode.ProvingNode>): Eip1193Provider => {
  const runtime = ManagedRuntime.make(layer)
  const events = listeners()
  let connected = false

  const connect = (chainId: string): void => {
    if (connected) return
    connected = true
    events.emit("connect", { chainId })
  }

  const tellVerdict = (method: string, { anchor, claimed, _tag }: Verdict<unknown>, subscription?: string): void =>
    events.emit("verdict", {
      method,
      ...(subscription === undefined ? {} : { subscription }),
      status: _tag,
      anchor: anchor?.hash ?? null,
      claimed: claimed.map(Claim.toSentence)
    })

  const tell = (subscription: string, notice: Notice): void => {
    if (notice._tag !== "Item") {
      return events.emit("refusal", { subscription, error: new ProviderRpcError(notice.error) })
    }
    tellVerdict("eth_subscription", notice.verdict, subscription)
    events.emit("message", { type: "eth_subscription", data: { subscription, result: notice.result } })
  }

  let begun: Promise<ProviderSubscriptions.ProviderSubscriptions> | undefined
  const begin = (): Promise<ProviderSubscriptions.ProviderSubscriptions> => {
    const loading = import("./providerSubscriptions.ts").then(({ make }) => make(tell))
    loading.catch(() => (begun = undefined))
    return loading
  }
  /** The subscriptions. The first subscription loads their module; if that fails, the next one tries again. */
  const subscriptions = Effect.promise(() => (begun ??= begin()))

  const answer = (
    node: ProvingNode.ProvingNode["Service"],
    method: string,
    params: unknown
  ): Effect.Effect<
    Pick<ProvingNode.ProvingAnswer, "result"> & Partial<ProvingNode.ProvingAnswer>,
    ErrorObject.ErrorObject
  > => {
    switch (method) {
      case "eth_subscribe":
        return Effect.flatMap(subscriptions, ({ begin }) => Effect.map(begin(node, params), (result) => ({ result })))
      case "eth_unsubscribe":
        return Effect.flatMap(subscriptions, ({ end }) => Effect.map(end(params), (result) => ({ result })))
      default:
        return node.answer({ method, params })
    }
  }

  const request = async (request: Eip1193Request): Promise<unknown> => {
    const { method } = request
    const params = wireOf(request.params)
    const outcome = await runtime.runPromise(
      ProvingNode.ProvingNode.use((node) => Effect.result(answer(node, method, params)))
    )
    if (Result.isFailure(outcome)) {
      const error = new ProviderRpcError(outcome.failure)
      const verdict = ProviderRefusal.verdictOf(outcome.failure)
      if (verdict !== undefined) tellVerdict(method, verdict)
      if (error.code === ProviderRefusal.DISCONNECTED && connected) {
        connected = false
        events.emit("disconnect", error)
      }
      throw error
    }
    const { result, verdict } = outcome.success
    if (method === "eth_chainId" && typeof result === "string") connect(result)
    if (verdict !== undefined) tellVerdict(method, verdict)
    return result
  }

  const close = async (): Promise<void> => {
    if (begun !== undefined) await Effect.runPromise((await begun).close)
    await runtime.dispose()
  }

  return { request, on: events.add, removeListener: events.remove, close }
}

/**
 * Returns parameters in their JSON form, because a filter of viem can have members that are `undefined`. JSON has no
 * `undefined`.
 */
const wireOf = (params: unknown): unknown => {
  if (params === undefined) return undefined
  try {
    return JSON.parse(JSON.stringify(params))
  } catch {
    // JSON.stringify throws for a bigint, and for an object that contains itself
    throw new ProviderRpcError(ErrorObject.invalidParams("the parameters are not JSON"))
  }
}
