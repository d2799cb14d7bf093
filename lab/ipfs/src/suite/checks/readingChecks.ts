/** Checks the commands that read files and directories: cat, get, ls, files/stat. */
import { gunzipSync } from "node:zlib"

import type { Check, Given } from "../check.ts"
import { failureOf } from "../check.ts"
import { all, archived, bytesOf, digestOf, imported } from "../content.ts"

const SIZE = 600_000

/** Makes a check that reads a range of a file of three chunks. */
const range = (name: string, options: { readonly offset?: number; readonly length?: number }): Check => ({
  name,
  run: async ({ fresh, ipfs }) => {
    const content = fresh("content", SIZE)
    const { cid } = await ipfs.add(content)
    const { length = SIZE, offset = 0 } = options
    return {
      seen: digestOf(await bytesOf(ipfs.cat(cid, options))),
      expected: digestOf(content.subarray(offset, offset + length))
    }
  }
})

/** Adds a directory with a file and a subdirectory. */
const addTree = async ({ fresh, ipfs }: Given) => {
  const files = [
    { path: "top/a.txt", content: fresh("a") },
    { path: "top/in/b.bin", content: fresh("b", SIZE) }
  ]
  const added = await all(ipfs.addAll(files))
  const root = added.find(({ path }) => path === "top")!.cid
  return { files, root, expected: new Map((await imported(files)).map((entry) => [entry.path, entry])) }
}

