/** The story of the history chain, block by block. It is pure data; nothing is executed here. */
import {
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  toHex
} from "viem"

import { type Artifact, compile } from "../compile.ts"
import { accounts, addresses, type Authorization, type Contract, UNIT } from "../story.ts"
import * as SystemContracts from "./deployedSystemContracts.ts"
import { forkAt, type ForkName, timeOf } from "./rules.ts"

/**
 * The form of a transaction. `unprotected` is a legacy transaction without a chain id in its signature; `highS` is the
 * same with a high `s` in its signature, which Homestead forbade; `keyless` has a given signature.
 */
export type Form = "legacy" | "unprotected" | "highS" | "keyless" | "accessList" | "dynamicFee" | "blob" | "setCode"

export interface Transaction {
  readonly title: string
  readonly form: Form
  /** The index of the account; for a keyless transaction, the address. */
  readonly from: number | Address
  readonly nonce: number
  readonly to: Address | undefined
  readonly value: bigint
  readonly data: Hex
  readonly gas: bigint
  /** Wei per gas: the price, or the value of both the maximum fee and the tip. */
  readonly price: bigint
  readonly tip: bigint
  readonly signature: SystemContracts.Signature | undefined
  readonly accessList: ReadonlyArray<{ readonly address: Address; readonly storageKeys: ReadonlyArray<Hex> }>
  readonly blobVersionedHashes: ReadonlyArray<Hex>
  readonly authorizations: ReadonlyArray<Authorization>
  /** True if the transaction is included, but has no effect. */
  readonly fails: boolean
}

/** A valid block that is not on the chain, because another block has its height. */
export interface Uncle {
  /** The height of the uncle. The uncle's parent is the chain's block one below this height. */
  readonly number: number
  readonly miner: Address
  readonly extraData: string
}

export interface Withdrawal {
  readonly validator: number
  readonly address: Address
  /** The amount in gwei. */
  readonly amount: bigint
}

export interface Block {
  readonly number: number
  readonly title: string
  readonly miner: Address
  readonly transactions: Array<Transaction>
  readonly uncles: Array<Uncle>
  readonly withdrawals: Array<Withdrawal>
}

export type ContractId = "elder" | "token" | "counter" | "counterV2" | "proxy" | "cabinet"

/** An account that exists before the first block. */
export interface GenesisAccount {
  readonly address: Address
  readonly balance: bigint
  readonly nonce: number
  readonly code: Hex
  readonly storage: ReadonlyArray<readonly [key: Hex, value: Hex]>
}

export interface Story {
  readonly genesis: ReadonlyArray<GenesisAccount>
  readonly blocks: ReadonlyArray<Block>
  readonly contracts: { readonly [id in ContractId]: Contract }
}

const GWEI = 10n ** 9n

const [deployer, ada, bob, cleo, dan, eve] = [0, 1, 2, 3, 4, 5] as const

/** The accounts that mine or propose. The second one sometimes mines an uncle. */
const miners = ["0x00000000000000000000000000000000000a11ce", "0x0000000000000000000000000000000000000b0b"] as const
const losers = ["0x000000000000000000000000000000000000d0d0", "0x000000000000000000000000000000000000fefe"] as const

/** An account that exists but holds nothing, until Spurious Dragon allows clearing such accounts (EIP-161). */
const EMPTY_ACCOUNT = "0x00000000000000000000000000000000000e3b70"

/** A counter that exists before the first block. */
const ELDER = "0x0000000000000000000000000000000000e1de12"

/** Creation code of a contract that destroys itself when it is called: `SSTORE(1, 1)`, then `CALLER SELFDESTRUCT`. */
const MAYFLY = "0x60016001556133ff6000526002601ef3"

const word = (n: bigint | number): Hex => toHex(n, { size: 32 })

const keyOfMapping = (key: Address, slot: number): Hex =>
  keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [key, BigInt(slot)]))

