/**
 * The embedded live chain: anvil behind a socket that only this user can open.
 *
 * A chain that ends by itself starts again with the state of its latest saved block, so that the service goes on. The
 * state is saved at most once a second, and only after a new block: a crash can lose the blocks of the last second, and
 * the proofs of blocks before the saved one. docs/decisions/command.md gives the reasons.
 */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"

import * as Anvil from "@plumbline/devnet/anvil/Anvil"
import type { AnvilError, AnvilExited } from "@plumbline/devnet/anvil/AnvilError"
import * as IpcUpstream from "@plumbline/gateway/networks/IpcUpstream"
import type { Upstream } from "@plumbline/gateway/networks/Upstream"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** The live chain. It keeps its socket and its chain id when it starts again. */
export interface LiveChain {
  readonly upstream: Upstream
  readonly transport: Transport["Service"]
  readonly chainId: number
}

/** A running process of the chain. */
interface Running {
  readonly chain: Anvil.AnvilOnSocket
  readonly scope: Scope.Closeable
  /** The moment of the start, in milliseconds on the process's own clock. */
  readonly since: number
}

/** Starts the chain, which runs until the scope closes. Fails only if the first start fails. */
export const make: Effect.Effect<LiveChain, AnvilError, Scope.Scope> = Effect.gen(function* () {
  // made before the supervisor, so that the end of the service stops the supervisor before the chain
  const scope = yield* Scope.fork(yield* Effect.scope)
  // the system gives such a folder to this user alone
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "plumbline-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const name = process.platform === "win32" ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, "anvil.ipc")
  const state = new SavedState(path.join(folder, "state.json"))
  let problem: string | undefined

  const startWith = Effect.fnUntraced(function* (file: string | undefined) {
    const own = yield* Scope.fork(scope)
    const starting = Anvil.makeOnSocket(name, file === undefined ? {} : { state: file })
    const chain = yield* Effect.onError(Scope.provide(starting, own), () => Scope.close(own, Exit.void))
    yield* Effect.forkIn(state.follow(chain.transport), own)
    problem = undefined
    return { chain, scope: own, since: performance.now() } satisfies Running
  })

  /** Starts the chain again, with its saved state if anvil accepts it. */
  const again: Effect.Effect<Running> = Effect.suspend(() => startWith(state.file)).pipe(
    Effect.catch((error) => {
      if (state.file === undefined) return Effect.fail(error)
      state.forget()
      return Effect.andThen(
        Effect.logError("the live chain does not start with its state", codeOf(error)),
        startWith(undefined)
      )
    }),
    Effect.tapError((error) => Effect.logError("the live chain does not start", codeOf(error))),
    Effect.catch(() =>
      Effect.andThen(
        Effect.sleep(MAX_WAIT),
        Effect.suspend(() => again)
      )
    )
  )

  const supervise = Effect.fnUntraced(function* (first: Running) {
    let running = first
    let wait = 0
    for (;;) {
      const exit = yield* running.chain.exited
      yield* Scope.close(running.scope, Exit.void)
      problem = `it ended (${endOf(exit)}), and starts again`
      yield* Effect.logError("the live chain ended, and starts again", endOf(exit))
      wait = performance.now() - running.since > LONG_LIFE ? 0 : Math.min(MAX_WAIT, wait * 2 + FIRST_WAIT)
      yield* Effect.sleep(wait)
      running = yield* again
      yield* Effect.logInfo("the live chain runs again", state.file === undefined ? "in its first state" : state.words)
    }
  })

  const first = yield* startWith(undefined)
  yield* Effect.forkScoped(supervise(first))
  const { call, subscribe } = yield* Effect.orDie(IpcUpstream.make({ path: name, maxBackoff: RECONNECT }))
  const health = () => [
    problem === undefined
      ? { name: "live", state: "up" as const, behind: undefined }
      : { name: "live", state: "down" as const, behind: undefined, problem }
  ]
  const { chainId, transport } = first.chain
  return { upstream: { call, subscribe, health }, transport, chainId }
})

/** The latest saved state of the chain, in a file that anvil loads. */
class SavedState {
  readonly #file: string
  #hash: unknown
  #number = ""

  constructor(file: string) {
    this.#file = file
  }

  /** The path of the file; undefined before the first save. */
  get file(): string | undefined {
    return this.#number === "" ? undefined : this.#file
  }

  /** The saved block, for the log. */
  get words(): string {
    return `from block ${Number(this.#number)}`
  }

  forget(): void {
    this.#number = ""
  }

  /** Saves the state after each new block. A failure is not reported: the next turn saves the state again. */
  follow({ call }: Transport["Service"]): Effect.Effect<never> {
    let pause = MIN_PAUSE
    let isFirst = true
    const turn = Effect.gen({ self: this }, function* () {
      yield* Effect.sleep(isFirst ? 0 : pause)
      const { hash, number } = Object(yield* call({ method: "eth_getBlockByNumber", params: ["latest", false] }))
      // the state of the start is in a file already
      if (isFirst) this.#hash = hash
      isFirst = false
      if (hash === this.#hash) return
      const began = performance.now()
      const dump = yield* call({ method: "anvil_dumpState", params: [] })
      yield* Effect.promise(() => this.#write(String(dump)))
      this.#hash = hash
      this.#number = String(number)
      yield* Effect.logDebug("the live chain's state is saved", this.words)
      // a large state is saved less often, so that saving takes at most a twentieth of the time
      pause = Math.max(MIN_PAUSE, 20 * (performance.now() - began))
    })
    return Effect.forever(Effect.catchCause(turn, () => Effect.sleep(MIN_PAUSE)))
  }

  /** Writes the state in one step: a crash meanwhile leaves the earlier state. */
  async #write(dump: string): Promise<void> {
    const next = `${this.#file}.next`
    await writeFile(next, await unzip(Buffer.from(dump.slice(2), "hex")), { mode: 0o600 })
    await rename(next, this.#file)
  }
}

const unzip = promisify(gunzip)

const endOf = ({ exitCode, signal }: AnvilExited): string =>
  signal === null ? `exit code ${exitCode}` : `signal ${signal}`

const codeOf = ({ reason }: AnvilError): string => reason._tag

/** Minimum time between two saves of the state, in milliseconds. */
const MIN_PAUSE = 1000

/** The first and the longest wait before the chain starts again, in milliseconds. */
const FIRST_WAIT = 100
const MAX_WAIT = 30_000

/** A chain that lived for this time, in milliseconds, starts again at once. */
const LONG_LIFE = 10_000

/** Maximum wait before the service connects to the chain again. */
const RECONNECT = Duration.millis(500)
