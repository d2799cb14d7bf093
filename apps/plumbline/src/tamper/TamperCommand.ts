/** `plumbline tamper` */
import type { Lie } from "@plumbline/tamper/lie/Lie"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import * as Loopback from "../home/Loopback.ts"
import { Shutdown } from "../home/Shutdown.ts"
import * as ChainFlags from "../node/ChainFlags.ts"
import * as ChainNode from "../node/ChainNode.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import { UsageError } from "../terminal/UsageError.ts"
import type { LieFinding } from "./TamperCheck.ts"
import * as TamperView from "./TamperView.ts"

/** Maximum exit code. Shells use higher codes for signals. */
const MAX_EXIT = 100

const { data, network, retries, timeout, url } = ChainFlags.flags

/** Runs a lying node in front of a true one, lists the lies, or checks a program against all of them. */
export const tamper = Command.make(
  "tamper",
  {
    url,
    network,
    list: Flag.Boolean("list").pipe(
      Flag.withoutNegation,
      Flag.withDescription("List the lies, and tell none"),
      Flag.withDefault(false)
    ),
    lie: Flag.String("lie").pipe(
      Flag.withMetavar("name|random"),
      Flag.withDescription(
        "The lie to tell; random chooses a suitable lie for each answer (default: random, or with --check all lies)"
      ),
      Flag.optional
    ),
    omissions: Flag.Boolean("omissions").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Take the lies by omission: a field is absent, null or empty, or a whole answer is"),
      Flag.withDefault(false)
    ),
    check: Flag.String("check").pipe(
      Flag.withMetavar("command"),
      Flag.withDescription("Run a program against each lie, at $ETH_RPC_URL or {url}, and print which it believed"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("seconds"),
      Flag.withDescription("The time for each run of --check (default: 20)"),
      Flag.withDefault(20)
    ),
    rate: Flag.Finite("rate").pipe(
      Flag.withMetavar("0..1"),
      Flag.withDescription("The part of the answers that are lies (default: 1)"),
      Flag.withDefault(1)
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription("The seed of the random choices: the same seed tells the same lies (default: 1)"),
      Flag.withDefault(1)
    ),
    port: Flag.Int("port").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription("Port of this machine to listen on; 0 means any free port (default: 0)"),
      Flag.withDefault(0)
    ),
    allowOrigin: Loopback.originFlag,
    timeout,
    retries,
    json: JsonFlag.flag,
    data
  },
  Effect.fnUntraced(function* (flags) {
    const { json, limit, port, rate } = flags
    if (port < 0 || port > 65_535) return yield* new UsageError({ problem: "--port must be a number from 0 to 65535" })
    if (rate < 0 || rate > 1) return yield* new UsageError({ problem: "--rate must be a number from 0 to 1" })
    if (limit < 1 || limit > 3600)
      return yield* new UsageError({ problem: "--limit must be a number of seconds from 1 to 3600" })
    // Loaded here, because no other command needs the lies.
    const Catalogue = yield* Effect.promise(() => import("@plumbline/tamper/catalogue/Catalogue"))
    const style = yield* Style.current
    const all = flags.omissions ? Catalogue.omissions : Catalogue.lies
    if (flags.list) {
      const lies = all.map(({ about, expected, methods, name }) => ({ name, methods, about, expected }))
      return yield* Console.log(json ? TerminalText.json(lies) : TamperView.list(all, style).join("\n"))
    }
    const named = Option.getOrElse(flags.lie, () => "random")
    const lie = Catalogue.byName(named)
    if (lie === undefined && named !== "random") {
      return yield* new UsageError({ problem: `--lie: there is no lie ${TerminalText.printable(named)}; see --list` })
    }
    const chosen = lie === undefined ? all : [lie]
    return yield* Option.isSome(flags.check) ? check(flags, flags.check.value, chosen) : serve(flags, named, chosen)
  })
).pipe(
  Command.withDescription("Run a lying node in front of an honest one, to test if a program notices"),
  Command.withExamples([
    { command: "plumbline tamper --list", description: "The lies, and the reaction of a careful program to each" },
    {
      command: "plumbline tamper --lie receipt-status --port 8545",
      description: "Tell one lie, in every answer that it fits"
    },
    {
      command: "plumbline tamper --check 'cast balance 0x... --rpc-url {url}'",
      description: "Run a program against every lie"
    }
  ])
)

