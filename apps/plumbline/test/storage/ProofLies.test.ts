/**
 * Tests `plumbline proof` and `plumbline read-slot` against a node that lies about one thing at a time. The true values
 * are those that viem reads in the archive.
 */
import { describe, expect, it } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import * as viem from "viem"

import * as Devnet from "../support/Devnet.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as Reading from "../support/HistoryReading.ts"
import { type Lie, textOf } from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"
import * as Wire from "../support/Wire.ts"

const node = HistoryNode.lyingNode()
const anvil = Devnet.lyingNode()

const head = Reading.blocks.at(-1)!
const { cabinet, elder, token } = HistoryChain.contracts
const places = Object.values(HistoryChain.contracts).flatMap(({ address, block }) =>
  [block, Math.min(block + 20, head.number), head.number].map((number) => ({ address, block: Reading.blocks[number]! }))
)
const slots = [0n, 1n, 2n, 2n ** 256n - 1n]
const words = slots.map((slot) => viem.numberToHex(slot, { size: 32 }))
/** Slots of the token and the cabinet that are not zero, so that their proofs have nodes. */
const filled = ["0x0", "0x2"] as const

const placeOf = ({ hash, number }: Reading.Block) => ({ number: viem.numberToHex(number), hash })

/** Names what proves the slots: the root of the storage, or that there is none, so that each slot is zero. */
const underOf = (block: Reading.Block, address: viem.Address): string =>
  Reading.proofOf(block, address, words).storageHash === EMPTY_TRIE
    ? "zero because the account has no storage"
    : "under the account's storageHash"

/** The root of an empty trie: the hash of the RLP of an empty string. */
const EMPTY_TRIE = viem.keccak256("0x80")

const run = (args: ReadonlyArray<string>, lie?: Lie): Promise<RunCli.JsonOutcome> =>
  RunCli.json([...args, "--url", lie === undefined ? node().url : node().telling(lie)])

const told = (address: string, change: Lie["change"], asked: ReadonlyArray<string> = filled) =>
  run(["proof", address, ...asked, "--trust", head.hash], { method: "eth_getProof", change })

/** Returns the name of the check that refused the lie; the whole answer if no check did. */
const checkOf = ({ answer, exitCode }: RunCli.JsonOutcome): unknown =>
  exitCode === 2 && answer.verdict === "REFUTED" ? answer.refuted.check : answer

describe("the proof of an account", () => {
  it("is VERIFIED, every account and slot as of every block, from its hash and from a later one", async () => {
    for (const { address, block } of places) {
      for (const [reference, anchor] of [
        [["--block", block.hash], block.hash],
        [["--trust", block.hash], block.hash],
        [["--block", String(block.number), "--trust", head.hash], head.hash]
      ] as const) {
        const { answer, exitCode } = await run(["proof", address, ...slots.map(String), ...reference])
        expect(exitCode).toBe(0)
        expect(answer).toEqual({
          verdict: "VERIFIED",
          value: Reading.proofOf(block, address, words),
          block: placeOf(block),
          anchor: { kind: "block", hash: anchor },
          proven: [
            `the account ${address}, under the block's stateRoot`,
            `4 storage slots, ${underOf(block, address)}`,
            ...(reference.length === 2
              ? []
              : [`its block is on the chain, by a pinned hash${block === head ? "" : ", of which it is an ancestor"}`])
          ],
          claimed: []
        })
      }
    }
  })

  it("is CLAIMED, with what is proven in itself, when no hash is trusted", async () => {
    const { answer, exitCode } = await run(["proof", token.address, "0"])
    expect(exitCode).toBe(0)
    expect(answer).toMatchObject({ verdict: "CLAIMED", block: placeOf(head), anchor: null })
    expect(answer.value).toEqual(Reading.proofOf(head, token.address, [words[0]!]))
    expect(answer.proven[0]).toBe(`the account ${token.address}, under the block's stateRoot`)
    expect(answer.claimed).toEqual([
      {
        field: "value",
        reason: `that block ${head.hash} is on the chain is the node's word: no trusted hash was given`
      }
    ])
  })

  it("is CLAIMED to be the latest block's when a tag is asked for, and proven to be of its block", async () => {
    const { answer } = await run(["proof", token.address, "--block", "latest", "--trust", head.hash])
    expect(answer.verdict).toBe("VERIFIED")
    expect(answer.claimed).toEqual([{ field: "block", reason: "that it is the latest block is the node's word" }])
  })

  it("is CLAIMED of the pending block, and null when there is no such block", async () => {
    const { address } = PreparedState.contracts.token
    const pending = await RunCli.json(["proof", address, "0", "--block", "pending", "--url", anvil().url])
    expect(pending.answer).toMatchObject({ verdict: "CLAIMED", block: null, anchor: null, value: { address } })
    for (const reference of ["1000000", Wire.HASH]) {
      const { answer, exitCode } = await run(["proof", token.address, "--block", reference])
      expect(exitCode).toBe(0)
      expect(answer).toMatchObject({ verdict: "CLAIMED", value: null, anchor: null })
    }
  })

  it("is VERIFIED on anvil, which spells slots and empty tries in its own way", async () => {
    for (const { address } of Object.values(PreparedState.contracts)) {
      const args = ["proof", address, ...slots.map(String), "--trust", PreparedState.head.hash]
      const { answer } = await RunCli.json([...args, "--url", anvil().url])
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.value.storageProof.map(({ key }: any) => BigInt(key))).toEqual(slots)
    }
  })
})

