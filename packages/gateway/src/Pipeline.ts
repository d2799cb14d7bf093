/**
 * The order in which a call travels through the service, with the reason for each place in it.
 *
 * 1. **authenticate** (once per HTTP request or WebSocket). First, because whoever has no key is told nothing: not which
 *    networks and methods there are, not which content types are taken. It needs the path and one header, so it comes
 *    before the body is read, and a stranger cannot make the service hold five megabytes.
 * 2. **admit** (once per HTTP request or WebSocket). What concerns the project and not the call: whether it may use the
 *    product at all, as the card rule says; *allowlists of origins and user agents* have their place here too. It needs
 *    the project, and saves all work for those it refuses.
 * 3. **route** (once per HTTP request or WebSocket). From the Host header to the network: before the call is looked at,
 *    because the network says which methods exist.
 * 4. **check** (each call). Only calls of known methods with good parameters go on, in their canonical form. Before
 *    anything is counted, because a limit or a price needs a known method; before the node, because nodes are lenient.
 *    *Limits of rate and credits, and allowlists of methods and addresses*, come behind it, for each call.
 * 5. **upstream** (each call). The only step that waits for something outside, so it is last.
 * 6. *meter* is the place behind the last call of a request: a price depends on the final status, and an acknowledged
 *    call must be on the disk before the answer leaves.
 * 7. **answer** (once per HTTP request or message). The HTTP status follows from what became of the call.
 *
 * An IPFS command goes the same way: authenticate (always with the secret), admit, find the command and check its query
 * (`internal/ipfsCall.ts`), the node, the answer.
 *
 * Steps in *italics* are not built; their places are kept free.
 *
 * @since 0.1.0
 */
import * as Dispatcher from "@plumbline/jsonrpc-core/Dispatcher"
import * as ErrorCode from "@plumbline/jsonrpc-core/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/ErrorObject"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

import type { Policy, Product } from "./AccessPolicy.ts"
import type { ApiKeys } from "./ApiKeys.ts"
import * as Authentication from "./Authentication.ts"
import * as Check from "./Check.ts"
import type { Settings } from "./GatewayOptions.ts"
import * as Settled from "./internal/settled.ts"
import type { Network, UpstreamState } from "./Network.ts"
import type { Project } from "./Project.ts"
import * as Redaction from "./Redaction.ts"
import type { Refusal } from "./Refusal.ts"
import type { Route } from "./Routing.ts"
import { UpstreamFault } from "./UpstreamFault.ts"

/**
 * Who calls, and which network: what stays the same for one HTTP request or one WebSocket.
 *
 * @since 0.1.0
 */
export interface Session {
  readonly project: Project
  readonly network: Network
}

/**
 * What goes back: JSON text, or nothing if nothing was asked. `status` is the HTTP status; on a WebSocket it has no
 * meaning.
 *
 * @since 0.1.0
 */
export interface Answer {
  readonly _tag: "Answer"
  readonly status: number
  readonly body: Uint8Array | undefined
}

/**
 * The steps, in order: `open` authenticates and routes, `handle` does the rest for one body or message. Both HTTP and
 * WebSocket go through here, so a call is treated alike on both.
 *
 * @since 0.1.0
 */
export interface Pipeline {
  readonly open: (credentials: Authentication.Credentials, host: string | undefined) => Effect.Effect<Session, Refusal>
  readonly handle: (session: Session, packet: Uint8Array) => Effect.Effect<Answer>
  /** The first two steps of an IPFS command, from its Authorization header. */
  readonly openIpfs: (authorization: string | undefined) => Effect.Effect<Project, Refusal>
  /** What the last call says about each network's node. */
  readonly upstreams: () => ReadonlyArray<{
    readonly name: string
    readonly chainId: number | string
    readonly upstream: UpstreamState
  }>
}

/**
 * The pipeline over a store of projects and a table of networks. It is made once; a call makes no layers and no Schemas.
 *
 * @since 0.1.0
 */
