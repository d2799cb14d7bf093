/**
 * The network `starknet-pool` of the service, as `up` serves it. An unchanged starknet.js sends transactions, which are
 * then pending over HTTP and over WebSocket, and proven. A wrong transaction gets the chain's own error.
 */
import "@plumbline/seeded/Localhost"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { StarknetPool, StarknetPoolAccounts } from "@plumbline/devnet"
import * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import { verifyPending } from "@plumbline/second-chain-methods/proof/Verify"
import { Result, Schema } from "effect"
import { RpcError, RpcProvider, Account as StarknetJs } from "starknet"

import * as Children from "../support/Children.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Nodes from "../support/SecondChainNodes.ts"
import * as Signed from "../support/SecondChainSigned.ts"
import type { Json } from "../support/SecondChainTransactions.ts"
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

const host = () => service.announcement.networks.find(({ name }) => name === "starknet-pool")!.host
const httpUrl = () => `http://${host()}/v3/${service.announcement.apiKey}`
const wsUrl = () => `ws://${host()}/ws/v3/${service.announcement.apiKey}`

const { accounts, publicKeyOf } = StarknetPoolAccounts
const [first, second, third, fourth, fifth] = accounts as [Account, Account, Account, Account, Account]
type Account = StarknetPoolAccounts.StarknetPoolAccount

/** Returns the account as an object of starknet.js. */
const starknetJs = ({ address, privateKey }: Signed.Account) => {
  const provider = new RpcProvider({ nodeUrl: httpUrl(), blockIdentifier: "pre_confirmed" })
  // without a version starknet.js would read the account's class, and the pool has no classes
  return new StarknetJs({ provider, address, signer: privateKey, cairoVersion: "1" })
}

const details = { tip: 0n, resourceBounds: Signed.resourceBounds }
const transfer = { contractAddress: "0x1234", entrypoint: "transfer", calldata: ["0x99", "0x5", "0x0"] }

/** Returns the code of the error that starknet.js reports, after checking that the error names its source. */
const refusal = async (promise: Promise<unknown>): Promise<number> => {
  const error: unknown = await promise.then(
    () => expect.fail("it was not refused"),
    (error: unknown) => error
  )
  if (!(error instanceof RpcError)) throw error
  expect(error.message).toContain("this is a pool and not a sequencer")
  return error.code
}

/** Sends a transaction unchanged. */
const add = (transaction: Json): Promise<any> =>
  Nodes.overHttp(httpUrl(), {
    jsonrpc: "2.0",
    id: 1,
    method: "starknet_addInvokeTransaction",
    params: [transaction]
  })

/** Returns the pending transaction with a hash, which must be the same over HTTP and over a WebSocket. */
const pendingWith = async (hash: string): Promise<Json> => {
  const [http, webSocket] = await Promise.all([
    Nodes.overHttp(httpUrl(), Nodes.call()),
    Nodes.overWebSocket(wsUrl(), Nodes.call())
  ])
  const [one, other] = [http, webSocket].map(({ result }) =>
    result.find(({ transaction_hash }: any) => transaction_hash === hash)
  )
  expect(one).toBeDefined()
  expect(other).toEqual(one)
  return one
}

const decode = Schema.decodeUnknownResult(Transaction.Transaction)

/** Returns the verdict on a transaction, with its claimed fields or the check that failed. */
const verdictOf = (json: Json) => {
  const transaction = decode(json)
  if (Result.isFailure(transaction)) return "not a transaction"
  const result = verifyPending(transaction.success, { chainId: StarknetPool.CHAIN_ID, publicKeyOf })
  return Result.isFailure(result)
    ? `REFUTED ${result.failure.check}`
    : `${result.success._tag} but ${result.success.claimed.map(({ field }) => field).join(", ")}`
}

describe("starknet.js through the service, on the pool", () => {
  it("executes a call, which is then pending over HTTP and WebSocket, and VERIFIED with its signature", async () => {
    const { transaction_hash } = await starknetJs(first).execute(transfer, { ...details, nonce: 0n })
    const transaction = await pendingWith(transaction_hash)
    expect(transaction).toMatchObject({ type: "INVOKE", version: "0x3", sender_address: first.address, nonce: "0x0" })
    expect(verdictOf(transaction)).toBe("VERIFIED but pending")
    // this time starknet.js asks the pool for the nonce
    const next = await starknetJs(first).execute(transfer, details)
    expect(await pendingWith(next.transaction_hash)).toMatchObject({ nonce: "0x1" })
  })

  it("deploys an account, which is pending, VERIFIED, and has its nonce", async () => {
    const account = Signed.stranger("an account that comes")
    const { classHash } = StarknetPoolAccounts
    const { contract_address, transaction_hash } = await starknetJs(account).deployAccount(
      { classHash, constructorCalldata: [account.publicKey], addressSalt: account.publicKey },
      details
    )
    expect(BigInt(contract_address)).toBe(BigInt(account.address))
    // The account's key is not among the published keys.
    expect(verdictOf(await pendingWith(transaction_hash))).toBe("VERIFIED but signature, pending")
    const { transaction_hash: hash } = await starknetJs(account).execute(transfer, details)
    expect(await pendingWith(hash)).toMatchObject({ nonce: "0x1" })
  })

  it("is told the chain's own codes for a replayed nonce, a bad signature and an unknown account", async () => {
    const account = starknetJs(second)
    await account.execute(transfer, { ...details, nonce: 0n })
    expect(await refusal(account.execute({ ...transfer, calldata: [] }, { ...details, nonce: 0n }))).toBe(52)
    expect(await refusal(account.execute(transfer, { ...details, nonce: 2n }))).toBe(52)
    expect(await refusal(account.execute(transfer, { ...details, nonce: 0n }))).toBe(59)
    const thief = starknetJs({ ...second, privateKey: third.privateKey })
    expect(await refusal(thief.execute(transfer, { ...details, nonce: 1n }))).toBe(55)
    const nobody = starknetJs(Signed.stranger("an account that nobody has"))
    expect(await refusal(nobody.execute(transfer, { ...details, nonce: 0n }))).toBe(55)
  })
})

