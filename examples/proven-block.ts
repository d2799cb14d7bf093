/** Reads a block of an embedded chain, and proves it by its hash. */
import { History, HistoryChain } from "@plumbline/devnet"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Effect, Layer } from "effect"

const hash = HistoryChain.blocks[69]!.hash // the one thing that you trust
const eth = VerdictEthClient.layer().pipe(Layer.provide([History.layerTransport(), TrustedBlock.layerNone()]))
const read = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockByHash(hash, { full: true }))
const { _tag } = await Effect.runPromise(Effect.provide(read, eth))
console.log(_tag) // => VERIFIED