export const story = (): Story => {
  const chain = builder()
  const { block, call, deploy, send, uncle, withdraw } = chain
  const transfer = (to: Address, amount: bigint): Hex => call("Token", "transfer", [to, amount * UNIT])

  chain.genesis(ELDER)

  // Frontier
  block("Token is deployed")
  const token = deploy("token", "Token", "unprotected", ["Plumb", "PLUMB", 1_000_000n * UNIT])

  block("An account that has nothing comes to be; tokens move")
  send({ title: "Nothing to an account that was not there", from: dan, to: EMPTY_ACCOUNT })
  send({ title: "1000 PLUMB to Ada", from: deployer, to: token, data: transfer(addresses[ada]!, 1_000n) })

  block("A signature with a high s; the first uncle")
  uncle(2)
  send({ title: "1 ether to Eve, with a high s", form: "highS", from: dan, to: addresses[eve]!, value: UNIT })

  block("An empty block")

  block("A transaction fails and uses up its gas; two uncles, of different heights")
  uncle(3)
  uncle(4, 1)
  send({
    title: "Dan has no 9999 PLUMB",
    from: dan,
    to: token,
    data: transfer(addresses[ada]!, 9_999n),
    gas: 60_000n,
    fails: true
  })

  // Homestead
  block("Counter is deployed")
  const counter = deploy("counter", "Counter", "unprotected", [])

  block("A contract that will end itself is made; counting begins")
  const increment = call("Counter", "increment", [])
  const mayfly = chain.create({ title: "deploy a mayfly", from: bob, data: MAYFLY, gas: 100_000n })
  send({ title: "increment by Ada", from: ada, to: counter, data: increment })

  block("The mayfly ends itself; an uncle of the block before")
  uncle(7)
  send({ title: "End of the mayfly", from: bob, to: mayfly })

  block("The counter of the genesis goes on counting")
  send({ title: "increment at the elder by Ada", from: ada, to: ELDER, data: increment })

  block("Two uncles of one height")
  uncle(9)
  uncle(9, 1)
  send({ title: "200 PLUMB to Bob", from: ada, to: token, data: transfer(addresses[bob]!, 200n) })

  block("Another empty block")

  // Tangerine Whistle
  block("An allowance is given")
  const approve = call("Token", "approve", [addresses[bob], 500n * UNIT])
  send({ title: "Ada lets Bob spend 500 PLUMB", from: ada, to: token, data: approve })

  block("It is spent")
  send({
    title: "Bob spends 120 of them",
    from: bob,
    to: token,
    data: call("Token", "transferFrom", [addresses[ada], addresses[dan], 120n * UNIT])
  })

  block("Only an uncle")
  uncle(13)

  // Spurious Dragon
  block("The first signature with a chain id (EIP-155); the empty account is cleared (EIP-161)")
  send({ title: "Nothing to the account that has nothing", from: dan, to: EMPTY_ACCOUNT })
  send({ title: "Bob signs without a chain id", form: "unprotected", from: bob, to: addresses[eve]!, value: 1n })

  block("A message to Ada; an uncle")
  uncle(15)
  send({ title: "A message to Ada", from: dan, to: addresses[ada]!, data: toHex("true to the line"), value: 1n })

  block("Nothing again")

  // Byzantium
  block("Proxy is deployed in front of Counter")
  const proxy = deploy("proxy", "Proxy", "legacy", [counter])

  block("Counting through the proxy; two transactions fail and say why")
  send({ title: "increment at the proxy by Ada", from: ada, to: proxy, data: increment })
  send({
    title: "Only the admin may upgrade",
    from: bob,
    to: proxy,
    data: call("Proxy", "upgradeToAndCall", [token, "0x"]),
    fails: true
  })
  send({ title: "Eve has no PLUMB", from: eve, to: token, data: transfer(addresses[ada]!, 1n), fails: true })

  block("A hundred and thirty transactions")
  for (let i = 0; i < 130; i++) {
    const from = i % 6
    send({ title: `${i + 1} wei`, from, to: addresses[(from + 1) % 6]!, value: BigInt(i + 1), gas: 21_000n })
  }

  block("Two uncles, one of them from before the large block")
  uncle(19)
  uncle(20, 1)

  block("300 PLUMB to Cleo")
  send({ title: "300 PLUMB to Cleo", from: deployer, to: token, data: transfer(addresses[cleo]!, 300n) })

  // Constantinople
  block("Counting through the proxy")
  send({ title: "increment at the proxy by Bob", from: bob, to: proxy, data: increment })

  block("An uncle")
  uncle(23)

  block("A creation fails")
  chain.create({ title: "deploy code that is invalid", from: eve, data: "0xfe", gas: 60_000n, fails: true })

  // Petersburg
  block("Ether moves")
  send({ title: "2 ether to Ada", from: dan, to: addresses[ada]!, value: 2n * UNIT })

  block("An uncle and a count")
  uncle(26)
  send({ title: "increment at the proxy by Cleo", from: cleo, to: proxy, data: increment })

  // Istanbul
  block("Cabinet is deployed")
  const cabinet = deploy("cabinet", "Cabinet", "legacy", ["Small things"])

  block("The cabinet is opened")
  const openedAt = BigInt(timeOf(29))
  const open = call("Cabinet", "open", [openedAt, 123_456_789_012_345_678_901_234_567n])
  send({ title: "open", from: ada, to: cabinet, data: open, gas: 600_000n })

  block("It is filled")
  send({ title: "fill", from: bob, to: cabinet, data: call("Cabinet", "fill", [23n]), gas: 3_000_000n })

  block("A story is written into it; two uncles")
  uncle(29)
  uncle(30, 1)
  const write = call("Cabinet", "write", [
    "A story in several slots: it has more than thirty-two bytes, and some characters take three, as 測鉛 do.",
    `0x${"00ff".repeat(35)}`
  ])
  send({ title: "write", from: cleo, to: cabinet, data: write, gas: 600_000n })

  block("People join the cabinet")
  const join = (who: number, name: string, score: bigint): Hex => call("Cabinet", "join", [addresses[who], name, score])
  send({ title: "Ada joins", from: ada, to: cabinet, data: join(ada, "ada", 1815n) })
  send({
    title: "Bob joins, with a long name",
    from: bob,
    to: cabinet,
    data: join(bob, "Bob, who writes his nickname in full", 42n)
  })

  // Muir Glacier
  block("Ada votes")
  const topic = keccak256(toHex("more drawers"))
  send({ title: "Ada votes", from: ada, to: cabinet, data: call("Cabinet", "vote", [topic, -3n]) })

  block("An uncle in an empty block")
  uncle(33)

  // Berlin
  block("The first transaction with an access list (EIP-2930)")
  send({
    title: "50 PLUMB to Eve",
    form: "accessList",
    from: cleo,
    to: token,
    data: transfer(addresses[eve]!, 50n),
    accessList: [
      { address: token, storageKeys: [keyOfMapping(addresses[cleo]!, 3), keyOfMapping(addresses[eve]!, 3)] },
      { address: counter, storageKeys: [] }
    ]
  })

  block("Old and new side by side")
  send({ title: "1 wei to Bob, unprotected", form: "unprotected", from: dan, to: addresses[bob]!, value: 1n })
  send({ title: "1 wei to Bob, with a chain id", from: dan, to: addresses[bob]!, value: 1n })
  send({ title: "1 wei to Bob, by type 1", form: "accessList", from: dan, to: addresses[bob]!, value: 1n })

  block("An uncle")
  uncle(36)

  block("A creation of type 1")
  chain.create({ title: "deploy another mayfly", form: "accessList", from: bob, data: MAYFLY, gas: 100_000n })

  // London
  block("The first base fee (EIP-1559)")
  send({ title: "1 ether to Bob", form: "dynamicFee", from: ada, to: addresses[bob]!, value: UNIT })

  block("Tips, and a price at its limit")
  send({ title: "A tip within the limit", form: "dynamicFee", from: ada, to: proxy, data: increment })
  send({
    title: "The limit cuts the tip",
    form: "dynamicFee",
    from: bob,
    to: proxy,
    data: increment,
    price: (11n * GWEI) / 10n,
    tip: GWEI
  })
  send({ title: "A legacy price above the base fee", from: cleo, to: proxy, data: increment })

  block("An uncle with a base fee")
  uncle(40)

  block("Points in a grid")
  const place = call("Cabinet", "place", [true, -1, { x: -5n, y: 8n }])
  send({ title: "place", form: "dynamicFee", from: cleo, to: cabinet, data: place })

  block("Two uncles with base fees")
  uncle(41)
  uncle(42, 1)

  // Arrow Glacier
  block("A word is mentioned")
  send({
    title: "mention",
    form: "dynamicFee",
    from: cleo,
    to: cabinet,
    data: call("Cabinet", "mention", ["plumb"])
  })

  block("Nothing")

  // Gray Glacier
  block("Waiting for the Merge")
  send({ title: "increment at the elder by Bob", form: "dynamicFee", from: bob, to: ELDER, data: increment })

  block("An uncle")
  uncle(46)

  block("The last two uncles")
  uncle(46, 1)
  uncle(47)

  block("The last block that is mined")
  send({ title: "1 wei to Eve", form: "dynamicFee", from: dan, to: addresses[eve]!, value: 1n })

  // Paris
  block("The Merge: no difficulty any more")

  block("The first transaction after the Merge")
  send({ title: "10 PLUMB to Dan", form: "dynamicFee", from: ada, to: token, data: transfer(addresses[dan]!, 10n) })

  block("After a missed slot")
  send({ title: "Nothing for nobody", form: "accessList", from: eve, to: addresses[eve]! })

  // Shanghai
  block("The first withdrawals (EIP-4895); CounterV2 is deployed")
  withdraw(1, addresses[cleo]!, 32_000_000_000n)
  withdraw(2, "0x000000000000000000000000000000000000dea1", 1n)
  const counterV2 = deploy("counterV2", "CounterV2", "dynamicFee", [])

  block("The proxy is upgraded")
  const migrate = call("CounterV2", "migrate", [5n])
  const upgrade = call("Proxy", "upgradeToAndCall", [counterV2, migrate])
  send({ title: "upgradeToAndCall", form: "dynamicFee", from: deployer, to: proxy, data: upgrade })

  block("Ether for those who will deploy what the next forks need")
  for (const { deployer, name } of SystemContracts.all) {
    send({ title: `ether for the deployment of ${name}`, from: dan, to: deployer, value: UNIT, gas: 21_000n })
  }

  block("The contract of beacon roots is deployed, without a key (EIP-4788)")
  withdraw(3, addresses[cleo]!, 17_000_000n)
  chain.keyless(SystemContracts.beaconRoots)

  // Cancun
  block("The first blobs (EIP-4844)")
  send({ title: "Two blobs", form: "blob", from: ada, to: addresses[bob]!, value: 1n, blobs: ["first", "second"] })

  block("Six blobs in two transactions")
  send({ title: "Five of them", form: "blob", from: ada, to: proxy, data: increment, blobs: ["3", "4", "5", "6", "7"] })
  send({ title: "And one", form: "blob", from: bob, to: addresses[bob]!, blobs: ["8"] })

  block("The contract of block hashes is deployed (EIP-2935)")
  chain.keyless(SystemContracts.blockHashes)

  block("Those of withdrawal and consolidation requests are deployed (EIP-7002, EIP-7251)")
  chain.keyless(SystemContracts.withdrawalRequests)
  chain.keyless(SystemContracts.consolidationRequests)
  withdraw(4, addresses[dan]!, 32_000_000_000n)
  withdraw(5, addresses[dan]!, 16_000_000_000n)

  // Prague
  block("Cleo's account delegates to Counter (EIP-7702), Dan pays")
  send({
    title: "Cleo's authorization, with a first call",
    form: "setCode",
    from: dan,
    to: addresses[cleo]!,
    data: increment,
    authorize: [{ authority: cleo, address: counter }]
  })

  block("Her account is called like a contract")
  send({ title: "increment at Cleo", form: "dynamicFee", from: ada, to: addresses[cleo]!, data: increment })

  block("A validator is asked to leave (EIP-7002)")
  send({
    title: "A withdrawal request",
    form: "dynamicFee",
    from: eve,
    to: SystemContracts.withdrawalRequests.address,
    data: `0x${"a1".repeat(48)}${"00".repeat(8)}`,
    value: 1n
  })

  block("One authorization is stale, one holds")
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
  withdraw(6, addresses[eve]!, 1_000_000n)

  block("Cleo takes her delegation back")
  send({
    title: "Cleo's authorization for no code",
    form: "setCode",
    from: cleo,
    to: addresses[dan]!,
    authorize: [{ authority: cleo, address: "0x0000000000000000000000000000000000000000" }]
  })

  // Osaka
  block("The cabinet is closed, Bob is removed")
  send({ title: "close", form: "dynamicFee", from: ada, to: cabinet, data: call("Cabinet", "close", [openedAt + 36n]) })
  send({
    title: "remove",
    form: "dynamicFee",
    from: ada,
    to: cabinet,
    data: call("Cabinet", "remove", [addresses[bob]])
  })

  block("All five types in one block, one of them fails")
  send({ title: "Type 0", from: deployer, to: token, data: transfer(addresses[eve]!, 7n) })
  send({
    title: "Type 1",
    form: "accessList",
    from: ada,
    to: proxy,
    data: call("CounterV2", "advance", []),
    accessList: [{ address: proxy, storageKeys: [word(0), word(2)] }]
  })
  send({
    title: "Type 2 fails",
    form: "dynamicFee",
    from: cleo,
    to: proxy,
    data: call("Proxy", "upgradeToAndCall", [counter, "0x"]),
    fails: true
  })
  send({ title: "Type 3", form: "blob", from: bob, to: addresses[ada]!, value: 3n, blobs: ["9", "10", "11"] })
  send({
    title: "Type 4",
    form: "setCode",
    from: dan,
    to: addresses[eve]!,
    data: increment,
    authorize: [{ authority: eve, address: counter }]
  })

  block("A last empty block")

  block("The head")
  withdraw(7, addresses[ada]!, 42n)
  send({ title: "1 PLUMB to Ada", form: "dynamicFee", from: bob, to: token, data: transfer(addresses[ada]!, 1n) })

  return chain.end()
}

