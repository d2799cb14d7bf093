/**
 * The live chain: anvil, in a separate process that ends with the layer's scope.
 *
 * By default the chain starts in the prepared state (see `PreparedState`), with deployed contracts and provable blocks
 * of several kinds. Each sent transaction makes a block.
 *
 * **The process** is the binary of the npm package @foundry-rs/anvil, started without a shim in between; the
 * environment variable `PLUMBLINE_ANVIL` or the option `binary` selects another one. It never outlives the
 * calling process, even if that is killed by SIGKILL (except on Windows). It gets an empty environment and writes no
 * files.
 *
 * **The way in.** `make` and `layer` open a port on 127.0.0.1, for any client. Anvil asks for no key, and obeys pages of
 * every origin: a web page that finds the port owns the chain. Use this form in a test. `makeOnSocket` opens a Unix
 * socket, and no port that a page can use. Use this form in a program that runs beside a browser.
 *
 * **Memory.** Anvil keeps every block with its transactions and traces, and the state after each of the last `history`
 * blocks, from which it answers historical proofs. Older states are dropped, and proofs of them are refused as out of
 * range. Each kept state repeats the hashes of all blocks before it. Memory with anvil 1.7.1 after 3,000 transactions,
 * sent one by one: 230 MB with the default of 256 states, 490 MB with 1,024, 20 MB at the start. A chain that mines on
 * demand does not grow while it is idle; with a block time of 12 seconds, 3,000 blocks take ten hours. With its own
 * defaults, anvil writes older states to files instead, 190 MB for the same transactions, and leaves the files behind
 * when it ends.
 *
 * **Proofs.** Every block except number 0 can be proven: the state root in anvil's genesis header is that of an empty
 * state.
 */
import { rm } from "node:fs/promises"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"

import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Scope from "effect/Scope"

import * as AnvilBinary from "./anvilBinary.ts"
import { AnvilDidNotAnswer, AnvilDidNotStart, AnvilError, AnvilExited, AnvilUnavailable } from "./AnvilError.ts"
import * as IpcTransport from "./ipcTransport.ts"
import * as OwnedProcess from "./ownedProcess.ts"
import * as PreparedState from "./PreparedState.ts"

export { AnvilError, AnvilExited } from "./AnvilError.ts"

/** A running chain. */
export class Anvil extends Context.Service<
  Anvil,
  {
    /** URL for JSON-RPC over HTTP, such as `http://127.0.0.1:34315`. */
    readonly url: string
    /** URL for JSON-RPC over WebSocket: the same port, only at the path `/`. */
    readonly wsUrl: string
    readonly port: number
    /** Process id of anvil. */
    readonly pid: number
    /** The chain id that the chain reports. */
    readonly chainId: number
    /**
     * Waits until the process ends, for any reason, including the end of the scope.
     *
     * The value can be used as a failure, for a program that is useless without its chain:
     * `Effect.raceFirst(program, Effect.flatMap(anvil.exited, Effect.fail))`.
     */
    readonly exited: Effect.Effect<AnvilExited>
  }
>()("@plumbline/devnet/Anvil") {}

/** A running chain that is reached by its socket alone. */
export interface AnvilOnSocket {
  /** The path of the socket. Each message is one line of JSON. */
  readonly path: string
  /** Calls the chain over its socket. Each call takes a connection of its own, so it survives a restart of the chain. */
  readonly transport: Transport.Transport["Service"]
  /** Process id of anvil. */
  readonly pid: number
  /** The chain id that the chain reports. */
  readonly chainId: number
  /** Waits until the process ends, for any reason, including the end of the scope. */
  readonly exited: Effect.Effect<AnvilExited>
}

/** Options of a chain. All are optional. */
export interface AnvilOptions extends AnvilSocketOptions {
  /** Port on 127.0.0.1. Default: a free port, chosen by the operating system. */
  readonly port?: number | undefined
}

/** Options of a chain that is reached by its socket. All are optional. */
export interface AnvilSocketOptions {
  /** The initial state: our prepared state (default), nothing, or the path of a file made by `anvil_dumpState`. */
  readonly state?: "prepared" | "empty" | (string & {}) | undefined
  /** The chain id. Default: 31337, for which the transactions of the prepared state are signed. */
  readonly chainId?: number | undefined
  /**
   * Time between blocks. If it is set, a block is mined after each such time, even without transactions. By default
   * each transaction gets a block at once.
   */
  readonly blockTime?: Duration.Input | undefined
  /**
   * Number of blocks before the head that can be proven, at least 1. Default: 256. The module comment gives the memory
   * that they take.
   */
  readonly history?: number | undefined
  /** The fork whose rules apply, by anvil's name: `frontier` to `osaka`. Default: `osaka`. */
  readonly hardfork?: string | undefined
  /** The timestamp of block 0 of an empty state, in seconds since 1970. Default: now. */
  readonly genesisTime?: number | undefined
  /** The path of the anvil to run. Default: `PLUMBLINE_ANVIL`, otherwise the binary from npm. */
  readonly binary?: string | undefined
  /**
   * Time from the start of the process to its first answer. Default: 30 seconds; it usually takes 40 to some hundred
   * milliseconds.
   */
  readonly startTimeout?: Duration.Input | undefined
}

