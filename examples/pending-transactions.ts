/** Sends a transaction to a Starknet pool, and reads it from the pending transactions, proven by its hash. */
import { StarknetPool, StarknetPoolAccounts } from "@plumbline/devnet"
import { Felt, SecondChainClient, transactionHash, verifyPending } from "@plumbline/second-chain-methods"
import { sign } from "@scure/starknet"
import { Effect, Layer, Result } from "effect"

const { address, privateKey } = StarknetPoolAccounts.accounts[0]!
const felt = Felt.fromHexUnsafe
const unsigned = {
  type: "INVOKE" as const,
  version: "0x1" as const,
  sender_address: address,
  calldata: [felt("0x1"), felt("0x2")],
  max_fee: felt("0x2386f26fc10000"),
  nonce: felt("0x0"),
  signature: []
}
const { r, s } = sign(transactionHash(unsigned, StarknetPool.CHAIN_ID), privateKey)
const transaction = { ...unsigned, signature: [Felt.fromBigIntUnsafe(r), Felt.fromBigIntUnsafe(s)] }

const program = Effect.gen(function* () {
  const chain = yield* SecondChainClient.SecondChainClient
  yield* chain.addInvokeTransaction(transaction)
  const pending = yield* chain.pendingTransactions
  const options = { chainId: StarknetPool.CHAIN_ID, publicKeyOf: StarknetPoolAccounts.publicKeyOf }
  return pending.map((one) => Result.getOrThrow(verifyPending(one, options)))
})

// a node behind a URL: SecondChainClient.layerUrl("https://node.example/v3/<API key>")
const chain = SecondChainClient.layer().pipe(Layer.provide(StarknetPool.layerTransport()))
const [verdict] = await Effect.runPromise(Effect.provide(program, chain))
console.log(verdict?._tag, verdict?.value.type) // => VERIFIED INVOKE
console.log(verdict?.claimed[0]?.reason.sentence) // => that it is pending is the node's word
