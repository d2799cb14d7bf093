/** Tests the output of `plumbline pending` for people and for programs, and its exit codes. */
import { describe, expect, it } from "@effect/vitest"
import { JsonRpcError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import { Effect, Layer, Schema } from "effect"

import * as PendingReading from "../../src/pending/PendingReading.ts"
import * as PendingView from "../../src/pending/PendingView.ts"
import * as Style from "../../src/terminal/Style.ts"
import * as Children from "../support/Children.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Nodes from "../support/SecondChainNodes.ts"
import * as Made from "../support/SecondChainTransactions.ts"

const invoke = Made.made["INVOKE v3"]
const handler = Made.made["L1_HANDLER v0"]
const deployment = Made.made["DEPLOY_ACCOUNT v3"]
const lie = { ...invoke, tip: "0x6" }
const unknown = { transaction_hash: "0x7", type: "GIFT", version: "0x9", to: "0x1" }

/** Runs `body` with a node whose pending block has these transactions. */
const at = async <A>(list: ReadonlyArray<Made.Json>, body: (url: string) => Promise<A>): Promise<A> => {
  await using node = await Nodes.node(Nodes.answers("0.9.0", list))
  return await body(node.url)
}

const PENDING = { field: "pending", reason: "that it is pending is the node's word" }
const SIGNATURE = {
  field: "signature",
  reason: "the hash does not cover it, and the account's public key is not known here"
}
const UNKNOWN = {
  field: "value",
  reason: "transactions of this type and version are not known here: their hash cannot be made"
}
const OTHERS = {
  field: "others",
  reason: "that no others are pending is the node's word: nothing shows what it leaves out"
}
const CHAIN = { field: "chain", reason: "which chain it is, the node says itself; --chain says which one you mean" }

const inAny = ({ field, reason }: typeof PENDING) => ({ field: field === "value" ? "[]" : `[].${field}`, reason })

describe("plumbline pending --json", () => {
  it("is VERIFIED when every transaction is, each with what is claimed of it", async () => {
    const { answer, exitCode } = await at([invoke, handler], (url) => RunCli.json(["pending", "--url", url]))
    expect(exitCode).toBe(0)
    expect(answer).toEqual({
      verdict: "VERIFIED",
      value: [
        { transaction: invoke, verdict: "VERIFIED", claimed: [SIGNATURE, PENDING] },
        { transaction: handler, verdict: "VERIFIED", claimed: [PENDING] }
      ],
      anchor: null,
      proven: [`each of 2 transactions: its fields hash to its transaction_hash on the chain ${Made.CHAIN_ID}`],
      claimed: [inAny(SIGNATURE), inAny(PENDING), CHAIN, OTHERS]
    })
  })

  it("does not doubt a chain that it was told", async () => {
    for (const chain of ["SN_MAIN", Made.CHAIN_ID, "0x0534E5F4d41494e"]) {
      const { answer } = await at([handler], (url) => RunCli.json(["pending", "--url", url, "--chain", chain]))
      expect([answer.verdict, answer.claimed]).toEqual(["VERIFIED", [inAny(PENDING), OTHERS]])
    }
  })

  it("is REFUTED on another chain than the one it was told, whatever the node says", async () => {
    const { answer, exitCode } = await at([invoke, handler], (url) =>
      RunCli.json(["pending", "--url", url, "--chain", "SN_SEPOLIA"])
    )
    expect([answer.verdict, exitCode, answer.value.length]).toEqual(["REFUTED", 2, 2])
    expect(answer.value.map(({ verdict }: any) => verdict)).toEqual(["REFUTED", "REFUTED"])
  })

  it("is CLAIMED when one transaction is of a kind that is not known", async () => {
    const { answer, exitCode } = await at([invoke, unknown], (url) =>
      RunCli.json(["pending", "--url", url, "--chain", "SN_MAIN"])
    )
    expect(exitCode).toBe(0)
    expect(answer).toEqual({
      verdict: "CLAIMED",
      value: [
        { transaction: invoke, verdict: "VERIFIED", claimed: [SIGNATURE, PENDING] },
        { transaction: unknown, verdict: "CLAIMED", claimed: [UNKNOWN, PENDING] }
      ],
      anchor: null,
      proven: [`1 of 2 transactions: its fields hash to its transaction_hash on the chain ${Made.CHAIN_ID}`],
      claimed: [inAny(SIGNATURE), inAny(PENDING), inAny(UNKNOWN), OTHERS]
    })
  })

  it("is REFUTED when one is, and says which, and what failed; the others keep their verdicts", async () => {
    const { answer, exitCode } = await at([unknown, lie, handler], (url) => RunCli.json(["pending", "--url", url]))
    expect(exitCode).toBe(2)
    const refuted = { expected: lie.transaction_hash, got: expect.stringMatching(/^0x[0-9a-f]{60,64}$/u) }
    expect(answer).toEqual({
      verdict: "REFUTED",
      value: [
        { transaction: unknown, verdict: "CLAIMED", claimed: [UNKNOWN, PENDING] },
        { transaction: lie, verdict: "REFUTED", claimed: [], refuted: { check: "transaction hash", ...refuted } },
        { transaction: handler, verdict: "VERIFIED", claimed: [PENDING] }
      ],
      anchor: null,
      proven: [],
      claimed: [],
      refuted: { check: "transactions[1] hash", ...refuted }
    })
  })

  it("is CLAIMED when there are none: that proves nothing", async () => {
    const { answer, exitCode } = await at([], (url) => RunCli.json(["pending", "--url", url]))
    expect(exitCode).toBe(0)
    expect(answer).toEqual({
      verdict: "CLAIMED",
      value: [],
      anchor: null,
      proven: [],
      claimed: [
        {
          field: "value",
          reason: "an empty list proves nothing: a node that shows none, or hides some, answers the same"
        }
      ]
    })
  })

  it("keeps fields that are not known, and says that they are claimed", async () => {
    const { answer } = await at([{ ...handler, later: { of: ["any", 1] } }], (url) =>
      RunCli.json(["pending", "--url", url])
    )
    expect(answer.value).toEqual([
      {
        transaction: { ...handler, later: { of: ["any", 1] } },
        verdict: "VERIFIED",
        claimed: [{ field: "later", reason: "the hash does not cover it" }, PENDING]
      }
    ])
  })

  it("ends with code 1 where there is no list: a node that is down, refuses or talks nonsense is not an empty list", async () => {
    const failing = async (answers: Nodes.Answers) => {
      await using node = await Nodes.node(answers)
      return await RunCli.json(["pending", "--url", `${node.url}/v3/secret-key`])
    }
    const broken = { ...handler, calldata: "none" }
    const honest = Nodes.answers("0.9.0", [handler])
    for (const [answers, reason] of [
      [() => ({ error: { code: -32_005, message: "too many requests" } }), { tag: "RemoteError", code: -32_005 }],
      [() => ({ error: { code: -32_601, message: "no such method" } }), { tag: "RemoteError", code: -32_601 }],
      [(method, params) => (method.endsWith("WithTxs") ? null : honest(method, params)), { tag: "DecodeError" }],
      [Nodes.answers("0.9.0", [handler, broken]), { tag: "DecodeError", path: [1, "calldata"] }],
      [(method, params) => (method.endsWith("chainId") ? 7 : honest(method, params)), { tag: "DecodeError" }]
    ] satisfies ReadonlyArray<[Nodes.Answers, unknown]>) {
      const { answer, exitCode } = await failing(answers)
      expect([exitCode, answer.error.tag]).toEqual([1, "JsonRpcError"])
      expect(answer.error.reason).toMatchObject(reason)
      expect(JSON.stringify(answer)).not.toContain("secret-key")
    }
    const { answer, exitCode } = await RunCli.json(["pending", "--url", "http://127.0.0.1:1/v3/secret-key"])
    expect([exitCode, answer.error.reason.tag]).toEqual([1, "TransportError"])
  })

  it("ends with code 1 for arguments that make no sense, and where no service runs", async () => {
    for (const chain of ["", "0x", "0xzz", `0x${"f".repeat(64)}`, "a name with spaces", "x".repeat(32), "SN_MÄIN"]) {
      const { answer, exitCode } = await RunCli.json(["pending", "--url", "http://127.0.0.1:1", "--chain", chain])
      expect([exitCode, answer.error]).toEqual([
        1,
        expect.objectContaining({
          tag: "UsageError",
          message: "--chain must be the id of a chain: a name such as SN_MAIN, or its 0x hex"
        })
      ])
    }
    await using folder = await Children.folder()
    const { answer, exitCode } = await RunCli.json(["pending", "--data", folder.path])
    expect([exitCode, answer.error.tag, answer.error.state]).toEqual([1, "NoServiceError", "never"])
  })
})

describe("plumbline pending, for people", () => {
  it("is a line for each: its badge, kind, hash, sender, and what is claimed or what failed", async () => {
    const { exitCode, stderr, stdout } = await at([invoke, handler, deployment, unknown, lie], (url) =>
      RunCli.run(["pending", "--url", url])
    )
    const got = /got (0x\S+)/u.exec(stdout)?.[1]
    expect([exitCode, stderr]).toEqual([2, ""])
    const { transaction_hash: hash } = lie
    expect(stdout).toBe(`Pending transactions

  chain         SN_MAIN  ${Made.CHAIN_ID}
  transactions  5

  VERIFIED  INVOKE v3          ${invoke.transaction_hash}  from ${Made.senderOf(invoke)}  claimed: signature, pending
  VERIFIED  L1_HANDLER v0      ${handler.transaction_hash}  no sender  claimed: pending
  VERIFIED  DEPLOY_ACCOUNT v3  ${deployment.transaction_hash}  from ${Made.senderOf(deployment)}  claimed: signature, pending
  CLAIMED   GIFT 0x9           0x7  sender not known  claimed: all, pending
  REFUTED   INVOKE v3          ${hash}  from ${Made.senderOf(lie)}  transaction hash: expected ${hash}, got ${got}

REFUTED  the node's answer is not true
  check     transactions[4] hash
  expected  ${hash}
  got       ${got}
`)
  })

  it("ends in VERIFIED with what was proven and what is claimed", async () => {
    const { exitCode, stdout } = await at([handler], (url) => RunCli.run(["pending", "--url", url]))
    expect(exitCode).toBe(0)
    expect(stdout).toBe(`Pending transactions

  chain         SN_MAIN  ${Made.CHAIN_ID}
  transactions  1

  VERIFIED  L1_HANDLER v0  ${handler.transaction_hash}  no sender  claimed: pending

VERIFIED
  proven    each of 1 transaction: its fields hash to its transaction_hash on the chain ${Made.CHAIN_ID}
  claimed   pending of each  that it is pending is the node's word
            chain            which chain it is, the node says itself; --chain says which one you mean
            others           that no others are pending is the node's word: nothing shows what it leaves out
`)
  })

  it("says of none that it proves nothing", async () => {
    const { stdout } = await at([], (url) => RunCli.run(["pending", "--url", url]))
    expect(stdout).toContain("\n  transactions  none\n\nCLAIMED  not proven")
    expect(stdout).toContain("an empty list proves nothing")
  })

  it("lets no node write over it: what it says is escaped and cut", async () => {
    const hostile = { transaction_hash: "0x7", type: "\u001b[2J\u001b[32mVERIFIED", version: "x".repeat(5000) }
    const { stdout } = await at(
      [{ ...handler, "\u001b[1A": 1, ["y".repeat(5000)]: 2 }, hostile, { transaction_hash: "0x8" }],
      (url) => RunCli.run(["pending", "--url", url])
    )
    expect(stdout).not.toContain("\u001b")
    expect(stdout).toContain(`\\u001b[2J\\u001b[32mVERIFIED ${"x".repeat(32)}  0x7`)
    expect(stdout).toContain(`claimed: \\u001b[1A, ${"y".repeat(32)}, pending\n`)
    expect(stdout).toMatch(/CLAIMED {3}\? \? +0x8 {2}sender not known/u)
  })

  const judged = (json: Made.Json) => [
    PendingReading.judge(Schema.decodeUnknownSync(Transaction.Transaction)(json), { chainId: Made.CHAIN_ID as never })
  ]

  it("is not flooded by fields that a node makes up: some are named, the rest is counted, the verdict stays in sight", async () => {
    const made = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, n]))
    const { exitCode, stdout } = await at([{ ...made, ...invoke }], (url) => RunCli.run(["pending", "--url", url]))
    expect(exitCode).toBe(0)
    expect(stdout).toContain(
      "claimed: signature, pending, field0, field1, field2, field3, field4, field5 and 4994 more\n"
    )
    expect(stdout).toContain("\n            ... 4964 more, which --json names\n")
    // the claims of the list itself come last
    for (const { reason } of [SIGNATURE, PENDING, CHAIN, OTHERS]) expect(stdout).toContain(reason)
    expect(stdout.split("\n").length).toBeLessThan(60)
    const { answer } = await at([{ ...made, ...invoke }], (url) => RunCli.json(["pending", "--url", url]))
    expect(answer.claimed.length).toBe(5004)
  })

  it("is not a verdict when the node's version cannot be learned: what it leaves out is not known then", async () => {
    const reason = new TransportError({ detail: "the connection broke", retryable: true })
    let versions = 0
    const list = [invoke]
    const call: Transport.Transport["Service"]["call"] = ({ method }) => {
      if (method === "starknet_specVersion" && ++versions > 1) return Effect.fail(new JsonRpcError({ method, reason }))
      return Effect.succeed(method === "starknet_specVersion" ? "0.7.1" : { transactions: list })
    }
    const transport = Layer.succeed(Transport.Transport, { call, callAll: Transport.oneByOne(call) })
    const error = await Effect.runPromise(
      Effect.flip(Effect.provide(PendingReading.read(Made.CHAIN_ID as never), transport))
    )
    expect(error.reason).toBe(reason)
  })

  it("fits the terminal, with each part of a line whole", () => {
    const chain = { id: Made.CHAIN_ID as never, isClaimed: false }
    const lines = PendingView.view({ chain, list: judged(invoke) }, { ...Style.plain, columns: 80 })
    expect(lines.slice(-4)).toEqual([
      "  VERIFIED  INVOKE v3",
      `            ${invoke.transaction_hash}`,
      `            from ${Made.senderOf(invoke)}`,
      "            claimed: signature, pending"
    ])
  })

  it("is not kept busy by an account with more arguments than any: neither its hash nor its address is made", () => {
    const chain = { id: Made.CHAIN_ID as never, isClaimed: false }
    const long = { ...deployment, constructor_calldata: Array.from({ length: 50_001 }, () => "0x1") }
    const lines = PendingView.view({ chain, list: judged(long) }, Style.plain)
    expect(lines.at(-1)).toMatch(
      /^ {2}CLAIMED {3}DEPLOY_ACCOUNT v3 {2}0x\S+ {2}sender not known {2}claimed: all, pending$/u
    )
  })

  it("colours the badges by what they say", () => {
    const chain = { id: "0x1" as never, isClaimed: false }
    const [good, doubtful, bad] = [handler, unknown, lie].map((json) =>
      PendingView.view({ chain, list: judged(json) }, Style.ansi).at(-1)
    )
    expect(good).toContain(Style.ansi.good("VERIFIED"))
    expect(doubtful).toContain(Style.ansi.doubtful("CLAIMED"))
    expect(bad).toContain(Style.ansi.bad("REFUTED"))
  })

  it("names queries, and a chain whose id is not a name by its number", () => {
    const query = { ...handler, version: `0x1${"0".repeat(32)}` }
    const lines = PendingView.view(
      { chain: { id: "0x7" as never, isClaimed: false }, list: judged(query) },
      Style.plain
    )
    expect(lines[2]).toBe("  chain         0x7")
    expect(lines.at(-1)).toContain("L1_HANDLER v0 query")
  })
})

describe("the fields that a node leaves out", () => {
  it("are l1_data_gas from 0.5 to 0.7, and none before and after", () => {
    for (const version of ["0.5.0", "0.5.1", "0.6.0", "v0.7.1", "0.7", "0.7.1-rc0"]) {
      expect(PendingReading.omittedBy(version), version).toEqual(["l1_data_gas"])
    }
    for (const version of [undefined, "0.4.0", "0.8.0", "0.9.0", "0.10.2", "0.51.0", "0.70", "1.6.0", "10.5.1", "5"]) {
      expect(PendingReading.omittedBy(version), version).toEqual([])
    }
  })
})
