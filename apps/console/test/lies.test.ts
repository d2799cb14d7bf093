/**
 * Tells every lie of the catalogue as the page does. Each lie must have the outcome that the catalogue demands, and
 * must be caught by the check that this file names for it.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Catalogue from "@plumbline/tamper/catalogue/Catalogue"
import * as Effect from "effect/Effect"
import { describe, expect, test } from "vitest"

import * as ExampleSubjects from "../src/chain/ExampleSubjects.ts"
import type { NetworkClients } from "../src/chain/NetworkClients.ts"
import * as Proving from "../src/chain/Proving.ts"
import * as AnswerDifference from "../src/lies/AnswerDifference.ts"
import * as Believers from "../src/lies/Believers.ts"
import { lieScenarios } from "../src/lies/LieScenarios.ts"
import * as TellLie from "../src/lies/TellLie.ts"
import { checkPath } from "../src/proof/ProofPath.ts"
import type { ProofSubject } from "../src/proof/ProofSubject.ts"
import * as OnHistory from "./support/OnHistory.ts"

const onHistory = <A, E>(effect: Effect.Effect<A, E, NetworkClients | Transport>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, OnHistory.layer(TrustedBlock.layerNone())))

const stage = onHistory(ExampleSubjects.find)

const fates = Believers.read(
  readFileSync(path.resolve(import.meta.dirname, "../../../lab/reports/tamper-clients.md"), "utf8")
)

/**
 * The outcome of each lie: the check that refutes it (for a fault, the kind of error), the field that the lie changes,
 * and the row at which the drawing breaks. The row is `value` if all hashes hold and only the value is wrong, and empty
 * if no row shows the lie.
 */
const ENDS: Readonly<Record<string, readonly [check: string, field: string, line: string]>> = {
  balance: ["account.balance", "answer", "value"],
  nonce: ["account.nonce", "answer", "value"],
  code: ["code hash", "answer", "code"],
  storage: ["storageProof[0].value", "answer", "value"],
  "storage-proof-swap": ["storageProof[0] node 1", "answer", "storage.2"],
  "account-absent": ["account.nonce", "answer", "value"],
  stale: ["nonce", "answer", "value"],
  "truncated-proof": ["accountProof node 2", "answer", "state.2"],
  "extra-proof-node": ["accountProof", "answer", "state.3"],
  "block-timestamp": ["header hash", "timestamp", "header"],
  "block-forged": ["transactions[0].blockHash", "hash", ""],
  "block-swap": ["header hash", "hash", ""],
  "parent-hash": ["header hash", "parentHash", "header"],
  "state-root": ["header hash", "stateRoot", "header"],
  "bloom-clear": ["header hash", "logsBloom", "header"],
  "transaction-drop": ["transactionsRoot", "transactions", "transactions.1"],
  "uncle-add": ["uncles", "uncles", ""],
  "withdrawal-amount": ["withdrawalsRoot", "withdrawals[0].amount", "withdrawals.1"],
  equivocation: ["transactions[0].blockHash", "hash", ""],
  "chain-id": ["chain id", "answer", ""],
  "tx-value": ["transaction hash", "value", "transactions.1"],
  "tx-from": ["transaction.from", "from", ""],
  "tx-to": ["transaction hash", "to", "transactions.1"],
  "tx-input": ["transaction hash", "input", "transactions.1"],
  "tx-index": ["transaction.transactionIndex", "transactionIndex", ""],
  "tx-block": ["transaction.blockNumber", "blockNumber", ""],
  "access-list-extra": ["transaction hash", "accessList", "transactions.1"],
  "sent-hash": ["transaction hash", "answer", ""],
  "receipt-status": ["receiptsRoot", "status", "receipts.1"],
  "receipt-gas": ["receipts[0].gasUsed", "gasUsed", ""],
  "receipt-contract": ["receipts[0].contractAddress", "contractAddress", ""],
  "receipt-drop": ["receipts", "answer", "receipts.1"],
  "log-drop": ["", "answer", ""],
  "log-drop-everywhere": ["receipts[0].logsBloom", "answer", "receipts.1"],
  "log-add": ["", "answer", ""],
  "log-data": ["receiptsRoot", "[0].data", "receipts.1"],
  "log-address": ["", "[0].address", ""],
  "log-order": ["", "[0].topics[1]", ""],
  "logs-range-short": ["", "answer", ""],
  "head-old": ["", "number", ""],
  gas: ["", "answer", ""],
  null: ["", "answer", ""],
  "call-result": ["", "answer", ""],
  slow: ["TimeoutError", "", ""],
  cut: ["TransportError", "", ""],
  "wrong-id": ["ProtocolError", "", ""],
  html: ["ProtocolError", "", ""],
  huge: ["TransportError", "", ""]
}

/** Answers that stay claims of the node even if they are true. */
const WORDS: ReadonlySet<string> = new Set(["gas", "call-result", "chain-id", "sent-hash"])

/** Returns the row at which the drawing breaks: `value` if all hashes hold, the empty text if there is no drawing. */
const tornAt = (gathered: TellLie.LieOutcome["gathered"], subject: ProofSubject | undefined): string => {
  if (gathered === undefined || subject === undefined) return ""
  const { broken, stations } = checkPath(gathered.evidence, subject)
  return broken === undefined ? "value" : stations[broken.station]!.id
}

