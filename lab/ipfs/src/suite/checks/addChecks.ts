/** Adding files and directories. */
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { trickle } from "ipfs-unixfs-importer/layout"

import type { Check, Given } from "../check.ts"
import { all, cidOf, imported, inPieces, keyStream, utf8 } from "../content.ts"

/** Kubo's CIDs, from its own tests and documentation. */
const SMALL = {
  "": "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH",
  "hello\n": "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN",
  "hello world\n": "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o",
  "hello world": "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
}

/**
 * Kubo's vectors from `test/cli/cid_profiles_test.go`: a file of one chunk, a file of one byte more, and a file of one
 * byte more than a single node can hold.
 */
const LARGE: ReadonlyArray<readonly [seed: string, size: number, cid: string]> = [
  ["chunk-v0-seed", 262_144, "QmWmRj3dFDZdb6ABvbmKhEL6TmPbAfBZ1t5BxsEyJrcZhE"],
  ["chunk-v0-seed", 262_145, "QmYyLxtzZyW22zpoVAtKANLRHpDjZtNeDjQdJrcQNWoRkJ"],
  ["v0-seed", 174 * 262_144 + 1, "QmV81WL765sC8DXsRhE5fJv2rwhS4icHRaf3J9Zk5FdRnW"]
]

const seenOf = (entry: { readonly path: string; readonly cid: { toString: () => string }; readonly size: number }) => ({
  path: entry.path,
  cid: String(entry.cid),
  size: entry.size
})

/** Adds one file, and compares its CID with the importer's under the same options. */
const asImported = (
  name: string,
  options: Parameters<Given["ipfs"]["add"]>[1],
  importerOptions: Parameters<typeof cidOf>[1],
  size = 100
): Check => ({
  name,
  run: async ({ fresh, ipfs }) => {
    const content = fresh("content", size)
    const { cid } = await ipfs.add(content, options)
    return { seen: String(cid), expected: await cidOf(content, importerOptions) }
  }
})

/** Adds one file, and compares its CID with a known one. */
const asKnown = (
  name: string,
  content: Uint8Array,
  options: Parameters<Given["ipfs"]["add"]>[1],
  expected: string
): Check => ({
  name,
  run: async ({ ipfs }) => ({ seen: String((await ipfs.add(content, options)).cid), expected })
})

const tree = (fresh: Given["fresh"]) => [
  { path: "top/a.txt", content: fresh("a") },
  { path: "top/deep/er/b.bin", content: fresh("b", 300_000) },
  { path: "top/deep/c", content: fresh("c", 1) }
]

/** Returns the same files as `createDeterministicFiles` of Kubo's tests, with names of this length. */
const manyFiles = (seed: string, count: number, length: number) => {
  const alphabet = "abcdefghijklmnopqrstuvwxyz01234567890-_"
  const letters = keyStream(seed, count * length)
  const nameOf = (index: number) =>
    Array.from(letters.subarray(index * length, (index + 1) * length), (byte) => alphabet[byte % alphabet.length])
  return Array.from({ length: count }, (_, index) => ({ path: `dir/${nameOf(index).join("")}`, content: utf8("x") }))
}

