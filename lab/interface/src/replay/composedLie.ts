/**
 * Composes lies: whole forged blocks with receipts, logs, bloom, roots and hashes that fit each other, the liars of
 * `@plumbline/lies`, and lies of `@plumbline/tamper` on top. One lie is one function, so two nodes tell the same.
 */
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Forge from "@plumbline/lies/src/eth/liars/forge.ts"
import { liars } from "@plumbline/lies/src/eth/liars/liars.ts"
import { list, type Node, object, quantity, remembered, text, through } from "@plumbline/lies/src/eth/liars/node.ts"
import { transactionsOf, type World } from "@plumbline/lies/src/eth/liars/world.ts"
import type { JsonObject } from "@plumbline/lies/src/json.ts"
import * as Random from "@plumbline/seeded/Random"
import { Catalogue, Tamper } from "@plumbline/tamper"

/** A lie about one world. */
export interface ComposedLie {
  /** The parts, for the report. */
  readonly parts: ReadonlyArray<string>
  readonly node: Node
}

const told = [...Catalogue.lies, ...Catalogue.omissions].filter(({ how }) => how._tag === "Answer")

/** Draws a lie. The same numbers give the same lie. */
export const draw = async (world: World, random: Random.Random): Promise<ComposedLie> => {
  const parts: Array<string> = []
  let { node } = world
  if (Random.chance(random, 0.7)) {
    const forged = await forge(world, random)
    parts.push(`forged event, ${forged.where}`)
    node = forged.node
  } else if (Random.chance(random, 0.6)) {
    const liar = Random.pick(
      random,
      liars.filter(({ applies }) => applies?.(world) !== false)
    )
    parts.push(liar.name)
    node = liar.node(world)
  }
  for (let more = Random.int(random, parts.length === 0 ? 3 : 2) + (parts.length === 0 ? 1 : 0); more > 0; more--) {
    const lie = Random.pick(random, told)
    parts.push(lie.name)
    const options = { rate: 0.3 + 0.7 * random(), seed: Random.int(random, 2 ** 31) }
    const before = remembered(node)
    node = tellable(through(before, Tamper.make(lie, options)), before)
  }
  return { parts, node: remembered(node) }
}

/** Tells a lie where it can be told. A lie that changes a field fails where an earlier one removed the field. */
const tellable =
  (lie: Node, before: Node): Node =>
  (method, params) =>
    lie(method, params).catch((error: unknown) => {
      if (error instanceof RemoteError) throw error
      return before(method, params)
    })

const hex = (random: Random.Random, length: number): string =>
  `0x${Buffer.from(Random.bytes(random, length)).toString("hex")}`

/** An event that never happened: a new one, or a true one with other topics and data. */
const eventOf = (world: World, random: Random.Random): JsonObject => {
  const logs = world.receipts.flatMap((receipt) => list(receipt["logs"]).map(object))
  const model = logs.length > 0 && Random.chance(random, 0.7) ? Random.pick(random, logs) : undefined
  const topics = model === undefined ? [hex(random, 32)] : list(model["topics"]).slice(0, 1)
  return {
    ...(model ?? world.receipts[0]!),
    address: model?.["address"] ?? hex(random, 20),
    topics: [
      ...topics,
      ...Array.from({ length: Random.int(random, 4 - Math.max(1, topics.length)) }, () => hex(random, 32))
    ],
    data: hex(random, 32 * Random.int(random, 5)),
    removed: false
  }
}

/** The parts of a log, without those of the receipt that a new one was made from. */
const LOG = ["address", "topics", "data", "blockHash", "blockNumber", "transactionHash", "transactionIndex", "removed"]

const only = (log: JsonObject): JsonObject => ({
  ...Object.fromEntries(LOG.map((name) => [name, log[name]!])),
  logIndex: "0x0"
})

