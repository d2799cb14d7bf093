/**
 * Fuzzes proof bundles: cuts, changes and reassembles the files. If a file can still be opened, judges the values that
 * are read from it.
 */
import { Address, Hash32 } from "@plumbline/codec"
import { HistoryChain } from "@plumbline/devnet"
import { StorageKey } from "@plumbline/eth-methods"
import { VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import { BundleClient, NotInBundleError, ProofBundle } from "@plumbline/proof-bundle"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"

import { accepted, claimed, type Outcome, refused, type Target } from "../../fuzzTarget.ts"
import type * as Json from "../../json.ts"
import * as Leaves from "../../leaves.ts"
import { mustPass } from "./ethJudge.ts"
import * as Proofs from "./forgedProofs.ts"
import * as Encode from "./hashedForms.ts"
import * as Truth from "./historyAnswers.ts"
import * as Liar from "./lyingHistory.ts"

/**
 * A block of a CAR, read by code written for this test: the length, the CID up to its digest, the digest, the bytes.
 */
interface Section {
  readonly prefix: Uint8Array
  readonly digest: Uint8Array
  readonly bytes: Uint8Array
}

const HEADER_SIZE = 60

const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))]

const sectionsOf = (file: Uint8Array): ReadonlyArray<Section> => {
  const found: Array<Section> = []
  let at = HEADER_SIZE
  while (at < file.length) {
    let size = 0
    let shift = 0
    let byte: number
    do {
      byte = file[at++]!
      size += (byte & 0x7f) * 2 ** shift
      shift += 7
    } while (byte >= 0x80)
    // the CID begins with version 1, the codec in one byte or two, the code of keccak-256, and the length 32
    const prefix = file[at + 1]! < 0x80 ? 4 : 5
    found.push({
      prefix: file.slice(at, at + prefix),
      digest: file.slice(at + prefix, at + prefix + 32),
      bytes: file.slice(at + prefix + 32, at + size)
    })
    at += size
  }
  return found
}

const fileOf = (head: Uint8Array, sections: ReadonlyArray<Section>): Uint8Array =>
  Uint8Array.from(
    Buffer.concat([
      head,
      ...sections.flatMap(({ bytes, digest, prefix }) => [
        Uint8Array.from(varint(prefix.length + digest.length + bytes.length)),
        prefix,
        digest,
        bytes
      ])
    ])
  )

/** One bundle, and the truth about its block. */
interface Made {
  readonly file: Uint8Array
  readonly hash: string
  readonly block: Json.JsonObject
  readonly receipts: Json.Json
  readonly questions: ReadonlyArray<Question>
}

/** A question to an opened bundle, with the true answer. */
interface Question {
  readonly name: string
  readonly truth: unknown
  readonly ask: (
    eth: VerdictEthClient["Service"]
  ) => Effect.Effect<
    { readonly _tag: string; readonly value: unknown; readonly claimed: ReadonlyArray<{ readonly field: string }> },
    { readonly _tag: string; readonly message: string }
  >
}

const key = (slot: bigint): string => `0x${slot.toString(16).padStart(64, "0")}`

