/** Verifies valid transactions of every kind by their hashes, and the same transactions with any part changed. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Verdict } from "@plumbline/verdict"
import * as scure from "@scure/starknet"
import { Result, Schema } from "effect"
import { constants, EDataAvailabilityMode, Signer, hash as starknet, stark, transaction } from "starknet"

import {
  Broadcast,
  Felt,
  Transaction,
  transactionHash,
  verifyPending,
  verifyTransaction,
  type VerifyTransactionOptions
} from "../../src/index.ts"
import * as Hashed from "../support/hashed.ts"
import { known } from "../support/known.ts"

const felt = Felt.fromHexUnsafe
const chainId = felt(Hashed.CHAIN)
const decode = Schema.decodeUnknownResult(Transaction.Transaction)
const verify = (json: Hashed.Json, options: Partial<VerifyTransactionOptions> = {}) => {
  const transaction = Result.getOrThrow(decode(json))
  return verifyTransaction(transaction, transaction.transaction_hash, { chainId, ...options })
}
const check = (result: ReturnType<typeof verify>): string | false => Result.isFailure(result) && result.failure.check
const claims = (result: ReturnType<typeof verify>): ReadonlyArray<string> =>
  Result.getOrThrow(result).claimed.map(({ field }) => field)

/** One transaction of each kind, with its hash. They are made once, because starknet.js is slow. */
const honest: ReadonlyArray<readonly [kind: string, json: Hashed.Json]> = (() => {
  const random = Random.make(701)
  return Object.entries(Hashed.makes).map(([kind, make]) => {
    const { hash, json } = make(random, Hashed.CHAIN, Hashed.versionOf(kind, false))
    return [kind, { ...json, transaction_hash: Hashed.hex(BigInt(hash)) }] as const
  })
})()

interface Change {
  readonly path: string
  readonly json: Hashed.Json
}

/** Replaces each value, at any depth, in each possible way. Returns a copy of the object for each replacement. */
const changes = (json: unknown, path = ""): ReadonlyArray<{ readonly path: string; readonly json: unknown }> => {
  if (typeof json === "string") return others(json).map((other) => ({ path, json: other }))
  if (Array.isArray(json)) {
    const longer = { path, json: [...json, "0x0"] }
    const shorter = json.slice(-1).map(() => ({ path, json: json.slice(0, -1) }))
    const items = json.flatMap((item, at) => [
      ...changes(item, `${path}[${at}]`).map((change) => ({ ...change, json: json.with(at, change.json) })),
      ...(at > 0 && json[at] !== json[at - 1]
        ? [{ path, json: json.with(at, json[at - 1]).with(at - 1, json[at]) }]
        : [])
    ])
    return [longer, ...shorter, ...items]
  }
  return Object.entries(json as Hashed.Json).flatMap(([name, value]) =>
    changes(value, path === "" ? name : `${path}.${name}`).map((change) => ({
      ...change,
      json: { ...(json as Hashed.Json), [name]: change.json }
    }))
  )
}

const others = (text: string): ReadonlyArray<string> => {
  if (!text.startsWith("0x")) return WORDS.filter((word) => word !== text)
  const number = BigInt(text)
  const other = number ^ (1n << BigInt(text.length % 60))
  return [other < Felt.PRIME ? other : number - 1n].map(Hashed.hex)
}

const WORDS = ["INVOKE", "DECLARE", "DEPLOY", "DEPLOY_ACCOUNT", "L1_HANDLER", "INVOKE_FUNCTION", "L1", "L2"]

/** Returns each change after which the JSON still decodes as a transaction. */
const readable = (json: Hashed.Json): ReadonlyArray<Change> =>
  (changes(json) as ReadonlyArray<Change>).filter((change) => Result.isSuccess(decode(change.json)))

/** Fields that no hash covers, for a transaction whose hash has the current form. */
const uncovered = /^signature/u

