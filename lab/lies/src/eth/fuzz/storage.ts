/** Reads variables of contracts from a node whose lies about blocks and proofs agree with each other. */
import { readFileSync } from "node:fs"

import { Address, Hash32, Keccak256 } from "@plumbline/codec"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Random from "@plumbline/seeded/Random"
import { ContractStorage, Layout, Proxy } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"

import { accepted, claimed, type Outcome, refused, type Target } from "../../fuzzTarget.ts"
import * as Json from "../../json.ts"
import * as Leaves from "../../leaves.ts"
import * as Mutate from "../../mutate.ts"
import * as Accounts from "./accounts.ts"
import * as Commit from "./commit.ts"
import { mustPass } from "./ethJudge.ts"
import * as Encode from "./hashedForms.ts"
import * as Truth from "./historyAnswers.ts"
import * as Liar from "./lyingHistory.ts"

/** A variable that fills a word or a part of a word, with its place as the compiler gives it. */
interface Scalar {
  readonly label: string
  readonly type: string
  readonly slot: bigint
  readonly offset: number
  readonly size: number
}

interface Subject {
  readonly contract: ContractStorage.StoredContract
  readonly scalars: ReadonlyArray<Scalar>
  /** Paths whose value is one whole word, each with its slot. */
  readonly entries: ReadonlyArray<readonly [path: string, slot: bigint]>
}

interface SolcLayout {
  readonly storage: ReadonlyArray<{ label: string; slot: string; offset: number; type: string }>
  readonly types: Readonly<Record<string, { label: string; numberOfBytes: string }>>
}

const subject = (known: PreparedState.PreparedContract, mapping?: readonly [name: string, slot: bigint]): Subject => {
  const json = JSON.parse(readFileSync(PreparedState.layoutFile(known), "utf8")) as SolcLayout
  return {
    contract: {
      address: Address.fromHexUnsafe(known.address),
      layout: Result.getOrThrow(Layout.fromSolc(json))
    },
    scalars: json.storage.flatMap(({ label, offset, slot, type }) => {
      const { label: name = "", numberOfBytes = "0" } = json.types[type] ?? {}
      return /^(?:u?int\d+|bool|address|bytes\d+)$/u.test(name)
        ? [{ label, type: name, slot: BigInt(slot), offset, size: Number(numberOfBytes) }]
        : []
    }),
    entries:
      mapping === undefined
        ? []
        : HistoryChain.accounts
            .slice(0, 4)
            .map(({ address }) => [`${mapping[0]}[${address}]`, slotOf(address, mapping[1])])
  }
}

/**
 * Returns the slot of an entry of a mapping, as solc computes it: Keccak-256 of the key and the mapping's slot, 32
 * bytes each.
 */
const slotOf = (address: string, mapping: bigint): bigint => {
  const words = `${address.slice(2).toLowerCase().padStart(64, "0")}${mapping.toString(16).padStart(64, "0")}`
  return BigInt(Encode.hexOf(Keccak256.hash(Encode.bytesOf(`0x${words}`))))
}

/** Returns the value of a part of a word, by its type's name. */
const meaning = ({ offset, size, type }: Scalar, word: bigint): unknown => {
  const part = (word >> BigInt(8 * offset)) & ((1n << BigInt(8 * size)) - 1n)
  if (type === "bool") return part === 1n
  if (type.startsWith("uint")) return part
  if (type.startsWith("int")) return BigInt.asIntN(8 * size, part)
  return `0x${part.toString(16).padStart(2 * size, "0")}`
}

/** The slot of `eip1967.proxy.implementation` (EIP-1967). `ADMIN` is the slot of `eip1967.proxy.admin`. */
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
const ADMIN = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"
const NOBODY = `0x${"00".repeat(20)}`

/** Returns a difference if the question names one block and the answer is about another block. */
const wrongPlace = (blockHash: string, block: Hash32.Hash32 | bigint | "latest"): Leaves.Difference | undefined => {
  const wanted = typeof block === "bigint" ? HistoryChain.blocks[Number(block)]!.hash : block
  return wanted === "latest" || wanted === blockHash
    ? undefined
    : { leaf: "blockHash", expected: wanted, got: blockHash }
}

const key = (slot: bigint): string => `0x${slot.toString(16).padStart(64, "0")}`

type Reading = ContractStorage.ReadingBlock

