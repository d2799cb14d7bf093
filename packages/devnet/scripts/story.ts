/** The story of the prepared chain, block by block. It is pure data; nothing is sent here. */
import {
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  type Address,
  type Hex,
  toHex
} from "viem"
import { mnemonicToAccount } from "viem/accounts"

import type { Artifact } from "./compile.ts"

/** The form of a transaction. Blob transactions are left out; see `make-state.ts`. */
export type Form = "legacy" | "accessList" | "dynamicFee" | "setCode"

export interface Authorization {
  readonly authority: number
  readonly address: Address
  readonly nonce: number
}

export interface Transaction {
  readonly title: string
  readonly form: Form
  /** The index of the sending account. */
  readonly from: number
  readonly nonce: number
  readonly to: Address | undefined
  readonly value: bigint
  readonly data: Hex
  readonly gas: bigint
  /** True if the signature includes the chain id (EIP-155). */
  readonly protected: boolean
  readonly accessList: ReadonlyArray<{ readonly address: Address; readonly storageKeys: ReadonlyArray<Hex> }>
  readonly authorizations: ReadonlyArray<Authorization>
  /** True if the transaction is included, but has no effect. */
  readonly reverts: boolean
}

export interface Block {
  readonly title: string
  readonly transactions: ReadonlyArray<Transaction>
}

export interface Contract {
  readonly name: string
  readonly source: string
  readonly address: Address
  /** The number of the block that deployed the contract. */
  readonly block: number
}

export interface Story {
  readonly blocks: ReadonlyArray<Block>
  readonly contracts: { readonly [id in ContractId]: Contract }
}

export type ContractId = "token" | "cabinet" | "counter" | "counterV2" | "proxy"

/** Timestamp of block 0, in seconds: the start of 2026. Each block is `BLOCK_TIME` later than its parent. */
export const GENESIS_TIME = 1_767_225_600

export const BLOCK_TIME = 12

export const CHAIN_ID = 31337

/** The account that receives the fees. */
export const FEE_RECIPIENT = 9

/** The well-known test accounts, whose keys are public. */
export const accounts = Array.from({ length: 10 }, (_, addressIndex) =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex })
)

/** PUBLIC TEST KEYS, in the order of the accounts. */
export const publicTestKeys = accounts.map((account) => toHex(account.getHdKey().privateKey!))

/** The addresses of the accounts, in lower case. */
export const addresses = accounts.map((account) => account.address.toLowerCase() as Address)

const [deployer, ada, bob, cleo, dan] = [0, 1, 2, 3, 4] as const

const slot = (n: number): Hex => toHex(n, { size: 32 })

/** 10^18, the unit of the token and of ether. */
export const UNIT = 10n ** 18n