describe("an account that does not exist", () => {
  const screen = async (address: string, block: number) =>
    (await RunCli.run(["proof", address, "1", "--block", Reading.blocks[block]!.hash, "--url", node().url])).stdout

  it("is VERIFIED to be absent, whether its hashes are those of nothing or zeros", async () => {
    const zeros: Lie["change"] = (it) => ({ ...it, codeHash: viem.zeroHash, storageHash: viem.zeroHash })
    for (const change of [(it: unknown) => it, zeros]) {
      const { answer } = await told(Wire.ADDRESS, change)
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.proven[0]).toBe(`${Wire.ADDRESS} does not exist, under the block's stateRoot`)
    }
    expect(await screen(Wire.ADDRESS, head.number)).toMatch(
      new RegExp(`^No account ${Wire.ADDRESS}\n[^]*  slots  1\n    1  0 nodes\n      0\n\nVERIFIED`)
    )
  })

  it("is not one that is there with nothing in it, as there were before Spurious Dragon", async () => {
    const [made, cleared] = HistoryChain.blocks.filter(({ transactions }) =>
      transactions.some(({ title }) => title.startsWith("Nothing to "))
    )
    const empty = "0x00000000000000000000000000000000000e3b70"
    expect(await screen(empty, made!.number)).toMatch(/^Account 0x[^]+ codeHash +no code\n +storageHash +no storage\n/)
    expect(await screen(empty, cleared!.number)).toMatch(/^No account 0x/)
  })

  it("is REFUTED when it has anything, or is another's", async () => {
    const another = Reading.proofOf(
      head,
      token.address,
      filled.map((slot) => viem.pad(slot))
    )
    const lies: Readonly<Record<string, [Lie["change"], RegExp]>> = {
      nonce: [(it) => ({ ...it, nonce: "0x1" }), /^account\.nonce$/],
      balance: [(it) => ({ ...it, balance: "0x1" }), /^account\.balance$/],
      codeHash: [(it) => ({ ...it, codeHash: Wire.HASH }), /^account\.codeHash$/],
      storageHash: [(it) => ({ ...it, storageHash: Wire.HASH }), /^account\.storageHash$/],
      "a slot": [(it) => Wire.set(it, ["storageProof", 0, "value"], "0x1"), /^storageProof\[0\]\.value$/],
      "another's account": [() => another, /^address$/],
      "another's account by its name": [() => ({ ...another, address: Wire.ADDRESS }), /^accountProof/],
      "without a proof": [(it) => ({ ...it, accountProof: [] }), /^accountProof/]
    }
    for (const [name, [change, check]] of Object.entries(lies)) {
      expect(checkOf(await told(Wire.ADDRESS, change)), name).toMatch(check)
    }
  })
})