type Flags = Parameters<typeof ChainNode.lasting>[0] & {
  readonly rate: number
  readonly seed: number
  readonly port: number
  readonly limit: number
  readonly allowOrigin: ReadonlyArray<string>
}

/** Opens a lying node in the scope. `onLie` receives each lie, with its line of text. */
const liar = Effect.fnUntraced(function* (
  flags: Flags,
  name: string,
  lies: ReadonlyArray<Lie>,
  onLie: (line: string) => void
) {
  const [Tamper, TamperServer, { Transport }, Layer] = yield* Effect.promise(() =>
    Promise.all([
      import("@plumbline/tamper/tell/Tamper"),
      import("./TamperServer.ts"),
      import("@plumbline/jsonrpc-core/transport/Transport"),
      import("effect/Layer")
    ])
  )
  const context = yield* Layer.build(yield* ChainNode.lasting(flags))
  const truth = yield* Effect.provideContext(Transport, context)
  const [only] = lies
  const fault = lies.length === 1 && only?.how._tag === "Line" ? only.how.fault : undefined
  return yield* TamperServer.open({
    port: flags.port,
    origins: yield* Loopback.originsOf(flags.allowOrigin),
    name,
    node: Tamper.random(lies, { ...flags, onTold: (told) => onLie(TamperView.told(told)) })(truth),
    fault,
    onFault: () => onLie(`${name}: an answer`)
  })
})

const serve = Effect.fnUntraced(function* (
  flags: Flags & { readonly json: boolean },
  name: string,
  lies: ReadonlyArray<Lie>
) {
  const style = yield* Style.current
  const running = Effect.gen(function* () {
    const told = (line: string) => void (flags.json || process.stderr.write(`${line}\n`))
    const url = yield* liar(flags, name, lies, told)
    yield* Console.log(
      flags.json ? TerminalText.json({ url, lie: name }) : TamperView.opened(url, name, style).join("\n")
    )
    return yield* Effect.never
  })
  yield* Effect.raceFirst(Effect.scoped(running), yield* Shutdown)
})

const check = Effect.fnUntraced(function* (
  flags: Flags & { readonly json: boolean },
  command: string,
  lies: ReadonlyArray<Lie>
) {
  const Check = yield* Effect.promise(() => import("./TamperCheck.ts"))
  const style = yield* Style.current
  /** Runs the program against its own lying node, and counts the lies that the program was told. */
  const against = (name: string, lies: ReadonlyArray<Lie>) =>
    Effect.scoped(
      Effect.gen(function* () {
        let told = 0
        const url = yield* liar({ ...flags, port: 0 }, name, lies, () => told++)
        const run = yield* Check.run(command, url, flags.limit * 1000)
        return { run, told }
      })
    )
  const { run: truth } = yield* against("truth", [])
  if (truth.code !== 0) {
    const problem = `--check: with the truth the program ends with ${truth.isLate ? "no end in time" : (truth.code ?? "a signal")}`
    return yield* new UsageError({ problem })
  }
  const findings: ReadonlyArray<LieFinding> = yield* Effect.forEach(lies, (lie) =>
    Effect.map(against(lie.name, [lie]), ({ run, told }) => ({
      lie: lie.name,
      expected: lie.expected,
      fate: Check.fateOf(truth, run, told),
      told
    }))
  )
  yield* Console.log(flags.json ? TerminalText.json(findings) : TamperView.report(findings, style).join("\n"))
  const believed = findings.filter(({ fate }) => fate === "believed").length
  if (believed > 0) return yield* new ExitCode.PrintedError({ exitCode: Math.min(believed, MAX_EXIT) })
})