export const story = (artifacts: ReadonlyMap<string, Artifact>): Story => {
  const chain = builder(artifacts)
  const { block, call, deploy, send } = chain

  block("Token is deployed")
  const token = deploy("token", "Token", "dynamicFee", ["Plumb", "PLUMB", 1_000_000n * UNIT])

  block("Counter is deployed, and Proxy in front of it")
  const counter = deploy("counter", "Counter", "legacy", [])
  const proxy = deploy("proxy", "Proxy", "dynamicFee", [counter])

  block("Tokens are handed out, by transactions of three types")
  const transfer = (to: number, amount: bigint) => call("Token", "transfer", [addresses[to], amount * UNIT])
  send({ title: "1000 PLUMB to Ada", form: "legacy", from: deployer, to: token, data: transfer(ada, 1_000n) })
  send({
    title: "2000 PLUMB to Bob",
    form: "accessList",
    from: deployer,
    to: token,
    data: transfer(bob, 2_000n),
    accessList: [
      { address: token, storageKeys: [slot(2), slot(3)] },
      { address: counter, storageKeys: [] }
    ]
  })
  send({ title: "3000 PLUMB to Cleo", from: deployer, to: token, data: transfer(cleo, 3_000n) })

  block("An empty block")

  block("An allowance is given and spent, ether moves")
  const approve = call("Token", "approve", [addresses[bob], 500n * UNIT])
  send({ title: "Ada lets Bob spend 500 PLUMB", from: ada, to: token, data: approve })
  send({
    title: "Bob spends 120 of them",
    form: "legacy",
    from: bob,
    to: token,
    data: call("Token", "transferFrom", [addresses[ada], addresses[dan], 120n * UNIT])
  })
  send({
    title: "1 ether to a new account, signed without a chain id",
    form: "legacy",
    protected: false,
    from: dan,
    to: "0x00000000000000000000000000000000decaf000",
    value: UNIT
  })
  send({ title: "A message to Ada", from: dan, to: addresses[ada]!, data: toHex("true to the line"), value: 1n })

  block("Cleo's account delegates to Counter (EIP-7702), Dan pays")
  const increment = call("Counter", "increment", [])
  send({
    title: "Cleo's authorization, with a first call",
    form: "setCode",
    from: dan,
    to: addresses[cleo]!,
    data: increment,
    authorize: [{ authority: cleo, address: counter }]
  })

  block("Cleo's account is called like a contract; counting through the proxy")
  send({ title: "increment at Cleo", from: ada, to: addresses[cleo]!, data: increment })
  send({ title: "increment at the proxy by Ada", from: ada, to: proxy, data: increment })
  send({ title: "increment at the proxy by Bob", form: "legacy", from: bob, to: proxy, data: increment })

  block("CounterV2 is deployed and the proxy upgraded to it")
  const counterV2 = deploy("counterV2", "CounterV2", "accessList", [])
  const upgrade = call("Proxy", "upgradeToAndCall", [counterV2, call("CounterV2", "migrate", [5n])])
  send({ title: "upgradeToAndCall", from: deployer, to: proxy, data: upgrade })

  block("Two transactions fail and one does not")
  const downgrade = call("Proxy", "upgradeToAndCall", [counter, "0x"])
  send({ title: "Dan has no 9999 PLUMB", from: dan, to: token, data: transfer(ada, 9_999n), reverts: true })
  send({ title: "Only the admin may upgrade", form: "legacy", from: bob, to: proxy, data: downgrade, reverts: true })
  send({ title: "advance", from: ada, to: proxy, data: call("CounterV2", "advance", []) })

  block("Another empty block")

  block("Cabinet is deployed")
  const cabinet = deploy("cabinet", "Cabinet", "dynamicFee", ["Small things"])

  block("The cabinet is opened and filled")
  const openedAt = BigInt(GENESIS_TIME + 12 * BLOCK_TIME)
  const open = call("Cabinet", "open", [openedAt, 123_456_789_012_345_678_901_234_567n])
  const write = call("Cabinet", "write", [
    "A story in several slots: it has more than thirty-two bytes, and some characters take three, as 測鉛 do.",
    `0x${"00ff".repeat(35)}`
  ])
  send({ title: "open", from: ada, to: cabinet, data: open })
  send({ title: "fill", from: bob, to: cabinet, data: call("Cabinet", "fill", [23n]), gas: 5_000_000n })
  send({ title: "write", form: "accessList", from: cleo, to: cabinet, data: write })

  block("People join the cabinet")
  const join = (who: number, name: string, score: bigint) => call("Cabinet", "join", [addresses[who], name, score])
  const topic = keccak256(toHex("more drawers"))
  send({ title: "Ada joins", from: ada, to: cabinet, data: join(ada, "ada", 1815n) })
  send({
    title: "Bob joins, with a long name",
    form: "accessList",
    from: bob,
    to: cabinet,
    data: join(bob, "Bob, who writes his nickname in full", 42n),
    accessList: [{ address: cabinet, storageKeys: [slot(0)] }]
  })
  send({ title: "Ada votes", form: "legacy", from: ada, to: cabinet, data: call("Cabinet", "vote", [topic, -3n]) })

  block("All four types in one block; one authorization is stale")
  send({
    title: "Bob delegates to Counter himself; Cleo's authorization has a used nonce and is skipped",
    form: "setCode",
    from: bob,
    to: addresses[bob]!,
    data: increment,
    authorize: [
      { authority: bob, address: counter },
      { authority: cleo, address: counter, nonce: 0 }
    ]
  })
  const mention = (word: string) => call("Cabinet", "mention", [word])
  const place = call("Cabinet", "place", [true, -1, { x: -5n, y: 8n }])
  send({ title: "mention", from: cleo, to: cabinet, data: mention("plumb") })
  send({ title: "place", form: "accessList", from: cleo, to: cabinet, data: place })
  send({ title: "2 ether to Ada", form: "legacy", from: dan, to: addresses[ada]!, value: 2n * UNIT })

  block("The cabinet is closed, Bob is removed")
  const word = "a word that is longer than thirty-two bytes"
  send({ title: "mention, with a key longer than a slot", from: cleo, to: cabinet, data: mention(word) })
  send({ title: "close", from: ada, to: cabinet, data: call("Cabinet", "close", [openedAt + 36n]) })
  send({ title: "remove", from: ada, to: cabinet, data: call("Cabinet", "remove", [addresses[bob]]) })

  block("Cleo takes her delegation back")
  send({
    title: "Cleo's authorization for no code",
    form: "setCode",
    from: cleo,
    to: addresses[dan]!,
    authorize: [{ authority: cleo, address: "0x0000000000000000000000000000000000000000" }]
  })

  return chain.end()
}