/** The defaults of the options. `startTimeout` is in milliseconds. */
export const defaults: {
  readonly state: "prepared"
  readonly chainId: number
  readonly history: number
  readonly hardfork: "osaka"
  readonly startTimeout: number
} = { state: "prepared", chainId: 31_337, history: 256, hardfork: "osaka", startTimeout: 30_000 }

/**
 * Provides a chain. Each call of `layer` makes another chain.
 *
 * ```ts import.meta.vitest
 * import { Anvil, PreparedState } from "@plumbline/devnet"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const anvil = yield* Anvil.Anvil
 *   const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] })
 *   const headers = { "content-type": "application/json" }
 *   const response = yield* Effect.promise(() => fetch(anvil.url, { method: "POST", headers, body }))
 *   const { result } = yield* Effect.promise(() => response.json())
 *   return [anvil.chainId, result.hash]
 * })
 * await Effect.runPromise(Effect.provide(program, Anvil.layer())) // => [31337, PreparedState.head.hash]
 * ```
 */
export const layer = (options: AnvilOptions = {}): Layer.Layer<Anvil, AnvilError> => Layer.effect(Anvil, make(options))

/** Starts a chain that ends with the scope, and returns it as a value, for a program with several chains. */
export const make = (options: AnvilOptions = {}): Effect.Effect<Anvil["Service"], AnvilError, Scope.Scope> =>
  start(options).pipe(
    Effect.mapError((reason) => new AnvilError({ reason })),
    Effect.withSpan("Anvil.make")
  )

/**
 * Starts a chain that ends with the scope, and that is reached by the socket at `path` alone.
 *
 * The folder of the path must be closed to other users, because anvil opens its socket to all of them. A socket that an
 * earlier chain left there is replaced.
 *
 * Anvil always opens a TCP port too. On Linux it is bound to a multicast address, to which no connection can be made.
 * Other systems refuse such an address. There it is one of the ports to which browsers do not connect.
 */
export const makeOnSocket = (
  path: string,
  options: AnvilSocketOptions = {}
): Effect.Effect<AnvilOnSocket, AnvilError, Scope.Scope> =>
  startOnSocket(path, options).pipe(
    Effect.mapError((reason) => new AnvilError({ reason })),
    Effect.withSpan("Anvil.makeOnSocket")
  )

const start = Effect.fnUntraced(function* ({ port = 0, ...options }: AnvilOptions) {
  const { exited, listening, pid } = yield* launch(["--host", LOOPBACK, "--port", String(port)], options)
  const url = (port: number): string => `http://${LOOPBACK}:${port}`
  const chain = yield* ready(options, exited, (problem) =>
    Effect.flatMap(listening, (port) =>
      Effect.map(connect(HttpTransport.make({ url: url(port) }), problem), (chainId) => ({ port, chainId }))
    )
  )
  return { ...chain, url: url(chain.port), wsUrl: `ws://${LOOPBACK}:${chain.port}`, pid, exited: told(exited) }
})

const startOnSocket = Effect.fnUntraced(function* (path: string, options: AnvilSocketOptions) {
  const transport = IpcTransport.make(path)
  const scope = yield* Effect.scope
  const on = Effect.fnUntraced(function* ([host, port]: readonly [host: string, port: number]) {
    yield* Effect.promise(() => rm(path, { force: true }))
    const args = ["--host", host, "--port", String(port), "--no-cors", "--ipc", path]
    const { exited, pid } = yield* launch(args, options)
    const chainId = yield* ready(options, exited, (problem) => connect(Effect.succeed(transport), problem))
    return { path, transport, pid, chainId, exited: told(exited) }
  }, Scope.provide(scope))
  const [first, ...others] = UNREACHABLE
  return yield* others.reduce(
    (tried, next) =>
      Effect.catchIf(
        tried,
        (error) => error._tag === "AnvilDidNotStart" && error.exitCode === CANNOT_LISTEN,
        () => on(next)
      ),
    on(first)
  )
})

/** Starts the process. `listening` waits for the port on 127.0.0.1 that the process prints. */
const launch = Effect.fnUntraced(function* (listeners: ReadonlyArray<string>, options: AnvilSocketOptions) {
  const command = yield* AnvilBinary.find(options)
  const listening = Deferred.makeUnsafe<number>()
  const { exited, pid } = yield* OwnedProcess.spawn({
    command,
    args: [...listeners, ...commandLine(options)],
    onStdout: portReader((port) => Deferred.doneUnsafe(listening, Effect.succeed(port)))
  }).pipe(Effect.mapError(() => cannotSpawn(command)))
  return { pid, exited, listening: Deferred.await(listening) }
})