export const checks: ReadonlyArray<Check> = [
  ...Object.entries(SMALL).map(([text, cid]) =>
    asKnown(`add: the CID of ${JSON.stringify(text)}`, utf8(text), {}, cid)
  ),
  ...LARGE.map(([seed, size, cid]): Check => ({
    name: `add: the CID of ${size} bytes that come in pieces`,
    run: async ({ ipfs }) => {
      const added = await ipfs.add(inPieces(keyStream(seed, size)), { pin: false })
      return { seen: String(added.cid), expected: cid }
    }
  })),
  asKnown(
    "add: sha2-512",
    utf8("hello world"),
    { hashAlg: "sha2-512", cidVersion: 1, rawLeaves: true },
    "bafkrgqbqt3gerhas23vuzrapkdeqf4vu2dwxp3srdj6hvg6nhsug2tgyn6mj3u23yx7utftq3i2ckw2fwdh5qmhid5qf3t35yvkc5e5ottlw6"
  ),
  asImported("add: version 1", { cidVersion: 1 }, { cidVersion: 1, rawLeaves: true }),
  asImported("add: version 1, larger", { cidVersion: 1 }, { cidVersion: 1, rawLeaves: true }, 600_000),
  asImported(
    "add: version 1 without raw leaves",
    { cidVersion: 1, rawLeaves: false },
    { cidVersion: 1, rawLeaves: false }
  ),
  asImported("add: raw leaves", { rawLeaves: true }, { rawLeaves: true }, 600_000),
  asImported("add: raw leaves of a small file", { rawLeaves: true }, { rawLeaves: true }),
  asImported("add: a chunker", { chunker: "size-1000" }, { chunker: fixedSize({ chunkSize: 1000 }) }, 20_000),
  asImported(
    "add: trickle",
    { trickle: true, chunker: "size-1000" },
    { layout: trickle({ maxChildrenPerNode: 174 }), leafType: "raw", chunker: fixedSize({ chunkSize: 1000 }) },
    400_000
  ),
  {
    name: "add: a path, a CID and a size",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", 300_000)
      const added = await ipfs.add({ path: "a.txt", content })
      return { seen: seenOf(added), expected: (await imported([{ path: "a.txt", content }]))[0] }
    }
  },
  {
    name: "add: without a path the name is the CID",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content")
      const cid = await cidOf(content)
      return { seen: (await ipfs.add(content)).path, expected: cid }
    }
  },
  {
    name: "add: a tree, directories after what they hold",
    run: async ({ fresh, ipfs }) => {
      const added = (await all(ipfs.addAll(tree(fresh)))).map(seenOf)
      const expected = await imported(tree(fresh))
      const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1)
      const isOrdered = added.every(
        ({ path }, index) => !added.slice(0, index).some((before) => path.startsWith(`${before.path}/`))
      )
      return {
        seen: { entries: [...added].sort(byPath), isOrdered },
        expected: { entries: [...expected].sort(byPath), isOrdered: true }
      }
    }
  },
  {
    name: "add: wrapped in a directory, which comes last and has no name",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content")
      const added = (await all(ipfs.addAll([{ path: "a.txt", content }], { wrapWithDirectory: true }))).map(seenOf)
      return { seen: added, expected: await imported([{ path: "a.txt", content }], { wrapWithDirectory: true }) }
    }
  },
  {
    name: "add: one file, wrapped, answers the directory",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content")
      const { cid } = await ipfs.add({ path: "a.txt", content }, { wrapWithDirectory: true })
      const wrapped = await imported([{ path: "a.txt", content }], { wrapWithDirectory: true })
      return { seen: String(cid), expected: wrapped.at(-1)!.cid }
    }
  },
  {
    name: "add: names with spaces, signs and letters of the world",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content")
      const names = ["a b", "ä+ö&ü", "50%", "%41", "日本", "q?x=1#y", 'say "hi"', "semi;colon"]
      const files = names.map((name) => ({ path: `d/${name}`, content }))
      const added = (await all(ipfs.addAll(files))).map(seenOf)
      return { seen: added.at(-1), expected: (await imported(files)).at(-1) }
    }
  },
  {
    name: "add: an empty directory",
    run: async ({ ipfs }) => {
      const added = (await all(ipfs.addAll([{ path: "empty" }]))).map(seenOf)
      return {
        seen: added,
        expected: [{ path: "empty", cid: "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn", size: 4 }]
      }
    }
  },
  {
    name: "add: a directory too large for one block, sharded",
    run: async ({ ipfs }) => {
      const added = await all(ipfs.addAll(manyFiles("hamt-unixfs-v0-2015", 4033, 31), { pin: false }))
      return {
        seen: { entries: added.length, root: String(added.at(-1)?.cid) },
        expected: { entries: 4034, root: "QmeMiJzmhpJAUgynAcxTQYek5PPKgdv3qEvFsdV3XpVnvP" }
      }
    }
  },
  {
    name: "add: 300 files at once",
    run: async ({ fresh, ipfs }) => {
      const files = Array.from({ length: 300 }, (_, index) => ({ path: `many/${index}`, content: fresh(`${index}`) }))
      const added = (await all(ipfs.addAll(files))).map(seenOf)
      return {
        seen: { entries: added.length, root: added.at(-1) },
        expected: { entries: 301, root: (await imported(files)).at(-1) }
      }
    }
  },
  {
    name: "add: says how far it is",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", 600_000)
      let last = 0
      let grows = true
      const progress = (bytes: number): void => {
        grows &&= bytes >= last
        last = bytes
      }
      const { cid } = await ipfs.add({ path: "f", content: inPieces(content) }, { progress })
      return {
        seen: { cid: String(cid), last, grows },
        expected: { cid: await cidOf(content), last: 600_000, grows: true }
      }
    }
  },
  {
    name: "add: only the hash keeps nothing",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content")
      const { cid } = await ipfs.add(content, { onlyHash: true })
      const block = await ipfs.block.get(cid, { timeout: 2000 }).then(
        () => "is there",
        () => "is not there"
      )
      return { seen: { cid: String(cid), block }, expected: { cid: await cidOf(content), block: "is not there" } }
    }
  },
  {
    name: "add: a mode and a time change the CID, and are read back",
    run: async ({ fresh, ipfs }) => {
      // The content has several chunks, because js-ipfs and Kubo differ for a single chunk.
      const content = fresh("content", 300_000)
      const candidate = { path: "f", content, mode: 0o640, mtime: new Date(1_700_000_000_000) }
      const { cid } = await ipfs.add(candidate, { preserveMode: true, preserveMtime: true } as {})
      const { mode, mtime } = await ipfs.files.stat(`/ipfs/${String(cid)}`)
      const [file] = await imported([{ ...candidate, mtime: { secs: 1_700_000_000n } }])
      return {
        seen: { cid: String(cid), mode, secs: mtime?.secs },
        expected: { cid: file!.cid, mode: 0o640, secs: 1_700_000_000 }
      }
    }
  },
  {
    name: "add: is pinned unless told otherwise",
    run: async ({ fresh, ipfs }) => {
      const pinned = await ipfs.add(fresh("pinned"))
      const free = await ipfs.add(fresh("free"), { pin: false })
      const types = new Map((await all(ipfs.pin.ls())).map(({ cid, type }) => [String(cid), type]))
      return {
        seen: [types.get(String(pinned.cid)), types.get(String(free.cid))],
        expected: ["recursive", undefined]
      }
    }
  }
]
