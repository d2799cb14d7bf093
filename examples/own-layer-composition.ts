/** Writes a service over any client, and decides outside of it how far the node is trusted. */
import { History, HistoryChain } from "@plumbline/devnet"
import { EthClient, type Input, ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { Context, Effect, Layer } from "effect"

class Wallet extends Context.Service<
  Wallet,
  { readonly funds: (address: Input.Address) => Effect.Effect<string, ProvenEthClient.ProvenReadFailure> }
>()("app/Wallet") {
  static readonly layer = <R>(client: Effect.Effect<ProvenEthClient.Client, never, R>) =>
    Layer.effect(
      Wallet,
      Effect.map(client, (eth) => ({
        funds: (address) => Effect.map(eth.getBalance(address), (wei) => `${wei} wei`)
      }))
    )
}

const node = History.layerTransport()
const trust = TrustedBlock.layerPinned(HistoryChain.blocks[69]!.hash)
const atItsWord = Wallet.layer(EthClient.EthClient).pipe(Layer.provide(EthClient.layer()), Layer.provide(node))
const proven = Wallet.layer(ProvenEthClient.ProvenEthClient).pipe(
  Layer.provide(ProvenEthClient.layer()),
  Layer.provide([node, trust])
)
const test = Layer.succeed(Wallet, { funds: () => Effect.succeed("7 wei") })

const address = HistoryChain.accounts[0]!.address
const program = Wallet.use((wallet) => wallet.funds(address))
const word = await Effect.runPromise(Effect.provide(program, atItsWord))
console.log(word === (await Effect.runPromise(Effect.provide(program, proven)))) // => true
console.log(await Effect.runPromise(Effect.provide(program, test))) // => 7 wei