describe("a lie about an account", () => {
  it("is REFUTED by the check of the field, whichever field, slot or byte of a node is another", async () => {
    for (const { address } of [token, cabinet]) {
      const honest = Reading.proofOf(
        head,
        address,
        filled.map((slot) => viem.pad(slot))
      )
      const fields = { balance: 1, codeHash: 1, nonce: 1, storageHash: 1 }
      for (const path of Wire.leaves(honest)) {
        const name = Wire.format(path)
        const leaf = Wire.another(path, Wire.get(honest, path))
        const expected = name
          .replace(/^storageProof\[(\d)\]\.proof\[(\d+)\]$/u, "storageProof[$1] node $2")
          .replace(/^accountProof\[(\d+)\]$/u, "accountProof node $1")
        const check = name in fields ? `account.${name}` : expected
        expect(checkOf(await told(address, (it) => Wire.set(it, path, leaf))), name).toBe(check)
      }
    }
  })

  it("is REFUTED when nodes are dropped, doubled, appended, swapped, or of another trie", async () => {
    const older = Reading.proofOf(
      Reading.blocks[token.block]!,
      token.address,
      filled.map((slot) => viem.pad(slot))
    )
    const other = Reading.proofOf(
      head,
      cabinet.address,
      filled.map((slot) => viem.pad(slot))
    )
    const changes: Readonly<Record<string, (nodes: ReadonlyArray<string>) => ReadonlyArray<string>>> = {
      "the first is dropped": (nodes) => nodes.slice(1),
      "the last is dropped": (nodes) => nodes.slice(0, -1),
      "all are dropped": () => [],
      "the last is doubled": (nodes) => [...nodes, nodes.at(-1)!],
      "one is appended": (nodes) => [...nodes, "0x80"],
      "they are reversed": (nodes) => nodes.toReversed()
    }
    for (const [name, change] of Object.entries(changes)) {
      const account = await told(token.address, (it) => ({ ...it, accountProof: change(it.accountProof) }))
      expect(checkOf(account), name).toMatch(/^accountProof/)
      for (const [i] of filled.entries()) {
        const slot = await told(token.address, (it) =>
          Wire.set(it, ["storageProof", i, "proof"], change(it.storageProof[i].proof))
        )
        expect(checkOf(slot), name).toMatch(`storageProof[${i}]`)
      }
    }
    expect(checkOf(await told(token.address, () => older))).toMatch(/^accountProof/)
    expect(checkOf(await told(token.address, (it) => ({ ...other, address: it.address })))).toMatch(/^accountProof/)
    expect(checkOf(await told(token.address, (it) => ({ ...it, storageProof: other.storageProof })))).toMatch(
      /^storageProof/
    )
  })

  it("is REFUTED when it is about other slots than were asked for, and there are none where there are some", async () => {
    const lies: Readonly<Record<string, Lie["change"]>> = {
      "one is left out": (it) => (it.storageProof.pop(), it),
      "all are left out": (it) => ({ ...it, storageProof: [] }),
      "one is added": (it) => (it.storageProof.push(it.storageProof[0]), it),
      "they are swapped": (it) => ({ ...it, storageProof: it.storageProof.toReversed() }),
      "a full one is empty": (it) => Wire.set(it, ["storageProof", 0, "value"], "0x0"),
      "there is no account": (it) => ({ ...it, nonce: "0x0", balance: "0x0", codeHash: viem.zeroHash })
    }
    for (const [name, change] of Object.entries(lies)) {
      expect(checkOf(await told(token.address, change)), name).toMatch(/^(?:storageProof|account\.)/)
    }
  })

  it("is REFUTED when the block is another, or its state root", async () => {
    const telling = async (change: Lie["change"], reference: ReadonlyArray<string>) =>
      checkOf(await run(["proof", token.address, ...reference], { method: "eth_getBlockByNumber", change }))
    const trusted = ["--block", String(head.number), "--trust", head.hash]
    expect(await telling((it) => Wire.set(it, ["stateRoot"], Wire.HASH), trusted)).toBe("header hash")
    expect(await telling((it) => Wire.set(it, ["hash"], Wire.HASH), trusted)).toBe("header hash")
    const older: Lie["change"] = (_, ask) => ask("eth_getBlockByHash", [Reading.blocks[3]!.hash, false])
    expect(await telling(older, trusted)).toBe("block.number")
  })
})

