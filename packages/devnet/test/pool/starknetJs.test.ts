/**
 * Runs unchanged starknet.js against the pool over HTTP. Its transactions become pending and are proven, and it reports
 * refusals.
 */
import { assert, describe, it } from "@effect/vitest"
import { Selector, Transaction, type VerifyTransactionOptions, verifyPending } from "@plumbline/second-chain-methods"
import { Effect, Result, Schema } from "effect"
import { Account, hash, RpcError, RpcProvider } from "starknet"

import { StarknetPool, StarknetPoolAccounts } from "../../src/index.ts"
import * as Pool from "../support/pool.ts"

const [first, second] = Pool.accounts as [
  StarknetPoolAccounts.StarknetPoolAccount,
  StarknetPoolAccounts.StarknetPoolAccount
]

const decode = Schema.decodeUnknownSync(Schema.Array(Transaction.Transaction))

/** Makes a pool with starknet.js in front of it. */
const scene = Effect.gen(function* () {
  const pool = yield* StarknetPool.make()
  const provider = new RpcProvider({ nodeUrl: yield* Pool.url(pool), blockIdentifier: "pre_confirmed" })
  // without a version starknet.js would read the account's class, which the pool does not have
  const accountOf = ({ address, privateKey }: Pool.Account) =>
    new Account({ provider, address, signer: privateKey, cairoVersion: "1" })
  const pending = Effect.map(Pool.ask(pool, "starknet_pendingTransactions"), decode)
  return { pool, provider, accountOf, pending }
})

const details = { tip: 0n, resourceBounds: Pool.resourceBounds }
const call = { contractAddress: "0x1234", entrypoint: "transfer", calldata: ["0x99", "0x5", "0x0"] }

const options: VerifyTransactionOptions = {
  chainId: StarknetPool.CHAIN_ID,
  publicKeyOf: StarknetPoolAccounts.publicKeyOf
}

/** Returns the error with which a promise of starknet.js rejects. */
const rejection = (promise: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("it was not refused"),
      (error: unknown) => error
    )
  )

/** Returns the code of the error, and checks that starknet.js shows its meaning and names the pool. */
const codeOf = (error: unknown): number => {
  if (!(error instanceof RpcError)) throw error
  assert.include(error.message, "this is a pool and not a sequencer")
  return error.code
}

describe("Account.execute", () => {
  it.effect("sends what is then pending, proven by its hash and signed by the account's key", () =>
    Effect.gen(function* () {
      const { accountOf, pending } = yield* scene
      const { transaction_hash } = yield* Effect.promise(() =>
        accountOf(first).execute(call, { ...details, nonce: 0n })
      )
      const [transaction, ...others] = yield* pending
      assert.lengthOf(others, 0)
      assert.strictEqual(transaction!.transaction_hash, transaction_hash)
      assert(transaction?.type === "INVOKE" && transaction.version === "0x3")
      assert.strictEqual(transaction.sender_address, first.address)
      assert.include(transaction.calldata, Selector.of("transfer"))
      const verdict = Result.getOrThrow(verifyPending(transaction, options))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.claimed.map(({ field }) => field),
        ["pending"]
      )
      assert.include(
        verdict.proven.map(({ sentence }) => sentence).join(),
        `the key ${first.publicKey} of ${first.address} signed it`
      )
    }).pipe(Effect.scoped)
  )

  it.effect("asks the pool for the nonce, which counts what is pending", () =>
    Effect.gen(function* () {
      const { accountOf, pending, provider } = yield* scene
      for (let nonce = 0n; nonce < 3n; nonce++) {
        yield* Effect.promise(() => accountOf(second).execute([call, call], details))
      }
      assert.deepStrictEqual<unknown>(
        (yield* pending).map((transaction) => "nonce" in transaction && transaction.nonce),
        ["0x0", "0x1", "0x2"]
      )
      assert.strictEqual(yield* Effect.promise(() => provider.getNonceForAddress(second.address)), "0x3")
      assert.strictEqual(yield* Effect.promise(() => provider.getNonceForAddress(second.address, "latest")), "0x0")
      assert.strictEqual(yield* Effect.promise(() => provider.getNonceForAddress(first.address)), "0x0")
    }).pipe(Effect.scoped)
  )

  it.effect("is told what is wrong, in the chain's own codes", () =>
    Effect.gen(function* () {
      const { accountOf, pending, pool } = yield* scene
      const execute = (account: Pool.Account, more: object = {}) =>
        accountOf(account).execute(call, { ...details, nonce: 0n, ...more })

      yield* Effect.promise(() => execute(first))
      assert.strictEqual(codeOf(yield* rejection(execute(first))), 59, "the same again")
      assert.strictEqual(codeOf(yield* rejection(execute(first, { tip: 1n }))), 52, "a nonce that was used")
      assert.strictEqual(codeOf(yield* rejection(execute(first, { nonce: 2n }))), 52, "a nonce whose turn is not yet")
      yield* pool.seal
      assert.strictEqual(codeOf(yield* rejection(execute(first))), 52, "what was sealed, once more")

      const thief = { ...second, privateKey: first.privateKey }
      assert.strictEqual(codeOf(yield* rejection(execute(thief))), 55, "a key that is not the account's")
      assert.strictEqual(codeOf(yield* rejection(execute(Pool.stranger(1)))), 55, "an account that is not there")
      assert.lengthOf(yield* pending, 0)
    }).pipe(Effect.scoped)
  )
})

