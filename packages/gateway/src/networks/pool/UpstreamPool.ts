/**
 * Several nodes of one network as one upstream.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"

import { GatewayError } from "../../errors/GatewayError.ts"
import * as CallWithin from "../callWithin.ts"
import type { Subscribe, Upstream } from "../Upstream.ts"
import { UpstreamFault } from "../UpstreamFault.ts"
import * as PoolHeight from "./height.ts"
import { PoolMember } from "./member.ts"
import * as PoolTransaction from "./transaction.ts"

/**
 * A node of a pool. The name is shown in health and logs: it must hold no secret.
 */
export interface Member {
  readonly name: string
  readonly upstream: Upstream
  /** Its share of the calls if the pool goes by weight; above zero. Default 1. */
  readonly weight?: number | undefined
}

/**
 * Options of a pool: the choice of nodes, the timeouts, and the state of a failing node.
 */
export interface Options {
  /** The network's methods. They define the calls that may be sent again. */
  readonly methods: MethodGroup.Any
  /** `order`, the default: the first node that is up. `weight`: a random node for each call, by weight. */
  readonly by?: "order" | "weight" | undefined
  /** Maximum time for a call, all tries together. Default 20 seconds; at most 3 while all nodes are down. */
  readonly timeout?: Duration.Input | undefined
  /** Maximum time for a try, as long as there is another node to ask. Default 10 seconds. */
  readonly tryTimeout?: Duration.Input | undefined
  /** Number of consecutive faults that make a node down. Default 3. */
  readonly failures?: number | undefined
  /** Interval between tries of a node that is down. Default 10 seconds. */
  readonly cooldown?: Duration.Input | undefined
  /**
   * Compares the latest blocks: a node that is behind the highest by more than `blocks` is used after the others.
   * Default: no check.
   */
  readonly lag?: { readonly blocks: number; readonly every?: Duration.Input | undefined } | undefined
  /** The required chain of each node. Default: no check. */
  readonly chain?: Chain | undefined
  /**
   * The method that probes a node and returns its latest block. Default: the method of `methods` whose name ends in
   * `_blockNumber`.
   */
  readonly probe?: string | undefined
}

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults: {
  readonly weight: number
  readonly by: "order" | "weight"
  readonly timeout: number
  readonly tryTimeout: number
  readonly failures: number
  readonly cooldown: number
} = { weight: 1, by: "order", timeout: 20_000, tryTimeout: 10_000, failures: 3, cooldown: 10_000 }

/**
 * The chain of a network. The id is compared as a number; a text such as `SN_MAIN` is the number of its ASCII bytes.
 */
export interface Chain {
  /** Such as `eth_chainId`. */
  readonly method: string
  readonly id: number | string
  /** Interval at which each node is asked. Default 60 seconds. */
  readonly every?: Duration.Input | undefined
}

/**
 * Makes a pool. Its background work ends with the scope; the nodes are not closed.
 *
 * **Order of nodes.** Nodes that are up, then those that are behind, then those that are down: a call never waits for a
 * node that is known to be down while another is up. When all are down, each is tried.
 *
 * **Failover to the next node.** A call moves on if its node gave no answer: an `UpstreamFault` other than `TooLarge`.
 * Any answer of a node is final, an error object too. Two calls of one conversation may be answered by two nodes, and
 * "latest" is then two blocks.
 *
 * **Calls that are sent again.** Calls of methods that are `idempotent`, and signed transactions (`isSubmission`): the
 * nonce in the signed data keeps a transaction from taking effect twice. When a node may have taken a transaction and
 * the next one refuses it (`already known`, `nonce too low`), the refusal would wrongly report that it was not taken.
 * So the nodes are asked for it: if one has it, the answer is its hash. Otherwise, and on the second chain, the answer
 * is the first node's fault. Any other call moves on only if it certainly had no effect (`UpstreamFault.notDone`).
 *
 * **Nodes that are down.** A node is down after `failures` consecutive faults. Then it is asked for its latest block
 * after each `cooldown`, and is up when it answers. Callers' requests never serve as this probe. A node whose callers
 * leave before it answers is probed too.
 *
 * **The chain of a node** (`chain`). A node is asked for its chain id before its first call, before the first call
 * after a fault, and every `every`. One of another chain gets no calls until it returns the right id. If all are wrong,
 * calls fail with `WrongChain`. A node that answers the question with an error object is trusted with other calls.
 *
 * ```ts import.meta.vitest
 * import { UpstreamFault, UpstreamPool } from "@plumbline/gateway"
 * import { EthMethods } from "@plumbline/eth-methods"
 * import * as Effect from "effect/Effect"
 *
 * const broken = new UpstreamFault.UpstreamFault({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
 * const members = [
 *   { name: "own", upstream: { call: () => Effect.fail(broken) } },
 *   { name: "provider", upstream: { call: () => Effect.succeed(new TextEncoder().encode('"0x10"')) } }
 * ]
 * const program = Effect.gen(function* () {
 *   const pool = yield* UpstreamPool.make(members, { methods: EthMethods.group, failures: 1 })
 *   const answer = yield* pool.call("eth_blockNumber", [])
 *   return [new TextDecoder().decode(answer), pool.health?.().map(({ name, state }) => `${name}: ${state}`)]
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => ['"0x10"', ["own: down", "provider: up"]]
 * ```
 */
