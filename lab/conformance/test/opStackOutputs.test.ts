/**
 * Tests outputs and games of the OP stack with recorded proofs: a game of Base Sepolia from two blocks of Sepolia, an
 * output of OP Sepolia, and an output oracle of a third layer on Base Sepolia.
 */
import { assert, it } from "@effect/vitest"
import { Address, Hash32, Hex, Keccak256, Rlp } from "@plumbline/codec"
import { type Block, BlockRlp, StorageKey } from "@plumbline/eth-methods"
import { TrieProof } from "@plumbline/merkle-trie"
import { DisputeGame, OutputRoot } from "@plumbline/op-stack"
import { Result } from "effect"

import { conformance, json } from "./support/fixtures.ts"

const folder = "15-op-stack/proofs"

/** Returns the header of recorded bytes, whose hash must be the given one. */
const headerOf = (rlp: string, hash?: string): Block.Header => {
  const header = Result.getOrThrow(BlockRlp.decodeHeader(Hex.toBytesUnsafe(rlp)))
  if (hash !== undefined) assert.strictEqual(header.hash, hash)
  return header
}

/** Returns the leaf that a proof has for a path. */
const leaf = (root: string, path: Uint8Array, nodes: ReadonlyArray<Hex.Hex>): Uint8Array => {
  const found = Result.getOrThrow(TrieProof.verify(Hex.toBytesUnsafe(root), Keccak256.hash(path), nodes))
  if (found._tag !== "Included") throw new Error("the proof has no leaf")
  return found.value
}

/** Returns the storage root of an account. */
const storageRoot = (stateRoot: string, address: string, nodes: ReadonlyArray<Hex.Hex>): Hash32.Hash32 => {
  const account = Rlp.decodeUnsafe(leaf(stateRoot, Address.toBytes(Address.fromHexUnsafe(address)), nodes))
  return Hash32.fromBytesUnsafe((account as ReadonlyArray<Uint8Array>)[2]!)
}

/** Returns the word of a slot. */
const wordOf = (root: string, slot: bigint, nodes: ReadonlyArray<Hex.Hex>): bigint =>
  BigInt(Hex.fromBytes(Rlp.decodeUnsafe(leaf(root, Hash32.toBytes(StorageKey.fromSlot(slot)), nodes)) as Uint8Array))

conformance("outputs of the OP stack", () => {
  for (const file of ["sepolia-6457204-base-game-232", "sepolia-6474690-base-game-232"]) {
    it(`reads a real game: ${file}`, () => {
      const { factory, game, l1, l2 } = json(`${folder}/${file}.json`)
      const header = headerOf(l1.headerRlp, l1.blockHash)
      const list = storageRoot(header.stateRoot, factory.address, factory.accountProof)
      const id = DisputeGame.idOf(wordOf(list, DisputeGame.slotAt(BigInt(factory.gameIndex)), factory.storageProof))
      assert.strictEqual(id.gameType, game.type)
      const storage = storageRoot(header.stateRoot, id.game, game.accountProof)
      const state = DisputeGame.stateOf(wordOf(storage, DisputeGame.STATE, game.statusProof))
      assert.deepStrictEqual(
        [state.status, state.isInitialized, state.isNumberChallenged, state.createdAt],
        ["defender wins", true, false, id.createdAt]
      )
      assert.isTrue(state.createdAt < state.resolvedAt && state.resolvedAt <= header.timestamp)
      const claim = wordOf(storage, DisputeGame.rootClaimSlot(), game.claimProof)
      assert.strictEqual(StorageKey.fromSlot(claim), game.rootClaim)
      const block = headerOf(l2.headerRlp, l2.blockHash)
      const output = OutputRoot.of({
        stateRoot: block.stateRoot,
        messagePasserRoot: l2.messagePasserStorageRoot,
        blockHash: l2.blockHash
      })
      assert.strictEqual(output, game.rootClaim)
      const number = DisputeGame.numberOf({ gameType: game.type, rootClaim: output, extraData: game.extraData })
      assert.strictEqual(number, block.number)
    })
  }

  it("computes the output root of a block from its account proof of the message passer", () => {
    const { accountProof, headerRlp, messagePasser, outputRoot } = json(`${folder}/op-sepolia-16491349-output.json`)
    assert.strictEqual(messagePasser.toLowerCase(), OutputRoot.MESSAGE_PASSER)
    const { hash, stateRoot } = headerOf(headerRlp)
    const messagePasserRoot = storageRoot(stateRoot, messagePasser, accountProof)
    assert.strictEqual(OutputRoot.of({ stateRoot, messagePasserRoot, blockHash: hash! }), outputRoot)
  })

  it("computes the output root that an output oracle has", () => {
    const { l1, l2, oracle } = json(`${folder}/base-sepolia-13398533-output-oracle.json`)
    const { stateRoot } = headerOf(l1.headerRlp, l1.blockHash)
    const storage = storageRoot(stateRoot, oracle.address, oracle.accountProof)
    const root = wordOf(storage, BigInt(oracle.storageSlot), oracle.storageProof)
    const block = headerOf(l2.headerRlp, l2.blockHash)
    const output = OutputRoot.of({
      stateRoot: block.stateRoot,
      messagePasserRoot: l2.messagePasserStorageRoot,
      blockHash: l2.blockHash
    })
    assert.strictEqual(StorageKey.fromSlot(root), output)
  })
})