describe("Account.deployAccount", () => {
  it.effect("makes an account that can send at once, before and after a block", () =>
    Effect.gen(function* () {
      const { accountOf, pending, pool, provider } = yield* scene
      const stranger = Pool.stranger(2)
      const account = accountOf(stranger)
      const deployed = yield* Effect.promise(() =>
        account.deployAccount(
          { classHash: Pool.classHash, constructorCalldata: [stranger.publicKey], addressSalt: stranger.publicKey },
          { ...details, nonce: 0n }
        )
      )
      assert.strictEqual(BigInt(deployed.contract_address), BigInt(stranger.address))
      yield* Effect.promise(() => account.execute(call, details))
      for (const transaction of yield* pending) {
        const verdict = Result.getOrThrow(
          verifyPending(transaction, {
            ...options,
            publicKeyOf: () => stranger.publicKey
          })
        )
        assert.strictEqual(verdict._tag, "VERIFIED")
      }
      const classHashAt = (block: string) => provider.getClassHashAt(stranger.address, block)
      assert.strictEqual(yield* Effect.promise(() => classHashAt("pre_confirmed")), Pool.classHash)
      assert.strictEqual(codeOf(yield* rejection(classHashAt("latest"))), 20, "it is in no block yet")
      yield* pool.seal
      assert.strictEqual(yield* Effect.promise(() => classHashAt("latest")), Pool.classHash)
      yield* Effect.promise(() => account.execute(call, details))
      assert.strictEqual(yield* Effect.promise(() => account.getNonce("pre_confirmed")), "0x3")
    }).pipe(Effect.scoped)
  )

  it.effect("is told of a class that the pool does not know, and of an address that is taken", () =>
    Effect.gen(function* () {
      const { accountOf, pool } = yield* scene
      const stranger = Pool.stranger(3)
      const contract = { constructorCalldata: [stranger.publicKey], addressSalt: stranger.publicKey }
      const other = accountOf(stranger).deployAccount({ ...contract, classHash: "0xabc" }, { ...details, nonce: 0n })
      assert.strictEqual(codeOf(yield* rejection(other)), 28)
      const again = accountOf(first).deployAccount(
        { classHash: Pool.classHash, constructorCalldata: [first.publicKey], addressSalt: first.publicKey },
        { ...details, nonce: 0n }
      )
      assert.strictEqual(codeOf(yield* rejection(again)), 55)
      assert.deepStrictEqual(yield* Pool.ask(pool, "starknet_pendingTransactions"), [])
    }).pipe(Effect.scoped)
  )
})

describe("RpcProvider", () => {
  it.effect("reads what is pending and what is sealed", () =>
    Effect.gen(function* () {
      const { accountOf, pool, provider } = yield* scene
      assert.strictEqual<string>(yield* Effect.promise(() => provider.getChainId()), StarknetPool.CHAIN_ID)
      assert.strictEqual(yield* Effect.promise(() => provider.getSpecVersion()), "0.10.2")
      const { transaction_hash } = yield* Effect.promise(() =>
        accountOf(first).execute(call, { ...details, nonce: 0n })
      )
      const waiting = yield* Effect.promise(() => provider.getBlockWithTxHashes("pre_confirmed"))
      assert.deepStrictEqual(waiting.transactions, [transaction_hash])
      const place = yield* pool.seal
      assert.strictEqual(yield* Effect.promise(() => provider.getBlockNumber()), Number(place.block_number))
      const block = yield* Effect.promise(() => provider.getBlockWithTxs(place.block_hash))
      assert.strictEqual(block.block_number, 1)
      assert.deepStrictEqual(block.transactions, [
        yield* Effect.promise(() => provider.getTransaction(transaction_hash))
      ])
      const [header, parent] = yield* Effect.promise(() => Promise.all([provider.getBlock(1), provider.getBlock(0)]))
      assert.strictEqual((header as { parent_hash: string }).parent_hash, (parent as { block_hash: string }).block_hash)
    }).pipe(Effect.scoped)
  )
})

describe("the accounts", () => {
  it("follow from their seed, by starknet.js", () => {
    for (const [n, account] of Pool.accounts.entries()) {
      const privateKey = Pool.hex(hash.starknetKeccak(`plumbline starknet-pool account ${n}`))
      assert.deepStrictEqual(account, Pool.accountOf(privateKey))
    }
  })
})
