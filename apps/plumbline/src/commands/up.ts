/** `plumbline up` */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

import { UsageError } from "../CommandError.ts"
import * as DataFolder from "../DataFolder.ts"
import * as ReadFlags from "../ReadFlags.ts"
import { Shutdown } from "../Shutdown.ts"
import * as Style from "../view/Style.ts"
import * as Text from "../view/Text.ts"

/** Where the service listens, unless it is told. */
export const DEFAULT_PORT = 8645

/** Runs the service until it is told to stop. */
export const up = Command.make(
  "up",
  {
    port: Flag.Int("port").pipe(
      Flag.withMetavar("n"),
      Flag.withDescription(
        `Port on 127.0.0.1; 0 is any free one (default: ${DEFAULT_PORT}, or any free one when that is busy)`
      ),
      Flag.optional
    ),
    ipfs: Flag.Redacted("ipfs").pipe(
      Flag.withMetavar("url"),
      Flag.withDescription(
        "Serve IPFS from the node at this URL, such as Kubo's http://127.0.0.1:5001, with its key and secret in the URL if it wants any (default: $PLUMBLINE_IPFS, or the embedded node)"
      ),
      Flag.optional
    ),
    data: DataFolder.flag,
    json: Flag.withDescription(
      ReadFlags.json,
      "Print one line of JSON when ready: url, wsUrl, apiKey, apiKeySecret, ipfsUrl, networks; and consoleUrl, adminToken, which are null: there are none yet"
    )
  },
  Effect.fnUntraced(function* (flags) {
    const port = Option.getOrUndefined(flags.port)
    if (port !== undefined && (port < 0 || port > 65_535)) {
      return yield* new UsageError({ problem: "--port: want a number from 0 to 65535" })
    }
    const ipfs = yield* upstream(flags.ipfs)
    const folder = yield* DataFolder.resolve(flags.data)
    const shutdown = yield* Shutdown
    const stopped = Effect.flatMap(shutdown, (reason) => progress(`${reason}: stopping ...`))
    yield* Effect.raceFirst(Effect.scoped(serve({ folder, ipfs, port, json: flags.json })), stopped)
  })
).pipe(
  Command.withDescription("Run the service on embedded chains and an IPFS node, until Ctrl-C"),
  Command.withExamples([
    { command: "plumbline up", description: `On port ${DEFAULT_PORT}` },
    { command: "plumbline up --json --port 0 --data ./service", description: "For a program, in a folder of its own" }
  ])
)

/** The IPFS node to ask, where one is named. */
const upstream = Effect.fnUntraced(function* (flag: Option.Option<Redacted.Redacted>) {
  const inEnvironment = yield* Effect.orDie(Config.option(Config.Redacted("PLUMBLINE_IPFS")))
  const url = Option.orElse(flag, () => inEnvironment)
  if (Option.isNone(url)) return undefined
  const text = Redacted.value(url.value)
  return URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)
    ? url.value
    : yield* new UsageError({ problem: "--ipfs: want an http:// or https:// URL" })
})

const serve = Effect.fnUntraced(function* (options: {
  readonly folder: string
  readonly ipfs: Redacted.Redacted | undefined
  readonly port: number | undefined
  readonly json: boolean
}) {
  const { folder, ipfs, json, port } = options
  // Loaded here, because no other command needs the gateway and the chain.
  const [Service, Announcement] = yield* Effect.promise(() =>
    Promise.all([import("../service/Service.ts"), import("../service/Announcement.ts")])
  )
  const service = yield* Service.start({
    folder,
    ipfs,
    port: port ?? DEFAULT_PORT,
    portMayDiffer: port === undefined,
    progress
  })
  if (json) yield* Console.log(Text.json(Announcement.make(service)))
  else {
    const isDefault = folder === (yield* DataFolder.resolve(Option.none()))
    const style = yield* Style.current
    const lines = Announcement.view(service, { folder: isDefault ? undefined : folder, style })
    yield* Console.log(lines.join("\n"))
  }
  return yield* service.ended
})

const progress = (step: string): Effect.Effect<void> => Console.error(step)
