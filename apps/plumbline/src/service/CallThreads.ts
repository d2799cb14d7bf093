/**
 * Runs calls over proven state in threads of their own, so that hostile code takes no time from other requests.
 *
 * The virtual machine gives way every few milliseconds, but one precompiled contract does not, and several calls at a
 * time would take most of a loop. A thread is loaded by the first call. It is replaced if it runs out of memory, or does
 * not give up a call.
 */
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"

import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import {
  type CallEngine,
  type CallNode,
  type CallRun,
  type CallRunner,
  methods,
  type ProvenCall
} from "@plumbline/eth-methods/call/CallEngine"
import { CallError } from "@plumbline/eth-methods/call/CallError"
import type { AnyOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import { JsonRpcError, TimeoutError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as PlatformError from "@plumbline/redaction/PlatformError"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

import * as CallMessages from "./CallMessages.ts"

/** The options of the threads. */
export interface CallThreadsOptions {
  /** Maximum number of threads. Default: one less than the processors, from 1 to 4. */
  readonly threads?: number | undefined
  /** Maximum time for which a call runs, in milliseconds. The time in which its node is read does not count. */
  readonly time: number
  /** The bound on a thread's own values, in MiB. The bytes of codes and of the machine's memory are beside it. */
  readonly memory?: number | undefined
  /** The module of a thread, which takes and sends `CallMessages`. Default: `CallThread`. */
  readonly module?: URL | undefined
}

/** The default of `memory`. */
const MEMORY = 512

/** Milliseconds within which a stopped call ends. A thread that takes longer is replaced. */
const GRACE = 2000

/** Milliseconds within which a thread starts. Until then it is not replaced: another one would start no sooner. */
const START = 60_000

/** Milliseconds for which a node's access list is waited for, times five: the engine waits for a fifth of its time. */
const HINT_TIME = 5000

/** The number of contracts at blocks that are remembered as read. */
const KNOWN = 4096

/** The threads, which end when their scope closes. */
export interface CallThreads {
  /**
   * Returns an engine for calls by these rules. Its state in the threads is dropped when the scope closes. A call runs
   * for at most a third of `tryTimeout`, the time in milliseconds after which the network blames a node.
   */
  readonly engine: (
    chain: Hardforks.ChainForks | undefined,
    tryTimeout: number
  ) => Effect.Effect<CallEngine, never, Scope.Scope>
}

/** Makes the threads. None is started before the first call. */
export const make = Effect.fnUntraced(function* ({
  memory = MEMORY,
  module = new URL("./CallThread.ts", import.meta.url),
  threads: most = Math.max(1, Math.min(4, availableParallelism() - 1)),
  time
}: CallThreadsOptions): Effect.fn.Return<CallThreads, never, Scope.Scope> {
  const threads = new Set<Thread>()
  let runners = 0
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      isClosed = true
      await Promise.all(Array.from(threads, (thread) => thread.end()))
    })
  )

  /** Returns the thread with the fewest calls. A further thread is started while all others have calls. */
  const freest = (): Thread => {
    const [first] = [...threads].sort((a, b) => a.calls.size - b.calls.size)
    if (first !== undefined && (first.calls.size === 0 || threads.size >= most)) return first
    const thread = new Thread(module, memory, () => threads.delete(thread))
    threads.add(thread)
    return thread
  }

  const runnerOf = (key: CallMessages.RunnerKey, node: CallNode, time: number): CallRunner => {
    const local = VerifiedCalls.make({ chain: key.chain, bounds: { time: HINT_TIME } }).over(node, key.chainId)
    const reading = new Reading()
    const known = new BoundedMap<string, true>(KNOWN)
    /** The block that was read last: a tag mostly names it. */
    let newest: string | null | undefined
    const run =
      <O extends AnyOutcome, Request extends object>(method: CallMessages.RunMethod): CallRun<O, Request> =>
      (request, { anchor, value }, options) =>
        Effect.flatMap(Effect.context(), (context) => {
          const block = { anchor, value: { ...value, transactions: [] } }
          const question = { runner: key, method, request, options, block }
          const once = Effect.suspend(() =>
            isClosed
              ? Effect.interrupt
              : Effect.callback<ProvenCall<AnyOutcome>, CallMessages.RunFailure | Lost>((resume) => {
                  const thread = freest()
                  const leave = thread.run({ question, node, context, reading, time, resume })
                  return Effect.sync(leave)
                })
          )
          // another call may have ended the thread: this one is run again, once
          return once.pipe(
            Effect.catchIf(isLost, (lost) => (isClosed ? Effect.interrupt : Effect.andThen(warning(lost), once))),
            Effect.catchIf(isLost, ({ why }) => (isClosed ? Effect.interrupt : Effect.fail(ended(why)))),
            // the thread runs the method that was asked for
            Effect.map((call) => {
              newest = value.hash
              if ("to" in request && typeof request.to === "string") {
                known.set(`${value.hash} ${request.to.toLowerCase()}`, true)
              }
              return call as ProvenCall<O>
            })
          )
        })
    return {
      hint: (request, at) => {
        const named = typeof at === "object" && "blockHash" in at ? at.blockHash : undefined
        const hash = typeof at === "string" ? newest : named
        return hash != null && known.use(`${hash} ${request.to?.toLowerCase()}`) === true
          ? undefined
          : local.hint(request, at)
      },
      run: run("run"),
      estimateGas: run("estimateGas"),
      createAccessList: run("createAccessList"),
      simulate: run("simulate")
    }
  }

  return {
    engine: (chain, tryTimeout) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => new Set<number>()),
          (own) =>
            Effect.sync(() => {
              for (const thread of threads) for (const runner of own) thread.forget(runner)
            })
        ),
        (own): CallEngine => ({
          name: "@ethereumjs/evm in a thread",
          over: (node, chainId) => {
            const rules = chain ?? (chainId === undefined ? undefined : Hardforks.of(chainId))
            // such a call is refused, which takes no thread
            if (rules === undefined) return VerifiedCalls.make().over(node, chainId)
            const number = runners++
            own.add(number)
            return runnerOf({ number, chainId, chain: rules }, node, Math.min(time, tryTimeout / 3))
          }
        })
      )
  }
})

