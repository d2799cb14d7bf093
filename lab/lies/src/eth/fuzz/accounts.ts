/**
 * Proofs of accounts and slots, other answers about the same state, and hashes of older blocks that the state holds.
 */
import { RLP } from "@ethereumjs/rlp"
import { Address, Hash32 } from "@plumbline/codec"
import { HistoryChain } from "@plumbline/devnet"
import { AccountProof, StorageKey, Verify } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"
import type { RefutedError } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { accepted, type Outcome, refused, type Target } from "../../fuzzTarget.ts"
import * as Json from "../../json.ts"
import * as Leaves from "../../leaves.ts"
import * as Mutate from "../../mutate.ts"
import * as Commit from "./commit.ts"
import { mustPass } from "./ethJudge.ts"
import * as Proofs from "./forgedProofs.ts"
import { proven } from "./fuzzedBlocks.ts"
import * as Encode from "./hashedForms.ts"
import * as Truth from "./historyAnswers.ts"

const decode = Schema.decodeUnknownResult(AccountProof.AccountProof)

const EMPTY_ROOT = Encode.keccak(Uint8Array.of(0x80))
const NO_CODE = Encode.keccak(new Uint8Array(0))
const ZERO = `0x${"00".repeat(32)}`

/** One question about the state after a block, with the true answer. */
export interface Asked {
  readonly whole: Commit.Whole
  readonly address: string
  readonly keys: ReadonlyArray<string>
  readonly answer: Json.JsonObject
  readonly code: string
}

const key = (slot: bigint): string => `0x${slot.toString(16).padStart(64, "0")}`

/** An address and some of its slots. */
type Subject = readonly [address: string, keys: ReadonlyArray<string>]

/** Contracts with slots of every kind, accounts without code, and accounts that do not exist. */
const subjects = (): ReadonlyArray<Subject> => {
  const { cabinet, counter, elder, proxy, token } = HistoryChain.contracts
  const layoutOf = (count: number) => Array.from({ length: count }, (_, slot) => key(BigInt(slot)))
  return [
    [elder.address, layoutOf(2)],
    [token.address, layoutOf(4)],
    [counter.address, [key(0n), key(99n)]],
    [proxy.address, [key(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3bdc1n), key(0n)]],
    [cabinet.address, layoutOf(12)],
    [HistoryChain.accounts[0]!.address, []],
    [HistoryChain.accounts[1]!.address, [key(0n)]],
    [`0x${"9e".repeat(20)}`, [key(1n), key(2n)]]
  ]
}

/** Returns the questions about these subjects at each of these blocks. */
export const questions = async (
  node: Truth.Ask,
  wholes: ReadonlyArray<Commit.Whole>,
  about: ReadonlyArray<Subject>
): Promise<ReadonlyArray<Asked>> => {
  const out: Array<Asked> = []
  for (const whole of wholes) {
    const at = whole.block["number"]!
    for (const [address, keys] of about) {
      const answer = Truth.object(await node("eth_getProof", [address, keys, at]))
      out.push({ whole, address, keys, answer, code: (await node("eth_getCode", [address, at])) as string })
    }
  }
  return out
}

/** Asks the questions at blocks of many forks. */
const everywhere = async (): Promise<ReadonlyArray<Asked>> => {
  const node = await Truth.ask()
  const wholes = await Truth.wholes()
  return questions(
    node,
    wholes.filter((_, at) => at % 6 === 5),
    subjects()
  )
}

/** Returns an answer in one spelling, because clients write some values in more than one way. */
const spelled = (answer: Readonly<Record<string, unknown>>, isAbsent: boolean): Readonly<Record<string, unknown>> => {
  const slots = Array.isArray(answer["storageProof"])
    ? (answer["storageProof"] as ReadonlyArray<Readonly<Record<string, unknown>>>)
    : []
  return {
    ...answer,
    ...(isAbsent && answer["codeHash"] === ZERO ? { codeHash: NO_CODE } : {}),
    ...(isAbsent && answer["storageHash"] === ZERO ? { storageHash: EMPTY_ROOT } : {}),
    storageProof: slots.map((slot) => ({
      ...slot,
      key: numberAs(slot["key"]),
      proof:
        Array.isArray(slot["proof"]) && slot["proof"].length === 1 && slot["proof"][0] === "0x80" ? [] : slot["proof"]
    }))
  }
}

