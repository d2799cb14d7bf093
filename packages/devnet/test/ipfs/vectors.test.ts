/** Compares CIDs with Kubo's own test vectors (`test/cli/cid_profiles_test.go`, `add_test.go`, sharness). */
import { assert, it } from "@effect/vitest"
import type { IpfsNode } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import { addAll, addOne, bytesAt, fresh, keyStream, random, reasonOf, utf8 } from "../support/ipfs.ts"

const KIB = 1024

it.live("gives Kubo's CIDs of small things unless told otherwise", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      assert.strictEqual(yield* addOne(node, ""), "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH")
      assert.strictEqual(yield* addOne(node, "hello\n"), "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN")
      assert.strictEqual(yield* addOne(node, "hello world\n"), "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o")
      assert.strictEqual(yield* addOne(node, "hello world"), "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")
      const [empty] = yield* addAll(node, [{ type: "directory", path: "empty" }])
      assert.strictEqual(String(empty?.cid), "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn")
      assert.strictEqual(
        yield* addOne(node, "hello world", { profile: "unixfs-v1-2025" }),
        "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"
      )
    })
  )
)

/**
 * Vectors from Kubo's sharness tests. The vectors for `planets` and for other options are from t0040, all others from
 * `t0046-id-hash.sh`.
 */
it.live("gives Kubo's CIDs for other layouts, versions and hash functions", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const planets = (options: IpfsNode.AddOptions) =>
        Effect.map(
          addAll(
            node,
            [
              { path: "planets/mars.txt", content: utf8("Hello Mars!\n") },
              { path: "planets/venus.txt", content: utf8("Hello Venus!\n") }
            ],
            options
          ),
          (added) => added.map(({ cid }) => String(cid))
        )
      assert.deepStrictEqual(yield* planets({}), [
        "QmPrrHqJzto9m7SyiRzarwkqPcCSsKR2EB1AyqJfe8L8tN",
        "QmU5kp3BH3B8tnWUU2Pikdb2maksBNkb92FHRr56hyghh4",
        "QmWSgS32xQEcXMeqd3YPJLrNBLSdsfYCep2U7CFkyrjXwY"
      ])
      assert.deepStrictEqual(yield* planets({ hash: "blake2b-256" }), [
        "bafk2bzaceaqcxw46uzkyd2jmczoogof6pnkqt4dpiv3pwkunsv4g5rkkmecie",
        "bafk2bzacebxnke2fb5mgzxyjuuavvcfht4fd3gvn4klkujz6k72wboynhuvfw",
        "bafykbzaceaptbcs7ik5mdfpot3b4ackvxlwh7loc5jcrtkayf64ukl7zyk46e"
      ])
      assert.strictEqual(
        yield* addOne(node, "hello world", { hash: "sha2-512" }),
        "bafkrgqbqt3gerhas23vuzrapkdeqf4vu2dwxp3srdj6hvg6nhsug2tgyn6mj3u23yx7utftq3i2ckw2fwdh5qmhid5qf3t35yvkc5e5ottlw6"
      )
      assert.strictEqual(
        yield* addOne(node, "Hello Worlds!\n", { trickle: true }),
        "QmUkUQgxXeggyaD5Ckv8ZqfW8wHBX6cYyeiyqvVZYzq5Bi"
      )
      const inlined = yield* addOne(node, "jkD98jkD975hkD8\n", { inline: true, rawLeaves: true })
      assert.strictEqual(inlined, "bafkqaedknncdsodknncdsnzvnbvuioak")
      assert.strictEqual(new TextDecoder().decode(yield* bytesAt(node, inlined)), "jkD98jkD975hkD8\n")
    })
  )
)

const FILES: ReadonlyArray<readonly [seed: string, size: number, cid: string]> = [
  ["chunk-v0-seed", 256 * KIB, "QmWmRj3dFDZdb6ABvbmKhEL6TmPbAfBZ1t5BxsEyJrcZhE"],
  ["chunk-v0-seed", 256 * KIB + 1, "QmYyLxtzZyW22zpoVAtKANLRHpDjZtNeDjQdJrcQNWoRkJ"],
  ["v0-seed", 174 * 256 * KIB, "QmUbBALi174SnogsUzLpYbD4xPiBSFANF4iztWCsHbMKh2"],
  ["v0-seed", 174 * 256 * KIB + 1, "QmV81WL765sC8DXsRhE5fJv2rwhS4icHRaf3J9Zk5FdRnW"],
  ["v0-seed", 175 * 256 * KIB, "QmepeWtdmS1hHXx1oZXsPUv6bMrfRRKfZcoPPU4eEfjnbf"]
]

