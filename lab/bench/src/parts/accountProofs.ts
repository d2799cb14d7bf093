/** Measures proofs of an account and its slots, from the parsed answer of a node to the proven values. */
import { verifyMPTWithMerkleProof, createMPT } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { hexToBytes } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { AccountProof, Verify } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"
import { Hash as OxWasmHash } from "ox/wasm"

import { hexOf } from "../inputs/byteInput.ts"
import { block, proof, source, stateRoot, withSlots } from "../inputs/proofInput.ts"
import type { Part, Row } from "../measure/measuredRow.ts"

type Answer = typeof proof
type Keccak = (bytes: Uint8Array) => Uint8Array

const trie = await createMPT()
const oxKeccak256 = (await OxWasmHash.engine()).keccak256 as Keccak | undefined
if (oxKeccak256 === undefined) throw new Error("ox/wasm has no Keccak-256")

const decode = Schema.decodeUnknownSync(AccountProof.AccountProof)

/** Returns every field of an account and of its slots in one form for all libraries. */
const shown = (account: readonly [nonce: bigint, balance: bigint, root: string, code: string], slots: Array<bigint>) =>
  [...account, ...slots].join()

/** Returns the value of a key under a root, with ethereumjs. Null if the proof shows that the key is absent. */
const valueAt = (keccak: Keccak, root: string, key: string, nodes: ReadonlyArray<string>) =>
  verifyMPTWithMerkleProof(
    trie,
    hexToBytes(root as `0x${string}`),
    keccak(hexToBytes(key as `0x${string}`)),
    nodes.map((node) => hexToBytes(node as `0x${string}`))
  )

const numberOf = (bytes: Uint8Array): bigint => (bytes.length === 0 ? 0n : BigInt(hexOf(bytes)))

const assertSame = (got: string | bigint, expected: string | bigint): void => {
  if (got !== expected) throw new Error(`${got} and not ${expected}`)
}

/** Proves the account and each slot with ethereumjs, and compares them with the answer, as our code does. */
const byEthereumjs = (keccak: Keccak, answer: Answer) => async () => {
  const leaf = await valueAt(keccak, stateRoot, answer.address, answer.accountProof)
  const [nonce, balance, root, code] = RLP.decode(leaf) as Array<Uint8Array>
  const account = [numberOf(nonce!), numberOf(balance!), hexOf(root!), hexOf(code!)] as const
  assertSame(account[0], BigInt(answer.nonce))
  assertSame(account[1], BigInt(answer.balance))
  assertSame(account[2], answer.storageHash)
  assertSame(account[3], answer.codeHash)
  const slots: Array<bigint> = []
  for (const { key, proof, value } of answer.storageProof) {
    const word = await valueAt(keccak, answer.storageHash, key, proof)
    const number = word === null ? 0n : numberOf(RLP.decode(word) as Uint8Array)
    assertSame(number, BigInt(value))
    slots.push(number)
  }
  return shown(account, slots)
}

const row = (name: string, slots: number, goal: number): Row => {
  const answer = withSlots(slots)
  const question = { address: decode(answer).address, storageKeys: decode(answer).storageProof.map(({ key }) => key) }
  const verify = (proof: AccountProof.AccountProof) => {
    const { value } = Result.getOrThrow(Verify.account(proof, question as never, block))
    return value
  }
  const decoded = decode(answer)
  return {
    name,
    goal,
    waits: true,
    show: (result) =>
      typeof result === "string"
        ? result
        : shown(
            [BigInt(result.nonce), result.balance, result.storageHash, result.codeHash],
            result.storageProof.map((slot: { readonly value: string }) => BigInt(slot.value))
          ),
    ours: () => verify(decode(answer)),
    peers: {
      "@ethereumjs/mpt": byEthereumjs(keccak_256, answer)
    },
    yardsticks: { "ours, of a decoded answer": () => verify(decoded) }
  }
}

const slots = proof.storageProof.length

export const proofs: Part = {
  name: "proofs",
  open: () =>
    Promise.resolve({
      notes: [source],
      rows: [
        row("account", 0, 25),
        row("account and 1 slot", 1, 30),
        row(`account and ${slots} slots`, slots, slots > 1 ? 40 : 30)
      ]
    })
}