/** Reads a key as a number: nodes pad it, trim it, or write a zero key as `0x`. */
const numberAs = (text: unknown): unknown =>
  typeof text === "string" && /^0x[0-9a-f]*$/iu.test(text) ? (text === "0x" ? 0n : BigInt(text)) : text

const nodesOf = (json: Json.Json | undefined): ReadonlyArray<Uint8Array> =>
  Json.isList(json) ? json.map(Encode.bytesOf) : []

/** True if the proof shows that the account exists, and false for a proof of absence. */
const isThere = (asked: Asked): boolean =>
  Proofs.look(
    Encode.bytesOf(asked.whole.block["stateRoot"]),
    Encode.bytesOf(Encode.keccak(Encode.bytesOf(asked.address))),
    nodesOf(asked.answer["accountProof"])
  ) != null

/**
 * Returns another state: changes a slot or a field of the account, and computes all hashes up to the state's root
 * again.
 */
export const varied = (asked: Asked, random: Random.Random): Asked => {
  const { answer } = asked
  const nodes = nodesOf(answer["accountProof"])
  const leaf = nodes.at(-1)
  if (leaf === undefined || !isThere(asked)) return asked
  const item = RLP.decode(leaf)
  // Only an account in a leaf is changed. An account inside a branch is left as it is.
  if (!Array.isArray(item) || item.length !== 2 || !(item[1] instanceof Uint8Array)) return asked
  const slots = Encode.listOf(answer["storageProof"])
  const at = Random.int(random, slots.length + 1)
  const slot = slots[at]
  let other = answer
  if (slot !== undefined) {
    const changed = otherWord(slot, random)
    if (changed === undefined) return asked
    const { root, value } = changed
    // The proofs of the other slots now begin at another root, so only this slot is requested.
    other = { ...answer, storageHash: root, storageProof: [{ ...slot, value, proof: changed.proof }] }
  } else {
    other = {
      ...answer,
      ...Random.pick(random, [
        { nonce: Encode.hexNumber(Random.int(random, 300)) },
        { balance: Encode.hexNumber(BigInt(Random.int(random, 1000)) ** 9n) },
        { codeHash: Mutate.flipped(answer["codeHash"] as string, random) }
      ])
    }
  }
  const account = Encode.rlp([
    Encode.minimal(other["nonce"]),
    Encode.minimal(other["balance"]),
    Encode.bytesOf(other["storageHash"]),
    Encode.bytesOf(other["codeHash"])
  ])
  const forged = Proofs.rehash(nodes, nodes.length - 1, Encode.rlp([item[0]!, account]))
  const block = { ...asked.whole.block, stateRoot: Encode.hexOf(forged.root) }
  return {
    ...asked,
    whole: Commit.commit({ ...asked.whole, block }),
    keys: slot === undefined ? asked.keys : [asked.keys[at]!],
    answer: { ...other, accountProof: forged.nodes.map(Encode.hexOf) }
  }
}

const otherWord = (slot: Json.JsonObject, random: Random.Random) => {
  const nodes = nodesOf(slot["proof"])
  const leaf = nodes.at(-1)
  if (leaf === undefined || slot["value"] === "0x0") return undefined
  const item = RLP.decode(leaf)
  if (!Array.isArray(item) || item.length !== 2) return undefined
  const value = Encode.hexNumber(1n + BigInt(Random.int(random, 1000)) ** BigInt(Random.int(random, 20)))
  const made = Encode.rlp([item[0]!, Encode.rlp(Encode.minimal(value))])
  const { nodes: proof, root } = Proofs.rehash(nodes, nodes.length - 1, made)
  return { value, root: Encode.hexOf(root), proof: proof.map(Encode.hexOf) }
}