export const make = Effect.fnUntraced(function* (
  members: ReadonlyArray<Member>,
  options: Options
): Effect.fn.Return<Upstream, GatewayError, Scope.Scope> {
  const settings = yield* resolve(members, options)
  const scope = yield* Effect.scope
  const random = yield* Random.Random
  const pool = members.map(
    ({ name, upstream, weight = defaults.weight }) => new PoolMember(name, upstream, weight, settings.failures)
  )

  /** Wrong nodes are last: they are not asked, and if there are no others they give the reason. */
  const ranked = (): ReadonlyArray<PoolMember> => {
    const all = (options.by ?? defaults.by) === "weight" ? drawn(pool, () => random.nextDoubleUnsafe()) : pool
    return all.every((member) => member.rank === 0) ? all : all.toSorted((a, b) => a.rank - b.rank)
  }

  /**
   * Asks a node until it answers: one that is down after each pause, any other at once. A node has at most one such
   * probe.
   */
  const watch = (member: PoolMember): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (member.isWatched) return Effect.void
      member.isWatched = true
      return watching(member).pipe(Effect.annotateLogs({ node: member.name }), Effect.forkIn(scope), Effect.asVoid)
    })

  const watching = Effect.fnUntraced(function* (member: PoolMember) {
    while (!member.isDown) {
      yield* probe(member)
      if (!member.isInDoubt) {
        member.isWatched = false
        return
      }
    }
    yield* Effect.logWarning("a node is down")
    do {
      yield* Effect.sleep(settings.cooldown)
      yield* probe(member)
    } while (member.isDown)
    // Before any other step, which could be its next fault.
    member.isWatched = false
    if (settings.lag !== undefined) yield* compare
    yield* Effect.logInfo("a node is up again")
  })

  /** Updates the state of a node after a try. */
  const judged = (member: PoolMember, error: ErrorObject | UpstreamFault): Effect.Effect<void> => {
    if (!isFaultOfNode(error)) {
      member.answered()
      return Effect.void
    }
    if (error.reason._tag === "WrongChain") return Effect.void
    return member.failed() ? watch(member) : Effect.void
  }

  const probe = (member: PoolMember): Effect.Effect<void> =>
    Effect.matchEffect(bounded(member.upstream.call(settings.probe, []), settings.tryTimeout), {
      onSuccess: (result) =>
        Effect.sync(() => {
          member.answered()
          member.height = PoolHeight.read(result)
        }),
      onFailure: (error) => judged(member, error)
    })

  const compare = Effect.suspend(() => {
    const first = PoolHeight.highest(pool.filter(({ isDown }) => !isDown).map(({ height }) => height))
    for (const member of pool) member.behind = PoolHeight.behind(member.height, first)
    const allowed = settings.lag?.blocks ?? 0
    for (const member of pool) member.isBehind = member.behind !== undefined && member.behind > allowed
    return Effect.void
  })

  if (settings.lag !== undefined) {
    const look = Effect.forEach(pool, (member) => (member.isDown ? Effect.void : probe(member)), {
      concurrency: "unbounded",
      discard: true
    })
    const round = Effect.andThen(look, compare)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, Effect.sleep(settings.lag.every))))
  }

  /** A caller that left after a while may have left because of the node. */
  const abandoned = (member: PoolMember, millis: number): Effect.Effect<void> =>
    millis >= PATIENCE && !member.isDown ? watch(member) : Effect.void

  /** Runs one try, which ends in time by itself, and updates the state of its node. */
  const attempt = <A, R>(member: PoolMember, asked: Asked<A, R>, clock: Clock.Clock, left: number): Asked<A, R> => {
    const begun = millisOf(clock)
    return asked.pipe(
      Effect.onInterrupt(() => abandoned(member, millisOf(clock) - begun)),
      Effect.matchEffect({
        onSuccess: (answer) => {
          member.answered()
          return Exit.succeed(answer)
        },
        onFailure: (error) =>
          // The time that earlier tries left was too short to judge the node.
          left < settings.tryTimeout && isLate(error)
            ? Exit.fail(error)
            : Effect.andThen(judged(member, error), Exit.fail(error))
      })
    )
  }

  /** Asks a node for its chain, if one is required. */
  const identify = Effect.fnUntraced(function* (
    member: PoolMember
  ): Effect.fn.Return<void, ErrorObject | UpstreamFault> {
    const { chain } = settings
    if (chain === undefined) return
    const asked = bounded(member.upstream.call(chain.method, []), settings.tryTimeout)
    const found = yield* Effect.catch(Effect.map(asked, PoolHeight.readId), (error: ErrorObject | UpstreamFault) =>
      isFaultOfNode(error) ? Exit.fail(error) : Exit.succeed(chain.id)
    )
    const before = member.wrong
    member.isChecked = true
    if (found === chain.id) {
      member.wrong = undefined
      if (before !== undefined)
        yield* Effect.annotateLogs(Effect.logInfo("a node is of the right chain again"), { node: member.name })
      return
    }
    const reason = {
      _tag: "WrongChain",
      expected: shown(chain.id),
      found: found === undefined ? null : shown(found)
    } as const
    member.wrong = new UpstreamFault({ reason })
    if (before?.message === member.wrong.message) return
    yield* Effect.annotateLogs(Effect.logError("a node gets no calls", member.wrong.message), { node: member.name })
  })

  /** Asks a node in time. Fails for a node of another chain; asks the node for it first, if its chain is unknown. */
  const ofChain = <A, R>(member: PoolMember, ask: Ask<A, R>, left: number): Asked<A, R> => {
    if (member.wrong !== undefined) return Exit.fail(member.wrong)
    if (member.isChecked || settings.chain === undefined) return ask(member, left)
    const asked = Effect.andThen(
      identify(member),
      Effect.suspend(() => (member.wrong === undefined ? ask(member, left) : Exit.fail(member.wrong)))
    )
    return bounded(asked, left)
  }

  if (settings.chain !== undefined) {
    const round = Effect.forEach(pool, (member) => Effect.ignore(identify(member)), {
      concurrency: "unbounded",
      discard: true
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, Effect.sleep(settings.chain.every))))
  }

  /** Asks nodes in turn, until one has an answer or there is no reason to ask another. */
  const inTurn = <A, R>(
    nodes: ReadonlyArray<PoolMember>,
    ask: Ask<A, R>,
    kind: Kind,
    doubt: Doubt<A> = (fault) => Exit.fail(fault)
  ): Asked<A, R> =>
    Effect.clockWith((clock) => {
      // Nodes that are known to be down may hang. They are tried, but the caller gets an early answer.
      const end = millisOf(clock) + (nodes[0]!.isDown ? Math.min(settings.timeout, TIMEOUT_DOWN) : settings.timeout)
      let first: UpstreamFault | undefined
      let unsure: UpstreamFault | undefined
      const from = (at: number): Asked<A, R> => {
        const member = nodes[at]!
        const left = end - millisOf(clock)
        const isLast = at === nodes.length - 1
        const fail = (error: ErrorObject | UpstreamFault) =>
          unsure === undefined ? Exit.fail(error) : doubt(unsure, member, clock, end)
        const own = isLast ? left : Math.min(left, settings.tryTimeout)
        return Effect.catch(attempt(member, ofChain(member, ask, own), clock, own), (error) => {
          if (!isFaultOfNode(error)) return fail(error)
          first ??= error
          if (kind === "submission" && !error.notDone) unsure ??= error
          const goesOn = !isLast && end > millisOf(clock) && (kind !== "other" || error.notDone)
          return goesOn ? from(at + 1) : fail(first)
        })
      }
      return from(0)
    })

  /**
   * Returns the hash, if a node has the transaction that another may have taken. The node that answered last is asked
   * first.
   */
  const lookUp = (params: ReadonlyArray<unknown>): Doubt<Uint8Array> =>
    Effect.fnUntraced(function* (fault, last, clock, end) {
      const hash = PoolTransaction.hashOf(params)
      if (hash === undefined) return yield* Effect.fail(fault)
      for (const member of [last, ...ranked().filter((other) => other !== last)]) {
        const left = Math.min(end - millisOf(clock), settings.tryTimeout)
        if (left <= 0) break
        const asked = callOf(member, PoolTransaction.LOOK_UP, [hash], left)
        const exit = yield* Effect.exit(attempt(member, asked, clock, left))
        if (Exit.isSuccess(exit) && PoolTransaction.isIt(exit.value, hash)) return encoder.encode(`"${hash}"`)
      }
      return yield* Effect.fail(fault)
    })

  const kindOf = (method: string): Kind => {
    if (options.methods.get(method)?.idempotent === true) return "read"
    return isSubmission(method) ? "submission" : "other"
  }

  const pushing = pool.filter(({ upstream }) => upstream.subscribe !== undefined)
  const subscribe: Subscribe = (params) =>
    Effect.suspend(() =>
      inTurn(
        ranked().filter((member) => pushing.includes(member)),
        (member, left) => bounded(member.upstream.subscribe!(params), left),
        "read"
      )
    )

  return {
    call: (method, params) =>
      Effect.suspend(() =>
        inTurn(
          ranked(),
          (member, left) => callOf(member, method, params, left),
          kindOf(method),
          method === PoolTransaction.SEND ? lookUp(params) : undefined
        )
      ),
    subscribe: pushing.length === 0 ? undefined : subscribe,
    health: () =>
      pool.map(({ behind, name, state, wrong }) => ({
        name,
        state,
        behind,
        ...(wrong === undefined ? {} : { problem: wrong.message })
      }))
  }
})

