/** Transactions of every kind and version, with hashes by starknet.js and signatures by @scure/starknet. */
import * as Random from "@plumbline/seeded/Random"
import { getStarkKey, sign } from "@scure/starknet"
import { hash as starknet, v2hash, v3hash, type constants } from "starknet"

import * as Json from "../json.ts"

/** A transaction as a node writes it. Its `transaction_hash` is the true one on `CHAIN`. */
export interface Made {
  readonly kind: Kind
  readonly json: Json.JsonObject
  readonly hash: string
  /** The account and its public key, if we know its private key and made a real signature; otherwise undefined. */
  readonly account: { readonly address: string; readonly publicKey: string } | undefined
}

export type Kind = keyof typeof kinds

/** SN_MAIN. */
export const CHAIN = "0x534e5f4d41494e"
/** SN_SEPOLIA. */
export const OTHER_CHAIN = "0x534e5f5345504f4c4941"

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

export const hex = (number: bigint | number): string => `0x${number.toString(16)}`

const any = (random: Random.Random): bigint => {
  let number = 0n
  for (let word = 0; word < 8; word++) number = (number << 32n) | BigInt(Random.int(random, 2 ** 32))
  return number % PRIME
}

const EDGES = [0n, 1n, 16n, 2n ** 128n, 2n ** 248n, 2n ** 251n - 1n, 2n ** 251n, PRIME - 1n]

export const felt = (random: Random.Random): string =>
  hex(Random.chance(random, 0.2) ? Random.pick(random, EDGES) : any(random))

const felts = (random: Random.Random): ReadonlyArray<string> =>
  Array.from({ length: Random.int(random, 4) }, () => felt(random))

const bits = (random: Random.Random, size: bigint): string =>
  hex(Random.pick(random, [0n, 1n, 2n ** size - 1n, any(random) % 2n ** size]))

const bound = (random: Random.Random) => ({ max_amount: bits(random, 64n), max_price_per_unit: bits(random, 128n) })

const modes = ["L1", "L2"] as const

/** Fields of version 3. */
const fri = (random: Random.Random) => ({
  nonce: felt(random),
  resource_bounds: { l1_gas: bound(random), l2_gas: bound(random), l1_data_gas: bound(random) },
  tip: bits(random, 64n),
  paymaster_data: felts(random),
  nonce_data_availability_mode: Random.pick(random, modes),
  fee_data_availability_mode: Random.pick(random, modes)
})

const wei = (random: Random.Random) => ({ max_fee: felt(random), nonce: felt(random) })

const deployment = (random: Random.Random) => ({
  contract_address_salt: felt(random),
  constructor_calldata: felts(random),
  class_hash: felt(random)
})

const invocation = (random: Random.Random) => ({ sender_address: felt(random), calldata: felts(random) })

const call = (random: Random.Random) => ({
  contract_address: felt(random),
  entry_point_selector: felt(random),
  calldata: [felt(random), ...felts(random)]
})

const declaration = (random: Random.Random) => ({ sender_address: felt(random), class_hash: felt(random) })

const compiled = (random: Random.Random) => ({ ...declaration(random), compiled_class_hash: felt(random) })

/** The fields of each kind, without type, version and signature. */
const kinds = {
  "INVOKE v0": (random: Random.Random) => ({ max_fee: felt(random), ...call(random) }),
  "INVOKE v1": (random: Random.Random) => ({ ...wei(random), ...invocation(random) }),
  "INVOKE v3": (random: Random.Random) => {
    const facts = felts(random)
    return {
      ...invocation(random),
      ...fri(random),
      account_deployment_data: felts(random),
      ...(facts.length === 0 ? {} : { proof_facts: facts })
    }
  },
  "DECLARE v0": (random: Random.Random) => ({ max_fee: felt(random), ...declaration(random) }),
  "DECLARE v1": (random: Random.Random) => ({ ...wei(random), ...declaration(random) }),
  "DECLARE v2": (random: Random.Random) => ({ ...wei(random), ...compiled(random) }),
  "DECLARE v3": (random: Random.Random) => ({
    ...compiled(random),
    ...fri(random),
    account_deployment_data: felts(random)
  }),
  "DEPLOY v0": deployment,
  "DEPLOY v1": deployment,
  "DEPLOY_ACCOUNT v1": (random: Random.Random) => ({ ...wei(random), ...deployment(random) }),
  "DEPLOY_ACCOUNT v3": (random: Random.Random) => ({ ...fri(random), ...deployment(random) }),
  "L1_HANDLER v0": (random: Random.Random) => ({ nonce: felt(random), ...call(random) })
}

