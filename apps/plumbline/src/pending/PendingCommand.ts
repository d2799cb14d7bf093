import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as Print from "../answer/Print.ts"
import * as DataFolder from "../home/DataFolder.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as ChainFlags from "../node/ChainFlags.ts"
import * as ChainNode from "../node/ChainNode.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import { UsageError } from "../terminal/UsageError.ts"

/** The network of the service that has a second chain. */
const NETWORK = "starknet-pool"

export const pending = Command.make(
  "pending",
  {
    url: ChainFlags.flags.url,
    network: Flag.withDescription(ChainFlags.flags.network, `One of the service's networks (default: ${NETWORK})`),
    chain: Flag.String("chain").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription(
        "The chain that you expect, as SN_MAIN or 0x hex, which the hashes include (default: the chain of the service; with --url, the chain that the node names)"
      ),
      Flag.optional
    ),
    timeout: ChainFlags.flags.timeout,
    retries: ChainFlags.flags.retries,
    json: JsonFlag.flag,
    data: ChainFlags.flags.data
  },
  Effect.fnUntraced(function* (flags) {
    const network = Option.isSome(flags.url) ? flags.network : Option.orElseSome(flags.network, () => NETWORK)
    const meant = Option.isSome(flags.chain) ? yield* Effect.fromResult(chainOf(flags.chain.value)) : undefined
    const transport = yield* ChainNode.transport({ ...flags, network })
    const chainId = meant ?? (Option.isSome(flags.url) ? undefined : yield* chainOfService(flags.data, network))
    // Loaded here, because no other command needs the second chain.
    const [Transactions, PendingView] = yield* Effect.promise(() =>
      Promise.all([import("./PendingReading.ts"), import("./PendingView.ts")])
    )
    const pending = yield* Effect.provide(Transactions.read(chainId), transport)
    yield* Print.print(flags, {
      reply: Transactions.answer(pending),
      beside: Transactions.beside(pending),
      view: (style) => PendingView.view(pending, style)
    })
  })
).pipe(
  Command.withDescription("Read the second chain's pending transactions, and prove each by its hash"),
  Command.withExamples([
    { command: "plumbline pending", description: "The embedded pool" },
    {
      command: "plumbline pending --url https://node.example/rpc --chain SN_MAIN",
      description: "From a Starknet node of any version"
    }
  ])
)

/** Parses the id or the name of a chain. The name is the id read as ASCII. A felt holds at most 31 letters. */
const chainOf = (text: string): Result.Result<Felt.Felt, UsageError> => {
  const hex = /^[!-~]{1,31}$/u.test(text) && !/^0x/iu.test(text) ? asciiHex(text) : text
  return Result.mapError(
    Felt.fromHex(hex),
    () => new UsageError({ problem: "--chain must be the id of a chain: a name such as SN_MAIN, or its 0x hex" })
  )
}

const asciiHex = (text: string): string =>
  `0x${Array.from(text, (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`

/**
 * Returns the chain id from the record of the service that `up` started. The operator vouches for this id, not a node.
 */
const chainOfService = Effect.fnUntraced(function* (data: Option.Option<string>, network: Option.Option<string>) {
  const { networks } = yield* ServiceFile.running(yield* DataFolder.resolve(data))
  const found = networks.find(({ name }) => Option.contains(network, name))
  if (typeof found?.chainId === "string") return yield* Effect.fromResult(chainOf(found.chainId))
  return found === undefined ? undefined : Felt.fromBigIntUnsafe(BigInt(found.chainId))
})