const make = async (node: Liar.Node, number: number): Promise<Made> => {
  const { cabinet, counter, token } = HistoryChain.contracts
  const contracts = [cabinet, counter, token].filter((contract) => contract.block <= number)
  const at = `0x${number.toString(16)}`
  const whole = await Truth.whole(node.ask, number)
  const hash = Hash32.fromHexUnsafe(whole.block["hash"] as string)
  const slots = [0n, 1n, 2n, 3n]
  const client = await node.client(() => undefined, false)
  const made = await Effect.runPromise(
    Effect.provideService(
      ProofBundle.make({
        block: hash,
        accounts: [
          ...contracts.map(({ address }) => ({
            address: Address.fromHexUnsafe(address),
            slots: slots.map(StorageKey.fromSlot),
            code: true
          })),
          { address: Address.fromHexUnsafe(HistoryChain.accounts[0]!.address) },
          { address: Address.fromHexUnsafe(`0x${"9e".repeat(20)}`) }
        ],
        transactions: true,
        receipts: true,
        uncles: true
      }),
      VerdictEthClient,
      client
    )
  )
  const addresses = [
    ...contracts.map(({ address }) => address),
    HistoryChain.accounts[0]!.address,
    `0x${"9e".repeat(20)}`
  ]
  const ofAccounts = await Promise.all(
    addresses.map(async (text): Promise<ReadonlyArray<Question>> => {
      const address = Address.fromHexUnsafe(text)
      const word = async (slot: bigint) => node.ask("eth_getStorageAt", [text, key(slot), at])
      const words = await Promise.all(slots.map(word))
      return [
        {
          name: "balance",
          truth: await node.ask("eth_getBalance", [text, at]),
          ask: (eth) => eth.getBalance(address, hash)
        },
        {
          name: "nonce",
          truth: await node.ask("eth_getTransactionCount", [text, at]),
          ask: (eth) => eth.getTransactionCount(address, hash)
        },
        { name: "code", truth: await node.ask("eth_getCode", [text, at]), ask: (eth) => eth.getCode(address, hash) },
        ...slots.map((slot, i): Question => ({
          name: "storage",
          truth: words[i],
          ask: (eth) => eth.getStorageAt(address, StorageKey.fromSlot(slot), hash)
        }))
      ]
    })
  )
  const bodies: ReadonlyArray<Question> = [
    {
      name: "block",
      truth: whole.block,
      ask: (eth) => eth.getBlockByHash(hash, { full: true, senders: false })
    },
    {
      name: "receipts",
      truth: whole.receipts,
      ask: (eth) => eth.getBlockReceipts(hash, { senders: false })
    },
    {
      name: "uncles",
      truth: `0x${whole.uncles.length.toString(16)}`,
      ask: (eth) => eth.getUncleCountByBlockHash(hash)
    }
  ]
  return {
    file: ProofBundle.encode(made.value),
    hash,
    block: whole.block,
    receipts: whole.receipts,
    questions: [...ofAccounts.flat(), ...ofAccounts.flat(), ...bodies]
  }
}

const codecs = [0x55, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x71]

/** Returns the file with one change. */
const mutated = ({ file }: Made, others: ReadonlyArray<Made>, random: Random.Random): Uint8Array => {
  const kind = random()
  const place = Random.int(random, file.length)
  if (kind < 0.1) return file.with(place, Random.int(random, 256))
  if (kind < 0.15) return file.with(Random.int(random, HEADER_SIZE + 40), Random.int(random, 256))
  if (kind < 0.2) return file.slice(0, place)
  if (kind < 0.25) return Uint8Array.from([...file.subarray(0, place), ...file.subarray(place + 1)])
  const head = file.subarray(0, HEADER_SIZE)
  const sections = sectionsOf(file)
  const at = Random.int(random, sections.length)
  const section = sections[at]!
  if (kind < 0.4) return fileOf(head, sections.slice(0, at))
  if (kind < 0.55) return fileOf(head, sections.toSpliced(at, 1 + Random.int(random, 3)))
  if (kind < 0.6) return fileOf(head, Random.pick(random, [[...sections, section], sections.toReversed()]))
  if (kind < 0.65) {
    // The same block under another codec: its hash stays, and its meaning changes.
    const codec = Random.pick(random, codecs)
    const prefix = codec < 0x80 ? [1, codec, 0x1b, 32] : [1, codec, 1, 0x1b, 32]
    const again = { ...section, prefix: Uint8Array.from(prefix) }
    return fileOf(head, Random.chance(random, 0.5) ? sections.with(at, again) : [...sections, again])
  }
  if (kind < 0.75) {
    const other = Random.pick(random, sectionsOf(Random.pick(random, others).file))
    return fileOf(head, Random.chance(random, 0.5) ? sections.with(at, other) : sections.toSpliced(at, 0, other))
  }
  // A block changes together with its CID. All blocks above it, or only some of them, name the new CID.
  const bytes = Proofs.bent(section.bytes, random)
  return fileOf(head, renamed(sections, at, bytes, Random.chance(random, 0.5)))
}

/**
 * Replaces the bytes of a block, and computes its new hash. With `isUpward`, also writes the new hash into every block
 * that named the old hash, up to the root.
 */