/** Changes a node of a proof, and computes the hashes above that node again, except the anchor. */
const bent = (answer: Json.JsonObject, random: Random.Random): Json.JsonObject => {
  const slots = Encode.listOf(answer["storageProof"])
  const at = Random.int(random, slots.length + 1)
  const slot = slots[at]
  const nodes = nodesOf(slot === undefined ? answer["accountProof"] : slot["proof"])
  if (nodes.length === 0) return answer
  const place = Random.int(random, nodes.length)
  const forged = Proofs.rehash(nodes, place, Proofs.bent(nodes[place]!, random))
  const proof = forged.nodes.map(Encode.hexOf)
  return slot === undefined
    ? { ...answer, accountProof: proof }
    : { ...answer, storageHash: Encode.hexOf(forged.root), storageProof: slots.with(at, { ...slot, proof }) }
}

const HONEST = 0.05

export const accountProof: Target = {
  name: "account-proof",
  about: "Verify.account: accounts and slots, there and absent, nodes hashed anew up to the state's root",
  prepare: async () => {
    const all = await everywhere()
    const mutator = Mutate.make(all.map(({ answer }) => answer))
    const known = new Map(all.map(({ whole }) => [whole, proven(whole.block)]))
    return (seed) => {
      const random = Random.make(seed)
      const original = Random.pick(random, all)
      const asked = Random.chance(random, 0.35) ? varied(original, random) : original
      const block = known.get(asked.whole) ?? proven(asked.whole.block)
      const isAbsent = !isThere(asked)
      const put = (said: Json.Json): Outcome => {
        const decoded = decode(said)
        if (Result.isFailure(decoded)) return refused("decode")
        const question = {
          address: Address.fromHexUnsafe(asked.address),
          storageKeys: asked.keys.map((text) => StorageKey.fromSlot(BigInt(text)))
        }
        const verdict = Verify.account(decoded.success, question, block)
        if (Result.isFailure(verdict)) return refused(verdict.failure.check.replaceAll(/\d+/gu, "n"))
        const { claimed, value } = verdict.success
        return accepted(
          Leaves.firstFalse(
            spelled(value, isAbsent),
            spelled(asked.answer, isAbsent),
            claimed.map(({ field }) => field)
          )
        )
      }
      if (Random.chance(random, HONEST)) return mustPass(put(asked.answer))
      if (Random.chance(random, 0.6)) return put(mutator.mutate(asked.answer, random))
      if (Random.chance(random, 0.5)) return put(bent(asked.answer, random))
      // The lie is a different, consistent state in place of this state, or the proof of another account with this
      // account's address.
      const other = Random.chance(random, 0.5) ? varied(asked, random).answer : Random.pick(random, all).answer
      return put({ ...other, address: asked.address })
    }
  }
}

