/**
 * Shared parts of the pool's tests: calls to a pool, an HTTP endpoint for starknet.js, and transactions that
 * starknet.js hashes and signs, so that the expected results use none of our code.
 */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { ec, hash, shortString } from "starknet"

import { StarknetPool, StarknetPoolAccounts } from "../../src/index.ts"

export type Hex = `0x${string}`

export const { accounts, classHash } = StarknetPoolAccounts
export const CHAIN_ID = StarknetPool.CHAIN_ID
export const hex = (n: bigint | number | string): Hex => `0x${BigInt(n).toString(16)}`

/** Calls a method on the wire; an error object is a failure. */
export const ask = (pool: StarknetPool.StarknetPoolNode, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(pool.call(method, params), (bytes): any => JSON.parse(new TextDecoder().decode(bytes)))

/** Returns the error object that refuses a call. */
export const refusal = (pool: StarknetPool.StarknetPoolNode, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.flip(pool.call(method, params))

/** Sends a transaction. */
export const send = (pool: StarknetPool.StarknetPoolNode, transaction: Fields) =>
  ask(
    pool,
    transaction["type"] === "INVOKE" ? "starknet_addInvokeTransaction" : "starknet_addDeployAccountTransaction",
    transaction
  )

/** Returns the code that refuses a transaction. Checks that the chain's own errors name the pool. */
export const codeOf = (pool: StarknetPool.StarknetPoolNode, transaction: Fields) =>
  Effect.map(Effect.flip(send(pool, transaction)), ({ code, data, message }) => {
    if (code > 0) assert.match(String(data), /^this is a pool and not a sequencer: /u, message)
    return code
  })

/** Returns the list of pending transactions. */
export const pending = (pool: StarknetPool.StarknetPoolNode) => ask(pool, "starknet_pendingTransactions")

/** Returns a URL of the pool, until the scope closes. */
export const url = (pool: StarknetPool.StarknetPoolNode): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Http.Server>((resume) => {
        const server = Http.createServer((request, response) => {
          const parts: Array<Buffer> = []
          request.on("data", (part) => parts.push(part))
          request.on("end", () => {
            void Effect.runPromise(pool.handle(Buffer.concat(parts))).then((answer) =>
              response.setHeader("content-type", "application/json").end(answer)
            )
          })
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** Resource bounds that are high enough to pay for execution. */
export const bounds = {
  l1_gas: { max_amount: "0x0", max_price_per_unit: "0x0" },
  l1_data_gas: { max_amount: "0x80", max_price_per_unit: "0x3b9aca00" },
  l2_gas: { max_amount: "0xf4240", max_price_per_unit: "0x2540be400" }
}

/** The resource bounds in the form that starknet.js expects. */
export const resourceBounds = {
  l1_gas: { max_amount: 0n, max_price_per_unit: 0n },
  l1_data_gas: { max_amount: 0x80n, max_price_per_unit: 0x3b9aca00n },
  l2_gas: { max_amount: 0xf4240n, max_price_per_unit: 0x2540be400n }
}

export type Fields = Readonly<Record<string, any>>
export type Account = Pick<StarknetPoolAccounts.StarknetPoolAccount, "address" | "publicKey" | "privateKey">

/** Calldata of an arbitrary call. The pool does not run it. */
const calldata = ["0x1", "0x1234", "0x5678", "0x2", "0x9", "0xa"]

const fri = {
  resource_bounds: bounds,
  tip: "0x0",
  paymaster_data: [],
  nonce_data_availability_mode: "L1",
  fee_data_availability_mode: "L1"
}

export const invokeV3 = (account: Account, nonce: number, fields: Fields = {}): Fields =>
  signed(account, {
    type: "INVOKE",
    version: "0x3",
    sender_address: account.address,
    calldata,
    nonce: hex(nonce),
    ...fri,
    account_deployment_data: [],
    ...fields
  })

export const invokeV1 = (account: Account, nonce: number, fields: Fields = {}): Fields =>
  signed(account, {
    type: "INVOKE",
    version: "0x1",
    sender_address: account.address,
    calldata,
    nonce: hex(nonce),
    max_fee: "0x2386f26fc10000",
    ...fields
  })

const deployment = (account: Account) => ({
  type: "DEPLOY_ACCOUNT",
  nonce: "0x0",
  class_hash: classHash,
  contract_address_salt: account.publicKey,
  constructor_calldata: [account.publicKey]
})

export const deployAccountV3 = (account: Account, fields: Fields = {}): Fields =>
  signed(account, { ...deployment(account), version: "0x3", ...fri, ...fields })

export const deployAccountV1 = (account: Account, fields: Fields = {}): Fields =>
  signed(account, { ...deployment(account), version: "0x1", max_fee: "0x1", ...fields })

/** Returns the account of a key, as starknet.js computes it. */
export const accountOf = (privateKey: Hex): Account => {
  const publicKey = hex(ec.starkCurve.getStarkKey(privateKey))
  const address = hex(hash.calculateContractAddressFromHash(publicKey, classHash, [publicKey], 0))
  return { privateKey, publicKey, address } as Account
}

/** Returns an account that the pool does not have. */
export const stranger = (n: number): Account => accountOf(hex(hash.starknetKeccak(`a stranger ${n}`)))

/** Makes a transaction of each kind that the pool accepts, from an account that has not sent any. */
export const kinds: Readonly<Record<string, (fields?: Fields) => Fields>> = {
  "INVOKE v1": (fields) => invokeV1(accounts[0]!, 0, fields),
  "INVOKE v3": (fields) => invokeV3(accounts[0]!, 0, fields),
  "DEPLOY_ACCOUNT v1": (fields) => deployAccountV1(stranger(0), fields),
  "DEPLOY_ACCOUNT v3": (fields) => deployAccountV3(stranger(0), fields)
}

/** Returns the transaction, hashed and signed by starknet.js. */
export const signed = ({ privateKey }: Account, transaction: Fields, chainId: string = CHAIN_ID): Fields => {
  const { r, s } = ec.starkCurve.sign(hashOf(transaction, chainId), privateKey)
  return { ...transaction, signature: [hex(r), hex(s)] }
}

/** Returns the hash of a transaction, computed by starknet.js. */
export const hashOf = (transaction: Fields, chainId: string = CHAIN_ID): Hex => {
  const version = transaction["version"] as string
  const old = (prefix: string, address: string, data: ReadonlyArray<string>): Hex =>
    hex(
      hash.computeHashOnElements([
        shortString.encodeShortString(prefix),
        version,
        address,
        0,
        hash.computeHashOnElements([...data]),
        transaction["max_fee"],
        chainId,
        transaction["nonce"]
      ])
    )
  const { constructor_calldata: data, contract_address_salt: salt, type } = transaction
  const modern = {
    version,
    chainId,
    nonce: transaction["nonce"],
    tip: BigInt(transaction["tip"] ?? 0),
    paymasterData: transaction["paymaster_data"],
    nonceDataAvailabilityMode: transaction["nonce_data_availability_mode"] === "L2" ? 1 : 0,
    feeDataAvailabilityMode: transaction["fee_data_availability_mode"] === "L2" ? 1 : 0,
    resourceBounds: bigints(transaction["resource_bounds"] ?? {})
  }
  if (type === "INVOKE") {
    const { calldata, sender_address: senderAddress } = transaction
    if (version.endsWith("1")) return old("invoke", senderAddress, calldata)
    return hex(
      hash.calculateInvokeTransactionHash({
        ...modern,
        senderAddress,
        compiledCalldata: calldata,
        accountDeploymentData: transaction["account_deployment_data"]
      } as never)
    )
  }
  const contractAddress = hash.calculateContractAddressFromHash(salt, transaction["class_hash"], data, 0)
  if (version.endsWith("1")) return old("deploy_account", contractAddress, [transaction["class_hash"], salt, ...data])
  return hex(
    hash.calculateDeployAccountTransactionHash({
      ...modern,
      contractAddress,
      classHash: transaction["class_hash"],
      compiledConstructorCalldata: data,
      constructorCalldata: data,
      salt
    } as never)
  )
}

const bigints = (of: Fields): Fields =>
  Object.fromEntries(
    Object.entries(of).map(([resource, bound]) => [
      resource,
      {
        max_amount: BigInt(bound.max_amount),
        max_price_per_unit: BigInt(bound.max_price_per_unit)
      }
    ])
  )
