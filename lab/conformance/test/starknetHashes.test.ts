/** Computes the hash of every transaction in the fourth set of fixtures from the transaction's fields. */
import { assert, it } from "@effect/vitest"
import { Felt, Transaction, transactionHash, verifyPending, verifyTransaction } from "@plumbline/second-chain-methods"
import { Result, Schema } from "effect"

import { real } from "./starknet/transactions.ts"
import { conformance, files, json, once } from "./support/fixtures.ts"
import * as Tally from "./support/tally.ts"

const MAINNET = Felt.fromHexUnsafe("0x534e5f4d41494e")
const SEPOLIA = Felt.fromHexUnsafe("0x534e5f5345504f4c4941")
const SEPOLIA_INTEGRATION = Felt.fromHexUnsafe("0x534e5f494e544547524154494f4e5f5345504f4c4941")

/** Returns the chain of a file. Most files do not name it themselves. */
const chainOf = (file: string): Felt.Felt => {
  if (file.includes("sepolia_integration")) return SEPOLIA_INTEGRATION
  return file.includes("mainnet") || file.includes("get_block_12_") ? MAINNET : SEPOLIA
}

const decode = Schema.decodeUnknownSync(Transaction.Transaction)

interface Told {
  readonly file: string
  readonly chainId: Felt.Felt
  readonly transaction: Transaction.KnownTransaction
}

/** Returns the transactions that name their hash. Each must be of a known kind. */
const told = once((): ReadonlyArray<Told> =>
  real().flatMap(({ file, transaction: wire }) => {
    if (wire["transaction_hash"] === undefined) return []
    const { kind, transaction } = Transaction.caseOf(decode(wire))
    return [{ file, chainId: chainOf(file), transaction: kind === "UNKNOWN" ? assert.fail(file) : transaction }]
  })
)

/** Kinds whose hash has always been computed in one way. */
const ONE_FORM: ReadonlySet<string> = new Set(["INVOKE v1", "DECLARE v1", "DECLARE v2", "DEPLOY_ACCOUNT v1"])

/** Returns the kind of a transaction, with a mark if its hash is computed in an older way. */
const nameOf = ({ chainId, transaction }: Told): string => {
  const { kind } = Transaction.caseOf(transaction)
  if (ONE_FORM.has(kind)) return kind
  const isToday = Felt.equals(transactionHash(transaction, chainId), transaction.transaction_hash)
  if (!kind.endsWith("v3")) return isToday ? kind : `${kind}, as hashed in Starknet's first months`
  const { l1_data_gas } = (transaction as Transaction.InvokeV3).resource_bounds
  return isToday && l1_data_gas !== undefined ? kind : `${kind}, L1 data gas not hashed`
}

/** For each kind, the number of transactions that name a hash. Each is proven by the hash that it names. */
const PROVEN: Readonly<Record<string, number>> = {
  "INVOKE v0, as hashed in Starknet's first months": 32,
  "INVOKE v1": 333,
  "INVOKE v3": 9,
  "INVOKE v3, L1 data gas not hashed": 33,
  "DECLARE v1": 23,
  "DECLARE v2": 11,
  "DECLARE v3": 1,
  "DEPLOY v0, as hashed in Starknet's first months": 7,
  "DEPLOY_ACCOUNT v1": 22,
  "DEPLOY_ACCOUNT v3": 1,
  "DEPLOY_ACCOUNT v3, L1 data gas not hashed": 1,
  "L1_HANDLER v0": 9
}