describe("a transaction on the pool, through the service", () => {
  it("is refused with anything changed in it, and then taken as it is", async () => {
    const { hash, transaction } = Signed.invoke(third, "0x0")
    const codes = new Set<unknown>()
    // for each change the service computes a hash and perhaps checks a signature, so only every fourth change of the
    // long numbers is sent
    const changes = Signed.changes(transaction).filter(
      ({ path }, i) => i % 4 === 0 || !/^\.(?:calldata|sender_address|signature)/u.test(path)
    )
    expect(changes.length).toBeGreaterThan(60)
    for (const { json } of changes) codes.add((await add(json)).error?.code)
    // The errors of a wrong nonce, of a failed validation, and of values that are not transactions.
    expect(codes).toEqual(new Set([52, 55, -32_602]))
    const query = { ...transaction, version: `0x1${"0".repeat(31)}3` }
    expect(await add(query)).toMatchObject({ error: { code: 61 } })
    expect(await add(transaction)).toMatchObject({ result: { transaction_hash: hash } })
    expect(await add(transaction)).toMatchObject({ error: { code: 59 } })
  })

  it("is REFUTED where the list says anything else of it than what was signed", async () => {
    const { hash, transaction } = Signed.invoke(fourth, "0x0")
    await add(transaction)
    const told = await pendingWith(hash)
    expect(told).toEqual({ transaction_hash: hash, ...transaction })
    expect(verdictOf(told)).toBe("VERIFIED but pending")
    const lies: Array<{ readonly path: string; readonly verdict: string }> = []
    for (const { json, path } of Signed.changes(told)) {
      lies.push({ path, verdict: verdictOf(json) })
      // Between two checks, the service handles the requests of other tests.
      await new Promise(setImmediate)
    }
    expect(lies.length).toBeGreaterThan(250)
    for (const { path, verdict } of lies) {
      const expected = path.startsWith(".signature")
        ? /^REFUTED transaction\.signature$/u
        : /^REFUTED |^not a transaction$/u
      expect(verdict, path).toMatch(expected)
    }
    // these two changes of the type give values that are not transactions, such as a DECLARE without a class
    expect(lies.filter(({ verdict }) => !verdict.startsWith("REFUTED")).map(({ path }) => path)).toEqual([
      ".type",
      ".type"
    ])
  })

  it("never reaches the pool with parameters that are none", async () => {
    const { transaction } = Signed.invoke(fifth, "0x0")
    for (const params of [[], [null], ["0x1"], [{ ...transaction, calldata: ["zz"] }], [transaction, transaction]]) {
      const { error } = await Nodes.overHttp(httpUrl(), {
        jsonrpc: "2.0",
        id: 1,
        method: "starknet_addInvokeTransaction",
        params
      })
      expect(error.code).toBe(-32_602)
      // if the pool itself had answered, its error would contain the word "pool"
      expect(JSON.stringify(error)).not.toContain("pool")
    }
  })
})

describe("plumbline pending, on the pool", () => {
  it("finds the network by itself, and checks the signatures of the accounts that it knows", async () => {
    const { hash, transaction } = Signed.invoke(fifth, "0x0")
    await add(transaction)
    for (const args of [[], ["--network", "starknet-pool"]]) {
      const { answer, exitCode } = await RunCli.json(["pending", "--data", folder.path, ...args])
      expect([answer.verdict, exitCode, answer.anchor]).toEqual(["VERIFIED", 0, null])
      // the chain is not claimed, because the running service's record names it
      expect(answer.claimed.map(({ field }: any) => field)).not.toContain("chain")
      const item = answer.value.find((item: any) => item.transaction.transaction_hash === hash)
      expect(item).toEqual({
        transaction: { transaction_hash: hash, ...transaction },
        verdict: "VERIFIED",
        claimed: [{ field: "pending", reason: "that it is pending is the node's word" }]
      })
    }
  })

  it("is refused by a network that has no second chain", async () => {
    const { answer, exitCode } = await RunCli.json(["pending", "--data", folder.path, "--network", "live"])
    expect([exitCode, answer.error.tag, answer.error.reason.code]).toEqual([1, "JsonRpcError", -32_601])
  })
})