/**
 * True if a method submits a signed transaction, which may be sent again without taking effect twice:
 * `eth_sendRawTransaction`, and Starknet's `add...Transaction` under any prefix.
 *
 * ```ts import.meta.vitest
 * import { UpstreamPool } from "@plumbline/gateway"
 *
 * UpstreamPool.isSubmission("starknet_addInvokeTransaction") // => true
 * UpstreamPool.isSubmission("eth_sendTransaction") // => false
 * ```
 */
export const isSubmission = (method: string): boolean =>
  method === "eth_sendRawTransaction" || /^[a-z]+_add(?:Invoke|Declare|DeployAccount)Transaction$/u.test(method)

// Private: tries.

/** The kind of a call for failover: reads and submissions may be sent again, others only if nothing was done. */
type Kind = "read" | "submission" | "other"

type Asked<A, R> = Effect.Effect<A, ErrorObject | UpstreamFault, R>

/** Asks a node within a time in milliseconds. */
type Ask<A, R> = (member: PoolMember, left: number) => Asked<A, R>

const callOf = (
  { upstream }: PoolMember,
  method: string,
  params: ReadonlyArray<unknown>,
  left: number
): Asked<Uint8Array, never> => {
  const within = CallWithin.of(upstream)
  return within === undefined ? bounded(upstream.call(method, params), left) : within(method, params, left)
}

