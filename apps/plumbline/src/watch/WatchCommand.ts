import * as Command from "effect/cli/Command"

import * as CommandFactory from "../terminal/CommandFactory.ts"
import * as WatchFlags from "./WatchFlags.ts"

const heads = CommandFactory.make("heads", WatchFlags.heads, async () => (await import("./RunWatch.ts")).heads).pipe(
  Command.withDescription("Tell each block once and in order, and the blocks that a reorganisation removes"),
  Command.withExamples([
    { command: "plumbline watch heads", description: "The live chain of the service that runs here" },
    {
      command:
        "plumbline watch heads --json --cursor heads.json --url https://node.example --checkpoint 0x9d2c... --beacon https://beacon.example",
      description: "Mainnet, for a program that may be killed and started again"
    }
  ])
)

const logs = CommandFactory.make("logs", WatchFlags.logs, async () => (await import("./RunWatch.ts")).logs).pipe(
  Command.withDescription(
    "Tell each log once and in order, and the logs that a reorganisation removes. None is missing"
  ),
  Command.withExamples([
    {
      command: "plumbline watch logs --address 0xdac1... --topic 0xddf2...",
      description: "The transfers of a token, from now on"
    },
    {
      command:
        'plumbline watch logs --address 0xdac1... --topic 0xddf2... --topic "*" --topic 0x0000... --head finalized',
      description: "Those to one account, once they are final"
    },
    {
      command: "plumbline watch logs --address 0xdac1... --from finalized --cursor transfers.json --json",
      description: "The logs of a contract from the finalized block on, and on after a restart"
    }
  ])
)

/** Follows the chain from a trust that moves with it, until the process gets a signal to stop. */
export const watch = Command.make("watch").pipe(
  Command.withDescription("Follow the blocks or the logs of a chain, each proven, across reorganisations and restarts"),
  Command.withSubcommands([heads, logs])
)