const renamed = (
  sections: ReadonlyArray<Section>,
  at: number,
  bytes: Uint8Array,
  isUpward: boolean
): ReadonlyArray<Section> => {
  let out = [...sections]
  const queue: Array<readonly [at: number, bytes: Uint8Array]> = [[at, bytes]]
  for (let turn = 0; turn < 40 && queue.length > 0; turn++) {
    const [place, changed] = queue.shift()!
    const old = out[place]!.digest
    const digest = Encode.bytesOf(Encode.keccak(changed))
    out = out.with(place, { ...out[place]!, digest, bytes: changed })
    if (!isUpward) break
    for (const [above, section] of out.entries()) {
      const found = Buffer.from(section.bytes).indexOf(old)
      if (above === place || found < 0) continue
      const named = Uint8Array.from(section.bytes)
      named.set(digest, found)
      queue.push([above, named])
    }
  }
  return out
}

/** Returns the numbers of blocks that together have everything that a bundle can hold. */
const blocksOf = (): ReadonlyArray<number> => {
  const small = HistoryChain.blocks.filter(({ transactions }) => transactions.length < 4)
  return [
    HistoryChain.head.number,
    small.findLast(({ uncles }) => uncles.length > 0)!.number,
    small.findLast(({ transactions, uncles }) => transactions.length > 1 && uncles.length === 0)!.number
  ]
}

export const bundle: Target = {
  name: "bundle",
  about:
    "ProofBundle.open and BundleClient: files that are cut, changed and put together anew, and what is read from them",
  prepare: async () => {
    const node = await Liar.make()
    const all = await Promise.all(blocksOf().map((number) => make(node, number)))
    return async (seed) => {
      const random = Random.make(seed)
      const made = Random.pick(random, all)
      const isHonest = Random.chance(random, 0.05)
      const file = isHonest ? made.file : mutated(made, all, random)
      const opened = ProofBundle.open(file, Hash32.fromHexUnsafe(made.hash))
      if (Result.isFailure(opened)) {
        const { failure } = opened
        const outcome = refused(failure._tag === "RefutedError" ? failure.check : `open ${failure.reason}`)
        return isHonest ? mustPass(outcome) : outcome
      }
      const { header } = opened.success
      const { size: _, uncles: __, withdrawals: ___, transactions: ____, totalDifficulty: _____, ...truth } = made.block
      const wrong = Leaves.firstFalse(header, truth, [])
      if (wrong !== undefined) return accepted(wrong)
      const client = BundleClient.makeVerdicts(opened.success)
      return read(client, Random.pick(random, made.questions), isHonest)
    }
  }
}

const silent = ["size", "totalDifficulty", "[].blobGasPrice", "[].blockTimestamp"]

const read = async (
  client: VerdictEthClient["Service"],
  { ask, name, truth }: Question,
  isHonest: boolean
): Promise<Outcome> => {
  const answer = await Effect.runPromise(Effect.result(ask(client)))
  if (Result.isFailure(answer)) {
    const missing = NotInBundleError.fromError(answer.failure)
    const outcome = refused(missing === undefined ? `${name}: ${answer.failure.message}` : `${name}: not in the bundle`)
    return isHonest ? mustPass(outcome) : outcome
  }
  const { _tag, claimed: claims, value } = answer.success
  if (_tag === "CLAIMED") return claimed
  return accepted(
    Leaves.firstFalse(
      value,
      truth,
      claims.map(({ field }) => field),
      // A changed bundle may lack the uncles' headers. Its answer then leaves the uncles out.
      { silent: isHonest ? silent : [...silent, "uncles"], root: name }
    )
  )
}

