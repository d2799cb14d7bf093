/**
 * The workers of a service: processes that answer calls on one port.
 *
 * The system gives each new connection to one of them (`SO_REUSEPORT`). A worker that ends is replaced, after a pause that
 * grows while it keeps ending. A worker that answers no beat is killed, and replaced. A worker ends when this process does.
 */
import { type ChildProcess, fork } from "node:child_process"

import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import type { SpawnFiber } from "@plumbline/gateway/GatewayInternals"
import type { MetricFamily } from "@plumbline/gateway/meters/MetricFamily"
import * as LieCounts from "@plumbline/gateway/networks/LieCounts"
import type { LieCount } from "@plumbline/gateway/networks/Upstream"
import * as MetricSum from "@plumbline/gateway/observe/MetricSum"
import type { ServiceWorkers, WorkerCount } from "@plumbline/gateway/settings/GatewayOptions"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import { Outbox } from "./Outbox.ts"
import type { WorkerDesk } from "./WorkerDesk.ts"
import type * as WorkerMessages from "./WorkerMessages.ts"
import { WorkerStartError } from "./WorkerStartError.ts"

export interface WorkerPoolOptions {
  readonly host: string
  /** The port. 0 means any free port, which the first worker chooses. */
  readonly port: number
  readonly workers: number
  /** Returns what each worker needs to start, except for its number and the port. */
  readonly start: () => Omit<WorkerMessages.WorkerStart, "worker" | "workers" | "port">
  readonly deskOf: (tell: (message: WorkerMessages.SupervisorTold) => void) => WorkerDesk
  /** Milliseconds that a worker has to drain. A worker that takes longer is killed. */
  readonly drain: number
  /** Milliseconds between two beats. Default: 1 second. */
  readonly beat?: number | undefined
  /** The module of a worker. */
  readonly module: URL
}

/** The workers. They drain when the scope closes. */
export interface WorkerPool extends ServiceWorkers {
  readonly port: number
  /** Lets all workers read the configuration again, and waits for those that listen, within a bound. */
  readonly reload: (embedded: WorkerMessages.WorkerStart["embedded"]) => Effect.Effect<void>
  /** Keeps the state of a light client, and sends it to all workers, also to later ones. */
  readonly publish: (network: string, state: WorkerMessages.SentLight) => void
  /** The process ids of the workers that run, by their numbers. */
  readonly pids: () => ReadonlyMap<number, number>
}

/** Number of beats without an answer after which a worker counts as stuck: one that listens, and one that starts. */
const UNANSWERED = { listening: 10, starting: 120 }

const BEAT = 1000

/** Milliseconds before a worker is replaced: at first, and at most. Each further end doubles the time. */
const PAUSE = { first: 100, most: 30_000 }

/** Milliseconds after which a worker counts as stable: its next end is a first one. */
const STABLE = 60_000

/** Milliseconds that a scrape waits for the counts of the workers. */
const COUNTS = 1000

/** Time that a reload waits for the workers. A worker that answers no beat is killed in this time. */
const RELOAD = "15 seconds"

/** A worker that runs or starts. */
interface RunningWorker {
  readonly child: ChildProcess
  readonly outbox: Outbox<WorkerMessages.SupervisorTold>
  readonly desk: WorkerDesk
  readonly begun: number
  isListening: boolean
  /** The number of beats since the last answer. */
  unanswered: number
  isStuck: boolean
  /** Called when the worker has read the configuration again, or has ended: one for each reload that it was told. */
  reloads: Array<() => void>
  /** The last reload before the worker listened, when it does not hear one. */
  missed: Extract<WorkerMessages.SupervisorTold, { _tag: "Reload" }> | undefined
  /** True if the worker could not read the configuration again, and follows the earlier one. */
  isOutdated: boolean
  families: ReadonlyArray<MetricFamily>
  lies: Readonly<Record<string, ReadonlyArray<LieCount>>>
}

type Outcome =
  | { readonly _tag: "Listening"; readonly port: number }
  | Extract<WorkerMessages.WorkerTold, { _tag: "NotStarted" }>

class Pool {
  readonly options: WorkerPoolOptions
  readonly log: SpawnFiber
  readonly workers = new Map<number, RunningWorker>()
  readonly lights = new Map<string, WorkerMessages.SentLight>()
  readonly exits = { crash: 0, stuck: 0 }
  readonly ends = new Map<number, number>()
  /** The counts of the workers that have ended. */
  retired: ReadonlyArray<MetricFamily> = []
  /** The lies that they had found, by network. */
  readonly retiredLies = new Map<string, ReadonlyArray<LieCount>>()
  port = 0
  isDraining = false
  #alive: Array<() => void> = []

  constructor(options: WorkerPoolOptions, log: SpawnFiber) {
    this.options = options
    this.log = log
  }