describe("verifyTransaction", () => {
  it("proves every kind and version by its hash, and claims the signature of an account that it has no key of", () => {
    for (const [kind, json] of honest) {
      const result = verify(json)
      const verdict = Result.getOrThrow(result)
      assert.strictEqual(verdict._tag, "VERIFIED", kind)
      assert.deepStrictEqual(claims(result), "signature" in json ? ["signature"] : [], kind)
      assert.deepStrictEqual(verdict.anchor, { _tag: "Transaction", hash: felt(json["transaction_hash"] as string) })
      const shown = Verdict.sentences(verdict).proven.join(" ")
      for (const field of Object.keys(json)) {
        if (field === "signature" || field === "transaction_hash" || field === "contract_address") continue
        assert.include(shown, field, kind)
      }
      assert.include(shown, json["transaction_hash"] as string)
    }
  })

  it("proves versions with the query bit, which hash otherwise", () => {
    const random = Random.make(702)
    for (const [kind, make] of Object.entries(Hashed.makes)) {
      const { hash, json } = make(random, Hashed.CHAIN, Hashed.versionOf(kind, true))
      assert.strictEqual(Result.getOrThrow(verify({ ...json, transaction_hash: hash }))._tag, "VERIFIED", kind)
      const real = { ...json, transaction_hash: hash, version: Hashed.versionOf(kind, false) }
      assert.strictEqual(check(verify(real)), "transaction hash", kind)
    }
  })

  it("refutes every transaction with anything changed, but for the signature, which it says it cannot prove", () => {
    let refuted = 0
    for (const [kind, json] of honest) {
      for (const change of readable(json)) {
        const result = verify(change.json)
        if (Result.isFailure(result)) refuted++
        else {
          assert.match(change.path, uncovered, `${kind} ${change.path}`)
          assert.include(claims(result), "signature")
        }
      }
    }
    assert.isAbove(refuted, 150)
  })

  it("refutes any change to a signature too, where it has the account's key", () => {
    const secret = "0x5ec4e7"
    const publicKey = felt(scure.getStarkKey(secret))
    for (const [kind, json] of honest) {
      if (!("signature" in json)) continue
      const { r, s } = scure.sign(json["transaction_hash"] as string, secret)
      const signed = { ...json, signature: [Hashed.hex(r), Hashed.hex(s)] }
      const asked: Array<string> = []
      const publicKeyOf = (account: Felt.Felt) => {
        asked.push(account)
        return publicKey
      }
      const verdict = Result.getOrThrow(verify(signed, { publicKeyOf }))
      assert.deepStrictEqual(verdict.claimed, [], kind)
      assert.include(Verdict.sentences(verdict).proven.at(-1), publicKey)
      const sender = json["sender_address"] ?? json["contract_address"]
      if (sender !== undefined) assert.deepStrictEqual(asked, [Hashed.hex(BigInt(sender as string))])
      for (const change of readable(signed).filter(({ path }) => uncovered.test(path))) {
        assert.strictEqual(check(verify(change.json, { publicKeyOf })), "transaction.signature", change.path)
      }
      assert.strictEqual(check(verify({ ...signed, signature: [] }, { publicKeyOf })), "transaction.signature")
      assert.strictEqual(check(verify(json, { publicKeyOf })), "transaction.signature")
      assert.deepStrictEqual(claims(verify(signed, { publicKeyOf: () => undefined })), ["signature"])
    }
  })

  it("proves what starknet.js signs, and its signature", async () => {
    const secret = "0x7e57"
    const bound = { max_amount: 5n, max_price_per_unit: 6n }
    const details = {
      walletAddress: "0xacc0",
      cairoVersion: "1" as const,
      chainId: constants.StarknetChainId.SN_MAIN,
      version: "0x3" as const,
      nonce: "0x9",
      resourceBounds: { l1_gas: bound, l2_gas: bound, l1_data_gas: bound },
      tip: "0x1",
      paymasterData: [],
      accountDeploymentData: [],
      nonceDataAvailabilityMode: EDataAvailabilityMode.L1,
      feeDataAvailabilityMode: EDataAvailabilityMode.L1
    }
    const calls = [{ contractAddress: "0x70", entrypoint: "transfer", calldata: ["0x1", "0x2", "0x0"] }]
    const signature = await new Signer(secret).signTransaction(calls, details)
    const said = { max_amount: "0x5", max_price_per_unit: "0x6" }
    const sent = Schema.decodeUnknownSync(Broadcast.Invoke)({
      type: "INVOKE",
      version: "0x3",
      signature: stark.signatureToHexArray(signature),
      nonce: "0x9",
      sender_address: "0xacc0",
      calldata: transaction.getExecuteCalldata(calls, "1").map((number) => Hashed.hex(BigInt(number))),
      resource_bounds: { l1_gas: said, l2_gas: said, l1_data_gas: said },
      tip: "0x1",
      paymaster_data: [],
      account_deployment_data: [],
      nonce_data_availability_mode: "L1",
      fee_data_availability_mode: "L1"
    })
    const publicKey = felt(scure.getStarkKey(secret))
    const publicKeyOf = (account: Felt.Felt) => (account === felt("0xacc0") ? publicKey : undefined)
    const told = { ...sent, transaction_hash: transactionHash(sent, chainId) }
    assert.deepStrictEqual(claims(verify(told, { publicKeyOf })), [])
  })

  it("asks for no key of what nobody signs", () => {
    for (const [kind, json] of honest) {
      if ("signature" in json) continue
      assert.isTrue(Result.isSuccess(verify(json, { publicKeyOf: () => assert.fail(kind) })))
    }
  })

  it("refutes a transaction of another chain", () => {
    for (const [kind, json] of honest) {
      assert.strictEqual(check(verify(json, { chainId: felt("0x534e5f5345504f4c4941") })), "transaction hash", kind)
    }
  })

  it("refutes another transaction than the one that was asked for, and takes a hash in any spelling", () => {
    const [, json] = honest[0]!
    const [, other] = honest[1]!
    const asked = felt(other["transaction_hash"] as string)
    const result = verifyTransaction(Result.getOrThrow(decode(json)), asked, { chainId })
    assert.strictEqual(check(result), "transaction.transaction_hash")
    const padded = `0x${(json["transaction_hash"] as string).slice(2).padStart(64, "0")}`
    assert.isTrue(Result.isSuccess(verify({ ...json, transaction_hash: padded })))
  })

  it("claims a kind that is not known as a whole, and refutes a known one in disguise", () => {
    for (const [kind, json] of honest) {
      const renamed = verify({ ...json, type: "SOMETHING" })
      assert.strictEqual(check(renamed), "transaction.type", kind)
      const raised = verify({ ...json, version: "0x4" })
      assert.strictEqual(check(raised), "transaction.version", kind)
      const future = { ...json, type: "SOMETHING", transaction_hash: "0x1" }
      const verdict = Result.getOrThrow(verify(future))
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.deepStrictEqual(claims(verify(future)), ["value"])
    }
  })

  it("hashes nothing that is longer than any transaction: a node cannot keep it busy, nor be believed for that", () => {
    const felts = Array.from({ length: 50_001 }, () => "0x1")
    for (const [kind, json] of honest) {
      for (const field of ["calldata", "constructor_calldata", "signature"]) {
        if (!(field in json)) continue
        const verdict = Result.getOrThrow(verify({ ...json, [field]: felts }))
        assert.strictEqual(verdict._tag, "CLAIMED", kind)
        assert.match(Verdict.sentences(verdict).claimed[0]!.reason, /^it has more than 50000 felts/u, kind)
      }
    }
  })

  it("proves and refutes what is long, and finds a long one in disguise up to the length that a sequencer takes", () => {
    const random = Random.make(703)
    const made = (length: number): Hashed.Json => {
      const { hash, json } = Hashed.makes["INVOKE v3"]!(
        random,
        Hashed.CHAIN,
        Hashed.versionOf("INVOKE v3", false),
        length
      )
      return { ...json, transaction_hash: hash }
    }
    const [long, longer] = [made(4900), made(5001)]
    for (const json of [long, longer]) {
      assert.strictEqual(Result.getOrThrow(verify(json))._tag, "VERIFIED")
      assert.strictEqual(check(verify({ ...json, nonce: "0x1" })), "transaction hash")
    }
    assert.strictEqual(check(verify({ ...long, version: "0x7" })), "transaction.version")
    assert.strictEqual(Result.getOrThrow(verify({ ...longer, version: "0x7" }))._tag, "CLAIMED")
  })

  it("names every field that the hash does not cover", () => {
    for (const [kind, json] of honest) {
      const bounds = json["resource_bounds"] as { readonly l1_gas: Hashed.Json } | undefined
      const more = {
        ...json,
        finality_status: "RECEIVED",
        ...(bounds && { resource_bounds: { ...bounds, l3_gas: {}, l1_gas: { ...bounds.l1_gas, unit: "fri" } } }),
        ...(/^(?:INVOKE|DECLARE) v0/u.test(kind) && { nonce: "0x5" })
      }
      const fields = claims(verify(more)).filter((field) => field !== "signature")
      const expected = ["finality_status"]
      if (bounds) expected.push("resource_bounds.l1_gas.unit", "resource_bounds.l3_gas")
      if (/^(?:INVOKE|DECLARE) v0/u.test(kind)) expected.push("nonce")
      assert.sameMembers([...fields], expected, kind)
    }
  })

  it("proves the address of what is deployed by its parts, under either name, and refutes another", () => {
    for (const [kind, json] of honest) {
      if (!kind.startsWith("DEPLOY")) continue
      const { class_hash, constructor_calldata, contract_address_salt } = json as Record<string, never>
      const address = starknet.calculateContractAddressFromHash(
        contract_address_salt!,
        class_hash!,
        constructor_calldata!,
        0
      )
      for (const field of ["contract_address", "sender_address"]) {
        assert.notInclude(claims(verify({ ...json, [field]: address })), field)
        for (const wrong of ["0x1", "junk", null, 5, [address]]) {
          const { contract_address: _, ...rest } = json
          if (Result.isFailure(decode({ ...rest, [field]: wrong }))) continue
          assert.strictEqual(
            check(verify({ ...rest, [field]: wrong })),
            `transaction.${field}`,
            `${kind} ${String(wrong)}`
          )
        }
      }
    }
  })
})