export const storage: Target = {
  name: "storage",
  about:
    "ContractStorage: variables, entries and differences over a node that lies about blocks and proofs in agreement",
  prepare: async () => {
    const node = await Liar.make()
    const { cabinet, counter, token } = HistoryChain.contracts
    const subjects = [subject(cabinet), subject(token, ["balanceOf", 3n]), subject(counter, ["calls", 1n])]
    const { head } = HistoryChain
    const numbers = [head.number, head.number - 1, head.number - 3]
    const wholes = await Promise.all(numbers.map((number) => Truth.whole(node.ask, number)))
    const asked = await Accounts.questions(
      node.ask,
      wholes,
      subjects.map(({ contract, scalars }) => [contract.address, scalars.map(({ slot }) => key(slot))])
    )
    const blocks = new Map(HistoryChain.blocks.map(({ hash, number }) => [hash as string, number]))
    const headers = Mutate.make(wholes.map(({ block }) => hashesOnly(block)))
    const proofs = Mutate.make(asked.map(({ answer }) => answer))

    /** Returns the true word. */
    const word = async (contract: ContractStorage.StoredContract, slot: bigint, blockHash: string): Promise<bigint> =>
      BigInt((await node.ask("eth_getStorageAt", [contract.address, key(slot), { blockHash }])) as string)

    const wrongSide = async (
      { blockHash, blockNumber, words }: Reading,
      { contract }: Subject,
      block: Hash32.Hash32 | bigint | "latest"
    ): Promise<Leaves.Difference | undefined> => {
      const number = blocks.get(blockHash)
      if (number === undefined) return { leaf: "blockHash", expected: "a block of the chain", got: blockHash }
      if (BigInt(number) !== blockNumber)
        return { leaf: "blockNumber", expected: `${number}`, got: String(blockNumber) }
      const place = wrongPlace(blockHash, block)
      if (place !== undefined) return place
      for (const [slot, got] of words) {
        const truth = await word(contract, slot, blockHash)
        if (truth !== got) return { leaf: `words[${key(slot)}]`, expected: key(truth), got: key(got) }
      }
      return undefined
    }

    const wrongValue = (of: Scalar, got: unknown, truth: bigint): Leaves.Difference | undefined => {
      const expected = meaning(of, truth)
      return expected === got ? undefined : { leaf: of.label, expected: shown(expected), got: shown(got) }
    }

    return async (seed) => {
      const random = Random.make(seed)
      const subject = Random.pick(random, subjects)
      const { contract, entries, scalars } = subject
      const whole = Random.pick(random, wholes)
      const hash = Hash32.fromHexUnsafe(whole.block["hash"] as string)
      const block = Random.pick(random, [hash, Encode.numberOf(whole.block["number"]), "latest"] as const)
      const isHonest = Random.chance(random, 0.05)
      const lie = isHonest ? honest : lieOf({ headers, proofs, wholes, asked }, whole, random)
      const client = await node.client(lie, Random.chance(random, 0.7))
      const reader = ContractStorage.make(client)
      const run = async <A>(
        ask: ContractStorage.StorageRequest<A>,
        judge: (value: A) => Promise<Leaves.Difference | undefined>
      ): Promise<Outcome> => {
        const result = await Effect.runPromise(Effect.result(ask))
        if (Result.isFailure(result)) {
          const error = result.failure
          const outcome = refused(error._tag === "RefutedError" ? error.check.replaceAll(/\d+/gu, "n") : error._tag)
          return isHonest ? mustPass(outcome) : outcome
        }
        return result.success._tag === "CLAIMED" ? claimed : accepted(await judge(result.success.value))
      }
      const options = { block }
      if (Random.chance(random, 0.2)) {
        const { address } = HistoryChain.contracts.proxy
        const resolving = Proxy.resolve(Address.fromHexUnsafe(address), options)
        return run(Effect.provideService(resolving, VerdictEthClient, client), async (resolved) => {
          const { blockHash } = resolved
          const number = blocks.get(blockHash)
          if (number === undefined) return { leaf: "blockHash", expected: "a block of the chain", got: blockHash }
          const place = wrongPlace(blockHash, block)
          if (place !== undefined) return place
          const words = await Promise.all(
            [IMPLEMENTATION, ADMIN].map((slot) => node.ask("eth_getStorageAt", [address, slot, { blockHash }]))
          )
          const [implementation, admin] = words.map((word) => `0x${(word as string).slice(26)}`)
          return Leaves.firstFalse(
            { ...resolved, admin: resolved.admin ?? NOBODY },
            { kind: "Erc1967", implementation, admin, beacon: undefined, blockHash },
            []
          )
        })
      }
      switch (Random.int(random, 4)) {
        case 0: {
          const of = Random.pick(random, scalars)
          return run(reader.read(contract, of.label, options), async (reading) => {
            const { blockHash, variable } = reading
            const wrong = await wrongSide(reading, subject, block)
            return wrong ?? wrongValue(of, variable.value, await word(contract, of.slot, blockHash))
          })
        }
        case 1: {
          if (entries.length === 0) break
          return run(
            reader.readMany(
              contract,
              entries.map(([path]) => path),
              options
            ),
            async (reading) => {
              const wrong = await wrongSide(reading, subject, block)
              if (wrong !== undefined) return wrong
              for (const [at, [label, slot]] of entries.entries()) {
                const of = { label, type: "uint256", slot, offset: 0, size: 32 }
                const other = wrongValue(
                  of,
                  reading.variables[at]?.value,
                  await word(contract, slot, reading.blockHash)
                )
                if (other !== undefined) return other
              }
              return undefined
            }
          )
        }
        case 2: {
          const from = BigInt(Random.pick(random, numbers))
          return run(reader.diff(contract, { from, to: block }), async ({ changed, ...diff }) => {
            const wrong = (await wrongSide(diff.from, subject, from)) ?? (await wrongSide(diff.to, subject, block))
            if (wrong !== undefined) return wrong
            // Of the variables in fixed slots, the answer must contain exactly the changed ones.
            for (const of of scalars) {
              const [before, after] = await Promise.all(
                [diff.from, diff.to].map(async ({ blockHash }) => meaning(of, await word(contract, of.slot, blockHash)))
              )
              const said = changed.find(({ path }) => path === of.label)
              const expected = before === after ? "no change" : `${shown(before)} to ${shown(after)}`
              const got = said === undefined ? "no change" : `${shown(said.from.value)} to ${shown(said.to.value)}`
              if (expected !== got) return { leaf: `changed.${of.label}`, expected, got }
            }
            return undefined
          })
        }
        default:
      }
      return run(reader.readAll(contract, options), async (reading) => {
        const wrong = await wrongSide(reading, subject, block)
        if (wrong !== undefined) return wrong
        for (const of of scalars) {
          const got = reading.variables.get(of.label)?.value
          const other = wrongValue(of, got, await word(contract, of.slot, reading.blockHash))
          if (other !== undefined) return other
        }
        return undefined
      })
    }
  }
}