export const make = (options: {
  readonly keys: ApiKeys["Service"]
  readonly policy: Policy
  readonly networks: ReadonlyArray<Network>
  readonly route: Route
  readonly settings: Settings
}): Pipeline => {
  const { keys, networks, policy, route, settings } = options
  const { answerBytes, batch, batchConcurrency, bodyBytes, depth } = settings.limits
  const limits: Partial<Dispatcher.Limits> = {
    maxBytes: bodyBytes,
    maxBatch: batch,
    maxDepth: depth,
    concurrency: batchConcurrency,
    // Bytes and time of the answers are counted here, where the HTTP status is made.
    maxAnswerBytes: Infinity,
    timeout: "Infinity"
  }
  const states = new Map<Network, UpstreamState>(networks.map((network) => [network, "untried"]))

  const upstream = (exchange: Exchange, method: string, params: ReadonlyArray<unknown>) => {
    const { network } = exchange.session
    const start = performance.now()
    return Effect.matchEffect(network.upstream.call(method, params), {
      onSuccess: (result) => {
        states.set(network, "up")
        exchange.resultBytes += result.length
        return exchange.resultBytes > answerBytes ? answerTooLarge : Exit.succeed(result)
      },
      onFailure: (error) => {
        if (!(error instanceof UpstreamFault)) {
          states.set(network, "up")
          return Exit.fail(error)
        }
        const { _tag: reason } = error.reason
        states.set(network, reason === "TooLarge" ? "up" : "down")
        const said = reason === "TimedOut" ? timedOut : reason === "TooLarge" ? tooLarge : broken
        exchange.status = said.status
        return Effect.logWarning("upstream fault", error.message).pipe(
          Effect.annotateLogs({
            network: network.name,
            method,
            status: said.status,
            duration: `${Math.round(performance.now() - start)}ms`
          }),
          Effect.andThen(Exit.fail(said.error))
        )
      }
    })
  }

  const dispatcherOf = (exchange: Exchange) =>
    Dispatcher.make({
      limits,
      call: (call) => {
        const checked = Check.check(exchange.session.network.methods, call)
        if (Result.isFailure(checked)) return Exit.fail(checked.failure)
        if (exchange.resultBytes > answerBytes) return answerTooLarge
        if (performance.now() > exchange.deadline) return late
        return upstream(exchange, call.method, checked.success)
      },
      onDefect: (cause, call) => {
        exchange.status = 500
        return Effect.logError("call died", Redaction.text(Cause.pretty(cause))).pipe(
          Effect.annotateLogs({ network: exchange.session.network.name, method: call.method })
        )
      }
    })

  const admit = (authenticated: Effect.Effect<Project, Refusal>, product: Product): Effect.Effect<Project, Refusal> => {
    const known = Settled.exitOf(authenticated)
    if (known === undefined) {
      return Effect.flatMap(authenticated, (project) => Effect.as(policy.check(project, product), project))
    }
    if (known._tag === "Failure") return known
    const allowed = policy.check(known.value, product)
    const decided = Settled.exitOf(allowed)
    return decided === undefined ? Effect.as(allowed, known.value) : Exit.map(decided, () => known.value)
  }

  return {
    open: (credentials, host) => {
      const project = admit(Authentication.authenticate(keys, credentials), "rpc")
      const toSession = (project: Project): Session => ({ project, network: route(host) })
      const known = Settled.exitOf(project)
      return known === undefined ? Effect.map(project, toSession) : Exit.map(known, toSession)
    },
    openIpfs: (authorization) => admit(Authentication.authenticateBasic(keys, authorization), "ipfs"),
    handle: (session, packet) =>
      Effect.suspend(() => {
        const exchange: Exchange = {
          session,
          deadline: performance.now() + settings.timeouts.answer,
          resultBytes: 0,
          status: 200
        }
        return Effect.map(dispatcherOf(exchange).handle(packet), (body) => answer(exchange, body))
      }),
    upstreams: () =>
      networks.map((network) => ({
        name: network.name,
        chainId: network.chainId,
        upstream: states.get(network) ?? "untried"
      }))
  }
}

// Private: one request under way.

/** What the calls of one request share. Its counters change while the calls run. */
interface Exchange {
  readonly session: Session
  /** On the clock of `performance.now`. */
  readonly deadline: number
  resultBytes: number
  status: number
}

/** A batch is answered with 200: some of its calls may have gone well, and each failure is in its own place. */
const answer = (exchange: Exchange, body: Uint8Array | undefined): Answer => ({
  _tag: "Answer",
  status: body === undefined || body[0] === OPEN_BRACKET ? 200 : exchange.status,
  body
})

const OPEN_BRACKET = 0x5b

const broken = { status: 502, error: ErrorObject.internalError() }
const timedOut = { status: 504, error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "request timed out") }
// geth's code and text, although EIP-1474 has another meaning for the code.
const tooLarge = { status: 200, error: ErrorObject.make(ErrorCode.TRANSACTION_REJECTED, "response too large") }
const answerTooLarge = Exit.fail(tooLarge.error)
const late = Exit.fail(timedOut.error)