for (const [seed, size, cid] of FILES) {
  it.live(`gives Kubo's CID of ${size} bytes that come in uneven pieces`, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        assert.strictEqual(yield* addOne(node, random(seed, size), { onlyHash: true }), cid)
        const stat = yield* node.repoStat
        assert.deepStrictEqual(stat, { blocks: 0, bytes: 0, recursivePins: 0, directPins: 0 })
      })
    )
  )
}

/** Makes the files of `createDeterministicFiles` in Kubo's tests. */
const files = (seed: string, count: number, length: number, last = length): ReadonlyArray<IpfsNode.AddEntry> => {
  const next = keyStream(seed)
  const alphabet = "abcdefghijklmnopqrstuvwxyz01234567890-_"
  return Array.from({ length: count }, (_, i) => ({
    path: `dir/${Array.from(next(i === count - 1 ? last : length), (byte) => alphabet[byte % alphabet.length]).join("")}`,
    content: utf8("x")
  }))
}

const DIRECTORIES: ReadonlyArray<
  readonly [profile: "unixfs-v0-2015" | "unixfs-v1-2025", count: number, length: number, last: number, cid: string]
> = [
  ["unixfs-v0-2015", 4096, 30, 30, "QmX5GtRk3TSSEHtdrykgqm4eqMEn3n2XhfkFAis5fjyZmN"],
  ["unixfs-v0-2015", 4033, 31, 31, "QmeMiJzmhpJAUgynAcxTQYek5PPKgdv3qEvFsdV3XpVnvP"],
  ["unixfs-v1-2025", 4766, 11, 21, "bafybeic3h7rwruealwxkacabdy45jivq2crwz6bufb5ljwupn36gicplx4"],
  ["unixfs-v1-2025", 4766, 11, 22, "bafybeiegvuterwurhdtkikfhbxcldohmxp566vpjdofhzmnhv6o4freidu"]
]

for (const [profile, count, length, last, cid] of DIRECTORIES) {
  it.live(
    `gives Kubo's CID of a directory of ${count} files with names of ${length} or ${last} letters, ${profile}`,
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { node } = yield* fresh
          const added = yield* addAll(node, files(`hamt-${profile}`, count, length, last), { profile, onlyHash: true })
          assert.strictEqual(String(added.at(-1)?.cid), cid)
          assert.strictEqual(added.at(-1)?.name, "dir")
        })
      )
  )
}

/**
 * Results of Kubo 0.43.0: `ipfs add --only-hash --chunker=<chunker> <options>`, for `size` bytes of the key stream with
 * the seed "rabin", or for as many zeros.
 */
const RABIN: ReadonlyArray<readonly [chunker: string, size: number, cid: string, options?: IpfsNode.AddOptions]> = [
  ["rabin", 3_000_000, "QmbiFeJg6QUZsrFbaUzm25rWopbfSeikBfVVjzf8n2f8wU"],
  ["rabin-65536", 3_000_000, "QmTgPnaEmNAbzgw5WEuSL7opRxdb9cvDRH9qbnPNdn2UNG"],
  ["rabin-1048576", 3_000_000, "QmXDYSi1JfDx5JFek8teFbeaU3WidHQ7VBwxnnSYW8SC8A"],
  ["rabin-131072-262144-524288", 3_000_000, "QmaA6QKu7a7QAofXNeH9kPz7ZJUvPeTnchbdSR46qnDofa"],
  ["rabin-1000-5000-20000", 3_000_000, "Qmf2hnkrKvHbgqnMcEGZsj2y54UBXERwXbAeZKY83Yzp9q"],
  ["rabin-min:1000-avg:5000-max:20000", 3_000_000, "Qmf2hnkrKvHbgqnMcEGZsj2y54UBXERwXbAeZKY83Yzp9q"],
  ["rabin-48", 30_000, "QmdBqf8P21iqtbn7c1QfcNCcMoszS6DUTXGH6GfuLdnS2q"],
  ["rabin-100", 30_000, "QmTEBeSBDynAfVAg2J8mRVsq1pVk2Rcr1r2TrG95zbMkpM"],
  ["rabin-16-32-64", 30_000, "QmPQ6L1xdh1YdNVq8Qqa55AnjikRJkNnreLEEys6Bt1di9"],
  ["rabin-17-100-1000", 30_000, "QmfWk4y5FA9u7suKgsYjvzoSvqbinCmd6PMsXJjmbB4NW1"],
  ["rabin", 3_000_000, "bafybeiakaevgrlvgkeo2jnhuzu4uiu7phbogrefq7cgj4wht4wtzlwgpqq", { cidVersion: 1 }],
  ["rabin-1000", 3_000_000, "QmW7cH6f9rHA8nEvBZnmSBYyYhJuhy1EAA3F1HvqkqbuJb", { trickle: true, maxFileLinks: 5 }],
  ["rabin", 0, "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"]
]

const RABIN_OF_ZEROS = [
  ["rabin", "QmbUDpGrdzjy6LDCHzSsp5szyhumTYGzyQ47LKkHZSBNBX"],
  ["rabin-1000-5000-20000", "QmNjvPfNDGjswcvjLSLZEJ591142CqNWHfneN2swwEwrHn"]
] as const

it.live("cuts by Rabin's fingerprint where Kubo does", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      for (const [chunker, size, cid, options] of RABIN) {
        const added = yield* addOne(node, random("rabin", size), { ...options, chunker, onlyHash: true })
        assert.strictEqual(added, cid, `${chunker} of ${size} bytes`)
      }
      for (const [chunker, cid] of RABIN_OF_ZEROS) {
        const zeros = Stream.make(new Uint8Array(1_000_000), new Uint8Array(1_999_999), new Uint8Array(1))
        assert.strictEqual(yield* addOne(node, zeros, { chunker, onlyHash: true }), cid, `${chunker} of zeros`)
      }
    })
  )
)

it.live("cuts by Rabin's fingerprint in the same places however the content comes", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const whole = Buffer.concat(yield* Stream.runCollect(random("pieces", 20_000)))
      const options = { chunker: "rabin-16-64-256", onlyHash: true }
      const cid = yield* addOne(node, whole, options)
      for (const size of [1, 7, 15, 16, 17, 255, 256, 257, 4096]) {
        const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
          whole.subarray(i * size, (i + 1) * size)
        )
        assert.strictEqual(yield* addOne(node, Stream.fromIterable(pieces), options), cid, `pieces of ${size}`)
      }
    })
  )
)

it.live("refuses what Kubo refuses of Rabin, and averages below 48, for which Kubo cuts nothing", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      for (const sizes of ["", "0", "20", "47", "1397932", "15-32-64", "100-100-200", "100-200-200", "1-2", "x"]) {
        const reason = yield* reasonOf(addOne(node, "f", { chunker: `rabin-${sizes}` }))
        assert.strictEqual(reason._tag, "InvalidRequest", sizes)
      }
      yield* addOne(node, "f", { chunker: "rabin-1397931" })
    })
  )
)

/** Vectors from Kubo 0.43.0, as it answered over HTTP. */
it.live("begins a new tree when a name at the top comes again, as Kubo does", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const entries = [
        { path: "d/f", content: utf8("1") },
        { path: "a", content: utf8("2") },
        { path: "d/g", content: utf8("3") }
      ]
      const said = (added: ReadonlyArray<IpfsNode.AddedEntry>) => added.map(({ cid, name }) => `${name} ${String(cid)}`)
      assert.deepStrictEqual(said(yield* addAll(node, entries)), [
        "d/f QmWYddCPs7uR9EvHNCZzpguVFVNfHc6aM3hPVzPdAEESMc",
        "d QmVo2q9fAiQkaqdozgWnEVWULd336ADg3FD6jDK9MfKvvY",
        "a QmT9SanPHnSH5AsBqy2xZbstw4rAw5znFPkmjkvDCMdVuF",
        "d/g QmY4ZaCGXPTqRmTVEGSC6PPMgniAhMD1wPBTH7PeU3qtAf",
        "d QmTUjvHNAs6UQeST9HhsqHCVMJ31z7qiKyn4HMqjBPJ9Mt"
      ])
      const wrapped = said(yield* addAll(node, entries, { wrapWithDirectory: true }))
      assert.deepStrictEqual(
        wrapped.map((line) => line.split(" ")[0]),
        ["d/f", "a", "d/g", "d", ""]
      )
      const pinned = yield* Stream.runCollect(node.pinLs([], { type: "recursive" }))
      assert.lengthOf(pinned, 4, "each tree, the file, and the wrapping directory")
    })
  )
)
