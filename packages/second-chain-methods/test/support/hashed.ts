/** Random transactions of every kind and version, with their hashes from starknet.js. */
import * as Random from "@plumbline/seeded/Random"
import { type constants, hash, v2hash, v3hash } from "starknet"

import { Felt } from "../../src/index.ts"

export type Json = Readonly<Record<string, unknown>>

/** A transaction in the form of a node, with its hash. */
export interface Hashed {
  readonly json: Json
  readonly hash: string
}

/**
 * Makes a transaction. `version` is the version of the kind, with or without the query bit; `length` is the number of
 * calldata felts of an INVOKE v1 or v3.
 */
export type Make = (random: Random.Random, chainId: string, version: string, length?: number) => Hashed

export const CHAIN = "0x534e5f4d41494e"

/** Returns the text of a random felt, often at the edges of the range. */
export const felt = (random: Random.Random): string => hex(Random.int(random, 3) === 0 ? edge(random) : any(random))

const any = (random: Random.Random): bigint => {
  let number = 0n
  for (let word = 0; word < 8; word++) number = (number << 32n) | BigInt(Random.int(random, 2 ** 32))
  return number % Felt.PRIME
}

const edge = (random: Random.Random): bigint => Random.pick(random, EDGES)

/** Numbers at which tables, masks and remainders are likely to be wrong. */
export const EDGES: ReadonlyArray<bigint> = [
  0n,
  1n,
  15n,
  16n,
  2n ** 128n,
  2n ** 192n,
  2n ** 248n - 1n,
  2n ** 248n,
  2n ** 251n - 256n,
  2n ** 251n - 1n,
  2n ** 251n,
  Felt.PRIME - 2n,
  Felt.PRIME - 1n
]

export const hex = (number: bigint): string => `0x${number.toString(16)}`

const felts = (random: Random.Random, length = Random.int(random, 4)): ReadonlyArray<string> =>
  Array.from({ length }, () => felt(random))

/** Returns a random number of `size` bits. It is often zero or the largest such number. */
const bits = (random: Random.Random, size: bigint): string =>
  hex(Random.pick(random, [0n, 1n, 2n ** size - 1n, any(random) % 2n ** size]))

const bound = (random: Random.Random) => ({ max_amount: bits(random, 64n), max_price_per_unit: bits(random, 128n) })

/** Makes random fields of version 3, and the arguments that starknet.js expects for them. */
const version3 = (random: Random.Random) => {
  const mode = () => Random.pick(random, [0, 1] as const)
  const [nonceMode, feeMode] = [mode(), mode()] as const
  const fields = {
    nonce: felt(random),
    resource_bounds: { l1_gas: bound(random), l2_gas: bound(random), l1_data_gas: bound(random) },
    tip: bits(random, 64n),
    paymaster_data: felts(random),
    nonce_data_availability_mode: nonceMode === 0 ? "L1" : "L2",
    fee_data_availability_mode: feeMode === 0 ? "L1" : "L2"
  }
  return { fields, modes: [nonceMode, feeMode] as const, bounds: boundsOf(fields.resource_bounds) }
}

type Bound = ReturnType<typeof bound>
const boundsOf = (bounds: { readonly [resource in "l1_gas" | "l2_gas" | "l1_data_gas"]: Bound }) => {
  const bigints = ({ max_amount, max_price_per_unit }: Bound) => ({
    max_amount: BigInt(max_amount),
    max_price_per_unit: BigInt(max_price_per_unit)
  })
  return { l1_gas: bigints(bounds.l1_gas), l2_gas: bigints(bounds.l2_gas), l1_data_gas: bigints(bounds.l1_data_gas) }
}

const ascii = (text: string): string => `0x${Buffer.from(text).toString("hex")}`

/** starknet.js's Pedersen hash of the fields of versions 0 to 2. Its prefixes are not exported. */
const common = v2hash.calculateTransactionHashCommon as (
  prefix: string,
  ...rest: ReadonlyArray<string | number | ReadonlyArray<string>>
) => string

const deployment = (random: Random.Random) => {
  const [salt, classHash, data] = [felt(random), felt(random), felts(random)] as const
  const address = hash.calculateContractAddressFromHash(salt, classHash, [...data], 0)
  return {
    fields: { contract_address_salt: salt, constructor_calldata: data, class_hash: classHash },
    address,
    salt,
    classHash,
    data
  }
}

const signature = (random: Random.Random) => ({ signature: [felt(random), felt(random)] })

