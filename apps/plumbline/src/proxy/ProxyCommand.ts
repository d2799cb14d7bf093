import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import * as Print from "../answer/Print.ts"
import * as ReaderTrust from "../answer/ReaderTrust.ts"
import * as TrustFlags from "../answer/TrustFlags.ts"
import * as Loopback from "../home/Loopback.ts"
import { Shutdown } from "../home/Shutdown.ts"
import * as ChainFlags from "../node/ChainFlags.ts"
import * as PollFlag from "../node/PollFlag.ts"
import * as CallRulesFlags from "../rules/CallRulesFlags.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as LogBounds from "./LogBounds.ts"
import * as ProxyView from "./ProxyView.ts"

/** The usual port of Ethereum nodes, which programs use by default. */
const DEFAULT_PORT = 8545

const { data, network, retries, timeout } = ChainFlags.flags

const url = Flag.withDescription(
  ChainFlags.flags.url,
  "Any JSON-RPC or service URL, http(s):// or ws(s):// (default: the service that `plumbline up` started)"
)

/** Runs a proving proxy in front of a node until the process gets a signal to stop. */
export const proxy = Command.make(
  "proxy",
  {
    url,
    network,
    ...TrustFlags.flags,
    unprovable: Flag.Literals("unprovable", ["refuse", "mark"]).pipe(
      Flag.withDescription(
        "The handling of an answer that nothing proves: refuse it, or pass it on as CLAIMED (default: refuse)"
      ),
      Flag.withDefault("refuse" as const)
    ),
    ...CallRulesFlags.flags,
    forks: LaterForksFile.flag,
    port: Flag.Int("port").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription(`Port of this machine to listen on; 0 means any free port (default: ${DEFAULT_PORT})`),
      Flag.withDefault(DEFAULT_PORT)
    ),
    poll: Flag.withDescription(
      PollFlag.flag,
      "Seconds between two polls for a new head, for subscriptions and filters (default: 4)"
    ),
    ...LogBounds.flags,
    annotate: Flag.Boolean("annotate").pipe(
      Flag.withDescription('Put the verdict into each answer, as a member "plumbline" (default: off)'),
      Flag.withDefault(false)
    ),
    allowOrigin: Loopback.originFlag,
    allowAdmin: Flag.Boolean("allow-admin").pipe(
      Flag.withDescription(
        "Pass on methods that administer the node, such as anvil_* and admin_*, with --unprovable mark (default: off)"
      ),
      Flag.withDefault(false)
    ),
    timeout,
    retries,
    json: Flag.withDescription(JsonFlag.flag, "Print one line of JSON when ready: url, wsUrl"),
    data
  },
  Effect.fnUntraced(function* (flags) {
    const { annotate, json, port, unprovable } = flags
    if (port < 0 || port > 65_535) return yield* new UsageError({ problem: "--port must be a number from 0 to 65535" })
    const origins = yield* Loopback.originsOf(flags.allowOrigin)
    if (flags.allowAdmin && origins.length > 0) {
      return yield* new UsageError({
        problem: "--allow-admin would let pages administer the node: leave --allow-origin out"
      })
    }
    const trust = yield* Effect.fromResult(ReaderTrust.parse(flags))
    const pollInterval = yield* Effect.fromResult(PollFlag.interval(flags.poll))
    const logBounds = yield* Effect.fromResult(LogBounds.parse(flags))
    // Loaded here, because no other command needs a server.
    const [CallRules, ProxyServer, Upstream, { AnswerTally: Tally }, ProvingNode, Batching, { through }] =
      yield* Effect.promise(() =>
        Promise.all([
          import("../rules/CallRules.ts"),
          import("./ProxyServer.ts"),
          import("./ProxyUpstream.ts"),
          import("./AnswerTally.ts"),
          import("@plumbline/provider/node/ProvingNode"),
          import("@plumbline/jsonrpc-core/middleware/Batching"),
          import("@plumbline/jsonrpc-core/transport/Transport")
        ])
      )
    const forks = yield* LaterForksFile.ofFlag(flags.forks)
    const followed = yield* ReaderTrust.layer(trust, flags, { forks, isMoving: true })
    const { checkpoint, layer: trusted, rollup } = followed
    const isFollowing = followed.chainId !== undefined
    const { calls, chainId } = yield* CallRules.resolve(flags, followed.chainId)
    const tally = new Tally()
    const count = (verdicts: number): void => {
      tally.foreign += verdicts
    }
    const node = through(yield* Upstream.make(flags, annotate ? count : undefined), Batching.make())
    const fork = Effect.runForkWith(yield* Effect.context())
    const say = (line: string): void => void fork(Console.error(line))
    const serve = Effect.gen(function* () {
      const proxy = yield* ProxyServer.open(yield* ProvingNode.ProvingNode, { port, tally, annotate, origins, say })
      const style = yield* Style.current
      yield* json
        ? Console.log(TerminalText.json(proxy))
        : Console.log(ProxyView.opened(proxy, { trust, isFollowing, checkpoint, rollup, unprovable }, style).join("\n"))
      return yield* Effect.never
    })
    const layer = ProvingNode.layer({
      unprovable,
      administration: flags.allowAdmin ? "pass" : "refuse",
      chainId,
      forks,
      calls,
      pollInterval,
      ...logBounds
    }).pipe(Layer.provide(trusted), Layer.provide(node))
    const shutdown = yield* Shutdown
    const serving = Effect.catchIf(
      Effect.scoped(Effect.provide(serve, layer)),
      (error) => error instanceof RefutedError,
      (refuted) => Print.beaconLie(flags, refuted)
    )
    yield* Effect.raceFirst(serving, shutdown)
    if (!json) yield* Console.error(ProxyView.closed(tally).join("\n"))
  })
).pipe(
  Command.withDescription("Run a proxy in front of a node: programs use it unchanged, and get proven answers"),
  Command.withExamples([
    { command: "plumbline proxy --url https://node.example --trust 0x5f3c...", description: "On port 8545" },
    {
      command: "plumbline proxy --url https://node.example --checkpoint 0x9d2c... --beacon https://beacon.example",
      description: "With a light client, so that latest is proven too"
    },
    {
      command: "plumbline proxy --url https://node.example --unprovable mark --json --port 0",
      description: "Refuse only refuted answers, with output for a program"
    }
  ])
)