/** The thread of a call ended: it ran out of memory, was replaced because of a call, or failed by itself. */
class Lost {
  readonly _tag = "Lost"
  readonly why: keyof typeof ENDED
  /** The code of the error, such as `ERR_MODULE_NOT_FOUND`, if it has one. */
  readonly code: string | undefined
  constructor(why: keyof typeof ENDED, code?: string) {
    this.why = why
    this.code = code
  }
}

const isLost = (error: CallMessages.RunFailure | Lost): error is Lost => error._tag === "Lost"

/** The descriptions of a call whose thread ended twice, by the reason. */
const ENDED = {
  memory: "a call that ends the thread in which it runs, for want of memory",
  replaced: "a call whose thread was replaced twice, because a call did not end in time",
  failed: "a call whose thread failed twice"
} as const

const ended = (why: keyof typeof ENDED): CallError =>
  new CallError({ reason: { _tag: "Unsupported", what: ENDED[why] } })

const warning = ({ code, why }: Lost): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("the thread of a call ended, so the call is run once more"), {
    why,
    ...(code === undefined ? {} : { code })
  })

/** Returns the reason for which a thread ended by an error. The error's text may hold parts of a call. */
const lossOf = (error: unknown): Lost => {
  const code = PlatformError.codeOf(error)
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? new Lost("memory") : new Lost("failed", code)
}

/** The time in which reads of one node are under way. Calls that share them wait for each other's. */
class Reading {
  #count = 0
  #since = 0
  #total = 0