/** The target with forged trie nodes. A reader must find the same value in these nodes as the oracle's own walk. */
export const forgedBundle: Target = {
  name: "bundle-forged",
  about: "the same under the forger's own block hash: nodes that are bent, and what another walk finds in them",
  prepare: async () => {
    const node = await Liar.make()
    const all = await Promise.all(blocksOf().map((number) => make(node, number)))
    const { cabinet, counter, token } = HistoryChain.contracts
    return async (seed) => {
      const random = Random.make(seed)
      const { file } = Random.pick(random, all)
      const sections = sectionsOf(file)
      const at = Random.int(random, sections.length)
      const forged = renamed(sections, at, Proofs.bent(sections[at]!.bytes, random), true)
      const root = forged[0]!
      const head = Uint8Array.from(file.subarray(0, HEADER_SIZE))
      head.set(root.digest, Buffer.from(file).indexOf(sections[0]!.digest))
      const hash = Hash32.fromBytesUnsafe(root.digest)
      const opened = ProofBundle.open(fileOf(head, forged), hash)
      if (Result.isFailure(opened)) {
        const { failure } = opened
        return refused(failure._tag === "RefutedError" ? failure.check : `open ${failure.reason}`)
      }
      const address = Address.fromHexUnsafe(
        Random.pick(random, [cabinet.address, counter.address, token.address, HistoryChain.accounts[0]!.address])
      )
      const slot = BigInt(Random.int(random, 4))
      const store = new Map(forged.map(({ bytes, digest }) => [Encode.hexOf(digest), bytes]))
      const client = BundleClient.makeVerdicts(opened.success)
      const answer = await Effect.runPromise(Effect.result(client.getProof(address, [StorageKey.fromSlot(slot)], hash)))
      if (Result.isFailure(answer)) {
        const missing = NotInBundleError.fromError(answer.failure)
        return refused(missing === undefined ? answer.failure._tag : "not in the bundle")
      }
      if (answer.success._tag === "CLAIMED") return claimed
      return accepted(
        Leaves.firstFalse(pick(answer.success.value), found(store, opened.success.header.stateRoot, address, slot), [])
      )
    }
  }
}

const pick = ({ balance, codeHash, nonce, storageHash, storageProof }: Readonly<Record<string, unknown>>) => ({
  balance,
  codeHash,
  nonce,
  storageHash,
  word: (storageProof as ReadonlyArray<{ readonly value: unknown }>)[0]!.value
})

/** Returns the value that the nodes have for an account and a slot, by `Proofs.look`. */
const found = (store: ReadonlyMap<string, Uint8Array>, stateRoot: string, address: string, slot: bigint): unknown => {
  const nothing = {
    balance: 0n,
    codeHash: Encode.keccak(new Uint8Array(0)),
    nonce: 0n,
    storageHash: Encode.keccak(Uint8Array.of(0x80)),
    word: 0n
  }
  const leaf = lookIn(store, stateRoot, Encode.keccak(Encode.bytesOf(address)))
  if (leaf === undefined) return "the nodes do not reach the account"
  if (leaf === null) return nothing
  const fields = Proofs.list(leaf)
  if (fields?.length !== 4) return "no account"
  const [nonce, balance, storageHash, codeHash] = fields.map((field) => Encode.hexOf(field)) as [
    string,
    string,
    string,
    string
  ]
  const number = (text: string) => (text === "0x" ? 0n : BigInt(text))
  const word = lookIn(store, storageHash, Encode.keccak(Encode.bytesOf(key(slot))))
  if (word === undefined) return "the nodes do not reach the slot"
  return {
    balance: number(balance),
    codeHash,
    nonce: number(nonce),
    storageHash,
    word: word === null ? 0n : number(Encode.hexOf(Proofs.bytes(word) ?? new Uint8Array(0)))
  }
}

/** Returns the value of a key, by a walk that takes each node from a store by its hash. */
const lookIn = (store: ReadonlyMap<string, Uint8Array>, root: string, path: string): Uint8Array | null | undefined => {
  if (root === Encode.keccak(Uint8Array.of(0x80))) return null
  const nodes = [store.get(root)].filter((node) => node !== undefined)
  for (let depth = 0; depth < 70; depth++) {
    const { length } = nodes
    const seen = Proofs.look(Encode.bytesOf(root), Encode.bytesOf(path), nodes, (hash) => {
      const next = store.get(Encode.hexOf(hash))
      if (next !== undefined) nodes.push(next)
    })
    if (seen !== undefined || nodes.length === length) return seen
  }
  return undefined
}
