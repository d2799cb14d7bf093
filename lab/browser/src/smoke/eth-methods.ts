/**
 * Reads a block, proves it, and refutes a false one. It runs with only the globals of a browser (`realm.ts`). In a
 * rehearsal of a release, it also runs with the packed packages.
 */
import { Hash32 } from "@plumbline/codec"
import { EthClient, SenderRecovery, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { expectSame } from "./expect.ts"

/** The first block of Ethereum's main network, as nodes return it. */
export const genesis = {
  number: "0x0",
  hash: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
  parentHash: `0x${"0".repeat(64)}`,
  nonce: "0x0000000000000042",
  mixHash: `0x${"0".repeat(64)}`,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  logsBloom: `0x${"0".repeat(512)}`,
  transactionsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  stateRoot: "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544",
  receiptsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  miner: `0x${"0".repeat(40)}`,
  difficulty: "0x400000000",
  extraData: "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa",
  size: "0x21c",
  gasLimit: "0x1388",
  gasUsed: "0x0",
  timestamp: "0x0",
  uncles: [],
  transactions: []
}

/** A node that has one block, and returns it for every question. */
const node = (block: object) =>
  HttpTransport.layer({
    url: "https://node.example",
    fetch: async (url, init) => {
      const { id } = JSON.parse(await new Request(url, init).text())
      return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: block }))
    }
  })

export const run = async (): Promise<string> => {
  const hash = Hash32.fromHexUnsafe(genesis.hash)

  const read = EthClient.EthClient.use((eth) => eth.getBlockByHash(hash)).pipe(
    Effect.provide(EthClient.layer().pipe(Layer.provide(node(genesis))))
  )
  const block = await Effect.runPromise(read)
  expectSame("a quantity of the block", block?.difficulty, 0x400000000n)

  const prove = (answer: object) =>
    VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockByHash(hash)).pipe(
      Effect.provide(VerdictEthClient.layer().pipe(Layer.provide([node(answer), TrustedBlock.layerNone()])))
    )
  const verdict = await Effect.runPromise(prove(genesis))
  expectSame("the verdict", verdict._tag, "VERIFIED")
  // the engine tests itself with a known signature when it starts
  expectSame("the engine for senders", SenderRecovery.standard.name, "WebAssembly")

  const lie = await Effect.runPromise(Effect.flip(prove({ ...genesis, stateRoot: Hash32.ZERO })))
  expectSame("the verdict on a lie", lie._tag, "RefutedError")
  return "the first block of the main network verified, and refuted with another state root"
}
