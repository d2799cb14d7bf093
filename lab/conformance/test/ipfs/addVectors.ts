/** The answers of `add` in Kubo's own tests. */
import { createCipheriv, createHash } from "node:crypto"

import { assert, it } from "@effect/vitest"
import { Cid, DirectoryCid, FileCid } from "@plumbline/ipfs-client"
import { Effect, Result, Stream } from "effect"

import { json } from "../support/fixtures.ts"
import type { Tally } from "../support/tally.ts"

type Input =
  | { readonly utf8: string }
  | { readonly dir: Readonly<Record<string, Input>> }
  | { readonly chacha20: { readonly seed: string; readonly length: number } }
  | { readonly generatedDir: { readonly files: number; readonly nameLength: number; readonly seed: string } }

interface Vector {
  readonly id: string
  readonly input: Input
  readonly options: {
    readonly cidVersion: 0 | 1
    readonly rawLeaves: boolean
    readonly chunker: string
    readonly maxLinks: number
    readonly hash: FileCid.FileCidOptions["hash"]
    readonly layout?: string
  }
  readonly cid: string
}

const PIECE = 1024 * 1024

/** Returns a reader of the ChaCha20 key stream whose key is the hash of a seed. It can be read once. */
const keystream = (seed: string) => {
  const cipher = createCipheriv("chacha20", createHash("sha256").update(seed).digest(), Buffer.alloc(16))
  return (size: number): Uint8Array => cipher.update(Buffer.alloc(size))
}

const generated = (seed: string, length: number): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    const next = keystream(seed)
    return Stream.unfold(length, (left) =>
      Effect.sync(() => (left === 0 ? undefined : ([next(Math.min(PIECE, left)), Math.max(0, left - PIECE)] as const)))
    )
  })

const fileOf = (input: Input): Stream.Stream<Uint8Array> | undefined =>
  "utf8" in input
    ? Stream.make(new TextEncoder().encode(input.utf8))
    : "chacha20" in input
      ? generated(input.chacha20.seed, input.chacha20.length)
      : undefined

export const addVectors = (tally: Tally): void => {
  const { alphabetEasy, vectors }: { readonly alphabetEasy: string; readonly vectors: ReadonlyArray<Vector> } = json(
    "5-ipfs/kubo/unixfs-add-vectors.json"
  )

  const inputsOf = (input: Input): ReadonlyArray<readonly [name: string, input: Input]> => {
    if ("dir" in input) return Object.entries(input.dir)
    if (!("generatedDir" in input)) return []
    const { files, nameLength, seed } = input.generatedDir
    const next = keystream(seed)
    return Array.from({ length: files }, () => {
      const name = Array.from(next(nameLength), (byte) => alphabetEasy.charAt(byte % alphabetEasy.length)).join("")
      return [name, { utf8: "x" }]
    })
  }

  const add = (
    input: Input,
    options: FileCid.FileCidOptions
  ): Effect.Effect<Pick<FileCid.FileRoot, "cid" | "totalSize">> => {
    const file = fileOf(input)
    if (file !== undefined) return FileCid.ofStream(file, options)
    return Effect.map(
      Effect.forEach(inputsOf(input), ([name, entry]) =>
        Effect.map(add(entry, options), (root) => [name, root] as const)
      ),
      (entries) => Result.getOrThrow(DirectoryCid.make(entries, options))
    )
  }

  it.effect("computes the CIDs that Kubo answers, up to a file of 1 GiB", () =>
    Effect.gen(function* () {
      const counter = tally.count("files and directories added to Kubo")
      for (const { cid, id, input, options } of vectors) {
        if (options.layout === "trickle") {
          counter.outside("trickle layout")
          continue
        }
        const chunkSize = Number(options.chunker.replace("size-", ""))
        const root = yield* add(input, { ...options, chunkSize })
        assert.strictEqual(Cid.toText(root.cid), cid, id)
        counter.verified()
      }
      counter.expect({ verified: 37, outside: { "trickle layout": 1 } })
    })
  )
}