export const kindNames = Object.keys(kinds) as ReadonlyArray<Kind>

const ascii = (text: string): string => `0x${Buffer.from(text).toString("hex")}`

/** starknet.js's Pedersen hash of the fields of versions 0 to 2. Its prefixes are not exported. */
const common = v2hash.calculateTransactionHashCommon as (
  prefix: string,
  ...rest: ReadonlyArray<string | number | ReadonlyArray<string>>
) => string

const text = (json: Json.JsonObject, name: string): string => {
  const value = json[name]
  return typeof value === "string" ? value : "0x0"
}

const list = (json: Json.JsonObject, name: string): Array<string> => {
  const value = json[name]
  return Json.isList(value) ? value.filter((item) => typeof item === "string") : []
}

/** Returns the address of the contract that a transaction deploys. */
export const addressOf = (json: Json.JsonObject): string =>
  starknet.calculateContractAddressFromHash(
    text(json, "contract_address_salt"),
    text(json, "class_hash"),
    list(json, "constructor_calldata"),
    0
  )

/** Returns the hash of a transaction as starknet.js computes it. It ignores `transaction_hash`. */
export const hashOf = (kind: Kind, json: Json.JsonObject, chain: string = CHAIN): string => {
  const chainId = chain as constants.StarknetChainId
  const say = (name: string) => text(json, name)
  const items = (name: string) => list(json, name)
  const version = say("version")
  const limits = () => {
    const bounds = json["resource_bounds"] as Record<string, Record<string, string>>
    const of = (name: string) => ({
      max_amount: BigInt(bounds[name]?.["max_amount"] ?? "0x0"),
      max_price_per_unit: BigInt(bounds[name]?.["max_price_per_unit"] ?? "0x0")
    })
    return { l1_gas: of("l1_gas"), l2_gas: of("l2_gas"), l1_data_gas: of("l1_data_gas") }
  }
  const mode = (name: string) => (json[name] === "L2" ? 1 : 0)
  const both = () => [mode("nonce_data_availability_mode"), mode("fee_data_availability_mode")] as const
  const [sender, data, fee, nonce] = [say("sender_address"), items("calldata"), say("max_fee"), say("nonce")]
  switch (kind) {
    case "INVOKE v0":
      return common(ascii("invoke"), version, say("contract_address"), say("entry_point_selector"), data, fee, chain)
    case "INVOKE v1":
      return v2hash.calculateTransactionHash(sender, version, data, fee, chainId, nonce)
    case "INVOKE v3":
      return v3hash.calculateInvokeTransactionHash(
        sender,
        version,
        data,
        chainId,
        nonce,
        items("account_deployment_data"),
        ...both(),
        limits(),
        say("tip"),
        items("paymaster_data"),
        items("proof_facts")
      )
    case "DECLARE v0":
      return common(ascii("declare"), version, sender, 0, [], fee, chain, [say("class_hash")])
    case "DECLARE v1":
      return v2hash.calculateDeclareTransactionHash(say("class_hash"), sender, version, fee, chainId, nonce)
    case "DECLARE v2": {
      const hashes = [say("class_hash"), say("compiled_class_hash")] as const
      return v2hash.calculateDeclareTransactionHash(hashes[0], sender, version, fee, chainId, nonce, hashes[1])
    }
    case "DECLARE v3":
      return v3hash.calculateDeclareTransactionHash(
        say("class_hash"),
        say("compiled_class_hash"),
        sender,
        version,
        chainId,
        nonce,
        items("account_deployment_data"),
        ...both(),
        limits(),
        say("tip"),
        items("paymaster_data")
      )
    case "DEPLOY v0":
    case "DEPLOY v1": {
      const selector = starknet.getSelectorFromName("constructor")
      return common(ascii("deploy"), version, addressOf(json), selector, items("constructor_calldata"), 0, chain)
    }
    case "DEPLOY_ACCOUNT v1":
      return v2hash.calculateDeployAccountTransactionHash(
        addressOf(json),
        say("class_hash"),
        items("constructor_calldata"),
        say("contract_address_salt"),
        version,
        fee,
        chainId,
        nonce
      )
    case "DEPLOY_ACCOUNT v3":
      return v3hash.calculateDeployAccountTransactionHash(
        addressOf(json),
        say("class_hash"),
        items("constructor_calldata"),
        say("contract_address_salt"),
        version,
        chainId,
        nonce,
        ...both(),
        limits(),
        say("tip"),
        items("paymaster_data")
      )
    case "L1_HANDLER v0":
      return common(
        ascii("l1_handler"),
        version,
        say("contract_address"),
        say("entry_point_selector"),
        data,
        0,
        chain,
        [nonce]
      )
  }
}