/**
 * Resolves a submission that a node may have taken, from the fault that left it open and the node that answered last.
 */
type Doubt<A> = (fault: UpstreamFault, last: PoolMember, clock: Clock.Clock, end: number) => Asked<A, never>

/** Milliseconds that a caller must have waited for its leaving to count against the node. */
const PATIENCE = 1000

/** Milliseconds that a call waits for nodes which are all down: probes ask them too. */
const TIMEOUT_DOWN = 3000

/** True if another node may do better. An answer that is too large from one node is too large from the next. */
const isFaultOfNode = (error: ErrorObject | UpstreamFault): error is UpstreamFault =>
  error instanceof UpstreamFault && error.reason._tag !== "TooLarge"

/** Returns a chain id as nodes of Ethereum and Starknet write it. */
const shown = (id: bigint): string => `0x${id.toString(16)}`

const isLate = (error: ErrorObject | UpstreamFault): boolean =>
  error instanceof UpstreamFault && error.reason._tag === "TimedOut"

const bounded = <A, E, R>(asked: Effect.Effect<A, E, R>, millis: number): Effect.Effect<A, E | UpstreamFault, R> =>
  Effect.timeoutOrElse(asked, {
    duration: millis,
    orElse: () => Effect.fail(new UpstreamFault({ reason: { _tag: "TimedOut", after: Math.round(millis) } }))
  })

