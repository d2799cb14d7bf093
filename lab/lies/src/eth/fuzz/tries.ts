/** Proofs of tries, for present and for absent keys. */
import { createMPT } from "@ethereumjs/mpt"
import { Keccak256 } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

import { accepted, type Outcome, refused, type Target } from "../../fuzzTarget.ts"
import * as Mutate from "../../mutate.ts"
import { mustPass } from "./ethJudge.ts"
import * as Proofs from "./forgedProofs.ts"
import * as Encode from "./hashedForms.ts"

type Entries = ReadonlyArray<readonly [key: Uint8Array, value: Uint8Array]>

/** A trie whose root ethereumjs computes too, with proofs of its keys and of absent keys. */
interface Made {
  readonly root: Uint8Array
  readonly entries: ReadonlyMap<string, Uint8Array>
  readonly proofs: ReadonlyArray<{ readonly key: Uint8Array; readonly nodes: ReadonlyArray<Uint8Array> }>
}

/**
 * Returns entries for tries of many shapes: hashed keys as in the state, short keys that are prefixes of each other,
 * small values.
 */
const entriesOf = (random: Random.Random): Entries => {
  const bytes = (length: number) => Uint8Array.from({ length }, () => Random.int(random, 256))
  const isHashed = Random.chance(random, 0.5)
  const alphabet = Random.pick(random, [2, 16, 256])
  const made = new Map<string, readonly [Uint8Array, Uint8Array]>()
  for (let count = Random.pick(random, [0, 1, 2, 5, 12, 40]); count > 0; count--) {
    const key = isHashed
      ? Keccak256.hash(bytes(4))
      : Uint8Array.from({ length: 1 + Random.int(random, 4) }, () => Random.int(random, alphabet))
    made.set(Encode.hexOf(key), [key, bytes(Random.pick(random, [1, 2, 5, 20, 33, 70]))])
  }
  return [...made.values()]
}

const make = async (seed: number): Promise<Made> => {
  const random = Random.make(seed)
  const entries = entriesOf(random)
  const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
  const theirs = await createMPT({})
  for (const [key, value] of entries) await theirs.put(key, value)
  if (!Buffer.from(root).equals(theirs.root())) throw new Error(`seed ${seed}: another root than ethereumjs`)
  const store = NodeStore.make(nodes)
  const keys = entries.flatMap(([key]) => [
    key,
    key.with(key.length - 1, key.at(-1)! ^ 1),
    Uint8Array.from([...key, 0])
  ])
  return {
    root,
    entries: new Map(entries.map(([key, value]) => [Encode.hexOf(key), value])),
    proofs: [...keys, Keccak256.hash(Uint8Array.of(seed))].map((key) => ({
      key,
      nodes: Result.getOrThrow(TrieProof.make(store, root, key)).nodes
    }))
  }
}

const TRIES = 120

const nameOf = (value: Uint8Array | null | undefined): string =>
  value === undefined ? "nothing: the nodes do not reach it" : value === null ? "absent" : Encode.hexOf(value)

const outcomeOf = (
  result: Result.Result<TrieProof.ProofOutcome, { readonly _tag: string }>,
  truth: Uint8Array | null | undefined
): Outcome => {
  if (Result.isFailure(result)) return refused(result.failure._tag)
  const said = result.success._tag === "Included" ? result.success.value : null
  return accepted(
    nameOf(said) === nameOf(truth) ? undefined : { leaf: "value", expected: nameOf(truth), got: nameOf(said) }
  )
}

export const trieProof: Target = {
  name: "trie-proof",
  about: "TrieProof.verify and verifyAll: inclusion and absence under a root, nodes hashed anew",
  prepare: async () => {
    const tries = await Promise.all(Array.from({ length: TRIES }, (_, seed) => make(seed)))
    const all = tries.flatMap(({ proofs }) => proofs)
    return (seed) => {
      const random = Random.make(seed)
      const trie = Random.pick(random, tries)
      const { key, nodes } = Random.pick(random, trie.proofs)
      const truth = trie.entries.get(Encode.hexOf(key)) ?? null
      const put = (said: ReadonlyArray<Uint8Array>) =>
        outcomeOf(
          Random.chance(random, 0.5)
            ? TrieProof.verify(trie.root, key, Random.chance(random, 0.3) ? said.map(asText) : said)
            : // verified together with a true proof of the same trie; the two proofs may share nodes
              TrieProof.verifyAll(trie.root, [Random.pick(random, trie.proofs), { key, nodes: said }])[1]!,
          truth
        )
      const kind = random()
      if (kind < 0.05 || nodes.length === 0) return mustPass(put(nodes))
      const at = Random.chance(random, 0.5) ? nodes.length - 1 : Random.int(random, nodes.length)
      const other = Random.pick(random, all)
      if (kind < 0.15)
        return put(Random.pick(random, [nodes.toSpliced(at, 1), [...nodes, nodes[at]!], nodes.toReversed()]))
      if (kind < 0.25) return put(other.nodes.length === 0 ? [] : nodes.with(at, Random.pick(random, other.nodes)))
      if (kind < 0.3)
        return outcomeOf(TrieProof.verify(trie.root, other.key, nodes), Proofs.look(trie.root, other.key, nodes))
      if (kind < 0.45) return put(nodes.with(at, Proofs.bent(nodes[at]!, random)))
      const forged = Proofs.rehash(nodes, at, Proofs.bent(nodes[at]!, random))
      if (kind < 0.55) return put(forged.nodes)
      // Under a forged root, the truth is the content of the nodes, as an independent walk reads it.
      const asked = Random.chance(random, 0.7) ? key : Mutate.bytesChanged(key, random)
      return outcomeOf(
        TrieProof.verify(forged.root, asked, forged.nodes),
        Proofs.look(forged.root, asked, forged.nodes)
      )
    }
  }
}

const asText = (node: Uint8Array): `0x${string}` => Encode.hexOf(node) as `0x${string}`