/** The fields of a transaction. Without the optional fields, it is a plain dynamic-fee transaction to `to`. */
interface Sending extends Pick<Transaction, "title" | "from"> {
  readonly to: Address
  readonly form?: Form
  readonly data?: Hex
  readonly value?: bigint
  readonly gas?: bigint
  readonly protected?: boolean
  readonly reverts?: boolean
  readonly accessList?: Transaction["accessList"]
  readonly authorize?: ReadonlyArray<Omit<Authorization, "nonce"> & { readonly nonce?: number }>
}

/** Builds transactions and counts nonces, so that an address is known before its contract is deployed. */
const builder = (artifacts: ReadonlyMap<string, Artifact>) => {
  const nonces = accounts.map(() => 0)
  const blocks: Array<{ readonly title: string; readonly transactions: Array<Transaction> }> = []
  const contracts: Partial<Record<ContractId, Contract>> = {}

  const artifact = (name: string): Artifact => {
    const found = artifacts.get(name)
    if (found === undefined) throw new Error(`no contract ${name}`)
    return found
  }
  const next = (account: number): number => nonces[account]!++
  const add = (sending: Omit<Sending, "to">, to: Address | undefined): Transaction => {
    const nonce = next(sending.from)
    const transaction: Transaction = {
      title: sending.title,
      form: sending.form ?? "dynamicFee",
      from: sending.from,
      nonce,
      to,
      value: sending.value ?? 0n,
      data: sending.data ?? "0x",
      gas: sending.gas ?? 600_000n,
      protected: sending.protected ?? true,
      accessList: sending.accessList ?? [],
      // An authorization with an explicit nonce is stale, so it does not use up a nonce.
      authorizations: (sending.authorize ?? []).map((one) => ({ ...one, nonce: one.nonce ?? next(one.authority) })),
      reverts: sending.reverts ?? false
    }
    blocks.at(-1)!.transactions.push(transaction)
    return transaction
  }

  return {
    block: (title: string): void => {
      blocks.push({ title, transactions: [] })
    },
    call: (name: string, functionName: string, args: ReadonlyArray<unknown>): Hex =>
      encodeFunctionData({ abi: artifact(name).abi, functionName, args }),
    deploy: (id: ContractId, name: string, form: Form, args: ReadonlyArray<unknown>): Address => {
      const { abi, creationCode, source } = artifact(name)
      const data = encodeDeployData({ abi, bytecode: creationCode, args })
      const { nonce } = add({ title: `deploy ${name}`, form, from: deployer, data, gas: 3_000_000n }, undefined)
      const address = getContractAddress({ from: addresses[deployer]!, nonce: BigInt(nonce) }).toLowerCase() as Address
      contracts[id] = { name, source, address, block: blocks.length }
      return address
    },
    send: (sending: Sending): void => {
      add(sending, sending.to)
    },
    end: (): Story => {
      const { token, cabinet, counter, counterV2, proxy } = contracts
      if (!token || !cabinet || !counter || !counterV2 || !proxy) throw new Error("a contract was not deployed")
      return { blocks, contracts: { token, cabinet, counter, counterV2, proxy } }
    }
  }
}