/** Waits for the chain's first answer, as long as its process lives and `startTimeout` allows. */
const ready = <A, E>(
  { startTimeout }: AnvilSocketOptions,
  exited: Effect.Effect<OwnedProcess.ProcessExit>,
  answer: (problem: Problem) => Effect.Effect<A, E>
): Effect.Effect<A, E | AnvilDidNotStart | AnvilDidNotAnswer> => {
  const within = Duration.fromInputUnsafe(startTimeout ?? defaults.startTimeout)
  const problem: Problem = {}
  return answer(problem).pipe(
    Effect.raceFirst(Effect.flatMap(exited, (exit) => Effect.fail(new AnvilDidNotStart(exit)))),
    Effect.timeoutOrElse({
      duration: within,
      orElse: () => Effect.fail(new AnvilDidNotAnswer({ within, ...problem }))
    })
  )
}

/** The last problem of a chain that does not answer yet. */
interface Problem {
  detail?: string
}

const told = (exited: Effect.Effect<OwnedProcess.ProcessExit>): Effect.Effect<AnvilExited> =>
  Effect.map(exited, (exit) => new AnvilExited(exit))

/**
 * Requests the chain id until the chain answers, and records the last problem.
 *
 * A port comes from the process's own output, so another process that listens on the requested port is not mistaken for
 * the chain.
 */
const connect = Effect.fnUntraced(function* (
  transport: Effect.Effect<Transport.Transport["Service"]>,
  problem: Problem
) {
  const client = yield* Effect.provideServiceEffect(JsonRpcClient.make(group), Transport.Transport, transport)
  const chainId = yield* client.eth_chainId().pipe(
    Effect.tapError((error) => Effect.sync(() => (problem.detail = error.message))),
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.orDie // this cannot happen, because the schedule is endless
  )
  // Anvil would print a line for each call. It is silenced only here, because with --quiet it would not print the port.
  yield* Effect.ignore(client.anvil_setLoggingEnabled(false))
  return chainId
})

const LOOPBACK = "127.0.0.1"

/**
 * Listeners that no web page reaches, the best first: a multicast address, to which Linux makes no connection, and
 * ports that browsers block. These ports are in every version of the browsers' list since 2001.
 *
 * Source: https://fetch.spec.whatwg.org/#port-blocking
 */
const UNREACHABLE: readonly [readonly [string, number], ...ReadonlyArray<readonly [string, number]>] = [
  ["239.255.0.1", 0],
  ...[6665, 6666, 6667, 6668, 6669, 6000, 4045].map((port) => [LOOPBACK, port] as const)
]

/** Anvil's exit code if it cannot listen. An invalid option or state has another one. */
const CANNOT_LISTEN = 1

const ChainId = Schema.String.check(Schema.isPattern(/^0x[1-9a-f][0-9a-f]{0,12}$/u)).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((hex) => Number.parseInt(hex, 16)),
    encode: SchemaGetter.transform((id) => `0x${id.toString(16)}`)
  })
)

const group = /* @__PURE__ */ MethodGroup.make(
  Method.make("eth_chainId", { params: [], result: ChainId }),
  Method.make("anvil_setLoggingEnabled", {
    params: [Method.param("enabled", Schema.Boolean)],
    result: Schema.Null
  })
)

const commandLine = (options: AnvilSocketOptions): ReadonlyArray<string> => {
  const flag = (name: string, value: string | number | undefined): ReadonlyArray<string> =>
    value === undefined ? [] : [name, String(value)]
  const blockTime = options.blockTime === undefined ? undefined : Duration.toSeconds(options.blockTime)
  return [
    ...flag("--color", "never"),
    ...flag("--hardfork", options.hardfork ?? defaults.hardfork),
    ...flag("--prune-history", options.history ?? defaults.history),
    ...flag("--load-state", stateFile(options.state ?? defaults.state)),
    ...flag("--chain-id", options.chainId ?? defaults.chainId),
    ...flag("--block-time", blockTime),
    ...flag("--timestamp", options.genesisTime)
  ]
}

const stateFile = (state: string): string | undefined => {
  if (state === "empty") return undefined
  return state === "prepared" ? fileURLToPath(PreparedState.stateFile) : resolve(state)
}

/** Reads output until the line with the port, and ignores everything after it. */
const portReader = (found: (port: number) => void): ((text: string) => void) => {
  let seen: string | undefined = ""
  return (text) => {
    if (seen === undefined) return
    seen = (seen + text).slice(-8192)
    const match = /^Listening on 127\.0\.0\.1:(\d+)\s/m.exec(seen)
    if (match === null) return
    seen = undefined
    found(Number(match[1]))
  }
}

const cannotSpawn = (command: string): AnvilUnavailable => {
  const { arch, platform } = process
  return platform === "win32"
    ? new AnvilUnavailable({ problem: "NotExecutable", platform, arch, path: command })
    : new AnvilUnavailable({ problem: "NoShell", platform, arch, path: OwnedProcess.SHELL })
}
