/** Reads a token by its ABI: values, a revert and events, each proven by the block's hash. */
import { Erc20, VerdictContract } from "@plumbline/contracts"
import { Anvil, PreparedState } from "@plumbline/devnet"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Result } from "effect"
import { parseAbi } from "viem"

const [ada, bob] = PreparedState.accounts.slice(1).map(({ address }) => address)
const { address } = PreparedState.contracts.token
// the standard, and an error of this token
const errors = parseAbi(["error InsufficientBalance(address owner, uint256 balance, uint256 needed)"])
const abi = [...Erc20.abi, ...errors] as const

const program = Effect.gen(function* () {
  const eth = yield* VerdictEthClient.VerdictEthClient
  const token = VerdictContract.make(eth, { address, abi })

  const balance = yield* token.read("balanceOf", [ada!])
  console.log(balance._tag, balance.value) // => VERIFIED 880000000000000000000n

  // a revert is proven too; the types of its arguments follow from the ABI
  const sent = yield* Effect.flip(token.read("transfer", [bob!, 10n ** 30n], { from: ada }))
  if (sent._tag === "RevertedError") console.log(sent.verdict?._tag, sent.decoded?.args[1]) // => VERIFIED 880000000000000000000n

  // many calls in the state of one block
  const [symbol, name] = yield* VerdictContract.all(eth, [Erc20.symbol(address), Erc20.name(address)])
  console.log(Result.getOrThrow(symbol).value, Result.getOrThrow(name).value) // => PLUMB Plumb

  // exactly the transfers to Bob, none missing
  const transfers = yield* token.logs("Transfer", { to: bob }, { fromBlock: 1n, toBlock: "latest" })
  console.log(transfers._tag, transfers.value[0]?.event?.args.value) // => VERIFIED 2000000000000000000000n
})

const calls = VerifiedCalls.layer({ chain: Hardforks.always(BigInt(PreparedState.chainId), Anvil.defaults.hardfork) })
const trust = TrustedBlock.layerPinned(PreparedState.head.hash)
const eth = Layer.unwrap(Effect.map(Anvil.Anvil, ({ url }) => VerdictEthClient.layerUrl(url, trust)))
await Effect.runPromise(Effect.provide(program, eth.pipe(Layer.provide([calls, Anvil.layer()]))))
