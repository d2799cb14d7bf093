/**
 * `plumbline block` against a node that lies about one thing at a time.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import { PreparedState } from "@plumbline/devnet"
import * as Block from "@plumbline/eth-methods/model/Block"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import * as HeaderFields from "@plumbline/seeded/HeaderFields"
import { Result, Schema } from "effect"

import * as Checks from "../support/Checks.ts"
import * as Devnet from "../support/Devnet.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as Prepared from "../support/Prepared.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Wire from "../support/Wire.ts"

const node = Devnet.lyingNode()

const decode = Schema.decodeUnknownSync(Block.Block)

const truth = (hash: string, full: boolean): Promise<any> => node().ask("eth_getBlockByHash", [hash, full])

/** Returns the command's output for the block with this hash, if the node changes its answer with `change`. */
const told = async (hash: string, change: Lie["change"], flags: ReadonlyArray<string> = ["--full"]) => {
  const url = node().telling({ method: "eth_getBlockByHash", change })
  return RunCli.json(["block", hash, ...flags, "--url", url])
}

/** Returns the name of the check that refused the lie; the whole answer if no check did. */
const checkOf = ({ answer, exitCode }: RunCli.JsonOutcome): unknown =>
  exitCode === 2 && answer.verdict === "REFUTED" ? answer.refuted.check : answer

/** Changes each leaf of the block's JSON to another valid value, and returns the check that refused each change. */
const tellEach = async (hash: string): Promise<Record<string, unknown>> => {
  const honest = await truth(hash, true)
  const checks: Record<string, unknown> = {}
  const { transactions: others } = await truth(Prepared.accessLists.hash, true)
  for (const path of Wire.leaves(honest)) {
    const name = Wire.format(path)
    if (name === "totalDifficulty") continue
    const leaf = name === "transactions" ? [others[0]] : Wire.another(path, Wire.get(honest, path))
    checks[name] = checkOf(await told(hash, (block) => Wire.set(block, path, leaf)))
  }
  return checks
}

/** Returns, for each leaf, the check that must refuse a change of it. */
const checksFor = async (hash: string): Promise<Record<string, unknown>> => {
  const { transactions } = await truth(hash, true)
  const header = Object.fromEntries(HeaderFields.names.map((field) => [field, "header hash"]))
  const checks: Array<Record<string, string>> = transactions.map((transaction: any, i: number) =>
    Checks.under(`transactions[${i}]`, Checks.ofTransaction(transaction, `transactions[${i}]`))
  )
  return {
    ...header,
    hash: "block.hash",
    size: "size",
    uncles: "uncles",
    withdrawals: "withdrawalsRoot",
    ...(transactions.length === 0 ? { transactions: "transactionsRoot" } : Object.assign({}, ...checks))
  }
}

