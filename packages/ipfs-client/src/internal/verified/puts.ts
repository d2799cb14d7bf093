/** Storing single blocks: the CID that the node answers must name what was sent. */
import * as DagCbor from "@ipld/dag-cbor"
import * as DagJson from "@ipld/dag-json"
import * as DagPb from "@ipld/dag-pb"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Block from "../../Block.ts"
import * as Cid from "../../Cid.ts"
import type { Client, Failure } from "../../IpfsClient.ts"
import { EncodeError, IpfsError } from "../../IpfsError.ts"
import * as Multihash from "../../Multihash.ts"
import { Refuted } from "../../Refuted.ts"
import type * as UnixFs from "../../UnixFs.ts"
import { Unproven } from "../../Unproven.ts"
import * as Reads from "./reads.ts"

type Puts = Pick<Client<Failure>, "blockPut" | "dagPut" | "objectPut">

export const make = (ipfs: Client<Failure>, options: UnixFs.Options): Puts => ({
  blockPut: (bytes, asked = {}) =>
    Effect.tap(ipfs.blockPut(bytes, asked), ({ cid, size }) =>
      Effect.gen(function* () {
        const named = Cid.parseUnsafe(cid)
        // A program that asked for a bigger block has it.
        const maxBlockSize = asked.allowBigBlock === true ? bytes.length : options.maxBlockSize
        yield* Block.checkEffect(named, bytes, { maxBlockSize })
        yield* expect(cid, "block size", String(bytes.length), String(size))
        yield* expect(cid, "hash function", asked.mhtype ?? "sha2-256", hashName(named.multihash.code))
        const codec = asked.format === "v0" ? "dag-pb" : asked.cidCodec
        if (codec !== undefined) {
          yield* expect(cid, "codec", codec, Block.codecs.get(named.code) ?? `0x${named.code.toString(16)}`)
        }
      })
    ),
  dagPut: (bytes, asked = {}) =>
    Effect.flatMap(Effect.fromResult(stored(bytes, asked)), (expected) =>
      Effect.tap(ipfs.dagPut(bytes, asked), (cid) =>
        Cid.equals(Cid.parseUnsafe(cid), expected)
          ? Effect.void
          : Effect.fail(new Refuted({ cid, check: "stored CID", expected: Cid.format(expected), got: cid }))
      )
    ),
  objectPut: (block, asked) =>
    Effect.tap(ipfs.objectPut(block, asked), (cid) => {
      const named = Cid.parseUnsafe(cid)
      return Effect.andThen(
        Block.checkEffect(named, block, options),
        expect(cid, "codec", "dag-pb", Block.codecs.get(named.code) ?? `0x${named.code.toString(16)}`)
      )
    })
})

const expect = (cid: string, check: string, expected: string, got: string): Effect.Effect<void, Refuted> =>
  got === expected ? Effect.void : Effect.fail(new Refuted({ cid, check, expected, got }))

const hashName = (code: number): string =>
  Object.entries(Multihash.codes).find(([, known]) => known === code)?.[0] ?? `0x${code.toString(16)}`

interface Codec {
  readonly code: number
  readonly decode: (bytes: Uint8Array) => unknown
}

const CODECS: Readonly<Record<string, Codec>> = {
  "dag-cbor": DagCbor,
  "dag-json": DagJson,
  "dag-pb": DagPb,
  raw: { code: Block.RAW, decode: (bytes) => bytes }
}

/** The CID of what a node stores: the value, written in another codec. */
const stored = (
  bytes: Uint8Array,
  { hash = "sha2-256", inputCodec = "dag-json", storeCodec = "dag-cbor" }: NonNullable<Parameters<Client["dagPut"]>[1]>
): Result.Result<Cid.Cid, IpfsError | Unproven> => {
  const input = Object.hasOwn(CODECS, inputCodec) ? CODECS[inputCodec] : undefined
  const store = Object.hasOwn(CODECS, storeCodec) ? CODECS[storeCodec] : undefined
  const code = Object.hasOwn(Multihash.codes, hash) ? Multihash.codes[hash as Multihash.Name] : undefined
  if (input === undefined || store === undefined || code === undefined) {
    const reason = "the CID of what is stored in this codec or by this hash is not computed here"
    return Result.fail(new Unproven({ cid: "dag/put", reason }))
  }
  const value = Result.try({
    try: () => input.decode(bytes),
    // The library's text shows the value.
    catch: () =>
      new IpfsError({
        command: "dag/put",
        reason: new EncodeError({ name: "data", detail: `is not ${inputCodec}` })
      })
  })
  return Result.flatMap(value, (value) =>
    Result.flatMap(Reads.encode("dag/put", storeCodec, value), (block) =>
      Result.mapError(Block.cidOf(store.code, block, code), (reason) => new Unproven({ cid: "dag/put", reason }))
    )
  )
}
