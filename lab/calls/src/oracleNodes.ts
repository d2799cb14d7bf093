/** The nodes that are asked: anvil, and geth over the same state and the same block environments. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHmac, randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { gunzipSync } from "node:zlib"

import { Anvil, type AnvilError, PreparedState } from "@plumbline/devnet"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Hex, numberToHex, pad } from "viem"

import { type Account, accounts, delegating } from "./callWorld.ts"
import { all, one, type Send, sender } from "./rpc.ts"
import { beaconRoots, blockHashes } from "./systemContracts.ts"

/** A node with the world in its state. */
export interface Node {
  readonly name: string
  readonly hardfork: Hardfork
  readonly url: string
  readonly send: Send
  /** The block that all calls are asked of. */
  readonly head: Header
  /** The hashes of the blocks that the calls can see, by their numbers. */
  readonly hashes: ReadonlyMap<number, Hex>
}

/** The fields of a header that a contract can see. */
export interface Header {
  readonly number: Hex
  readonly hash: Hex
  readonly timestamp: Hex
  readonly miner: Hex
  readonly mixHash: Hex
  readonly gasLimit: Hex
  readonly baseFeePerGas: Hex
}

/** Blocks above the first state: more than BLOCKHASH reaches back. */
const BLOCKS = 280

/** Seconds between two blocks. */
const SECONDS = 12

/** Forks whose rules a node can have here. The Solidity of the world needs Cancun; later opcodes halt before their fork. */
export const hardforks = ["osaka", "prague", "cancun"] as const

/** A fork by its name, in anvil and in our engine. */
export type Hardfork = (typeof hardforks)[number]

/** Starts anvil by the rules of a fork and places the world. It ends with the scope. */
export const anvil = Effect.fnUntraced(function* (
  hardfork: Hardfork = "osaka"
): Effect.fn.Return<Node, AnvilError.AnvilError, Scope.Scope> {
  const { url } = yield* Anvil.make({ history: BLOCKS + 1, hardfork })
  const send = sender(url)
  yield* Effect.promise(async () => {
    await all(
      send,
      accountsAt(hardfork).flatMap(({ address, balance, code, nonce, storage = [] }) => [
        ...(code === undefined ? [] : [["anvil_setCode", address, code] as const]),
        ...(balance === undefined ? [] : [["anvil_setBalance", address, numberToHex(balance)] as const]),
        ...(nonce === undefined ? [] : [["anvil_setNonce", address, numberToHex(nonce)] as const]),
        ...storage.map(([slot, value]) => ["anvil_setStorageAt", address, slot, value] as const)
      ])
    )
    // not the machine's time, so that every run has the same blocks
    await one(send, "evm_setTime", PreparedState.head.timestamp)
    await one(send, "anvil_setBlockTimestampInterval", SECONDS)
    await one(send, "anvil_mine", numberToHex(BLOCKS))
    await placeBeaconRoots(send)
    // a write changes the state of the newest block behind its back, so that block cannot be proven: two more follow
    await one(send, "anvil_mine", numberToHex(LATER))
  })
  return yield* Effect.promise(() => described("anvil", hardfork, url, send))
})

/** The accounts of the world. No account delegates before Prague, also not those of the prepared state. */
const accountsAt = (hardfork: Hardfork): ReadonlyArray<Account> =>
  hardfork === "cancun"
    ? [
        ...accounts.filter(({ address }) => !delegating.has(address)),
        ...PreparedState.accounts.map(({ address }): Account => ({ address, code: "0x" }))
      ]
    : accounts

/** Blocks that are made after the last write. */
const LATER = 2

/** The beacon root that belongs to a block. Anvil's headers have none. */
const beaconRoot = (number: number): Hex => pad(numberToHex(0xbeac0000 + number), { size: 32 })

