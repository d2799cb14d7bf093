import * as Command from "effect/cli/Command"

import * as BeaconFlags from "../beacon/BeaconFlags.ts"
import * as ChainFlags from "../node/ChainFlags.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import * as CommandFactory from "../terminal/CommandFactory.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"

const { data, network, retries, timeout, url } = ChainFlags.flags

export const head = CommandFactory.make(
  "head",
  { ...BeaconFlags.flags, forks: LaterForksFile.flag, url, network, timeout, retries, json: JsonFlag.flag, data },
  async () => (await import("./ReadHead.ts")).run
).pipe(
  Command.withDescription(
    "Follow the beacon chain from a checkpoint, and show its newest and its last finalized block"
  ),
  Command.withExamples([
    { command: "plumbline head", description: "The live chain of the service that runs here" },
    {
      command: "plumbline head --checkpoint 0x9d2c... --beacon https://beacon.example",
      description: "Mainnet, from a checkpoint that you trust"
    }
  ])
)