  /** Starts a worker, and calls `told` when it listens or has failed to start. */
  start(worker: number, told: (outcome: Outcome) => void): void {
    const { deskOf, module, start, workers } = this.options
    const child = fork(module, { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] })
    const outbox = new Outbox<WorkerMessages.SupervisorTold>((messages) => {
      // A worker that has ended takes no message, and its end is reported by itself.
      if (child.connected) child.send(messages, () => undefined)
    })
    const tell = (message: WorkerMessages.SupervisorTold) => outbox.add(message)
    const running: RunningWorker = {
      child,
      outbox,
      desk: deskOf(tell),
      begun: performance.now(),
      isListening: false,
      unanswered: 0,
      isStuck: false,
      reloads: [],
      missed: undefined,
      isOutdated: false,
      families: [],
      lies: {}
    }
    this.workers.set(worker, running)
    let report: ((outcome: Outcome) => void) | undefined = told
    const reported = (outcome: Outcome) => {
      report?.(outcome)
      report = undefined
    }
    child.on("message", (messages: ReadonlyArray<WorkerMessages.WorkerTold>) => {
      for (const message of messages) this.#hear(worker, running, message, reported)
    })
    const ended = (how: string) => {
      this.#ended(worker, running, how)
      reported({ _tag: "NotStarted", problem: `it ended with ${how}`, code: undefined })
    }
    child.on("error", (error: NodeJS.ErrnoException) => {
      // A process that the system did not start has no exit.
      if (child.pid === undefined) ended(error.code ?? "UNKNOWN")
      else child.kill("SIGKILL")
    })
    child.once("exit", (code, signal) => ended(signal ?? String(code)))
    tell({ _tag: "Start", ...start(), worker, workers, port: this.port })
    for (const [network, state] of this.lights) tell({ _tag: "Heads", network, state })
  }

  #hear(
    worker: number,
    running: RunningWorker,
    message: WorkerMessages.WorkerTold,
    reported: (outcome: Outcome) => void
  ): void {
    switch (message._tag) {
      case "Listening":
        running.isListening = true
        running.unanswered = 0
        if (running.missed !== undefined) running.outbox.add(running.missed)
        return reported(message)
      case "NotStarted":
        return reported(message)
      case "Alive":
        running.unanswered = 0
        running.families = MetricSum.decode(message.families)
        running.lies = message.lies
        for (const heard of this.#alive) heard()
        return
      case "Reloaded":
        running.isOutdated = message.problem !== undefined
        running.reloads.shift()?.()
        if (message.problem !== undefined) {
          this.#say(Effect.logError("a worker could not read the configuration again", message.problem), worker)
        }
        return
      default:
        return running.desk.hear(message)
    }
  }

  #say(message: Effect.Effect<void>, worker: number): void {
    this.log(Effect.annotateLogs(message, { worker }))
  }

  #ended(worker: number, running: RunningWorker, how: string): void {
    if (this.workers.get(worker) !== running) return
    this.workers.delete(worker)
    running.desk.close()
    for (const reloaded of running.reloads) reloaded()
    this.retired = MetricSum.of([this.retired, MetricSum.lasting(running.families)])
    for (const [network, lies] of Object.entries(running.lies)) {
      const counts = lies.map((lie) => ({ ...lie, isLying: false, asideUntil: undefined }))
      this.retiredLies.set(network, LieCounts.sum([...(this.retiredLies.get(network) ?? []), ...counts]))
    }
    if (this.isDraining) return
    // A worker that never listened is reported to the caller that starts it.
    if (!running.isListening && !this.ends.has(worker)) return
    this.exits[running.isStuck ? "stuck" : "crash"]++
    this.#say(
      Effect.logError(running.isStuck ? "a worker did not answer, and was killed" : "a worker ended", how),
      worker
    )
    this.replace(worker, performance.now() - running.begun > STABLE)
  }

  /** Starts a worker again after a pause. */
  replace(worker: number, wasStable: boolean): void {
    const ends = wasStable ? 0 : (this.ends.get(worker) ?? 0)
    this.ends.set(worker, ends + 1)
    const timer = setTimeout(
      () => {
        if (this.isDraining) return
        this.start(worker, (outcome) => {
          if (outcome._tag === "Listening") this.#say(Effect.logInfo("a worker was replaced"), worker)
          else this.#say(Effect.logError("a worker cannot start", outcome.problem), worker)
        })
      },
      Math.min(PAUSE.first * 2 ** ends, PAUSE.most)
    )
    timer.unref()
  }

  /** Asks each worker for a sign of life. A worker that gave none for too long is killed. */
  beat(): void {
    for (const running of this.workers.values()) {
      if (running.unanswered++ >= UNANSWERED[running.isListening ? "listening" : "starting"]) {
        running.isStuck = true
        running.child.kill("SIGKILL")
      } else running.outbox.add({ _tag: "Beat" })
    }
  }

  /** Waits until each worker has sent its counts, within a bound. */
  counted(): Promise<void> {
    const asked = new Set([...this.workers.values()].filter(({ isListening }) => isListening))
    const before = new Map([...asked].map((worker) => [worker, worker.families]))
    return new Promise((resolve) => {
      const timer = setTimeout(() => over(), COUNTS)
      const over = () => {
        clearTimeout(timer)
        this.#alive = this.#alive.filter((one) => one !== heard)
        resolve()
      }
      const heard = () => {
        if ([...asked].every((worker) => worker.families !== before.get(worker))) over()
      }
      this.#alive.push(heard)
      for (const { outbox } of asked) outbox.add({ _tag: "Beat" })
      heard()
    })
  }

  count(): WorkerCount {
    const running = [...this.workers.values()].filter(({ isListening }) => isListening)
    const outdated = running.filter(({ isOutdated }) => isOutdated)
    return { wanted: this.options.workers, running: running.length, outdated: outdated.length }
  }

  /** Tells each worker to read the configuration again. The promise ends when those that listen have done so. */
  async reload(embedded: WorkerMessages.WorkerStart["embedded"]): Promise<void> {
    const message = { _tag: "Reload", embedded } as const
    const workers = [...this.workers.values()]
    const listening = workers.filter(({ isListening }) => isListening)
    for (const running of workers) if (!running.isListening) running.missed = message
    for (const { outbox } of listening) outbox.add(message)
    await Promise.all(listening.map(({ reloads }) => new Promise<void>((resolve) => reloads.push(resolve))))
  }

  /** Lets each worker answer what is under way, and kills those that take too long. */
  async stop(): Promise<void> {
    this.isDraining = true
    const children = Array.from(this.workers.values(), ({ child, outbox }) => {
      outbox.add({ _tag: "Drain" })
      return child
    })
    const kill = setTimeout(() => children.forEach((child) => child.kill("SIGKILL")), this.options.drain)
    await Promise.all(
      children
        .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
        .map((child) => new Promise<void>((resolve) => child.once("exit", () => resolve())))
    )
    clearTimeout(kill)
  }
}