export const makes: Readonly<Record<string, Make>> = {
  "INVOKE v0": (random, chainId, version) => {
    const [address, selector, data, fee] = [felt(random), felt(random), felts(random), felt(random)] as const
    return {
      json: {
        type: "INVOKE",
        version,
        max_fee: fee,
        ...signature(random),
        contract_address: address,
        entry_point_selector: selector,
        calldata: data
      },
      hash: common(ascii("invoke"), version, address, selector, data, fee, chainId)
    }
  },
  "INVOKE v1": (random, chainId, version, length) => {
    const [sender, data, fee, nonce] = [felt(random), felts(random, length), felt(random), felt(random)] as const
    return {
      json: {
        type: "INVOKE",
        version,
        max_fee: fee,
        ...signature(random),
        nonce,
        sender_address: sender,
        calldata: data
      },
      hash: v2hash.calculateTransactionHash(
        sender,
        version,
        [...data],
        fee,
        chainId as constants.StarknetChainId,
        nonce
      )
    }
  },
  "INVOKE v3": (random, chainId, version, length) => {
    const { bounds, fields, modes } = version3(random)
    const [sender, data, account] = [felt(random), felts(random, length), felts(random)] as const
    const facts = felts(random)
    return {
      json: {
        type: "INVOKE",
        version,
        ...signature(random),
        sender_address: sender,
        calldata: data,
        ...fields,
        account_deployment_data: account,
        ...(facts.length === 0 ? {} : { proof_facts: facts })
      },
      hash: v3hash.calculateInvokeTransactionHash(
        sender,
        version,
        [...data],
        chainId as constants.StarknetChainId,
        fields.nonce,
        [...account],
        modes[0],
        modes[1],
        bounds,
        fields.tip,
        [...fields.paymaster_data],
        [...facts]
      )
    }
  },
  "DECLARE v0": (random, chainId, version) => {
    const [sender, classHash, fee] = [felt(random), felt(random), felt(random)] as const
    return {
      json: {
        type: "DECLARE",
        version,
        max_fee: fee,
        ...signature(random),
        sender_address: sender,
        class_hash: classHash
      },
      hash: common(ascii("declare"), version, sender, 0, [], fee, chainId, [classHash])
    }
  },
  "DECLARE v1": (random, chainId, version) => {
    const [sender, classHash, fee, nonce] = [felt(random), felt(random), felt(random), felt(random)] as const
    return {
      json: {
        type: "DECLARE",
        version,
        max_fee: fee,
        ...signature(random),
        nonce,
        sender_address: sender,
        class_hash: classHash
      },
      hash: v2hash.calculateDeclareTransactionHash(
        classHash,
        sender,
        version,
        fee,
        chainId as constants.StarknetChainId,
        nonce
      )
    }
  },
  "DECLARE v2": (random, chainId, version) => {
    const [sender, classHash, fee, nonce] = [felt(random), felt(random), felt(random), felt(random)] as const
    const compiled = felt(random)
    return {
      json: {
        type: "DECLARE",
        version,
        max_fee: fee,
        ...signature(random),
        nonce,
        sender_address: sender,
        class_hash: classHash,
        compiled_class_hash: compiled
      },
      hash: v2hash.calculateDeclareTransactionHash(
        classHash,
        sender,
        version,
        fee,
        chainId as constants.StarknetChainId,
        nonce,
        compiled
      )
    }
  },
  "DECLARE v3": (random, chainId, version) => {
    const { bounds, fields, modes } = version3(random)
    const [sender, classHash, compiled, account] = [felt(random), felt(random), felt(random), felts(random)] as const
    return {
      json: {
        type: "DECLARE",
        version,
        ...signature(random),
        sender_address: sender,
        class_hash: classHash,
        compiled_class_hash: compiled,
        ...fields,
        account_deployment_data: account
      },
      hash: v3hash.calculateDeclareTransactionHash(
        classHash,
        compiled,
        sender,
        version,
        chainId as constants.StarknetChainId,
        fields.nonce,
        [...account],
        modes[0],
        modes[1],
        bounds,
        fields.tip,
        [...fields.paymaster_data]
      )
    }
  },
  "DEPLOY v0": (random, chainId, version) => {
    const { address, data, fields } = deployment(random)
    return {
      json: { type: "DEPLOY", version, ...fields, contract_address: address },
      hash: common(ascii("deploy"), version, address, hash.getSelectorFromName("constructor"), data, 0, chainId)
    }
  },
  "DEPLOY v1": (random, chainId, version) => makes["DEPLOY v0"]!(random, chainId, version),
  "DEPLOY_ACCOUNT v1": (random, chainId, version) => {
    const { address, classHash, data, fields, salt } = deployment(random)
    const [fee, nonce] = [felt(random), felt(random)] as const
    return {
      json: { type: "DEPLOY_ACCOUNT", version, max_fee: fee, ...signature(random), nonce, ...fields },
      hash: v2hash.calculateDeployAccountTransactionHash(
        address,
        classHash,
        [...data],
        salt,
        version,
        fee,
        chainId as constants.StarknetChainId,
        nonce
      )
    }
  },
  "DEPLOY_ACCOUNT v3": (random, chainId, version) => {
    const { bounds, fields, modes } = version3(random)
    const deployed = deployment(random)
    return {
      json: { type: "DEPLOY_ACCOUNT", version, ...signature(random), ...fields, ...deployed.fields },
      hash: v3hash.calculateDeployAccountTransactionHash(
        deployed.address,
        deployed.classHash,
        [...deployed.data],
        deployed.salt,
        version,
        chainId as constants.StarknetChainId,
        fields.nonce,
        modes[0],
        modes[1],
        bounds,
        fields.tip,
        [...fields.paymaster_data]
      )
    }
  },
  "L1_HANDLER v0": (random, chainId, version) => {
    const [address, selector, nonce] = [felt(random), felt(random), felt(random)] as const
    const data = [felt(random), ...felts(random)]
    return {
      json: {
        type: "L1_HANDLER",
        version,
        nonce,
        contract_address: address,
        entry_point_selector: selector,
        calldata: data
      },
      hash: common(ascii("l1_handler"), version, address, selector, data, 0, chainId, [nonce])
    }
  }
}

/** Returns the version of a kind, plain or with the query bit. */
export const versionOf = (kind: string, query: boolean): string =>
  query ? `0x1${"0".repeat(31)}${kind.at(-1)}` : `0x${kind.at(-1)}`
