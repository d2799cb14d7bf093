/**
 * BasicTests: mainnet's genesis, two transactions from before Frontier, hex prefixes, and tests of functions that these
 * packages lack.
 */
import { assert, it } from "@effect/vitest"
import { Hex } from "@plumbline/codec"
import { BlockRlp, Verify } from "@plumbline/eth-methods"
import { Nibbles } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { json } from "../support/fixtures.ts"
import { ofPlace, proveWhole, verified } from "../support/prove.ts"
import type { Tally } from "../support/tally.ts"

const read = (name: string): any => json(`2-ethereum-tests/BasicTests/${name}.json`)

export const basics = (tally: Tally): void => {
  it("mainnet's genesis verifies, transactions have the senders of their keys, hex prefixes are those of the vectors", () => {
    const genesis = tally.count("mainnet's genesis block")
    const { genesis_hash, genesis_rlp_hex, genesis_state_root } = read("genesishashestest")
    const whole = Result.getOrThrow(BlockRlp.decode(Hex.toBytesUnsafe(`0x${genesis_rlp_hex}`)))
    const { value } = Result.getOrThrow(proveWhole(whole))
    assert.strictEqual<unknown>(value.hash, `0x${genesis_hash}`)
    assert.strictEqual<unknown>(value.stateRoot, `0x${genesis_state_root}`)
    genesis.verified()
    genesis.expect({ verified: 1 })

    const transactions = tally.count("signed transactions, and the address of their key")
    const addresses = new Map(read("keyaddrtest").map(({ addr, key }: any) => [key, `0x${addr}`]))
    for (const { key, signed } of read("txtest")) {
      const bytes = Hex.toBytesUnsafe(`0x${signed}`)
      const transaction = Result.getOrThrow(BlockRlp.decodeTransaction(bytes))
      verified(Verify.transaction(transaction, transaction.hash), ofPlace)
      assert.strictEqual(transaction["from"], addresses.get(key))
      assert.deepStrictEqual(BlockRlp.encodeTransaction(transaction), bytes)
      transactions.verified()
    }
    transactions.expect({ verified: 2 })

    const prefixes = tally.count("hex prefixes")
    for (const { out, seq, term } of Object.values<any>(read("hexencodetest"))) {
      const nibbles = Uint8Array.from(seq)
      assert.strictEqual<string>(Hex.fromBytes(Nibbles.encode(nibbles, 0, nibbles.length, term)), `0x${out}`)
      assert.deepStrictEqual(Nibbles.decode(Hex.toBytesUnsafe(`0x${out}`)), { nibbles, leaf: term })
      prefixes.verified()
    }
    prefixes.expect({ verified: 12 })

    const old = tally.count("genesis blocks of before Frontier")
    for (const { result } of read("blockgenesistest")) {
      const refused = BlockRlp.decode(Hex.toBytesUnsafe(`0x${result}`))
      old.refuted(Result.isFailure(refused) ? `bytes: ${refused.failure.path}` : assert.fail("it was read"))
    }
    old.expect({ refuted: { "bytes: header": 3 } })

    const others = tally.count("AES and ECIES")
    for (const _ of Object.keys(read("crypto"))) others.outside("encryption between peers is not part of reading")
    others.expect({ outside: { "encryption between peers is not part of reading": 2 } })
  })
}