describe("answers of any kind", () => {
  const junk: ReadonlyArray<unknown> = [null, true, 0, -1, 1e300, "", "0x", "0x0", "0x00", "-0x1", "L1", [], [null], {}]

  /** Returns the value with one place, at any depth, replaced or removed. */
  const hostile = (json: unknown, random: Random.Random): unknown => {
    if (Array.isArray(json) && json.length > 0 && Random.int(random, 8) > 0) {
      const at = Random.int(random, json.length)
      return Random.int(random, 4) === 0 ? json.toSpliced(at, 1) : json.with(at, hostile(json[at], random))
    }
    if (typeof json === "object" && json !== null && !Array.isArray(json) && Random.int(random, 12) > 0) {
      const name = Random.pick(random, [...Object.keys(json), "contract_address", "__proto__", "later"])
      const { [name]: value, ...rest } = json as Hashed.Json
      // an assignment to `__proto__` would set the prototype
      return Object.fromEntries([...Object.entries(rest), [name, hostile(value, random)]])
    }
    return Random.pick(random, junk)
  }

  it("are refused as unreadable, refuted, or proven in all but what is named: none is thrown at", () => {
    const random = Random.make(720)
    const outcomes = { unreadable: 0, refuted: 0, verified: 0, claimed: 0 }
    for (let run = 0; run < Random.runs(300); run++) {
      const [kind, json] = Random.pick(random, honest)
      const other = hostile(json, random)
      const read = decode(other)
      if (Result.isFailure(read)) {
        outcomes.unreadable++
        continue
      }
      const result = verifyTransaction(read.success, read.success.transaction_hash, { chainId })
      if (Result.isFailure(result)) outcomes.refuted++
      else if (result.success._tag === "CLAIMED") {
        outcomes.claimed++
        assert.strictEqual(Transaction.caseOf(read.success).kind, "UNKNOWN", kind)
      } else {
        outcomes.verified++
        const named = new Set(result.success.claimed.map(({ field }) => field.split(".")[0]))
        for (const [field, value] of Object.entries(other as Hashed.Json)) {
          if (JSON.stringify(value) === JSON.stringify(json[field]) || named.has(field)) continue
          // The value is the same number in another spelling; an empty value is zero.
          const isSame = typeof value === "string" && BigInt(value) === BigInt(json[field] as string)
          assert.isTrue(isSame, `${kind} ${field}: ${JSON.stringify(value)}`)
        }
      }
    }
    assert.isAbove(outcomes.unreadable, 50)
    assert.isAbove(outcomes.refuted, 20)
    assert.isAbove(outcomes.verified, 5)
  })
})