export const state: Target = {
  name: "state",
  about: "Verify.balance, TransactionCount, Code, StorageAt, StorageValues against proven accounts",
  prepare: async () => {
    const all = await everywhere()
    const accounts = all.map((asked) => {
      const question = {
        address: Address.fromHexUnsafe(asked.address),
        storageKeys: asked.keys.map((text) => StorageKey.fromSlot(BigInt(text)))
      }
      const account = Verify.account(Result.getOrThrow(decode(asked.answer)), question, proven(asked.whole.block))
      const words = Encode.listOf(asked.answer["storageProof"]).map(({ value }) => key(Encode.numberOf(value)))
      return { asked, account: Result.getOrThrow(account), words }
    })
    const others = accounts.flatMap(({ asked, words }) => [
      asked.answer["balance"]!,
      asked.answer["nonce"]!,
      asked.code,
      ...words
    ])
    const mutator = Mutate.make(others)
    return (seed) => {
      const random = Random.make(seed)
      const { account, asked, words } = Random.pick(random, accounts)
      const isHonest = Random.chance(random, HONEST)
      const lie = (truth: Json.Json): Json.Json => (isHonest ? truth : mutator.mutate(truth, random))
      const done = (
        truth: unknown,
        verdict: Result.Result<{ readonly value: unknown }, RefutedError>,
        isTruth = isHonest
      ): Outcome => {
        if (Result.isSuccess(verdict)) return accepted(Leaves.firstFalse(verdict.success.value, truth, []))
        const outcome = refused(verdict.failure.check.replaceAll(/0x\w+|\d+/gu, "n"))
        return isTruth ? mustPass(outcome) : outcome
      }
      const at = Random.int(random, words.length)
      switch (Random.int(random, words.length === 0 ? 3 : 5)) {
        case 0:
        case 1: {
          const isBalance = Random.chance(random, 0.5)
          const truth = asked.answer[isBalance ? "balance" : "nonce"]!
          const said = lie(truth)
          if (typeof said !== "string" || !/^0x[0-9a-f]+$/iu.test(said)) return refused("decode")
          return done(truth, (isBalance ? Verify.balance : Verify.transactionCount)(BigInt(said), account))
        }
        case 2: {
          const said = lie(asked.code)
          if (typeof said !== "string" || !/^0x(?:[0-9a-f]{2})*$/iu.test(said)) return refused("decode")
          return done(asked.code, Verify.code(said as `0x${string}`, account))
        }
        case 3: {
          const said = lie(words[at]!)
          if (!Hash32.isHash32(said)) return refused("decode")
          const position = StorageKey.fromSlot(BigInt(asked.keys[at]!) + (Random.chance(random, 0.1) ? 1n : 0n))
          const index = asked.keys.indexOf(position)
          return done(words[index], Verify.storageAt(said, position, account), isHonest && index === at)
        }
        default: {
          const said = lie(words[at]!)
          if (!Hash32.isHash32(said)) return refused("decode")
          const { address } = account.value
          const request = { [address]: asked.keys.map((text) => StorageKey.fromSlot(BigInt(text))) }
          const list = !isHonest && Random.chance(random, 0.1) ? words.toReversed() : words.with(at, said)
          const values = { [address]: list.map((word) => Hash32.fromHexUnsafe(word)) }
          return done({ [address]: words }, Verify.storageValues(values, request, [account]))
        }
      }
    }
  }
}

const FIRST_IN_STATE = HistoryChain.forks.find(({ name }) => /prague/iu.test(name))!.block - 1

export const ancestor: Target = {
  name: "ancestor",
  about: "Verify.ancestor: the hash of an older block out of a newer state",
  prepare: async () => {
    const node = await Truth.ask()
    const { head } = HistoryChain
    const whole = await Truth.whole(node, head.number)
    const block = proven(whole.block)
    const answers = await Promise.all(
      HistoryChain.blocks.slice(0, -1).map(async ({ number }) => {
        const { address, storageKeys } = Verify.ancestorQuestion(BigInt(number))
        return Truth.object(await node("eth_getProof", [address, [...storageKeys], whole.block["number"]]))
      })
    )
    const mutator = Mutate.make(answers.slice(-20))
    return (seed) => {
      const random = Random.make(seed)
      const number = answers.length - 1 - Random.int(random, 20)
      const asked = Random.chance(random, 0.1) ? Random.int(random, 200) - 50 : number
      const truth = asked >= FIRST_IN_STATE && asked < head.number ? HistoryChain.blocks[asked]!.hash : null
      const isHonest = Random.chance(random, HONEST)
      const answer = answers[number]!
      const said = isHonest
        ? answer
        : Random.chance(random, 0.6)
          ? mutator.mutate(answer, random)
          : Random.chance(random, 0.5)
            ? bent(answer, random)
            : Random.pick(random, answers)
      const decoded = decode(said)
      if (Result.isFailure(decoded)) return refused("decode")
      const verdict = Verify.ancestor(decoded.success, BigInt(asked), block)
      if (Result.isFailure(verdict)) {
        const outcome = refused(verdict.failure.check.replaceAll(/\d+/gu, "n"))
        return isHonest && asked === number ? mustPass(outcome) : outcome
      }
      return accepted(Leaves.firstFalse(verdict.success, truth, []))
    }
  }
}