describe("a slot", () => {
  const read = (address: string, slot: string, change: Lie["change"], method = "eth_getStorageAt") =>
    run(["read-slot", address, slot, "--trust", head.hash], { method, change })

  it("is VERIFIED, with the word as 32 bytes, however the slot is written", async () => {
    for (const { address, block } of places) {
      for (const [i, slot] of slots.entries()) {
        const value = viem.pad(Reading.proofOf(block, address, [words[i]!]).storageProof[0]!.value)
        for (const name of [String(slot), viem.numberToHex(slot), words[i]!]) {
          const { answer, exitCode } = await run(["read-slot", address, name, "--block", block.hash])
          expect(exitCode).toBe(0)
          expect(answer).toEqual({
            verdict: "VERIFIED",
            value,
            block: placeOf(block),
            anchor: { kind: "block", hash: block.hash },
            proven: [
              `the account ${address}, under the block's stateRoot`,
              `1 storage slot, ${underOf(block, address)}`,
              `the word at ${words[i]}, in the account's proven storage`
            ],
            claimed: []
          })
        }
      }
    }
  })

  it("is VERIFIED to be empty where there is no such account or slot", async () => {
    for (const address of [Wire.ADDRESS, HistoryChain.accounts[0]!.address, elder.address]) {
      const { answer } = await read(address, "0x123456", (it) => it)
      expect(answer).toMatchObject({ verdict: "VERIFIED", value: viem.zeroHash })
    }
  })

  it("is REFUTED when the word, the proof or the block is another", async () => {
    const word = (it: string) => `${it.slice(0, -2)}${it.endsWith("07") ? "08" : "07"}`
    expect(checkOf(await read(token.address, "0", word))).toBe("storage")
    expect(checkOf(await read(token.address, "0", () => viem.zeroHash))).toBe("storage")
    expect(checkOf(await read(Wire.ADDRESS, "0", word))).toBe("storage")
    const proof = async (change: Lie["change"]) => checkOf(await read(token.address, "0", change, "eth_getProof"))
    expect(await proof((it) => Wire.set(it, ["storageProof", 0, "value"], "0x7"))).toBe("storageProof[0].value")
    expect(await proof((it) => Wire.set(it, ["storageProof", 0, "key"], "0x1"))).toBe("storageProof[0].key")
    expect(await proof((it) => Wire.set(it, ["balance"], "0x7"))).toBe("account.balance")
    expect(await proof((it) => Wire.set(it, ["accountProof", 0], "0x80"))).toBe("accountProof node 0")
    // Both answers agree, but they are about another slot.
    const both = await run(["read-slot", token.address, "0", "--trust", head.hash], {
      method: "eth_getProof",
      change: (_, ask) => ask("eth_getProof", [token.address, ["0x2"], "latest"])
    })
    expect(checkOf(both)).toBe("storageProof[0].key")
  })

  it("is CLAIMED when no hash is trusted, when it is pending, and when the node gives no proof", async () => {
    const untrusted = await run(["read-slot", token.address, "0"])
    expect(untrusted.answer).toMatchObject({ verdict: "CLAIMED", block: placeOf(head), anchor: null })
    const { address } = PreparedState.contracts.token
    const pending = await RunCli.json(["read-slot", address, "0", "--block", "pending", "--url", anvil().url])
    expect(pending.answer).toMatchObject({ verdict: "CLAIMED", block: null, anchor: null })

    await using proofless = await Servers.serve(async (request, response) => {
      const { id, method, params } = JSON.parse(await textOf(request))
      const error = { code: -32_601, message: "the method eth_getProof does not exist" }
      const answer = method === "eth_getProof" ? { error } : { result: await node().ask(method, params) }
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
    })
    const args = ["read-slot", token.address, "0", "--trust", head.hash, "--url", proofless.url]
    const { answer, exitCode } = await RunCli.json(args)
    expect(exitCode).toBe(0)
    expect(answer).toMatchObject({
      verdict: "CLAIMED",
      value: Reading.proofOf(head, token.address, [words[0]!]).storageProof[0]!.value,
      anchor: null
    })
    expect(answer.claimed[0].reason).toMatch(/^the node gives no proof: .*does not exist/)
    const proof = await RunCli.json(["proof", token.address, "--trust", head.hash, "--url", proofless.url])
    expect(proof.exitCode).toBe(1)
    expect(proof.answer.error).toMatchObject({ tag: "JsonRpcError", method: "eth_getProof" })
  })
})