/** The fields in which a transaction differs from a plain legacy call. */
interface Sending extends Pick<Transaction, "title"> {
  readonly from: number
  readonly form?: Form
  readonly data?: Hex
  readonly value?: bigint
  readonly gas?: bigint
  readonly price?: bigint
  readonly tip?: bigint
  readonly fails?: boolean
  readonly accessList?: Transaction["accessList"]
  /** The content of the blobs. Only its hashes are on the chain. */
  readonly blobs?: ReadonlyArray<string>
  readonly authorize?: ReadonlyArray<Omit<Authorization, "nonce"> & { readonly nonce?: number }>
}

/** True before the fork that put chain ids into signatures. */
const isUnprotected = (fork: ForkName): boolean =>
  fork === "Frontier" || fork === "Homestead" || fork === "Tangerine Whistle"

/** Builds transactions and counts nonces, so that an address is known before its contract is deployed. */
const builder = () => {
  const nonces = accounts.map(() => 0)
  const genesis: Array<GenesisAccount> = addresses.map((address) => ({
    address,
    balance: 10_000n * UNIT,
    nonce: 0,
    code: "0x",
    storage: []
  }))
  const blocks: Array<Block> = []
  const contracts: Partial<Record<ContractId, Contract>> = {}
  let withdrawals = 0
  // Each contract is compiled for the EVM of its time. The proxy needs the size of a call's result, which EVMs provide
  // since Byzantium.
  const old = compile("homestead", ["Token.sol", "Counter.sol"])
  const artifacts: Readonly<Record<string, Artifact | undefined>> = {
    Token: old.get("Token"),
    Counter: old.get("Counter"),
    Proxy: compile("byzantium", ["Proxy.sol"]).get("Proxy"),
    Cabinet: compile("istanbul", ["Cabinet.sol"]).get("Cabinet"),
    CounterV2: compile("shanghai", ["Counter.sol"]).get("CounterV2")
  }

  const artifact = (name: string): Artifact => {
    const found = artifacts[name]
    if (found === undefined) throw new Error(`no contract ${name}`)
    return found
  }
  const last = (): Block => blocks.at(-1)!
  const next = (account: number): number => nonces[account]!++
  const legacy = (): Form => (isUnprotected(forkAt(last().number).name) ? "unprotected" : "legacy")

  const add = (sending: Sending, to: Address | undefined): number => {
    const form = sending.form ?? legacy()
    const nonce = next(sending.from)
    last().transactions.push({
      title: sending.title,
      form,
      from: sending.from,
      nonce,
      to,
      value: sending.value ?? 0n,
      data: sending.data ?? "0x",
      gas: sending.gas ?? 300_000n,
      price: sending.price ?? 20n * GWEI,
      tip: sending.tip ?? GWEI / 2n,
      signature: undefined,
      accessList: sending.accessList ?? [],
      // As in EIP-4844: a version byte and the end of a hash. The content of these blobs is never published.
      blobVersionedHashes: (sending.blobs ?? []).map((text) => `0x01${keccak256(toHex(text)).slice(4)}` as const),
      // An authorization with an explicit nonce is stale, so it does not use up a nonce.
      authorizations: (sending.authorize ?? []).map((one) => ({ ...one, nonce: one.nonce ?? next(one.authority) })),
      fails: sending.fails ?? false
    })
    return nonce
  }
  const create = (sending: Sending): Address => {
    const nonce = add(sending, undefined)
    const from = addresses[sending.from]!
    return getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase() as Address
  }

  return {
    genesis: (elder: Address): void => {
      const { name, runtimeCode, source } = artifact("Counter")
      genesis.push({
        address: elder,
        balance: 0n,
        nonce: 1,
        code: runtimeCode,
        storage: [
          [word(0), word(41)],
          [keyOfMapping(addresses[ada]!, 1), word(41)]
        ]
      })
      contracts.elder = { name, source, address: elder, block: 0 }
    },
    block: (title: string): void => {
      const number = blocks.length + 1
      blocks.push({
        number,
        title,
        miner: miners[number % 3 === 0 ? 1 : 0],
        transactions: [],
        uncles: [],
        withdrawals: []
      })
    },
    uncle: (number: number, loser: 0 | 1 = 0): void => {
      last().uncles.push({ number, miner: losers[loser], extraData: `uncle ${loser + 1} of ${number}` })
    },
    withdraw: (validator: number, address: Address, amount: bigint): void => {
      last().withdrawals.push({ validator, address, amount })
      withdrawals++
    },
    call: (name: string, functionName: string, args: ReadonlyArray<unknown>): Hex =>
      encodeFunctionData({ abi: artifact(name).abi, functionName, args }),
    create,
    deploy: (id: ContractId, name: string, form: Form, args: ReadonlyArray<unknown>): Address => {
      const { abi, creationCode, source } = artifact(name)
      const data = encodeDeployData({ abi, bytecode: creationCode, args })
      const address = create({ title: `deploy ${name}`, form, from: deployer, data, gas: 3_000_000n })
      contracts[id] = { name, source, address, block: last().number }
      return address
    },
    send: (sending: Sending & { readonly to: Address }): void => {
      add(sending, sending.to)
    },
    keyless: ({ code, deployer, name, signature }: SystemContracts.SystemContract): void => {
      last().transactions.push({
        title: `deploy ${name}`,
        form: "keyless",
        from: deployer,
        nonce: 0,
        to: undefined,
        value: 0n,
        data: code,
        gas: SystemContracts.GAS,
        price: SystemContracts.GAS_PRICE,
        tip: 0n,
        signature,
        accessList: [],
        blobVersionedHashes: [],
        authorizations: [],
        fails: false
      })
    },
    end: (): Story => {
      const { cabinet, counter, counterV2, elder, proxy, token } = contracts
      if (!cabinet || !counter || !counterV2 || !elder || !proxy || !token) {
        throw new Error("a contract was not deployed")
      }
      return { genesis, blocks, contracts: { elder, token, counter, counterV2, proxy, cabinet } }
    }
  }
}