describe("version 3 and its bounds for L1 data gas", () => {
  /** A transaction of the Sepolia testnet whose hash has the form before Starknet 0.13.4. */
  const early = {
    type: "DEPLOY_ACCOUNT",
    version: "0x3",
    signature: [],
    nonce: "0x0",
    nonce_data_availability_mode: "L1",
    fee_data_availability_mode: "L1",
    resource_bounds: {
      l1_gas: { max_amount: "0xe5c", max_price_per_unit: "0xa76610b0c" },
      l2_gas: { max_amount: "0x0", max_price_per_unit: "0x0" }
    },
    tip: "0x0",
    paymaster_data: [],
    sender_address: "0x7108b40ffb3213e00a211ed5b0734fa35f95826ef385bc2b17ddf38ca69ecac",
    contract_address_salt: "0x421163b3b1b523d3f459ecf9961ca50517ed36a72c7bcf42e485f9d4174984",
    class_hash: "0x13bfe114fb1cf405bfc3a7f8dbe2d91db146c17521d40dcf57e16d6b59fa8e6",
    constructor_calldata: ["0x421163b3b1b523d3f459ecf9961ca50517ed36a72c7bcf42e485f9d4174984"],
    transaction_hash: "0x11c67fb3a9a623b3190c9ac41ebf7f5dd421f2583344c498a30a7280c660f01"
  }
  const sepolia = { chainId: felt("0x534e5f5345504f4c4941") }
  const nothing = { max_amount: "0x0", max_price_per_unit: "0x0" }
  const withData = (json: Hashed.Json, l1_data_gas: unknown): Hashed.Json => ({
    ...json,
    resource_bounds: { ...(json["resource_bounds"] as object), l1_data_gas }
  })
  const withoutData = (json: Hashed.Json): Hashed.Json => {
    const { l1_data_gas: _, ...bounds } = json["resource_bounds"] as Hashed.Json
    return { ...json, resource_bounds: bounds }
  }

  it("proves one of before, which says nothing of it or, from a node of today, that it is nothing", () => {
    assert.deepStrictEqual(claims(verify(early, sepolia)), ["signature"])
    assert.deepStrictEqual(claims(verify(withData(early, nothing), sepolia)), ["signature"])
  })

  it("refutes a bound of something where there was none, and any other change", () => {
    for (const bound of [
      { ...nothing, max_amount: "0x1" },
      { ...nothing, max_price_per_unit: "0x1" }
    ]) {
      assert.strictEqual(check(verify(withData(early, bound), sepolia)), "transaction hash")
    }
    for (const json of [early, withData(early, nothing)]) {
      for (const change of readable(json)) {
        const result = verify(change.json, sepolia)
        assert.isTrue(Result.isFailure(result) || uncovered.test(change.path), change.path)
      }
    }
  })

  it("proves one of today that bounds it to nothing, said or not", () => {
    const random = Random.make(711)
    for (const kind of ["INVOKE v3", "DECLARE v3", "DEPLOY_ACCOUNT v3"]) {
      // repeats until the random transaction has zero bounds for L1 data gas
      for (let tries = 0; ; tries++) {
        assert.isBelow(tries, 400)
        const { hash, json } = Hashed.makes[kind]!(random, Hashed.CHAIN, "0x3")
        const { l1_data_gas } = json["resource_bounds"] as { readonly l1_data_gas: Hashed.Json }
        if (JSON.stringify(l1_data_gas) !== JSON.stringify(nothing)) continue
        assert.deepStrictEqual(claims(verify({ ...json, transaction_hash: hash })), ["signature"])
        assert.deepStrictEqual(claims(verify(withoutData({ ...json, transaction_hash: hash }))), ["signature"])
        break
      }
    }
  })

  it("refutes one that leaves out what its hash covers, and claims it whole where the node has no field for it", () => {
    const random = Random.make(712)
    // among twenty random transactions, one has a nonzero bound for L1 data gas and a list of facts
    const made = Array.from({ length: 20 }, () => Hashed.makes["INVOKE v3"]!(random, Hashed.CHAIN, "0x3"))
    const found = made.find(({ json }) => {
      const { l1_data_gas } = json["resource_bounds"] as { readonly l1_data_gas: Hashed.Json }
      return json["proof_facts"] !== undefined && JSON.stringify(l1_data_gas) !== JSON.stringify(nothing)
    })
    const whole: Hashed.Json = { ...found?.json, transaction_hash: found?.hash }
    assert.isTrue(Result.isSuccess(verify(whole)))
    const { proof_facts: _, ...factless } = whole
    for (const [field, cut] of [
      ["l1_data_gas", withoutData(whole)],
      ["proof_facts", factless]
    ] as const) {
      assert.strictEqual(check(verify(cut)), "transaction hash")
      const verdict = Result.getOrThrow(verify(cut, { omits: ["l1_data_gas", "proof_facts"] }))
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.include(Verdict.sentences(verdict).claimed[0]?.reason, field)
      const other = field === "l1_data_gas" ? "proof_facts" : "l1_data_gas"
      assert.strictEqual(check(verify(cut, { omits: [other] })), "transaction hash")
    }
  })

  it("excuses by that neither what was said nor what was never hashed", () => {
    const omits = ["l1_data_gas", "proof_facts"] as const
    for (const [kind, json] of honest) {
      const wrong = { ...json, transaction_hash: "0x1" }
      if (kind === "INVOKE v3") assert.property(json, "proof_facts")
      assert.strictEqual(check(verify(wrong, { omits })), "transaction hash", kind)
      assert.strictEqual(Result.getOrThrow(verify(json, { omits }))._tag, "VERIFIED", kind)
    }
  })
})