conformance("hashes of the second chain", () => {
  const tally = Tally.make("4-starknet: hashes recomputed")

  it("every real transaction that says its hash is proven by it", () => {
    const counters = new Map<string, Tally.Counter>()
    for (const one of told()) {
      const { chainId, file, transaction } = one
      const verdict = Result.getOrThrow(verifyPending(transaction, { chainId }))
      assert.strictEqual(verdict._tag, "VERIFIED", file)
      const early = Transaction.caseOf(transaction).kind === "INVOKE v0" ? ["max_fee", "type"] : []
      const claimable = ["pending", "signature", "finality_status", ...early]
      for (const { field } of verdict.claimed) assert.include(claimable, field, file)
      const name = nameOf(one)
      const counter = counters.get(name) ?? tally.count(name)
      counters.set(name, counter)
      counter.verified()
    }
    assert.deepStrictEqual([...counters.keys()].toSorted(), Object.keys(PROVEN).toSorted())
    for (const [name, verified] of Object.entries(PROVEN)) counters.get(name)!.expect({ verified })
  })

  it("what was handed in and says no hash is not for us to say", () => {
    const counter = tally.count("as handed in")
    const others = real().filter(({ transaction }) => transaction["transaction_hash"] === undefined)
    for (const { file, transaction } of others) {
      // The fields give a hash, but the file has no hash to compare it with.
      assert.isTrue(
        Felt.isFelt(transactionHash(decode({ ...transaction, transaction_hash: "0x0" }) as never, SEPOLIA)),
        file
      )
      counter.outside("nobody said its hash")
    }
    counter.expect({ outside: { "nobody said its hash": 2 } })
  })

  it("no transaction of a node's test database is proven: their hashes are words", () => {
    const counter = tally.count("of a node's test database, 0.6 to 0.10")
    const why = "its hash is made up, a few words in ASCII"
    for (const file of files("4-starknet/pathfinder-rpc/*.json")) {
      for (const transaction of transactionsIn(json(file))) {
        assert.match(Buffer.from(transaction.transaction_hash.slice(2), "hex").toString(), /^[a-z -_0-9]+$/u)
        for (const chainId of [MAINNET, SEPOLIA, SEPOLIA_INTEGRATION]) {
          const verdict = verifyPending(transaction, { chainId })
          assert.strictEqual(Result.isFailure(verdict) && verdict.failure.check, "transaction hash", file)
        }
        counter.outside(why)
      }
    }
    counter.expect({ outside: { [why]: 112 } })
  })

  it("the first of each kind is refuted on another chain, under another hash, and with a felt changed", () => {
    const first = new Map(
      told()
        .toReversed()
        .map((one) => [nameOf(one), one])
    )
    for (const [name, { chainId, transaction }] of first) {
      const hash = transaction.transaction_hash
      const isRefuted = (other: Transaction.Transaction, on = chainId): boolean =>
        Result.isFailure(verifyTransaction(other, hash, { chainId: on }))
      assert.isFalse(isRefuted(transaction), name)
      assert.isTrue(isRefuted(transaction, chainId === MAINNET ? SEPOLIA : MAINNET), name)
      assert.isTrue(isRefuted({ ...transaction, transaction_hash: Felt.fromHexUnsafe("0x1") }), name)
      for (const field of ["calldata", "constructor_calldata", "class_hash", "compiled_class_hash"]) {
        const value = (transaction as Readonly<Record<string, unknown>>)[field]
        if (value === undefined) continue
        const changed = Array.isArray(value)
          ? [...value.slice(0, -1), next(value.at(-1) ?? "0x0")]
          : next(value as string)
        assert.isTrue(isRefuted(decode({ ...transaction, [field]: changed })), `${name} ${field}`)
      }
    }
  })

  it("accounts that put themselves in place with their key have signed with it", () => {
    const signed = tally.count("DEPLOY_ACCOUNT, signed by a key of its own constructor")
    const deployments = told().filter(({ transaction }) => transaction.type === "DEPLOY_ACCOUNT")
    assert.lengthOf(deployments, 24)
    const why = "no felt of its constructor is the one key that it is signed with"
    for (const { chainId, transaction } of deployments) {
      const deployed = transaction as Transaction.DeployAccountV1
      const isKey = (key: Felt.Felt): boolean =>
        Result.isSuccess(verifyPending(transaction, { chainId, publicKeyOf: () => key }))
      if (deployed.constructor_calldata.some(isKey)) signed.verified()
      else signed.outside(why)
    }
    signed.expect({ verified: 13, outside: { [why]: 11 } })
  })
})

const next = (felt: string): string => `0x${((BigInt(felt) + 1n) % Felt.PRIME).toString(16)}`

/** Yields the transactions in an answer of a node. In blocks with receipts, the receipts hold the hashes. */
function* transactionsIn(value: any): Generator<Transaction.Transaction> {
  if (typeof value !== "object" || value === null) return
  const hash = value.transaction?.transaction_hash === undefined ? value.receipt?.transaction_hash : undefined
  if (hash !== undefined) yield decode({ transaction_hash: hash, ...value.transaction })
  else if (typeof value.version === "string" && value.transaction_hash !== undefined) yield decode(value)
  else for (const inner of Object.values(value)) yield* transactionsIn(inner)
}
