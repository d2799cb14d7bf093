/** Liars about the state of a block: accounts, code and storage. */
import { hasState, type Liar, liar } from "./liar.ts"
import { list, type Node, object, quantity, refusal, text } from "./node.ts"
import { renamed } from "./renamed.ts"
import { touching } from "./touch.ts"
import type { World } from "./world.ts"

/**
 * Returns a node that refuses block hashes and objects as the block parameter. If the parameter is a block number, it
 * answers about another block.
 */
const byNumberAbout =
  (world: World, number: string): Node =>
  async (method, params) => {
    const at = params.at(-1)
    if (!/Balance|Code|TransactionCount$|Storage|Proof/u.test(method)) return world.node(method, params)
    if (typeof at !== "string" || at.length === 66) throw refusal(-32602, "invalid argument: want a number or a tag")
    return world.node(method, [...params.slice(0, -1), at.startsWith("0x") ? number : at])
  }

export const liars: ReadonlyArray<Liar> = [
  liar(
    "the state of another block",
    "values and proofs of the parent",
    (world) => {
      const parent = text(world.parent["hash"])
      const number = text(world.parent["number"])
      const names = { [world.hash]: parent, [quantity(world.number)]: number }
      const stale = renamed(world, names)
      return (method, params) =>
        /Balance|Code|getTransactionCount|Storage|Proof/u.test(method)
          ? stale(method, params)
          : world.node(method, params)
    },
    hasState
  ),
  liar(
    "the state of another account",
    "values and proofs of another account under this one's address",
    (world) => {
      const { account, contract } = world.state!
      const swapped = renamed(world, { [contract]: account, [account]: contract })
      return async (method, params) => {
        if (!/Balance|Code|getTransactionCount|Storage|Proof/u.test(method)) return world.node(method, params)
        const answer = await swapped(method, params)
        return method === "eth_getProof" ? { ...object(answer), address: params[0]! } : answer
      }
    },
    hasState
  ),
  liar(
    "other code",
    "code that hashes to the hash in the proof",
    (world) =>
      touching(world.node, {
        proof: (proof) => ({
          ...proof,
          codeHash: "0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a"
        }),
        scalar: (method, answer) => (method === "eth_getCode" ? "0x00" : answer)
      }),
    hasState
  ),
  liar(
    "slots swapped",
    "words of other slots, with their proofs under these keys",
    (world) => {
      const [a, b] = world.state!.slots
      const swapped = renamed(world, { [a]: b, [b]: a })
      return async (method, params) => {
        if (!method.includes("Storage") && method !== "eth_getProof") return world.node(method, params)
        const answer = await swapped(method, params)
        if (method !== "eth_getProof") return answer
        const keys = list(params[1])
        const proofs = list(object(answer)["storageProof"]).map((slot, i) => ({ ...object(slot), key: keys[i]! }))
        return { ...object(answer), storageProof: proofs }
      }
    },
    hasState
  ),
  liar(
    "nothing is there",
    "empty accounts, with the proof of an absent one",
    (world) => {
      const { absent } = world.state!
      return async (method, params) => {
        if (!/Balance|Code|getTransactionCount|StorageAt|Proof/u.test(method)) return world.node(method, params)
        const answer = await world.node(method, [absent, ...params.slice(1)])
        return method === "eth_getProof" ? { ...object(answer), address: params[0]! } : answer
      }
    },
    hasState
  ),
  liar(
    "an old node",
    "takes no hash for a block, and answers by number about the parent",
    (world) => byNumberAbout(world, text(world.parent["number"])),
    hasState
  )
]