export const checks: ReadonlyArray<Check> = [
  range("cat: a whole file", {}),
  range("cat: from an offset", { offset: 262_143 }),
  range("cat: a range over the end of a chunk", { offset: 262_140, length: 10 }),
  range("cat: a range over three chunks", { offset: 1, length: 599_998 }),
  range("cat: more than there is", { offset: 599_990, length: 1000 }),
  range("cat: from beyond the end", { offset: 700_000 }),
  {
    name: "cat: nothing of a file",
    run: async ({ fresh, ipfs }) => {
      const { cid } = await ipfs.add(fresh("content"))
      return { seen: (await bytesOf(ipfs.cat(cid, { length: 0 }))).length, expected: 0 }
    }
  },
  {
    name: "cat: an empty file",
    run: async ({ ipfs }) => {
      const { cid } = await ipfs.add(new Uint8Array())
      return { seen: (await bytesOf(ipfs.cat(cid))).length, expected: 0 }
    }
  },
  {
    name: "cat: a path, with /ipfs/ and without",
    run: async (given) => {
      const { files, root } = await addTree(given)
      const b = digestOf(files[1]!.content)
      return {
        seen: [
          digestOf(await bytesOf(given.ipfs.cat(`/ipfs/${String(root)}/in/b.bin`))),
          digestOf(await bytesOf(given.ipfs.cat(`${String(root)}/in/b.bin`)))
        ],
        expected: [b, b]
      }
    }
  },
  {
    name: "cat: a time limit that is not reached",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content")
      const { cid } = await ipfs.add(content)
      return { seen: digestOf(await bytesOf(ipfs.cat(cid, { timeout: 30_000 }))), expected: digestOf(content) }
    }
  },
  {
    name: "cat: a directory is an error",
    run: async (given) => {
      const { root } = await addTree(given)
      return {
        seen: await failureOf(() => bytesOf(given.ipfs.cat(root))),
        expected: "this dag node is a directory"
      }
    }
  },
  {
    name: "cat: a name that is not there is an error",
    run: async (given) => {
      const { root } = await addTree(given)
      return {
        seen: (await failureOf(() => bytesOf(given.ipfs.cat(`/ipfs/${String(root)}/no`)))).replaceAll(
          String(root),
          "<root>"
        ),
        expected: 'no link named "no" under <root>'
      }
    }
  },
  {
    name: "cat: a path that is none is an error",
    run: async ({ ipfs }) => ({
      seen: (await failureOf(() => bytesOf(ipfs.cat("/ipfs/nonsense")))) === "no error" ? "no error" : "an error",
      expected: "an error"
    })
  },
  {
    name: "cat: a negative offset is an error",
    run: async ({ fresh, ipfs }) => {
      const { cid } = await ipfs.add(fresh("content"))
      const sentence = "cannot specify negative offset"
      return {
        seen: await failureOf(() => bytesOf(ipfs.cat(cid, { offset: -1 }))),
        expected: sentence
      }
    }
  },
  {
    name: "get: a file is an archive of one entry, named by its CID",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", SIZE)
      const { cid } = await ipfs.add(content)
      return {
        seen: await archived(await bytesOf(ipfs.get(cid))),
        expected: [{ name: String(cid), type: "file", content: digestOf(content) }]
      }
    }
  },
  {
    name: "get: a directory is an archive of all that is in it",
    run: async (given) => {
      const { files, root } = await addTree(given)
      const entries = await archived(await bytesOf(given.ipfs.get(root)))
      const empty = digestOf(new Uint8Array())
      return {
        seen: entries.map((entry) => ({ ...entry, name: entry.name.replace(/\/$/u, "") })),
        expected: [
          { name: String(root), type: "directory", content: empty },
          { name: `${String(root)}/a.txt`, type: "file", content: digestOf(files[0]!.content) },
          { name: `${String(root)}/in`, type: "directory", content: empty },
          { name: `${String(root)}/in/b.bin`, type: "file", content: digestOf(files[1]!.content) }
        ]
      }
    }
  },
  {
    name: "get: a long name survives the archive",
    run: async ({ fresh, ipfs }) => {
      const name = `${"n".repeat(120)}/${"ü".repeat(60)}.txt`
      const content = fresh("content")
      const added = await all(ipfs.addAll([{ path: `d/${name}`, content }]))
      const root = added.find(({ path }) => path === "d")!.cid
      const entries = await archived(await bytesOf(ipfs.get(root)))
      return {
        seen: entries.at(-1),
        expected: { name: `${String(root)}/${name}`, type: "file", content: digestOf(content) }
      }
    }
  },
  {
    name: "get: a file, compressed and not archived",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", SIZE)
      const { cid } = await ipfs.add(content)
      const options = { compress: true, compressionLevel: 1 } as {}
      return { seen: digestOf(gunzipSync(await bytesOf(ipfs.get(cid, options)))), expected: digestOf(content) }
    }
  },
  {
    name: "get: an archive, compressed",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", SIZE)
      const { cid } = await ipfs.add(content)
      const archive = await bytesOf(ipfs.get(cid, { archive: true, compress: true, compressionLevel: 6 } as {}))
      return {
        seen: await archived(gunzipSync(archive)),
        expected: [{ name: String(cid), type: "file", content: digestOf(content) }]
      }
    }
  },
  {
    name: "ls: the entries of a directory",
    run: async (given) => {
      const { expected, files, root } = await addTree(given)
      const entries = await all(given.ipfs.ls(root))
      return {
        seen: entries.map(({ cid, name, path, size, type }) => ({ cid: String(cid), name, path, size, type })),
        expected: [
          {
            cid: expected.get("top/a.txt")!.cid,
            name: "a.txt",
            path: `${String(root)}/a.txt`,
            size: files[0]!.content.length,
            type: "file"
          },
          { cid: expected.get("top/in")!.cid, name: "in", path: `${String(root)}/in`, size: 0, type: "dir" }
        ]
      }
    }
  },
  {
    name: "ls: a path",
    run: async (given) => {
      const { expected, root } = await addTree(given)
      const entries = await all(given.ipfs.ls(`/ipfs/${String(root)}/in`))
      return {
        seen: entries.map(({ cid, name, size, type }) => ({ cid: String(cid), name, size, type })),
        expected: [{ cid: expected.get("top/in/b.bin")!.cid, name: "b.bin", size: SIZE, type: "file" }]
      }
    }
  },
  {
    name: "files/stat: a file",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", SIZE)
      const { cid } = await ipfs.add(content)
      const stat = await ipfs.files.stat(`/ipfs/${String(cid)}`)
      const [expected] = await imported([{ content }])
      return {
        seen: statOf(stat),
        expected: { cid: expected!.cid, size: SIZE, cumulativeSize: expected!.size, blocks: 3, type: "file" }
      }
    }
  },
  {
    name: "files/stat: a directory",
    run: async (given) => {
      const { expected, root } = await addTree(given)
      const top = expected.get("top")!
      return {
        seen: statOf(await given.ipfs.files.stat(`/ipfs/${String(root)}`)),
        expected: { cid: top.cid, size: 0, cumulativeSize: top.size, blocks: 2, type: "directory" }
      }
    }
  }
]

const statOf = (stat: Awaited<ReturnType<Given["ipfs"]["files"]["stat"]>>) => ({
  cid: String(stat.cid),
  size: stat.size,
  cumulativeSize: stat.cumulativeSize,
  blocks: stat.blocks,
  type: stat.type
})
