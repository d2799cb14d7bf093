/** Pins. */
import type { CID } from "multiformats/cid"

import type { Check, Given } from "../check.ts"
import { failureOf } from "../check.ts"
import { all } from "../content.ts"

/** Adds a file of three chunks without pinning it, and returns its root and its chunks. */
const unpinned = async ({ fresh, ipfs }: Given) => {
  const { cid } = await ipfs.add(fresh("content", 600_000), { pin: false })
  const { value } = await ipfs.dag.get(cid)
  const chunks = (value as { readonly Links: ReadonlyArray<{ readonly Hash: CID }> }).Links.map(({ Hash }) => Hash)
  return { root: cid, chunks }
}

const typeOf = async ({ ipfs }: Given, cid: CID): Promise<string> => {
  const found = await all(ipfs.pin.ls({ paths: [cid] }))
  return String(found[0]?.type)
}

/** Returns the number of pins of a type among these CIDs. */
const listed = async (
  { ipfs }: Given,
  type: "all" | "direct" | "indirect" | "recursive",
  among: ReadonlyArray<CID>
) => {
  const wanted = new Set(among.map(String))
  const pins = await all(ipfs.pin.ls({ type }))
  return pins.filter(({ cid }) => wanted.has(String(cid))).length
}

export const checks: ReadonlyArray<Check> = [
  {
    name: "pin/add: recursive, and again",
    run: async (given) => {
      const { root } = await unpinned(given)
      const first = await given.ipfs.pin.add(root)
      const second = await given.ipfs.pin.add(root)
      return {
        seen: [String(first), String(second), await typeOf(given, root)],
        expected: [String(root), String(root), "recursive"]
      }
    }
  },
  {
    name: "pin/add: direct",
    run: async (given) => {
      const { root } = await unpinned(given)
      await given.ipfs.pin.add(root, { recursive: false })
      return { seen: await typeOf(given, root), expected: "direct" }
    }
  },
  {
    name: "pin/add: what nobody has is an error",
    run: async ({ fresh, ipfs }) => {
      const { cid } = await ipfs.add(fresh("nothing"), { onlyHash: true, pin: false })
      const failure = await failureOf(() => ipfs.pin.add(cid, { timeout: 3000 }))
      return { seen: failure === "no error" ? failure : "an error", expected: "an error" }
    }
  },
  {
    name: "pin/add: several, one after the other",
    run: async (given) => {
      const one = await given.ipfs.add(given.fresh("one"), { pin: false })
      const two = await given.ipfs.add(given.fresh("two"), { pin: false })
      const pinned = await all(given.ipfs.pin.addAll([{ cid: one.cid }, { cid: two.cid, recursive: false }]))
      return {
        seen: { pinned: pinned.map(String), types: [await typeOf(given, one.cid), await typeOf(given, two.cid)] },
        expected: { pinned: [String(one.cid), String(two.cid)], types: ["recursive", "direct"] }
      }
    }
  },
  {
    name: "pin/add: a name, and pin/ls says it",
    only: "kubo-rpc-client",
    run: async (given) => {
      const { root } = await unpinned(given)
      await given.ipfs.pin.add(root, { name: "a name" })
      const pins = await all(given.ipfs.pin.ls({ paths: [root], names: true }))
      return { seen: pins.map(({ name }) => name), expected: ["a name"] }
    }
  },
  {
    name: "pin/ls: by type",
    run: async (given) => {
      const { chunks, root } = await unpinned(given)
      await given.ipfs.pin.add(root)
      return {
        seen: {
          recursive: await listed(given, "recursive", [root, ...chunks]),
          indirect: await listed(given, "indirect", [root, ...chunks]),
          direct: await listed(given, "direct", [root, ...chunks]),
          all: await listed(given, "all", [root, ...chunks])
        },
        expected: { recursive: 1, indirect: 3, direct: 0, all: 4 }
      }
    }
  },
  {
    name: "pin/ls: what is pinned through something else",
    run: async (given) => {
      const { chunks, root } = await unpinned(given)
      await given.ipfs.pin.add(root)
      return { seen: await typeOf(given, chunks[0]!), expected: `indirect through ${String(root)}` }
    }
  },
  {
    name: "pin/ls: what is not pinned is an error",
    run: async (given) => {
      const { root } = await unpinned(given)
      const failure = await failureOf(() => all(given.ipfs.pin.ls({ paths: [root] })))
      return { seen: failure.replaceAll(String(root), "<root>"), expected: "path '<root>' is not pinned" }
    }
  },
  {
    name: "pin/ls: a type that is none is an error",
    run: async ({ ipfs }) => {
      const sentence = "invalid type 'loose', must be one of {direct, indirect, recursive, all}"
      return {
        seen: await failureOf(() => all(ipfs.pin.ls({ type: "loose" as "all" }))),
        expected: sentence
      }
    }
  },
  {
    name: "pin/rm: lets go",
    run: async (given) => {
      const { root } = await unpinned(given)
      await given.ipfs.pin.add(root)
      const removed = await given.ipfs.pin.rm(root)
      return {
        seen: { removed: String(removed), left: await listed(given, "all", [root]) },
        expected: { removed: String(root), left: 0 }
      }
    }
  },
  {
    name: "pin/rm: several, one after the other",
    run: async (given) => {
      const one = await given.ipfs.add(given.fresh("one"))
      const two = await given.ipfs.add(given.fresh("two"))
      const removed = await all(given.ipfs.pin.rmAll([{ cid: one.cid }, { cid: two.cid }]))
      return {
        seen: { removed: removed.map(String), left: await listed(given, "all", [one.cid, two.cid] as Array<CID>) },
        expected: { removed: [String(one.cid), String(two.cid)], left: 0 }
      }
    }
  },
  {
    name: "pin/rm: what is not pinned is an error",
    run: async (given) => {
      const { root } = await unpinned(given)
      const failure = await failureOf(() => given.ipfs.pin.rm(root))
      return { seen: failure.replaceAll(String(root), "<root>"), expected: "not pinned or pinned indirectly" }
    }
  },
  {
    name: "pin/rm: what is pinned recursively does not go directly",
    run: async (given) => {
      const { root } = await unpinned(given)
      await given.ipfs.pin.add(root)
      const failure = await failureOf(() => given.ipfs.pin.rm(root, { recursive: false }))
      return { seen: failure.replaceAll(String(root), "<root>"), expected: "<root> is pinned recursively" }
    }
  },
  {
    name: "pin/update: moves a pin",
    only: "kubo-rpc-client",
    run: async (given) => {
      const from = await given.ipfs.add(given.fresh("from"))
      const to = await given.ipfs.add(given.fresh("to"), { pin: false })
      const moved = await given.ipfs.pin.update(from.cid, to.cid)
      return {
        seen: {
          moved: moved.map(String),
          left: await listed(given, "all", [from.cid]),
          pinned: await typeOf(given, to.cid)
        },
        expected: { moved: [String(from.cid), String(to.cid)], left: 0, pinned: "recursive" }
      }
    }
  }
]