/** Writes the roots of the blocks so far and of the later ones, because anvil does not (EIP-4788). */
const placeBeaconRoots = async (send: Send): Promise<void> => {
  const ring = 8191n
  const numbers = Array.from({ length: Number(await one(send, "eth_blockNumber")) }, (_, index) => index + 1)
  const times = (await Promise.all(numbers.map((number) => headerAt(send, number)))).map(({ timestamp }) =>
    BigInt(timestamp)
  )
  const word = (value: bigint): Hex => pad(numberToHex(value), { size: 32 })
  const last = Number(times.at(-1))
  const later = Array.from({ length: LATER }, (_, index) => BigInt(last + SECONDS * (index + 1)))
  const slots = [...times, ...later].flatMap((time, index) => [
    [time % ring, word(time)] as const,
    [(time % ring) + ring, beaconRoot(index + 1)] as const
  ])
  const to = beaconRoots.address
  await all(
    send,
    slots.map(([slot, value]) => ["anvil_setStorageAt", to, word(slot), value])
  )
}

const described = async (name: string, hardfork: Hardfork, url: string, send: Send): Promise<Node> => {
  const head: Header = await one(send, "eth_getBlockByNumber", "latest", false)
  const numbers = Array.from({ length: Number(head.number) + 1 }, (_, number) => number)
  const headers = await Promise.all(numbers.map((number) => headerAt(send, number)))
  return {
    name,
    hardfork,
    url,
    send,
    head,
    hashes: new Map(numbers.map((number, index) => [number, headers[index]!.hash]))
  }
}

const headerAt = (send: Send, number: number): Promise<Header> =>
  one(send, "eth_getBlockByNumber", numberToHex(number), false)

/**
 * Starts geth over the state of an anvil, and makes the same blocks there: each has the time, the fee recipient
 * and the randomness of anvil's block of the same number. Only block hashes differ, and what follows from
 * them: the base fee is as low as it can be after so many empty blocks. It ends with the scope.
 */
export const geth = (binary: string, like: Node): Effect.Effect<Node, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(path.join(tmpdir(), "calls-geth-"))),
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
    )
    const secret = randomBytes(32)
    const files = { genesis: path.join(folder, "genesis.json"), secret: path.join(folder, "jwt") }
    const genesis = yield* Effect.promise(() => genesisOf(like))
    yield* Effect.promise(async () => {
      await writeFile(files.genesis, JSON.stringify(genesis))
      await writeFile(files.secret, secret.toString("hex"))
      await ended(spawn(binary, ["--datadir", folder, "init", files.genesis], { stdio: "ignore" }))
    })
    const alone = "--networkid 31337 --nodiscover --maxpeers 0 --ipcdisable --syncmode full --gcmode archive --cache 64"
    const limits = "--miner.gaslimit 30000000 --rpc.batch-request-limit 0 --rpc.batch-response-max-size 0"
    const ports = "--http --http.port 0 --http.api eth,debug --authrpc.port 0"
    const args = [...`${alone} ${limits} ${ports}`.split(" "), "--datadir", folder, "--authrpc.jwtsecret", files.secret]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(binary, args, { stdio: ["ignore", "ignore", "pipe"] })),
      (child) => Effect.promise(() => stopped(child))
    )
    const { engine, url } = yield* Effect.promise(() => endpoints(child))
    const send = sender(url)
    yield* Effect.promise(() =>
      follow(
        sender(engine, () => authorization(secret)),
        send,
        like
      )
    )
    return yield* Effect.promise(() => described("geth", "osaka", url, send))
  })

/** Schedule of blobs of each fork. Source: https://eips.ethereum.org/EIPS/eip-7840. */
const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5007716 }

/** The contracts to which geth writes with each block. */
const ownWrites: ReadonlySet<string> = new Set([blockHashes.address, beaconRoots.address])