describe("the hashes that real chains gave", () => {
  it("are recomputed, in the forms of all times, and with the query bit as the sequencer has it", () => {
    for (const { chainId, hash, json, query, what } of known) {
      const on = { chainId: felt(chainId) }
      const verdict = Result.getOrThrow(verify({ ...json, transaction_hash: hash }, on))
      assert.strictEqual(verdict._tag, "VERIFIED", what)
      if (query === undefined) continue
      const version = `0x1${"0".repeat(31)}${(json["version"] as string).at(-1)}`
      const asked = verify({ ...json, version, transaction_hash: query }, on)
      assert.strictEqual(Result.getOrThrow(asked)._tag, "VERIFIED", `${what}, query`)
    }
  })

  const early = known.filter(({ what }) => what.includes("as hashed"))

  it("of the first months do not cover all that those of today cover, and what they leave out is claimed", () => {
    const fields = early.map(({ chainId, hash, json }) => [
      ...claims(verify({ ...json, transaction_hash: hash }, { chainId: felt(chainId) }))
    ])
    assert.deepStrictEqual(fields, [[], ["type", "nonce"], [], ["type", "signature", "max_fee"]])
  })

  it("of the first months refute every change to what they cover, and a version that was not yet there", () => {
    for (const { chainId, hash, json, what } of early) {
      const on = { chainId: felt(chainId) }
      const honest = { ...json, transaction_hash: hash }
      const free = new Set(claims(verify(honest, on)))
      for (const change of readable(honest)) {
        assert.isTrue(
          Result.isFailure(verify(change.json, on)) || free.has(change.path.split("[")[0]!),
          `${what} ${change.path}`
        )
      }
      const version = `0x1${"0".repeat(31)}${(json["version"] as string).at(-1)}`
      assert.isTrue(Result.isFailure(verify({ ...honest, version }, on)), what)
    }
  })
})

describe("verifyPending", () => {
  it("proves the hash that a transaction says, and claims that it is pending", () => {
    for (const [kind, json] of honest) {
      const result = verifyPending(Result.getOrThrow(decode(json)), { chainId })
      assert.strictEqual(Result.getOrThrow(result)._tag, "VERIFIED", kind)
      assert.strictEqual(claims(result).at(-1), "pending")
    }
  })

  it("refutes a hash that is not that of the fields", () => {
    for (const [kind, json] of honest) {
      const wrong = Result.getOrThrow(decode({ ...json, transaction_hash: "0x1" }))
      assert.strictEqual(check(verifyPending(wrong, { chainId })), "transaction hash", kind)
    }
  })

  it("claims what it does not know, as a whole and as pending", () => {
    const unknown = Result.getOrThrow(decode({ type: "SOMETHING", version: "0x7", transaction_hash: "0x1" }))
    assert.deepStrictEqual(claims(verifyPending(unknown, { chainId })), ["value", "pending"])
  })
})