/** Returns the content of the attacked block with an invented event, and with other changes. */
const changed = (world: World, random: Random.Random): Forge.Forged => {
  const at = Random.int(random, world.receipts.length)
  const event = only(eventOf(world, random))
  const isOnly = Random.chance(random, 0.3)
  const receipts = world.receipts.map((receipt, index) => {
    if (index !== at) return Random.chance(random, 0.1) ? { ...receipt, logs: [] } : receipt
    const logs = isOnly ? [] : list(receipt["logs"])
    return { ...receipt, ...("status" in receipt ? { status: "0x1" } : {}), logs: [...logs, event] }
  })
  const header: JsonObject = {
    ...(Random.chance(random, 0.4) ? { extraData: hex(random, Random.int(random, 32)) } : {}),
    ...(Random.chance(random, 0.3) ? { timestamp: quantity(BigInt(text(world.block["timestamp"])) + 1n) } : {}),
    ...(Random.chance(random, 0.2) ? { stateRoot: hex(random, 32) } : {})
  }
  const isShort = Random.chance(random, 0.2) && receipts.length > at + 1
  const block = { ...world.block, ...header }
  if (!isShort) return { block, receipts, uncles: world.uncles }
  const kept = receipts.slice(0, -1)
  return { block: { ...block, transactions: transactionsOf(block).slice(0, -1) }, receipts: kept, uncles: world.uncles }
}

/** The longest chain that is forged. */
const FAR = 10n

const TAGS = ["latest", "safe", "finalized"]

/** Forges the block, and shows it at a place. */
const forge = async (world: World, random: Random.Random): Promise<{ readonly where: string; readonly node: Node }> => {
  const content = changed(world, random)
  const state = { stateOf: world.hash }
  const place = Random.int(random, 4)
  // a longer chain would take most of the time of a run
  if (place === 2 && world.head - world.number <= FAR) {
    return { where: "a chain up to the head", node: await chain(world, Forge.seal(content)) }
  }
  switch (place) {
    case 0: {
      const block = { ...content.block, number: quantity(world.head + 1n), parentHash: world.headHash }
      const named = [quantity(world.head + 1n), ...(Random.chance(random, 0.7) ? TAGS : [])]
      const node = Forge.beside(world.node, Forge.seal({ ...content, block }), { ...state, named })
      return { where: "above the head", node }
    }
    case 1:
      return { where: "under the true hash", node: disguised(world, Forge.seal(content)) }
    default: {
      const named = Random.chance(random, 0.5) ? [quantity(world.number)] : []
      return { where: "a sibling", node: Forge.beside(world.node, Forge.seal(content), { ...state, named }) }
    }
  }
}

/** Replaces the hash of the forged block by that of the true block, wherever it stands. */
const disguised = (world: World, forged: Forge.Forged): Node => {
  const hash = text(forged.block["hash"])
  const labelled: Forge.Forged = JSON.parse(JSON.stringify(forged).replaceAll(hash, world.hash))
  return Forge.beside(world.node, labelled, { named: [quantity(world.number)], stateOf: world.hash })
}

/** Shows the forged block in place of the true one, and forged descendants up to the head, so that all parents fit. */
const chain = async (world: World, forged: Forge.Forged): Promise<Node> => {
  let parent = text(forged.block["hash"])
  const isHead = (number: bigint): ReadonlyArray<string> => (number === world.head ? TAGS : [])
  const named = (number: bigint) => ({ named: [quantity(number), ...isHead(number)], stateOf: world.hash })
  let node = Forge.beside(world.node, forged, named(world.number))
  for (let number = world.number + 1n; number <= world.head; number++) {
    const block = object(await world.node("eth_getBlockByNumber", [quantity(number), true]))
    const receipts = list(await world.node("eth_getBlockReceipts", [quantity(number)])).map(object)
    const uncles: Array<JsonObject> = []
    for (let at = 0; at < list(block["uncles"] ?? []).length; at++) {
      uncles.push(object(await world.node("eth_getUncleByBlockHashAndIndex", [block["hash"]!, quantity(at)])))
    }
    const child = Forge.seal({ block: { ...block, parentHash: parent }, receipts, uncles })
    parent = text(child.block["hash"])
    node = Forge.beside(node, child, named(number))
  }
  return node
}