/** Makes a first state of anvil's present one. */
const genesisOf = async (like: Node): Promise<object> => {
  const dump = await one(like.send, "anvil_dumpState")
  const text = gunzipSync(Buffer.from(dump.slice(2), "hex")).toString()
  // a nonce is written as a number, and can be above 2^53
  const state = JSON.parse(text.replaceAll(/"nonce":(\d+)/gu, '"nonce":"$1"'))
  const header = await headerAt(like.send, 0)
  const alloc = Object.fromEntries(
    Object.entries<any>(state.accounts).map(([address, { balance, code, nonce, storage }]) => [
      address,
      {
        balance,
        code,
        nonce: numberToHex(BigInt(nonce)),
        storage: ownWrites.has(address) ? {} : storage
      }
    ])
  )
  const blocks = ["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg", "istanbul"]
  return {
    config: {
      chainId: 31337,
      ...Object.fromEntries([...blocks, "berlin", "london"].map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      ...Object.fromEntries(["shanghai", "cancun", "prague", "osaka"].map((fork) => [`${fork}Time`, 0])),
      blobSchedule: {
        cancun: { ...blobs, target: 3, max: 6, baseFeeUpdateFraction: 3338477 },
        prague: blobs,
        osaka: blobs
      },
      depositContractAddress: "0x00000000219ab540356cbb839cbe05303d7705fa"
    },
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFeePerGas: header.baseFeePerGas,
    mixHash: header.mixHash,
    coinbase: header.miner,
    difficulty: "0x0",
    excessBlobGas: "0x0",
    blobGasUsed: "0x0",
    alloc
  }
}

/** Makes the blocks of anvil, by the calls of a consensus client. */
const follow = async (engine: Send, send: Send, like: Node): Promise<void> => {
  let { hash } = await headerAt(send, 0)
  for (let number = 1; number <= Number(like.head.number); number++) {
    const { miner, mixHash, timestamp } = await headerAt(like.send, number)
    const parentBeaconBlockRoot = beaconRoot(number)
    const choice = (head: Hex): object => ({ headBlockHash: head, safeBlockHash: head, finalizedBlockHash: hash })
    const { payloadId } = await one(engine, "engine_forkchoiceUpdatedV3", choice(hash), {
      timestamp,
      prevRandao: mixHash,
      suggestedFeeRecipient: miner,
      withdrawals: [],
      parentBeaconBlockRoot
    })
    const { executionPayload, executionRequests } = await one(engine, "engine_getPayloadV5", payloadId)
    const made = executionPayload.blockHash
    const block = [executionPayload, [], parentBeaconBlockRoot, executionRequests]
    const { status, validationError } = await one(engine, "engine_newPayloadV4", ...block)
    if (status !== "VALID") throw new Error(`geth refuses block ${number}: ${status} ${validationError}`)
    await one(engine, "engine_forkchoiceUpdatedV3", choice(made), null)
    hash = made
  }
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The header that the engine API wants. Source: https://github.com/ethereum/execution-apis, authentication.md. */
const authorization = (secret: Buffer): Readonly<Record<string, string>> => {
  const content = `${base64({ alg: "HS256", typ: "JWT" })}.${base64({ iat: Math.floor(Date.now() / 1000) })}`
  return { authorization: `Bearer ${content}.${createHmac("sha256", secret).update(content).digest("base64url")}` }
}

/** Waits until geth has printed both of its addresses. */
const endpoints = (child: ChildProcess): Promise<{ readonly url: string; readonly engine: string }> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stderr!.setEncoding("utf8").on("data", (part: string) => {
      text += part
      const found = (auth: boolean): string | undefined =>
        new RegExp(`HTTP server started\\s+endpoint=(\\S+) auth=${auth}`, "u").exec(text)?.[1]
      const [open, engine] = [found(false), found(true)]
      if (open !== undefined && engine !== undefined) resolve({ url: `http://${open}`, engine: `http://${engine}` })
    })
    child.once("exit", () => reject(new Error(`geth ended: ${text.slice(-2000)}`)))
  })

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`geth init ended with ${code}`))))
  })

const stopped = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })
