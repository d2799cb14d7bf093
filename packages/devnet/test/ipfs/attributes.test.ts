/** Checks modes and times: stored with files, directories and symlinks, and reported as Kubo does. */
import { assert, it } from "@effect/vitest"
import type { IpfsNode } from "@plumbline/ipfs-client"
import { Effect } from "effect"

import { addAll, fresh, keyStream, reasonOf } from "../support/ipfs.ts"

const file = (size: number, path: string, own: IpfsNode.EntryAttributes = {}): IpfsNode.AddEntry => ({
  path,
  content: keyStream(`kubo/${size}`)(size),
  ...own
})

const own = { mode: 0o640, mtime: 1_600_000_000, mtimeNsecs: 9 }

const tree = (own: IpfsNode.EntryAttributes = {}): ReadonlyArray<IpfsNode.AddEntry> => [
  { type: "directory", path: "d", ...own },
  file(300_000, "d/large", own),
  { type: "directory", path: "d/in", ...own },
  file(10, "d/in/small", own),
  { type: "symlink", path: "d/to", target: "in/small", ...own }
]

const GIVEN = {
  "a small file": [file(10, "f")],
  "a file of two chunks": [file(300_000, "f")],
  "a file with attributes": [file(10, "f", own)],
  "a tree": tree(),
  "a tree with attributes": tree(own),
  "a tree whose directories are not sent": [file(10, "d/in/small", own)],
  "a symlink with attributes": [{ type: "symlink", path: "l", target: "target", ...own }],
  "a directory with attributes": [{ type: "directory", path: "e", ...own }]
} satisfies Record<string, ReadonlyArray<IpfsNode.AddEntry>>

/**
 * The last CID that `add` of Kubo 0.43.0 reports for the same parts. There the names of the parts end with
 * `?mode=0640&mtime=1600000000&mtime-nsecs=9`.
 */
const KUBO: ReadonlyArray<readonly [what: keyof typeof GIVEN, options: IpfsNode.AddOptions, cid: string]> = [
  ["a small file", { mode: 420 }, "Qmcpmp3kLQkPf3pYJopsYUEEFbFujhrKHWJ6DW6sGj7X2L"],
  ["a small file", { mode: 493 }, "QmWgtXtZuAYr1tPevNXKgrMa9sR74rnAWp7YZdfRbaN7Z3"],
  ["a small file", { mode: 0 }, "QmavyRieCLkA78FkedBJ5sBqphAU9e1fH6oVsPzjk4DptN"],
  ["a small file", { mode: 4095 }, "QmfSLNzZBD1BZbtfnt3HBdnWbkFSGn3YTKf72RFU5vFexs"],
  ["a small file", { mode: 2147484141 }, "QmWgtXtZuAYr1tPevNXKgrMa9sR74rnAWp7YZdfRbaN7Z3"],
  ["a small file", { mtime: 1700000000 }, "QmSQEVacNZMCwWL7XF7DHk6kDJRM5MAN3rUNR18f4JF4dK"],
  ["a small file", { mtime: 0 }, "QmavyRieCLkA78FkedBJ5sBqphAU9e1fH6oVsPzjk4DptN"],
  ["a small file", { mtime: -1, mtimeNsecs: 7 }, "QmXpYfapkvMCY6RSJrWpHPmvGhocGi9B8xBoXhJ8fQRuF2"],
  ["a small file", {}, "QmavyRieCLkA78FkedBJ5sBqphAU9e1fH6oVsPzjk4DptN"],
  ["a file of two chunks", { mode: 420 }, "Qme4Z3W65x8pnnVyZ1Wk4poNk7SpVr4jAuDSeLBsSVmdMd"],
  ["a file of two chunks", { mtime: 1700000000 }, "QmP7TGjavLTCDSAk6KnHneTAgd4Srq6W4i1KS2xQegYWuY"],
  ["a file of two chunks", { mode: 384, trickle: true }, "QmXVAvVN4x6ptK1Dvn5TXh8cmda4f3UXeZda7ySggFNzPu"],
  ["a file with attributes", {}, "QmavyRieCLkA78FkedBJ5sBqphAU9e1fH6oVsPzjk4DptN"],
  ["a file with attributes", { mode: 420 }, "Qmcpmp3kLQkPf3pYJopsYUEEFbFujhrKHWJ6DW6sGj7X2L"],
  ["a file with attributes", { mtime: 0 }, "QmavyRieCLkA78FkedBJ5sBqphAU9e1fH6oVsPzjk4DptN"],
  ["a file with attributes", { preserveMode: true }, "QmNNpBrxo9vxUkmn39U2FwwvHKjeGMzNrdRKQ1Z2MgCgcb"],
  [
    "a file with attributes",
    { preserveMode: true, preserveMtime: true },
    "QmTHDdxUijkPhDJz8kX4zLskJq9savjCNHMwJNUqsNc1iP"
  ],
  ["a file with attributes", { preserveMode: true, mode: 256 }, "QmXffA7Y3yuFtrGw7GiCYWuTHSEeMv7MPh7XcFNGxnEtts"],
  ["a file with attributes", { preserveMtime: true, mtime: 5 }, "QmUJZZ5CWwAb8WGFAoZ8QoZxZVgtinKeTL99v9wttauF9P"],
  ["a tree with attributes", {}, "QmaTTp35BNuWtksJa8Hjgi3NboyQpM4weSEF1FFN2ysvZA"],
  ["a tree with attributes", { mode: 493 }, "QmTKdeB41BVRMtQxbBNT77qYnVzNYzdd3NgNEqrHJ5Xc6b"],
  [
    "a tree with attributes",
    { preserveMode: true, preserveMtime: true },
    "QmWd2UCxnh5gjiAqbaXne3ztn2hwj1ZJ7pq13TuiHttEsE"
  ],
  ["a tree with attributes", { preserveMode: true, mode: 256 }, "QmaSTNCEEdAz5gyBA2zQkM2bBf3iCxhA7TmoNvEGzu3iPi"],
  ["a tree with attributes", { preserveMtime: true, mtime: 5 }, "QmRMutLXJp7s7oMWFqMRrUs8ZRn63jpZLRxb4H7YCipR44"],
  ["a tree", { mode: 420 }, "QmSMXZLdyrhmAg7H3RupNQMKdSiRiX2Dh7A8iipfT85EaD"],
  ["a tree", { mtime: 1700000000 }, "Qmdfi8KYxwJLJkF5pA1FzWFq7KC2tAWm8rgGFYmQ5JCCpY"],
  ["a tree", { preserveMode: true, preserveMtime: true }, "QmaTTp35BNuWtksJa8Hjgi3NboyQpM4weSEF1FFN2ysvZA"],
  ["a tree whose directories are not sent", { mode: 420 }, "Qmcac1C7R84H42DxufRtMvHA48sY28raCSZVn1tG5iziFg"],
  [
    "a tree whose directories are not sent",
    { mtime: -1, mtimeNsecs: 7 },
    "Qmepkr7YTKZXoUPWBDd5W8ajTtKLeLDhseZ3eo2jnx8dNN"
  ],
  [
    "a tree whose directories are not sent",
    { preserveMode: true, preserveMtime: true },
    "QmYJnEUrHWovA5EgBD41yAmsNSJx4vadSbjVdBFwXNq3yn"
  ],
  ["a symlink with attributes", { mode: 420 }, "QmbqcXVc1m3ptTWpceoVYfkn1gD6MRvjEFbVeMsBjSKQgT"],
  [
    "a symlink with attributes",
    { preserveMode: true, preserveMtime: true },
    "QmXw1MHBkNgVQbYr78eFY29XoDxcNkazmmZFRYLSrWvHy6"
  ],
  ["a symlink with attributes", { mtime: 1700000000 }, "Qmdcc6cpX9nFmacDBtMvnjNPbSjnTyN6FC7ws97QBjuHsz"],
  ["a directory with attributes", { mode: 493 }, "QmRviohgafvCsbkiTgfQFipbuXJ6k1YtoiaQW4quttJPKu"],
  ["a directory with attributes", { mode: 0 }, "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"],
  ["a directory with attributes", { preserveMode: true }, "QmPhXgs4zidg9ZrH4qgzyGGaCknpJ5k6zhBwrZcAbEzDcY"],
  ["a directory with attributes", { mtime: 0 }, "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"]
]

it.live("are stored where Kubo stores them", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      for (const [what, options, cid] of KUBO) {
        const added = yield* addAll(node, GIVEN[what], { ...options, onlyHash: true })
        assert.strictEqual(String(added.at(-1)?.cid), cid, `${what}, ${JSON.stringify(options)}`)
      }
    })
  )
)

it.live("are said of everything as the entry at the top has them, stored or not, as Kubo does", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const said = (entries: ReadonlyArray<IpfsNode.AddEntry>, options: IpfsNode.AddOptions = {}) =>
        Effect.map(addAll(node, entries, options), (added) =>
          added.map(({ mode, mtime, mtimeNsecs, name }) => [name, mode, mtime, mtimeNsecs])
        )
      const echo = [0o640, 1_600_000_000, 9]
      const nothing = [undefined, undefined, undefined]
      for (const options of [{}, { mode: 0o400, mtime: 5 }, { preserveMode: true }]) {
        assert.deepStrictEqual(yield* said(GIVEN["a file with attributes"], options), [["f", ...echo]])
        assert.deepStrictEqual(yield* said(GIVEN["a small file"], options), [["f", ...nothing]])
      }
      const top = [{ type: "directory", path: "d", mode: 0o700 } as const, ...tree(own).slice(1)]
      assert.deepStrictEqual(yield* said(top), [
        ["d/large", 0o700, undefined, undefined],
        ["d/in/small", 0o700, undefined, undefined],
        ["d/to", 0o700, undefined, undefined],
        ["d/in", 0o700, undefined, undefined],
        ["d", 0o700, undefined, undefined]
      ])
      const unsent = yield* said(GIVEN["a tree whose directories are not sent"], { preserveMode: true })
      assert.deepStrictEqual(unsent.at(-1), ["d", ...nothing])
      assert.deepStrictEqual(unsent[0], ["d/in/small", ...nothing])
      const wrapped = yield* said(GIVEN["a file with attributes"], { wrapWithDirectory: true })
      assert.deepStrictEqual(wrapped, [
        ["f", ...nothing],
        ["", ...nothing]
      ])
      assert.deepStrictEqual(yield* said([file(10, "f", { mode: 0, mtime: 0, mtimeNsecs: 0 })]), [["f", ...nothing]])
    })
  )
)

it.live("are read back as they were stored", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const added = yield* addAll(node, tree(own), { preserveMode: true, preserveMtime: true })
      const root = String(added.at(-1)?.cid)
      for (const path of ["", "/large", "/in", "/in/small", "/to"]) {
        const { mode, mtime, mtimeNsecs } = yield* node.stat(`${root}${path}`)
        const kept = { ...own, mode: path === "/to" ? undefined : own.mode }
        assert.deepStrictEqual({ mode, mtime, mtimeNsecs }, kept, path)
      }
    })
  )
)

it.live("nanoseconds are refused without a time, and beyond a second", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      for (const options of [{ mtimeNsecs: 5 }, { mtime: 0, mtimeNsecs: 5 }, { mtime: 1, mtimeNsecs: 1_000_000_000 }]) {
        const reason = yield* reasonOf(addAll(node, [file(10, "f")], options))
        assert.strictEqual(reason._tag, "InvalidRequest", JSON.stringify(options))
      }
      yield* addAll(node, [file(10, "f")], { mtimeNsecs: 0 })
    })
  )
)
