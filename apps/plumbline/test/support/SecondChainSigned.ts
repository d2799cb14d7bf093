/**
 * Transactions for the embedded pool, hashed and signed by starknet.js.
 */
import { StarknetPool, StarknetPoolAccounts } from "@plumbline/devnet"
import { type constants, ec, hash, v3hash } from "starknet"

import type { Json } from "./SecondChainTransactions.ts"

/** An account with one key. */
export type Account = Pick<StarknetPoolAccounts.StarknetPoolAccount, "address" | "publicKey" | "privateKey">

/** Resource bounds that are not zero, in the form of starknet.js. */
export const resourceBounds = {
  l1_gas: { max_amount: 0n, max_price_per_unit: 0n },
  l1_data_gas: { max_amount: 0x80n, max_price_per_unit: 0x3b9aca00n },
  l2_gas: { max_amount: 0xf4240n, max_price_per_unit: 0x2540be400n }
}

const calldata = ["0x1", "0x1234", hash.getSelectorFromName("transfer"), "0x3", "0x99", "0x5", "0x0"]

/** Returns an INVOKE of version 3 in the form in which it is sent, with its hash. */
export const invoke = (account: Account, nonce: string): { readonly transaction: Json; readonly hash: string } => {
  const chainId = StarknetPool.CHAIN_ID as string as constants.StarknetChainId
  const made = v3hash.calculateInvokeTransactionHash(
    account.address,
    "0x3",
    calldata,
    chainId,
    nonce,
    [],
    0,
    0,
    resourceBounds,
    0n,
    []
  )
  const { r, s } = ec.starkCurve.sign(made, account.privateKey)
  return {
    hash: made,
    transaction: {
      type: "INVOKE",
      version: "0x3",
      sender_address: account.address,
      calldata,
      nonce,
      signature: [hex(r), hex(s)],
      resource_bounds: Object.fromEntries(
        Object.entries(resourceBounds).map(([resource, { max_amount, max_price_per_unit }]) => [
          resource,
          { max_amount: hex(max_amount), max_price_per_unit: hex(max_price_per_unit) }
        ])
      ),
      tip: "0x0",
      paymaster_data: [],
      account_deployment_data: [],
      nonce_data_availability_mode: "L1",
      fee_data_availability_mode: "L1"
    }
  }
}

/** Returns the account of a key that the pool does not know, at the address that starknet.js computes. */
export const stranger = (name: string): Account => {
  const privateKey = hex(hash.starknetKeccak(name))
  const publicKey = hex(BigInt(ec.starkCurve.getStarkKey(privateKey)))
  const address = hash.calculateContractAddressFromHash(publicKey, StarknetPoolAccounts.classHash, [publicKey], 0)
  return { address, publicKey, privateKey } as Account
}

const hex = (n: bigint): string => `0x${n.toString(16)}`

/** Returns copies of a value, each with one change: of a digit of a number, of a word, or of the items of a list. */
export const changes = (json: Json): ReadonlyArray<{ readonly path: string; readonly json: Json }> =>
  changesOf(json).map(({ path, value }) => ({ path, json: value as Json }))

interface Change {
  readonly path: string
  readonly value: unknown
}

const changesOf = (value: unknown): ReadonlyArray<Change> => {
  if (typeof value === "string") return otherTexts(value).map((text) => ({ path: "", value: text }))
  if (Array.isArray(value)) {
    const items = value.flatMap((item, i) =>
      changesOf(item).map(({ path, value: other }) => ({ path: `[${i}]${path}`, value: value.with(i, other) }))
    )
    const shorter = value.length === 0 ? [] : [{ path: "[-]", value: value.slice(0, -1) }]
    return [...items, ...shorter, { path: "[+]", value: [...value, "0x0"] }]
  }
  const object = value as Json
  return Object.entries(object).flatMap(([name, member]) =>
    changesOf(member).map((change) => ({ path: `.${name}${change.path}`, value: { ...object, [name]: change.value } }))
  )
}

/** Lists of words. A word can be replaced by another word of its list. */
const WORDS = [
  ["INVOKE", "DEPLOY_ACCOUNT", "DECLARE", "L1_HANDLER"],
  ["L1", "L2"]
]

const otherTexts = (text: string): ReadonlyArray<string> =>
  text.startsWith("0x")
    ? Array.from(text.slice(2), (digit, i) => {
        const other = (Number.parseInt(digit, 16) ^ (1 << (i % 4))).toString(16)
        return `0x${text.slice(2, 2 + i)}${other}${text.slice(3 + i)}`
      })
    : WORDS.filter((words) => words.includes(text)).flatMap((words) => words.filter((word) => word !== text))
