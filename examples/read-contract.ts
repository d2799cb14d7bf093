/** Reads a token by its ABI: values, a revert and events, each proven by the block's hash. */
import { ContractCall, Erc20, VerdictContract } from "@plumbline/contracts"
import { Anvil, PreparedState } from "@plumbline/devnet"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Result } from "effect"

const [ada, bob] = PreparedState.accounts.slice(1).map(({ address }) => address)
const { address } = PreparedState.contracts.token
// the errors of the standard and those of this token
const insufficient = {
  type: "error",
  name: "InsufficientBalance",
  inputs: [
    { name: "owner", type: "address" },
    { name: "balance", type: "uint256" },
    { name: "needed", type: "uint256" }
  ]
} as const

const program = Effect.gen(function* () {
  const eth = yield* VerdictEthClient.VerdictEthClient
  const token = VerdictContract.make(eth, { address, abi: [...Erc20.abi, insufficient] as const })

  const balance = yield* token.read("balanceOf", [ada!])
  console.log(balance._tag, balance.value) // => VERIFIED 880000000000000000000n

  // a revert is proven too; the types of its arguments follow from the ABI
  const sent = yield* Effect.flip(token.read("transfer", [bob!, 10n ** 30n], { from: ada }))
  if (sent._tag === "RevertedError" && sent.decoded?.name === "InsufficientBalance") {
    console.log(sent.verdict?._tag, sent.decoded.args[1]) // => VERIFIED 880000000000000000000n
  }

  // many calls in the state of one block
  const [symbol, decimals] = yield* VerdictContract.all(eth, [
    Erc20.symbol(address),
    ContractCall.make(token, "decimals")
  ])
  console.log(Result.getOrThrow(symbol).value, Result.getOrThrow(decimals).value) // => PLUMB 18

  // exactly the transfers to Bob, none missing
  const transfers = yield* token.logs("Transfer", { to: bob }, { fromBlock: 1n, toBlock: "latest" })
  console.log(transfers._tag) // => VERIFIED
  for (const { event } of transfers.value) console.log(event?.args.value)
  // => 2000000000000000000000n
})

const { head } = PreparedState
const calls = VerifiedCalls.layer({ chain: Hardforks.always(BigInt(PreparedState.chainId), Anvil.defaults.hardfork) })
const eth = Layer.unwrap(
  Effect.map(Anvil.Anvil, ({ url }) => VerdictEthClient.layerUrl(url, TrustedBlock.layerPinned(head.hash)))
)
await Effect.runPromise(Effect.provide(program, eth.pipe(Layer.provide([calls, Anvil.layer()]))))