/** Starts the workers. Fails if one of them cannot start. */
export const open = Effect.fnUntraced(function* (
  options: WorkerPoolOptions
): Effect.fn.Return<WorkerPool, GatewayError | WorkerStartError, Scope.Scope> {
  const { beat = BEAT, host, port, workers: count } = options
  const log: SpawnFiber = Effect.runForkWith(yield* Effect.context())
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool(options, log)),
    (pool) => Effect.promise(() => pool.stop())
  )
  const started = (worker: number) =>
    Effect.flatMap(
      Effect.callback<Outcome>((resume) => pool.start(worker, (outcome) => resume(Effect.succeed(outcome)))),
      (outcome): Effect.Effect<number, GatewayError | WorkerStartError> => {
        if (outcome._tag === "Listening") return Effect.succeed(outcome.port)
        const { code, problem } = outcome
        return Effect.fail(
          code === undefined
            ? new WorkerStartError({ worker, problem })
            : new GatewayError({ reason: { _tag: "CannotListen", host, port: pool.port, code } })
        )
      }
    )
  // The first worker chooses the port, and the others share it.
  pool.port = port
  pool.port = yield* started(1)
  yield* Effect.forEach(
    Array.from({ length: count - 1 }, (_, index) => index + 2),
    started,
    { concurrency: "unbounded", discard: true }
  )
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(
        Effect.sleep(beat),
        Effect.sync(() => pool.beat())
      )
    )
  )

  const own = (): ReadonlyArray<MetricFamily> => [
    {
      name: "plumbline_workers",
      type: "gauge",
      help: "Processes that answer calls.",
      samples: [{ labels: {}, value: pool.count().running }]
    },
    {
      name: "plumbline_worker_exits_total",
      type: "counter",
      help: "Workers that ended and were replaced, by cause: crash, or stuck if the worker was killed.",
      samples: Object.entries(pool.exits).map(([cause, value]) => ({ labels: { cause }, value }))
    },
    {
      name: "plumbline_worker_memory_bytes",
      type: "gauge",
      help: "Memory of a worker.",
      samples: Array.from(pool.workers, ([worker, { families }]) => ({
        labels: { worker: String(worker) },
        value: Number(families.find(({ name }) => name === MEMORY)?.samples[0]?.value ?? 0)
      }))
    }
  ]
  return {
    port: pool.port,
    count: () => pool.count(),
    families: Effect.map(
      Effect.promise(() => pool.counted()),
      () => [...Array.from(pool.workers.values(), ({ families }) => families), pool.retired, own()]
    ),
    reload: (embedded) =>
      Effect.asVoid(
        Effect.timeoutOption(
          Effect.promise(() => pool.reload(embedded)),
          RELOAD
        )
      ),
    publish: (network, state) => {
      pool.lights.set(network, state)
      for (const { outbox } of pool.workers.values()) outbox.add({ _tag: "Heads", network, state })
    },
    lies: (network) =>
      LieCounts.sum([
        ...(pool.retiredLies.get(network) ?? []),
        ...Array.from(pool.workers.values()).flatMap(({ lies }) => lies[network] ?? [])
      ]),
    pids: () => new Map(Array.from(pool.workers, ([worker, { child }]) => [worker, child.pid!]))
  }
})

const MEMORY = "process_resident_memory_bytes"
