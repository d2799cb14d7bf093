/**
 * Runs every reading command through the service, on both of its networks. Every answer must be proven from the head of
 * the chain.
 */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"

import * as Children from "../support/Children.ts"
import * as Prepared from "../support/Prepared.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Upped from "../support/Upped.ts"

let folder: Awaited<ReturnType<typeof Children.folder>>
let service: Awaited<ReturnType<typeof Upped.start>>
beforeAll(async () => {
  folder = await Children.folder()
  service = await Upped.start(folder.path)
})
afterAll(async () => {
  await service.stop()
  await folder[Symbol.asyncDispose]()
})

const uncled = HistoryChain.withUncles[0]!
const filled = HistoryChain.blocks.findLast(({ transactions }) => transactions.length > 1)!

const networks = {
  live: {
    head: PreparedState.head.hash,
    token: PreparedState.contracts.token.address,
    block: Prepared.allTypes,
    uncled: Prepared.allTypes,
    uncles: [] as ReadonlyArray<string>
  },
  history: {
    head: HistoryChain.head.hash,
    token: HistoryChain.contracts.token.address,
    block: filled,
    uncled,
    uncles: uncled.uncles
  }
}

for (const [network, { block, head, token, uncled, uncles }] of Object.entries(networks)) {
  describe(`on the network ${network}`, () => {
    const verified = async (...args: ReadonlyArray<string>): Promise<any> => {
      const { answer, exitCode } = await RunCli.json([...args, "--network", network, "--data", folder.path])
      expect([answer.verdict, exitCode], args.join(" ")).toEqual(["VERIFIED", 0])
      return answer
    }
    const trust = ["--trust", head]

    it("a block is VERIFIED, by its hash and by its number", async () => {
      const byHash = await verified("block", block.hash, "--full")
      const byNumber = await verified("block", String(block.number), "--full", ...trust)
      expect(byNumber.value).toEqual(byHash.value)
      expect(byHash.value.hash).toBe(block.hash)
    })

    it("a transaction is VERIFIED, by its hash and by its place", async () => {
      for (const [index, { hash }] of block.transactions.entries()) {
        const byHash = await verified("tx", hash, ...trust)
        const byPlace = await verified("tx", "--block", block.hash, "--index", String(index))
        expect(byPlace.value).toEqual(byHash.value)
        expect(byHash.value.hash).toBe(hash)
      }
    })

    it("uncles are VERIFIED, or that there are none", async () => {
      const all = await verified("uncle", String(uncled.number), ...trust)
      expect(all.value.map(({ hash }: any) => hash)).toEqual(uncles)
      for (const [index, hash] of [...uncles, undefined].entries()) {
        const byNumber = await verified("uncle", String(uncled.number), String(index), ...trust)
        const byHash = await verified("uncle", uncled.hash, String(index))
        expect(byNumber.value).toEqual(byHash.value)
        expect(byHash.value?.hash).toBe(hash)
      }
    })

    it("an account and its storage are VERIFIED, and a word is the same by itself", async () => {
      const reference = ["--block", String(block.number), ...trust]
      const proof = await verified("proof", token, "0", "2", ...reference)
      expect(proof.block).toMatchObject({ hash: block.hash })
      for (const [i, slot] of ["0", "2"].entries()) {
        const word = await verified("read-slot", token, slot, ...reference)
        expect(BigInt(word.value)).toBe(BigInt(proof.value.storageProof[i].value))
        expect(BigInt(word.value)).toBeGreaterThan(0n)
      }
    })
  })
}