const shown = (value: unknown): string => (typeof value === "bigint" ? `${value}` : JSON.stringify(value))

const hashesOnly = (block: Json.JsonObject): Json.JsonObject => ({
  ...block,
  transactions: Encode.listOf(block["transactions"]).map(({ hash }) => hash!)
})

interface Material {
  readonly headers: Mutate.Mutator
  readonly proofs: Mutate.Mutator
  readonly wholes: ReadonlyArray<Commit.Whole>
  readonly asked: ReadonlyArray<Accounts.Asked>
}

const isBlock = (method: string): boolean => method.startsWith("eth_getBlockBy")

const honest: Liar.Lie = () => undefined

/** Makes a random lie about one block, or about the proofs of its state. */
const lieOf = ({ asked, headers, proofs, wholes }: Material, whole: Commit.Whole, random: Random.Random): Liar.Lie => {
  const kind = random()
  const salt = Random.int(random, 2 ** 31)
  // the node answers with a mutated block
  if (kind < 0.25) {
    return (method) => (isBlock(method) ? headers.mutate(hashesOnly(whole.block), Random.make(salt)) : undefined)
  }
  const other = Random.pick(random, wholes)
  if (kind < 0.35) return (method) => (isBlock(method) ? hashesOnly(other.block) : undefined)
  const proof = Random.pick(random, asked)
  if (kind < 0.55) {
    return (method, params) => {
      if (method !== "eth_getProof") return undefined
      const at = asked.find((one) => one.whole === whole && one.address === params[0]) ?? proof
      return narrowed(proofs.mutate(at.answer, Random.make(salt)), params[1])
    }
  }
  // The lie is a different, consistent state in a forged block. The forged block takes the place of this block, or
  // follows the head as a new block.
  const varied = Accounts.varied(proof, random)
  const onTop = Random.chance(random, 0.5)
  const forged = onTop
    ? Commit.commit({
        ...varied.whole,
        block: {
          ...varied.whole.block,
          number: Encode.hexNumber(Encode.numberOf(wholes[0]!.block["number"]) + 1n),
          parentHash: wholes[0]!.block["hash"]!
        }
      })
    : varied.whole
  const relabelled = { ...hashesOnly(forged.block), hash: whole.block["hash"]! }
  const said = Random.chance(random, 0.6) ? hashesOnly(forged.block) : relabelled
  const isFull = Random.chance(random, 0.7)
  return (method, params) => {
    if (isBlock(method)) return isFull ? said : undefined
    if (method === "eth_blockNumber") return forged.block["number"]!
    return method === "eth_getProof" && params[0] === proof.address ? narrowed(varied.answer, params[1]) : undefined
  }
}

/** Returns the answer with only the requested slots. If it lacks one of them, it is returned unchanged. */
const narrowed = (answer: Json.Json, keys: unknown): Json.Json => {
  if (!Json.isObject(answer) || !Array.isArray(keys)) return answer
  const slots = Encode.listOf(answer["storageProof"])
  const found = keys.map((key) => slots.find((slot) => Encode.numberOf(slot["key"]) === BigInt(key as string)))
  return { ...answer, storageProof: found.every((slot) => slot !== undefined) ? found : slots }
}
