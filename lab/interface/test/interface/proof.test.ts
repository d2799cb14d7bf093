import { assert } from "@effect/vitest"
import { verifyMerkleProof } from "@ethereumjs/mpt"
import { HistoryChain } from "@plumbline/devnet"
import { encodeRlp, getBytes } from "ethers"
import { type Hex, keccak256, numberToHex } from "viem"

import * as Ask from "../../src/ask.ts"
import type { Target } from "../../src/target.ts"
import * as Forms from "../support/forms.ts"
import { section } from "../support/section.ts"

const { head } = HistoryChain
const { address } = HistoryChain.contracts.elder
const keys = [numberToHex(0, { size: 32 }), numberToHex(12_345, { size: 32 })] as const

const proofOf = (target: Target, storageKeys: ReadonlyArray<Hex> = keys, of: string = address) =>
  Ask.result(target, "history", "eth_getProof", [of, storageKeys, "latest"])

const headerOf = (target: Target) => Ask.result(target, "history", "eth_getBlockByHash", [head.hash, false])

/** Returns the value that ethereumjs finds at the end of a proof; null if the proof shows that there is none. */
const proven = async (root: Hex, key: string, proof: ReadonlyArray<string>): Promise<Hex | null> => {
  assert.strictEqual(keccak256(proof[0] as Hex), root)
  const value = await verifyMerkleProof(
    getBytes(key),
    proof.map((node) => getBytes(node)),
    { useKeyHashing: true }
  )
  return value === null ? null : `0x${Buffer.from(value).toString("hex")}`
}

const minimal = (quantity: string): string => {
  const digits = quantity.replace(/^0x0*/u, "")
  return `0x${digits.length % 2 === 1 ? "0" : ""}${digits}`
}

/** Returns the account in the form of the state, made from the fields of the proof object. */
const accountOf = ({ balance, codeHash, nonce, storageHash }: any): string =>
  encodeRlp([minimal(nonce), minimal(balance), storageHash, codeHash])

const isProven = async (target: Target) => {
  const proof = await proofOf(target)
  const { stateRoot } = await headerOf(target)
  assert.strictEqual(await proven(stateRoot, address, proof.accountProof), accountOf(proof))
  return proof
}

section("Proof object (result of eth_getProof)", {
  "address: 20-byte hex address; returned in responses": async (target) => {
    assert.strictEqual((await proofOf(target)).address, address)
  },
  "balance: hex quantity; current balance in wei": async (target) => {
    const { balance } = await isProven(target)
    Forms.isQuantity(balance)
    assert.strictEqual(balance, await Ask.result(target, "history", "eth_getBalance", [address, "latest"]))
  },
  "codeHash: 32-byte hex; hash of the code of the account": async (target) => {
    const code = await Ask.result(target, "history", "eth_getCode", [address, "latest"])
    assert.strictEqual((await isProven(target)).codeHash, keccak256(code))
  },
  "nonce: hex quantity; nonce of the account": async (target) => {
    const { nonce } = await isProven(target)
    Forms.isQuantity(nonce)
    assert.strictEqual(nonce, await Ask.result(target, "history", "eth_getTransactionCount", [address, "latest"]))
  },
  "storageHash: 32-byte hex; SHA3 of the storage root; every storage proof starts from this root": async (target) => {
    const { storageHash, storageProof } = await isProven(target)
    Forms.isBytes(32, storageHash)
    for (const { proof } of storageProof) assert.strictEqual(keccak256(proof[0]), storageHash)
  },
  "accountProof: array of hex strings; RLP-serialized Merkle tree nodes, starting with the state root node and following the path of the SHA3 of the address":
    async (target) => {
      const { accountProof } = await isProven(target)
      for (const node of accountProof) Forms.isData(node)
      const nobody = `0x${"5a".repeat(20)}`
      const { stateRoot } = await headerOf(target)
      assert.isNull(await proven(stateRoot, nobody, (await proofOf(target, [], nobody)).accountProof))
    },
  "storageProof: array of objects; one entry per requested storage key": async (target) => {
    for (const asked of [[], keys.slice(0, 1), keys]) {
      assert.strictEqual((await proofOf(target, asked)).storageProof.length, asked.length)
    }
  },
  "storageProof entry fields: key (the requested storage key), value (the storage value, hex), proof (array of RLP-serialized Merkle tree nodes starting with the storage root node and following the path of the SHA3 of the key; may be an empty array).":
    async (target) => {
      const { storageHash, storageProof } = await isProven(target)
      const [first, absent] = storageProof
      assert.deepStrictEqual(
        storageProof.map(({ key }: any) => BigInt(key)),
        keys.map(BigInt)
      )
      assert.strictEqual(await proven(storageHash, keys[0], first.proof), encodeRlp(minimal(first.value)))
      assert.notStrictEqual(first.value, "0x0")
      assert.strictEqual(absent.value, "0x0")
      assert.isNull(await proven(storageHash, keys[1], absent.proof))
      // An account without code has no storage, so its storage proof has no nodes.
      const [account] = HistoryChain.accounts
      assert.deepStrictEqual((await proofOf(target, keys, account!.address)).storageProof[0].proof, [])
    }
})