describe("a block by its hash, with whole transactions", () => {
  const { allTypes } = Prepared

  it("is VERIFIED when the node is honest, transactions of all types with it", async () => {
    for (const block of PreparedState.blocks) {
      if (block.number === 0) continue
      const { answer, exitCode } = await told(block.hash, (block) => block)
      expect(exitCode).toBe(0)
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.anchor).toEqual({ kind: "block", hash: block.hash })
      expect(answer.value).toEqual(await truth(block.hash, true))
      // anvil's size does not count the withdrawals, and no header proves a total difficulty.
      expect(answer.claimed.map((claim: any) => claim.field)).toEqual(["size", "totalDifficulty"])
    }
  })

  it("has the fields that are lied about below, of all four types", async () => {
    const block = await truth(allTypes.hash, true)
    expect(Object.keys(block).sort()).toEqual([...HeaderFields.names, ...Checks.besideFields].sort())
    for (const transaction of block.transactions) {
      expect(Object.keys(transaction).sort()).toEqual(Checks.transactionFields(transaction.type))
    }
    expect(block.transactions.map((transaction: any) => transaction.type).sort()).toEqual(["0x0", "0x1", "0x2", "0x4"])
    const lists = await truth(Prepared.accessLists.hash, true)
    expect(JSON.stringify(lists.transactions)).toMatch(/"storageKeys":\["0x/)
    expect(JSON.stringify(block.transactions)).toMatch(/"authorizationList":\[\{/)
  })

  it("is REFUTED by the check of the field, whichever field is another", async () => {
    expect(await tellEach(allTypes.hash)).toEqual(await checksFor(allTypes.hash))
  })

  it("is REFUTED whatever is another inside of an access list", async () => {
    expect(await tellEach(Prepared.accessLists.hash)).toEqual(await checksFor(Prepared.accessLists.hash))
  })

  it("is REFUTED whatever is another in a block that makes a contract, or in an empty one", async () => {
    for (const { hash } of [Prepared.creation, Prepared.empty])
      expect(await tellEach(hash)).toEqual(await checksFor(hash))
  })

  it("stays VERIFIED with another totalDifficulty, which is among the claimed", async () => {
    const { answer, exitCode } = await told(allTypes.hash, (block) => Wire.set(block, ["totalDifficulty"], "0x10"))
    expect(exitCode).toBe(0)
    expect(answer.verdict).toBe("VERIFIED")
    expect(answer.value.totalDifficulty).toBe("0x10")
    expect(answer.claimed).toContainEqual({
      field: "totalDifficulty",
      reason: "a header proves its own difficulty, not the sum of all before it"
    })
  })

  it("stays VERIFIED with a chainId for a transaction that names no chain, which is among the claimed", async () => {
    const { hash } = Prepared.unprotected
    expect(await tellEach(hash)).toEqual(await checksFor(hash))
    const { transactions } = await truth(hash, true)
    // the signature covers a chain id only if v contains one (EIP-155)
    const index = transactions.findIndex((transaction: any) => ["0x1b", "0x1c"].includes(transaction.v))
    const { answer } = await told(hash, (block) => Wire.set(block, ["transactions", index, "chainId"], "0x1"))
    expect(answer.verdict).toBe("VERIFIED")
    expect(answer.claimed).toContainEqual({
      field: transactions.length === 1 ? "transactions[].chainId" : `transactions[${index}].chainId`,
      reason: "it is not part of the signed transaction"
    })
  })

  it("says that a field it does not know is claimed", async () => {
    const { answer } = await told(allTypes.hash, (block) =>
      Wire.set(Wire.set(block, ["l1BlockNumber"], "0x1"), ["transactions", 0, "l1Fee"], "0x2")
    )
    expect(answer.verdict).toBe("VERIFIED")
    expect(answer.claimed).toContainEqual({ field: "l1BlockNumber", reason: "it is not part of the header" })
    expect(answer.claimed).toContainEqual({
      field: "transactions[].l1Fee",
      reason: "it is not part of the signed transaction"
    })
  })

  it("is REFUTED without a field that some fork added, or that a mined block has", async () => {
    const checks: Record<string, unknown> = {}
    for (const field of [...HeaderFields.names.slice(12), "mixHash"]) {
      const outcome = await told(allTypes.hash, (block) => Wire.remove(block, [field]))
      checks[field] = checkOf(outcome)
    }
    expect(checks).toMatchObject({
      // missing fields, and numbers of fields that no fork has
      baseFeePerGas: "header shape",
      withdrawalsRoot: "header shape",
      blobGasUsed: "header shape",
      excessBlobGas: "header shape",
      parentBeaconBlockRoot: "header shape",
      // without this field, the header is a complete header of the previous fork
      requestsHash: "header hash"
    })
    for (const field of ["hash", "number", "logsBloom", "miner"]) {
      checks[field] = checkOf(await told(allTypes.hash, (block) => Wire.set(block, [field], null)))
    }
    expect(checks).toMatchObject({
      hash: "block.hash",
      number: "header.number",
      logsBloom: "header.logsBloom",
      miner: "header.miner"
    })
  })

  it("is not an answer at all without a field that every block has: not REFUTED, but malformed, and where", async () => {
    const required = [
      "parentHash",
      "sha3Uncles",
      "stateRoot",
      "transactionsRoot",
      "receiptsRoot",
      "gasLimit",
      "gasUsed"
    ]
    for (const field of [...required, "timestamp", "extraData", "number", "hash", "logsBloom", "miner"]) {
      const { answer, exitCode } = await told(allTypes.hash, (block) => Wire.remove(block, [field]))
      expect(exitCode).toBe(1)
      expect(answer).toMatchObject({
        error: { tag: "JsonRpcError", method: "eth_getBlockByHash", reason: { tag: "DecodeError", path: [field] } }
      })
    }
  })

  it("is VERIFIED without the difficulty or the nonce, which have been zero since the Merge, and has them", async () => {
    for (const [field, value] of [
      ["difficulty", "0x0"],
      ["nonce", "0x0000000000000000"]
    ] as const) {
      const { answer } = await told(allTypes.hash, (block) => Wire.remove(block, [field]))
      expect([answer.verdict, answer.value[field]]).toEqual(["VERIFIED", value])
    }
  })

  it("is CLAIMED without its mixHash, as blocks of chains with another seal are", async () => {
    const { answer } = await told(allTypes.hash, (block) => Wire.remove(block, ["mixHash"]))
    expect([answer.verdict, answer.proven]).toEqual(["CLAIMED", []])
    expect(answer.claimed[0].reason).toMatch(/^its header has no nonce or no mixHash/u)
  })

  it("is REFUTED when its transactions are not those of the header", async () => {
    const checks: Record<string, unknown> = {}
    const lie = async (name: string, change: Lie["change"]) => {
      checks[name] = checkOf(await told(allTypes.hash, change))
    }
    const others = await truth(Prepared.accessLists.hash, true)
    await lie("the first is dropped", (block) => (block.transactions.shift(), block))
    await lie("the last is dropped", (block) => (block.transactions.pop(), block))
    await lie("all are dropped", (block) => Wire.set(block, ["transactions"], []))
    await lie("two are swapped", ({ transactions: [a, b, ...rest], ...block }) => ({
      ...block,
      transactions: [b, a, ...rest]
    }))
    await lie("one is doubled", (block) => (block.transactions.push(structuredClone(block.transactions[0])), block))
    await lie("one is another block's", (block) => Wire.set(block, ["transactions", 0], others.transactions[0]))
    await lie("all are another block's", (block) => Wire.set(block, ["transactions"], others.transactions))
    expect(checks).toEqual({
      "the first is dropped": "transactionsRoot",
      "the last is dropped": "transactionsRoot",
      "all are dropped": "transactionsRoot",
      "two are swapped": "transactionsRoot",
      "one is doubled": "transactionsRoot",
      "one is another block's": "transactionsRoot",
      "all are another block's": "transactionsRoot"
    })
  })

  it("is REFUTED when it is another block", async () => {
    const other = Prepared.accessLists
    const anothers = (_: unknown, ask: any) => ask("eth_getBlockByHash", [other.hash, true])
    expect(checkOf(await told(allTypes.hash, anothers))).toBe("block.hash")
    const renamed = await told(allTypes.hash, async (_, ask) => ({ ...(await anothers(_, ask)), hash: allTypes.hash }))
    expect(checkOf(renamed)).toBe("header hash")
    expect(renamed.answer).toEqual({
      verdict: "REFUTED",
      value: null,
      anchor: { kind: "block", hash: allTypes.hash },
      proven: [],
      claimed: [],
      refuted: { check: "header hash", expected: allTypes.hash, got: other.hash }
    })
  })

  it("is REFUTED when a type is made another known one, so that its fields hash to something else", async () => {
    const { transactions } = await truth(allTypes.hash, true)
    const at = (type: string) => transactions.findIndex((transaction: any) => transaction.type === type)
    for (const [from, to] of [
      ["0x4", "0x2"],
      ["0x2", "0x1"]
    ] as const) {
      const outcome = await told(allTypes.hash, (block) => Wire.set(block, ["transactions", at(from), "type"], to))
      expect(checkOf(outcome)).toBe(`transactions[${at(from)}] hash`)
    }
  })

  it("is CLAIMED when the node knows no such block", async () => {
    const { answer, exitCode } = await told(allTypes.hash, () => null)
    expect(exitCode).toBe(0)
    expect(answer).toEqual({
      verdict: "CLAIMED",
      value: null,
      anchor: null,
      proven: [],
      claimed: [
        { field: "value", reason: "the node knows no block with this hash; that there is none cannot be proven" }
      ]
    })
  })
})

describe("a block by its hash, with hashes of transactions", () => {
  it("is VERIFIED but for the hashes, and REFUTED for every field of the header", async () => {
    const { hash } = Prepared.allTypes
    const honest = await told(hash, (block) => block, [])
    expect(honest.answer.verdict).toBe("VERIFIED")
    expect(honest.answer.value).toEqual(await truth(hash, false))
    expect(honest.answer.claimed.map((claim: any) => claim.field)).toEqual(["transactions", "size", "totalDifficulty"])
    for (const field of HeaderFields.names) {
      const outcome = await told(hash, (block) => Wire.set(block, [field], Wire.another([field], block[field])), [])
      expect(checkOf(outcome)).toBe("header hash")
    }
    const other = await told(hash, (block) => Wire.set(block, ["transactions", 0], Wire.HASH), [])
    expect(other.answer.verdict).toBe("VERIFIED")
    expect(other.answer.claimed[0].field).toBe("transactions")
  })
})

describe("a block by its number or tag", () => {
  const byNumber = async (parameter: string, change: Lie["change"], flags: ReadonlyArray<string>) => {
    const url = node().telling({ method: "eth_getBlockByNumber", change })
    return RunCli.json(["block", parameter, ...flags, "--url", url])
  }
  const { allTypes } = Prepared
  const number = String(allTypes.number)

  it("is CLAIMED when no hash is trusted, and says what holds in itself", async () => {
    for (const parameter of [number, "latest", "earliest", "safe", "finalized"]) {
      // For block 0, anvil gives the right header, but the state of another block.
      const { answer, exitCode } = await byNumber(parameter, (block) => block, ["--full"])
      expect(exitCode).toBe(0)
      expect(answer.verdict).toBe("CLAIMED")
      expect(answer.anchor).toBeNull()
      expect(answer.claimed[0]).toEqual({
        field: "value",
        reason: `that block ${answer.value.hash} is on the chain is the node's word: no trusted hash was given`
      })
      expect(answer.proven[0]).toBe(`every header field: together they hash to ${answer.value.hash}`)
    }
  })

  it("is CLAIMED when it is pending", async () => {
    const { answer } = await byNumber("pending", (block) => block, [])
    expect(answer).toMatchObject({
      verdict: "CLAIMED",
      anchor: null,
      claimed: [{ field: "value", reason: "a pending block is not on the chain yet: no hash proves it" }]
    })
  })

  it("is VERIFIED when it is the trusted block", async () => {
    for (const parameter of [number, `0x${allTypes.number.toString(16)}`]) {
      const { answer } = await byNumber(parameter, (block) => block, ["--full", "--trust", allTypes.hash])
      expect(answer.verdict).toBe("VERIFIED")
      expect(answer.anchor).toEqual({ kind: "block", hash: allTypes.hash })
    }
    const latest = await byNumber("latest", (block) => block, ["--trust", PreparedState.head.hash])
    expect(latest.answer.verdict).toBe("VERIFIED")
  })

  it("is REFUTED when it contradicts the trusted block, the number, or itself", async () => {
    const other = async (_: unknown, ask: any) => ask("eth_getBlockByHash", [Prepared.accessLists.hash, true])
    const forged = (block: any) => Wire.set(block, ["gasUsed"], "0x1")
    expect(checkOf(await byNumber(number, other, ["--full"]))).toBe("block.number")
    expect(checkOf(await byNumber(number, forged, ["--full"]))).toBe("header hash")
    expect(checkOf(await byNumber("latest", forged, ["--full"]))).toBe("header hash")

    // A block of another chain, with its own correct hash. Only the trusted block reveals the lie.
    const foreign: Lie["change"] = async (_, ask) => {
      const block = Wire.set(await ask("eth_getBlockByHash", [Prepared.empty.hash, true]), ["extraData"], "0x00")
      return { ...block, hash: Keccak256.hashHex(Result.getOrThrow(BlockRlp.encodeHeader(decode(block)))) }
    }
    const emptyNumber = String(Prepared.empty.number)
    const alone = await byNumber(emptyNumber, foreign, ["--full"])
    const against = await byNumber(emptyNumber, foreign, ["--full", "--trust", Prepared.empty.hash])
    expect(alone.answer.verdict).toBe("CLAIMED")
    expect(checkOf(against)).toBe("trusted block")
  })

  it("is CLAIMED when the trusted block is another one, and REFUTED when it has the same number", async () => {
    const trust = Prepared.accessLists.hash
    const { answer } = await byNumber(number, (block) => block, ["--full", "--trust", trust])
    expect(answer.verdict).toBe("CLAIMED")
    expect(answer.claimed[0].reason).toMatch(
      new RegExp(
        `block ${allTypes.number} is not before the trusted block ${Prepared.accessLists.number}: only block ${allTypes.number} or a later one proves it$`
      )
    )
    const unknown = await byNumber(number, (block) => block, ["--trust", Wire.HASH])
    expect(unknown.answer.verdict).toBe("CLAIMED")
    expect(unknown.answer.claimed[0].reason).toMatch(/the node does not know the trusted block 0x[0-9a-f]{64}$/)
  })

  it("is never VERIFIED when it is null", async () => {
    const { answer } = await byNumber(number, () => null, ["--trust", allTypes.hash])
    expect(answer).toMatchObject({ verdict: "CLAIMED", value: null, anchor: null })
  })
})