  begin(): void {
    if (this.#count++ === 0) this.#since = performance.now()
  }

  end(): void {
    if (--this.#count === 0) this.#total += performance.now() - this.#since
  }

  get total(): number {
    return this.#count === 0 ? this.#total : this.#total + performance.now() - this.#since
  }
}

interface CallQuestion extends Pick<
  Extract<CallMessages.ToThread, { _tag: "Run" }>,
  "runner" | "method" | "request" | "options" | "block"
> {}

interface CallToRun {
  readonly question: CallQuestion
  readonly node: CallNode
  /** The context of the call, in which its reads are made: it names the call. */
  readonly context: Context.Context<never>
  readonly reading: Reading
  /** The bound of its time, in milliseconds. */
  readonly time: number
  readonly resume: (outcome: Exit.Exit<ProvenCall<AnyOutcome>, CallMessages.RunFailure | Lost>) => void
}

/** A call in a thread. */
interface RunningCall extends CallToRun {
  readonly reads: Map<number, Fiber.Fiber<unknown, JsonRpcError>>
  timer: NodeJS.Timeout | undefined
  /** True if the caller no longer waits. */
  isStopped: boolean
}

class Thread {
  readonly calls = new Map<number, RunningCall>()
  readonly #worker: Worker
  readonly #onEnd: () => void
  #count = 0
  #isReady = false
  readonly #born = performance.now()

  constructor(module: URL, memory: number, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#worker = new Worker(module, {
      // a call has no use for the service's variables, which hold its secrets
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memory }
    })
    this.#worker.unref()
    this.#worker.on("message", (message: CallMessages.FromThread) => this.#take(message))
    this.#worker.on("error", (error) => this.#lose(lossOf(error)))
    this.#worker.on("exit", () => this.#lose(new Lost("failed")))
  }

  /** Begins a call. Returns the function that stops it. */
  run(call: CallToRun): () => void {
    const id = this.#count++
    const running: RunningCall = { ...call, reads: new Map(), timer: undefined, isStopped: false }
    this.calls.set(id, running)
    this.#send({ _tag: "Run", call: id, ...call.question })
    this.#watch(id, running)
    return () => this.#stop(id, running)
  }

  forget(runner: number): void {
    this.#send({ _tag: "Forget", runner })
  }

  async end(): Promise<void> {
    this.#lose(new Lost("replaced"))
    await this.#worker.terminate()
  }

  #send(message: CallMessages.ToThread): void {
    this.#worker.postMessage(message, [])
  }

  #take(message: CallMessages.FromThread): void {
    switch (message._tag) {
      case "Ready":
        this.#isReady = true
        return
      case "Reads":
        for (const read of message.reads) this.#read(read)
        return
      case "Leave":
        for (const { reads } of this.calls.values()) reads.get(message.read)?.interruptUnsafe()
        return
      case "Ended": {
        const call = this.calls.get(message.call)
        if (call === undefined) return
        this.#drop(message.call, call)
        if (message.outcome !== undefined) call.resume(this.#exitOf(call, message.outcome))
      }
    }
  }

  #exitOf(
    { question }: RunningCall,
    outcome: CallMessages.Outcome<ProvenCall<AnyOutcome>>
  ): Exit.Exit<ProvenCall<AnyOutcome>, CallMessages.RunFailure> {
    switch (outcome._tag) {
      case "Success":
        return Exit.succeed(outcome.value)
      case "Failure": {
        const error = CallMessages.failureOf(outcome.error)
        // its own time is bounded here, so what took the rest was the node
        const isSlow =
          error._tag === "CallError" && error.reason._tag === "OutOfBounds" && error.reason.bound === "time"
        return Exit.fail(isSlow ? late(methods[question.method], Number(error.reason.limit)) : error)
      }
      case "Defect":
        return Exit.die(new Error(outcome.problem))
    }
  }

  /** Makes a read in the context of its call. A call that has ended needs none. */
  #read({ args, call: id, method, read }: CallMessages.Read): void {
    const call = this.calls.get(id)
    if (call === undefined || call.isStopped) return
    const { context, node, reading, reads } = call
    const ask = node[method] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, JsonRpcError>
    reading.begin()
    const fiber = Effect.runForkWith(context)(Effect.suspend(() => ask(...args)))
    reads.set(read, fiber)
    fiber.addObserver((exit) => {
      reading.end()
      reads.delete(read)
      this.#send({ _tag: "Answer", read, outcome: outcomeOf(exit) })
    })
  }

  /**
   * Ends a call that has run for too long. The time of its node's reads does not count. The start of the thread has a
   * time of its own, as long as that of the call. No node is blamed for either.
   */
  #watch(id: number, call: RunningCall): void {
    const before = call.reading.total
    let since = performance.now()
    let isBegun = this.#isReady
    const look = (): void => {
      const now = performance.now()
      if (!isBegun && this.#isReady) {
        isBegun = true
        since = now
      }
      const ran = now - since - (call.reading.total - before)
      if (ran < call.time) {
        call.timer = setTimeout(look, Math.max(1, Math.ceil(call.time - ran)))
        return
      }
      this.#stop(id, call)
      call.resume(Exit.fail(new CallError({ reason: { _tag: "OutOfBounds", bound: "time", limit: call.time } })))
    }
    look()
  }

  /** Stops a call. A thread that does not give it up in time ends with all its calls, once it has started. */
  #stop(id: number, call: RunningCall): void {
    if (call.isStopped || !this.calls.has(id)) return
    call.isStopped = true
    for (const fiber of call.reads.values()) fiber.interruptUnsafe()
    this.#send({ _tag: "Stop", call: id })
    clearTimeout(call.timer)
    const look = (): void => {
      if (this.#isReady || performance.now() - this.#born > START) return void this.end()
      call.timer = setTimeout(look, GRACE)
    }
    call.timer = setTimeout(look, GRACE)
  }

  #drop(id: number, { timer }: RunningCall): void {
    clearTimeout(timer)
    this.calls.delete(id)
  }

  #lose(lost: Lost): void {
    this.#onEnd()
    for (const [id, call] of this.calls) {
      this.#drop(id, call)
      for (const fiber of call.reads.values()) fiber.interruptUnsafe()
      if (!call.isStopped) call.resume(Exit.fail(lost))
    }
  }
}

const late = (method: string, millis: number): JsonRpcError =>
  new JsonRpcError({ method, reason: new TimeoutError({ after: Duration.millis(millis) }) })

const outcomeOf = (exit: Exit.Exit<unknown, JsonRpcError>): CallMessages.Outcome<unknown> => {
  if (exit._tag === "Success") return { _tag: "Success", value: exit.value }
  const error = Cause.findError(exit.cause)
  return Result.isSuccess(error)
    ? { _tag: "Failure", error: CallMessages.plainOf(error.success) }
    : { _tag: "Defect", problem: Cause.pretty(exit.cause) }
}
