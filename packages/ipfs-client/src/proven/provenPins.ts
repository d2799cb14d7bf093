/**
 * Commands about pins. Nothing proves which pins exist, but the answer must be about the requested CIDs.
 *
 * A path is resolved by reading checked blocks. Nothing proves the target of an IPNS name.
 */
import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type * as BlockSource from "../block/BlockSource.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsPath from "../cid/IpfsPath.ts"
import type { AnyClient, CheckFailure, ReadFailure } from "../client/IpfsClient.ts"
import * as DagPath from "../dag/dagPath.ts"
import type * as UnixFs from "../unixfs/UnixFs.ts"
import * as ResolvedPath from "./resolvedPath.ts"

type Pins = Pick<AnyClient, "pinAdd" | "pinRm" | "pinLs" | "pinUpdate">

type Paths = IpfsPath.IpfsPathInput | ReadonlyArray<IpfsPath.IpfsPathInput>

export const make = (ipfs: AnyClient, options: UnixFs.UnixFsOptions): Pins => {
  const source: BlockSource.BlockSource<CheckFailure> = (cid) => ipfs.blockGet(cid)

  /** Returns the CIDs at the ends of the paths; `undefined` for a path that only the node can resolve. */
  const resolved = (command: string, paths: Paths): Effect.Effect<ReadonlyArray<Cid.Cid | undefined>, ReadFailure> =>
    Effect.forEach(isList(paths) ? paths : [paths], (path) =>
      IpfsPath.toText(path).startsWith("/ipns/")
        ? Effect.succeed(undefined)
        : Effect.flatMap(ResolvedPath.of(command, path), ({ names, root }) =>
            names.length === 0
              ? Effect.succeed(root)
              : Effect.map(DagPath.resolve(source, root, names, options), ({ cid }) => cid)
          )
    )

  /** Returns the answers about several paths, in the order of the paths. */
  const answered = (
    expected: ReadonlyArray<Cid.Cid | undefined>,
    answer: ReadonlyArray<Cid.CidText>
  ): Effect.Effect<ReadonlyArray<Cid.CidText>, RefutedError> => {
    if (expected.includes(undefined)) return Effect.succeed(answer)
    const asked = expected.filter((cid) => cid !== undefined)
    const said = new Map(answer.map((text) => [keyOf(text), text]))
    const known = new Set(asked.map(keyOf))
    const strange = answer.find((text) => !known.has(keyOf(text)))
    const missing = asked.find((cid) => !said.has(keyOf(cid)))
    return strange === undefined && missing === undefined
      ? Effect.succeed(asked.map((cid) => said.get(keyOf(cid))!))
      : Effect.fail(refuted(missing ?? asked[0], strange ?? "nothing"))
  }

  return {
    pinAdd: (paths, asked) =>
      Effect.flatMap(resolved("pin/add", paths), (expected) =>
        Effect.flatMap(ipfs.pinAdd(paths, asked), (answer) => answered(expected, answer))
      ),
    pinRm: (paths, asked) =>
      Effect.flatMap(resolved("pin/rm", paths), (expected) =>
        Effect.flatMap(ipfs.pinRm(paths, asked), (answer) => answered(expected, answer))
      ),
    pinUpdate: (from, to, asked) =>
      Effect.flatMap(resolved("pin/update", [from, to]), (expected) =>
        Effect.flatMap(ipfs.pinUpdate(from, to, asked), (answer) => answered(expected, answer))
      ),
    pinLs: (asked = {}) => {
      const { paths = [], type = "all" } = asked
      return Stream.unwrap(
        Effect.map(resolved("pin/ls", paths), (expected) => {
          const known = new Set(expected.map((cid) => (cid === undefined ? "" : keyOf(cid))))
          const isAny = known.size === 0 || known.has("")
          return Stream.tap(ipfs.pinLs(asked), (pin) => {
            if (!isAny && !known.has(keyOf(pin.cid))) return Effect.fail(refuted(expected[0], pin.cid))
            return type === "all" || pin.type.split(" ")[0] === type
              ? Effect.void
              : Effect.fail(new RefutedError({ subject: pin.cid, check: "pin type", expected: type, got: pin.type }))
          })
        })
      )
    }
  }
}

const isList = (paths: Paths): paths is ReadonlyArray<IpfsPath.IpfsPathInput> => Array.isArray(paths)

/** Returns a key that is the same for a CID in version 0 and version 1. */
const keyOf = (cid: Cid.Cid | Cid.CidText): string =>
  Cid.toText(Cid.toV1(typeof cid === "string" ? Cid.fromTextUnsafe(cid) : cid))

const refuted = (expected: Cid.Cid | undefined, got: string): RefutedError => {
  const cid = expected === undefined ? "pin" : Cid.toText(expected)
  return new RefutedError({ subject: cid, check: "pinned CID", expected: cid, got })
}
