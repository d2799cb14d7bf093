/** Writes a service over `EthClient`, and decides outside of it how far the node is trusted. */
import { Address, Hash32 } from "@plumbline/codec"
import { History, HistoryChain } from "@plumbline/devnet"
import { EthClient, ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { Context, Effect, Layer } from "effect"

class Wallet extends Context.Service<
  Wallet,
  { readonly funds: (address: Address.Address) => Effect.Effect<string, EthClient.Failure> }
>()("app/Wallet") {
  static readonly layer = Layer.effect(
    Wallet,
    Effect.gen(function* () {
      const eth = yield* EthClient.EthClient
      return { funds: (address) => Effect.map(eth.getBalance(address), (wei) => `${wei} wei`) }
    })
  )
}

const node = History.layerTransport
const trust = TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HistoryChain.blocks[69]!.hash))
const atItsWord = Wallet.layer.pipe(Layer.provide(EthClient.layer), Layer.provide(node))
const proven = Wallet.layer.pipe(Layer.provide(ProvenEthClient.layer()), Layer.provide([node, trust]))
const test = Layer.succeed(Wallet, { funds: () => Effect.succeed("7 wei") })

const address = Address.fromHexUnsafe(HistoryChain.accounts[0]!.address)
const program = Wallet.use((wallet) => wallet.funds(address))
const word = await Effect.runPromise(Effect.provide(program, atItsWord))
console.log(word === (await Effect.runPromise(Effect.provide(program, proven)))) // => true
console.log(await Effect.runPromise(Effect.provide(program, test))) // => 7 wei
