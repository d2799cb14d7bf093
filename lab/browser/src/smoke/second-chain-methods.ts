/**
 * Reads a pending transaction from old and new nodes, proves it, and refutes a false transaction. Runs in the browser's
 * realm, and from the packed packages.
 */
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Felt, SecondChainClient, verifyPending } from "@plumbline/second-chain-methods"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import { expectSame } from "./expect.ts"

const SEPOLIA = "0x534e5f5345504f4c4941"

/** A transaction of Starknet's test network Sepolia. */
const invoke = {
  transaction_hash: "0x48153df38b1e3bc5736b6501f736325f0261defe4e32a2e4069f452ef007acb",
  version: "0x1",
  max_fee: "0x3700276a4b50",
  signature: [],
  nonce: "0x1",
  sender_address: "0x535ca4e1d1be7ec4a88d51a2962cd6c5aea1be96cb2c0b60eb1721dc34f800d",
  calldata: ["0x7b3e05f48f0c69e4a65ce5e076a66271a527aff2c34ce1083ec6e1526997a69"],
  type: "INVOKE"
}

/** Makes a node of a version. Its pending block has one transaction. Without a version, the node is of 0.4 or older. */
const node = (version: string | undefined, transaction: object) =>
  HttpTransport.layer({
    url: "https://node.example",
    fetch: async (url, init) => {
      const { id, method } = JSON.parse(await new Request(url, init).text())
      const results: Readonly<Record<string, unknown>> =
        version === undefined
          ? { starknet_pendingTransactions: [transaction] }
          : { starknet_specVersion: version, starknet_getBlockWithTxs: { transactions: [transaction] } }
      const result = results[method]
      const answer = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result }
      return new Response(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
    }
  })

const pendingOf = (version: string | undefined, transaction: object) =>
  SecondChainClient.SecondChainClient.use((chain) => chain.pendingTransactions).pipe(
    Effect.provide(SecondChainClient.layer().pipe(Layer.provide(node(version, transaction)))),
    Effect.runPromise
  )

export const run = async (): Promise<string> => {
  const options = { chainId: Felt.fromHexUnsafe(SEPOLIA) }
  for (const version of [undefined, "0.7.1", "0.10.2"]) {
    const [transaction] = await pendingOf(version, invoke)
    const verdict = Result.getOrThrow(verifyPending(transaction!, options))
    expectSame(`the verdict on a transaction of a node of ${version}`, verdict._tag, "VERIFIED")
  }
  const [changed] = await pendingOf("0.10.2", { ...invoke, nonce: "0x2" })
  const refuted = verifyPending(changed!, options)
  expectSame("the verdict on a lie", Result.isFailure(refuted) && refuted.failure._tag, "RefutedError")
  return "a pending transaction of old and new nodes verified, and refuted with another nonce"
}