describe("a lie in the page", () => {
  test("has a telling and a row of the table of clients, each one of the catalogue", () => {
    const names = Catalogue.lies.map(({ name }) => name).toSorted()
    expect(Object.keys(lieScenarios).toSorted()).toEqual(names)
    expect(Object.keys(ENDS).toSorted()).toEqual(names)
    expect([...fates.keys()].toSorted()).toEqual(names)
  })

  test.for(Catalogue.lies)("ends as the catalogue demands, by its check: $name", async (lie) => {
    const scene = lieScenarios[lie.name]!.scene(await stage)!
    const told = await onHistory(TellLie.tell(lie, scene))
    const { gathered, outcome } = told
    const [check, field, line] = ENDS[lie.name]!
    expect(outcome._tag).toBe(lie.expected === "REPAIRED" ? "VERIFIED" : lie.expected)
    expect(outcome._tag === "REFUTED" ? outcome.check : outcome._tag === "FAILED" ? outcome.failure.kind : "").toBe(
      check
    )
    expect(told.changes[0]?.path ?? "").toBe(field)
    expect(tornAt(gathered, scene.subject)).toBe(line)
  })

  test.for(Catalogue.lies.filter(({ how }) => how._tag === "Answer"))(
    "is the only thing that is wrong: without it, the same question is not a lie: $name",
    async (lie) => {
      const scene = lieScenarios[lie.name]!.scene(await stage)!
      const truth: typeof lie = { ...lie, how: { _tag: "Answer", tell: (answer) => Effect.succeed(answer) } }
      const { changed, gathered, outcome } = await onHistory(TellLie.tell(truth, scene))
      expect(changed).toBe(0)
      expect(outcome._tag).toBe(WORDS.has(lie.name) ? "CLAIMED" : "VERIFIED")
      expect(tornAt(gathered, scene.subject)).toBe(scene.subject === undefined ? "" : "value")
    }
  )

  test("that is refuted here is believed by none of the programs that prove", () => {
    for (const { expected, name } of Catalogue.lies) {
      const row = fates.get(name)!
      expect(row.map(({ program }) => program)).toEqual([
        "viem",
        "ethers",
        "web3.js",
        "cast",
        "viem behind the proxy",
        "plumbline"
      ])
      const proving = row.slice(4).map(({ fate }) => fate)
      expect(expected === "REFUTED" && proving.includes("believed"), name).toBe(false)
    }
    expect(fates.get("balance")![0]).toEqual({ program: "viem", fate: "believed" })
  })

  test("is told about things that the chain has, by its own list of blocks", async () => {
    const { busy, head, listed, logged, withdrawals } = await stage
    const blockOf = (number: bigint) => HistoryChain.blocks[Number(number)]!
    expect(head.hash).toBe(HistoryChain.head.hash)
    for (const one of [busy!, listed!.block, logged!.block, withdrawals!])
      expect(blockOf(one.number).hash).toBe(one.hash)
    expect(blockOf(busy!.number).transactions.map(({ hash }) => hash)).toContain(busy!.transaction)
    expect(blockOf(listed!.block.number).transactions[listed!.index]!.hash).toBe(listed!.hash)
  })
})

describe("a difference of two answers", () => {
  test("names each place, with both values", () => {
    const truth = { a: 1, b: [{ c: "x" }, { c: "y" }], d: null }
    expect(AnswerDifference.between(truth, truth)).toEqual([])
    expect(AnswerDifference.between(truth, { a: 2, b: [{ c: "x" }, { c: "z" }], e: true })).toEqual([
      { path: "a", truth: "1", told: "2" },
      { path: "b[1].c", truth: "y", told: "z" },
      { path: "d", truth: "null", told: "nothing" },
      { path: "e", truth: "nothing", told: "true" }
    ])
    expect(AnswerDifference.between([1, 2], [1])).toEqual([{ path: "answer", truth: "2 items", told: "1 item" }])
  })
})

describe("a question in the page", () => {
  test("ends with a verdict, and lists the calls that it took", async () => {
    const { head } = HistoryChain
    const answered = await Effect.runPromise(
      Effect.provide(
        Proving.ask({ method: "eth_getBalance", params: [HistoryChain.contracts.cabinet.address, "latest"] }),
        OnHistory.layer(TrustedBlock.layerPinned(head.hash as never))
      )
    )
    expect(answered.outcome).toMatchObject({ _tag: "VERIFIED", anchor: { _tag: "Block", hash: head.hash } })
    expect(answered.sent.map(({ method }) => method)).toContain("eth_getProof")
  })

  test("with wrong parameters, and with a method that the node refuses, ends with the kind of the error", async () => {
    const wrong = await onHistory(Proving.ask({ method: "eth_getBalance", params: ["0x12"] }))
    expect(wrong.outcome).toMatchObject({ _tag: "FAILED", failure: { kind: "InvalidParams", code: -32_602 } })
    const refused = await onHistory(Proving.ask({ method: "eth_nothing", params: [] }))
    expect(refused.outcome).toMatchObject({ _tag: "FAILED", failure: { kind: "RemoteError" } })
  })
})