const encoder = new TextEncoder()

const millisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** Returns the nodes in a random order in which each comes first as often as its weight says. */
const drawn = (members: ReadonlyArray<PoolMember>, next: () => number): ReadonlyArray<PoolMember> => {
  const left = [...members]
  const order: Array<PoolMember> = []
  while (left.length > 0) {
    let point = next() * left.reduce((sum, { weight }) => sum + weight, 0)
    const at = left.findIndex(({ weight }) => (point -= weight) < 0)
    order.push(...left.splice(at, 1))
  }
  return order
}

// Private: options.

interface Settings {
  readonly timeout: number
  readonly tryTimeout: number
  readonly failures: number
  readonly cooldown: number
  readonly lag: { readonly blocks: number; readonly every: number } | undefined
  readonly chain: { readonly method: string; readonly id: bigint; readonly every: number } | undefined
  readonly probe: string
}

const resolve = (members: ReadonlyArray<Member>, options: Options): Effect.Effect<Settings, GatewayError> => {
  const { failures = defaults.failures, lag } = options
  const millis = (input: Duration.Input | undefined, usual: number) =>
    input === undefined ? usual : Duration.toMillis(Duration.fromInputUnsafe(input))
  if (members.length === 0) return badOption("members", "must be one at least")
  if (new Set(members.map(({ name }) => name)).size < members.length)
    return badOption("members", "must have different names")
  if (!members.every(({ weight = defaults.weight }) => weight > 0 && Number.isFinite(weight))) {
    return badOption("weight", "must be a number above zero")
  }
  if (!(Number.isInteger(failures) && failures > 0)) return badOption("failures", "must be a whole number above zero")
  if (lag !== undefined && !(Number.isInteger(lag.blocks) && lag.blocks >= 0)) {
    return badOption("lag.blocks", "must be a whole number")
  }
  const probe = options.probe ?? Object.keys(options.methods.methods).find((name) => name.endsWith("_blockNumber"))
  const times = {
    timeout: millis(options.timeout, defaults.timeout),
    tryTimeout: millis(options.tryTimeout, defaults.tryTimeout),
    cooldown: millis(options.cooldown, defaults.cooldown),
    "lag.every": millis(lag?.every, 15_000),
    "chain.every": millis(options.chain?.every, 60_000)
  }
  for (const [name, time] of Object.entries(times)) if (!(time > 0)) return badOption(name, "must be above zero")
  return Effect.succeed({
    timeout: times.timeout,
    tryTimeout: Math.min(times.timeout, times.tryTimeout),
    cooldown: times.cooldown,
    failures,
    lag: lag === undefined ? undefined : { blocks: lag.blocks, every: times["lag.every"] },
    chain:
      options.chain === undefined
        ? undefined
        : { method: options.chain.method, id: PoolHeight.idOf(options.chain.id), every: times["chain.every"] },
    probe: probe ?? "eth_blockNumber"
  })
}

const badOption = (option: string, problem: string): Effect.Effect<never, GatewayError> =>
  Effect.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