const KEY = "0x2dccce1da22003777062ee0870e9881b460a8b7eca276870f57c601f182136c"

const signatureOf = (hash: string, key: string): ReadonlyArray<string> => {
  const { r, s } = sign(hash, key)
  return [hex(r), hex(s)]
}

/** Returns the field of the sender, for kinds whose sender's signature can be checked. */
const senderField = (kind: Kind): string | undefined => {
  if (kind.startsWith("DEPLOY v") || kind.startsWith("L1_HANDLER")) return undefined
  if (kind.startsWith("DEPLOY_ACCOUNT")) return ""
  return kind === "INVOKE v0" ? "contract_address" : "sender_address"
}

/** Makes a transaction. About half are signed by an account whose key is known, and a few have the query bit. */
export const make = (random: Random.Random, kind: Kind): Made => {
  const [type = "", digit = ""] = kind.split(" v")
  const version = Random.chance(random, 0.1) ? `0x1${"0".repeat(31)}${digit}` : `0x${digit}`
  const fields: Json.JsonObject = { type, version, ...kinds[kind](random) }
  const hash = hex(BigInt(hashOf(kind, fields)))
  const sender = senderField(kind)
  const isDeploy = kind.startsWith("DEPLOY v")
  const json: Json.JsonObject = {
    transaction_hash: hash,
    ...fields,
    ...(isDeploy ? { contract_address: hex(BigInt(addressOf(fields))) } : {}),
    ...(sender === undefined ? {} : { signature: [felt(random), felt(random)] })
  }
  const address = sender === "" ? addressOf(fields) : text(fields, sender ?? "")
  // an edge value can be the address in several transactions, so it gets no account
  if (sender === undefined || EDGES.includes(BigInt(address)) || Random.chance(random, 0.5)) {
    return { kind, json, hash, account: undefined }
  }
  return {
    kind,
    json: { ...json, signature: signatureOf(hash, KEY) },
    hash,
    account: { address: hex(BigInt(address)), publicKey: hex(BigInt(getStarkKey(KEY))) }
  }
}

/**
 * Returns the transaction with other fields, hashed again, and signed again if the key is known. The result is another
 * true transaction.
 */
export const again = (made: Made, json: Json.JsonObject, chain: string = CHAIN): Made => {
  const hash = hex(BigInt(hashOf(made.kind, json, chain)))
  return { ...made, hash, json: { ...json, transaction_hash: hash } }
}

/** Makes `each` transactions of every kind. */
export const bank = (seed: number, each: number): ReadonlyArray<Made> => {
  const random = Random.make(seed)
  return kindNames.flatMap((kind) => Array.from({ length: each }, () => make(random, kind)))
}
