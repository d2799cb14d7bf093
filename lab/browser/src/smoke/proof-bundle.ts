/**
 * Opens a bundle, reads it, and refuses a bundle with a lie. It runs with only the globals of a browser (`realm.ts`).
 * In a rehearsal of a release, it also runs with the packed packages.
 */
import { Address, Hash32, Hex, Keccak256 } from "@plumbline/codec"
import { BlockRlp, VerdictEthClient } from "@plumbline/eth-methods"
import { Cid } from "@plumbline/ipfs-client"
import { Trie } from "@plumbline/merkle-trie"
import { BundleClient, BundleIpfs, NotInBundleError, ProofBundle } from "@plumbline/proof-bundle"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { expectSame } from "./expect.ts"

/** Returns the leaf of an account with nonce 0, this balance in wei, no storage and no code. */
const leafOf = (wei: number): Uint8Array => {
  const nothing = [Trie.EMPTY_ROOT, Keccak256.EMPTY].map((hash) => `a0${hash.slice(2)}`).join("")
  return Hex.toBytesUnsafe(`0xf84480${wei.toString(16).padStart(2, "0")}${nothing}`)
}

export const run = (): Promise<string> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const addresses = [1, 2, 3].map((digit) => Address.fromHexUnsafe(`0x${String(digit).repeat(40)}`))
      const entries = addresses.map((address, i) => [Keccak256.hash(Address.toBytes(address)), leafOf(i + 5)] as const)
      const state = Result.getOrThrow(Trie.nodesOfMap(entries))
      const header = Result.getOrThrow(
        BlockRlp.encodeHeader({
          number: 7n,
          hash: null,
          parentHash: Hash32.ZERO,
          nonce: "0x0000000000000000",
          mixHash: Hash32.ZERO,
          sha3Uncles: Keccak256.hashHex(Uint8Array.of(0xc0)),
          logsBloom: `0x${"00".repeat(256)}`,
          transactionsRoot: Trie.EMPTY_ROOT,
          stateRoot: Hash32.fromBytesUnsafe(state.root),
          receiptsRoot: Trie.EMPTY_ROOT,
          miner: addresses[0]!,
          difficulty: 1n,
          extraData: "0x",
          gasLimit: 0n,
          gasUsed: 0n,
          timestamp: 1n
        })
      )
      const trusted = Keccak256.hashHex(header)
      const block = (codec: number, bytes: Uint8Array) => ({ cid: Cid.make(codec, 0x1b, Keccak256.hash(bytes)), bytes })
      const made = yield* Effect.fromResult(
        ProofBundle.fromBlocks(trusted, [block(0x90, header), ...state.nodes.map((node) => block(0x96, node))])
      )
      const file = ProofBundle.encode(made)
      const bundle = yield* Effect.fromResult(ProofBundle.open(file, trusted))
      const balance = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBalance(addresses[1]!, trusted))
      const verdict = yield* Effect.provide(balance, BundleClient.layer(bundle))
      expectSame("a balance", `${verdict._tag} ${verdict.value}`, "VERIFIED 6")
      expectSame("the list's codec", BundleIpfs.listOf(bundle).cid.code, 0x71)

      const lie = file.slice().fill(7, file.length - 1)
      expectSame("a changed byte", Result.isFailure(ProofBundle.open(lie, trusted)), true)
      const part = yield* Effect.fromResult(ProofBundle.fromBlocks(trusted, bundle.blocks.slice(0, -1)))
      const failures = yield* Effect.forEach(addresses, (address) =>
        Effect.result(BundleClient.make(part).getBalance(address, trusted))
      )
      const missing = failures.filter(
        (one) => Result.isFailure(one) && NotInBundleError.fromError(one.failure) !== undefined
      )
      expectSame("a node left out", missing.length, 1)
      return "a bundle opened and read, a changed byte refused, a missing node named"
    })
  )
